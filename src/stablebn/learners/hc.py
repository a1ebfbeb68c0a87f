"""Greedy hill climbing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stablebn.learners.shared.config import SearchConfig
from stablebn.learners.shared.problem import Problem
from stablebn.search import Climb, climb, watch_stages


def hill_climb(problem: Problem, orders: Mapping[str, Sequence[int]], config: SearchConfig) -> list[Climb]:
    """Climb while the score improves, once for each order, which decides between equal moves.

    The keys of `orders` name the searches for who watches.
    """
    return climb(
        problem.scores,
        list(orders.values()),
        start=problem.start,
        max_parents=config.most_parents,
        max_iter=config.max_iter,
        constraints=problem.constraints,
        time_is_up=problem.time_is_up,
        watch=watch_stages(problem.watch, list(orders)),
        journal=problem.journal,
    )


def hc(problem: Problem, config: SearchConfig) -> Climb:
    """Hill climbing in the order of the columns: what the table's layout decides is arbitrary."""
    [found] = hill_climb(problem, {"search": problem.given}, config)
    return found


def hc_dec(problem: Problem, config: SearchConfig) -> Climb:
    """Hill climbing in decreasing order."""
    [found] = hill_climb(problem, {"search": problem.decreasing}, config)
    return found


def hc_inc(problem: Problem, config: SearchConfig) -> Climb:
    """Hill climbing in increasing order."""
    [found] = hill_climb(problem, {"search": problem.increasing}, config)
    return found
