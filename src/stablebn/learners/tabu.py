"""Tabu search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stablebn.learners.shared.config import SearchConfig
from stablebn.learners.shared.problem import Problem
from stablebn.search import Climb, climb, watch_stages


def tabu_search(problem: Problem, orders: Mapping[str, Sequence[int]], config: SearchConfig) -> list[Climb]:
    """Climb on through moves that do not improve, away from the last DAGs visited; once for each order.

    The keys of `orders` name the searches for who watches.
    """
    return climb(
        problem.scores,
        list(orders.values()),
        start=problem.start,
        tabu=config.tabu,
        noinc=config.patience,
        max_parents=config.most_parents,
        max_iter=config.max_iter,
        constraints=problem.constraints,
        time_is_up=problem.time_is_up,
        watch=watch_stages(problem.watch, list(orders)),
        journal=problem.journal,
    )


def tabu(problem: Problem, config: SearchConfig) -> Climb:
    """Tabu search in the order of the columns: what the table's layout decides is arbitrary."""
    [found] = tabu_search(problem, {"search": problem.given}, config)
    return found


def tabu_dec(problem: Problem, config: SearchConfig) -> Climb:
    """Tabu search in decreasing order."""
    [found] = tabu_search(problem, {"search": problem.decreasing}, config)
    return found


def tabu_inc(problem: Problem, config: SearchConfig) -> Climb:
    """Tabu search in increasing order."""
    [found] = tabu_search(problem, {"search": problem.increasing}, config)
    return found
