"""Tabu search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stablebn.learners.hc import hill_climb
from stablebn.learners.shared.config import SearchConfig
from stablebn.learners.shared.problem import Problem
from stablebn.search import Climb


def tabu_search(problem: Problem, orders: Mapping[str, Sequence[int]], config: SearchConfig) -> list[Climb]:
    """Climb once per order as in `hill_climb`, go on through worse DAGs, and never return to the last DAGs visited."""
    return hill_climb(problem, orders, config, tabu=config.tabu, noinc=config.patience)


def tabu(problem: Problem, config: SearchConfig) -> Climb:
    """Run tabu search in the order of the columns, so that the result depends on the column order where moves tie.

    References
    ----------
    Glover, "Tabu search: a tutorial", 1990.
    """
    [climbed] = tabu_search(problem, {"search": problem.given}, config)
    return climbed


def tabu_dec(problem: Problem, config: SearchConfig) -> Climb:
    """Run tabu search in decreasing order (specification, section 4)."""
    [climbed] = tabu_search(problem, {"search": problem.decreasing}, config)
    return climbed


def tabu_inc(problem: Problem, config: SearchConfig) -> Climb:
    """Run tabu search in increasing order, the reverse of the decreasing order."""
    [climbed] = tabu_search(problem, {"search": problem.increasing}, config)
    return climbed
