"""Greedy hill climbing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stablebn.learners.shared.config import SearchConfig
from stablebn.learners.shared.problem import Problem
from stablebn.search import Climb, ClimbSettings, climb, watch_stages


def hill_climb(
    problem: Problem, orders: Mapping[str, Sequence[int]], config: SearchConfig, *, tabu: int = 0, noinc: int = 0
) -> list[Climb]:
    """Climb from the start DAG once per order; an order decides between moves that score the same.

    Hill climbing has tabu = 0 and noinc = 0: it ends when no move improves the score.

    Parameters
    ----------
    problem : Problem
    orders : mapping of str to sequence of int
        Orders of the variables; `Problem.watch` is called with their names.
    config : SearchConfig
    tabu : int
        Number of visited DAGs that the search must not return to.
    noinc : int
        Number of moves in sequence that may fail to improve on the best DAG.
    """
    return climb(
        problem.scores,
        list(orders.values()),
        ClimbSettings(tabu, noinc, config.most_parents, config.max_iter),
        start=problem.start,
        constraints=problem.constraints,
        time_is_up=problem.time_is_up,
        watch=watch_stages(problem.watch, list(orders)),
        journal=problem.journal,
    )


def hc(problem: Problem, config: SearchConfig) -> Climb:
    """Climb in the order of the columns, so that the result depends on the column order where moves tie.

    References
    ----------
    Heckerman, Geiger and Chickering, "Learning Bayesian networks: the combination of knowledge and statistical data",
    1995.
    """
    [climbed] = hill_climb(problem, {"search": problem.given}, config)
    return climbed


def hc_dec(problem: Problem, config: SearchConfig) -> Climb:
    """Climb in decreasing order (specification, section 4)."""
    [climbed] = hill_climb(problem, {"search": problem.decreasing}, config)
    return climbed


def hc_inc(problem: Problem, config: SearchConfig) -> Climb:
    """Climb in increasing order, the reverse of the decreasing order."""
    [climbed] = hill_climb(problem, {"search": problem.increasing}, config)
    return climbed
