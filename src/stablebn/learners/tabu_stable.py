"""Tabu-Stable."""

from __future__ import annotations

from stablebn.learners.config import SearchConfig
from stablebn.learners.problem import Problem
from stablebn.learners.stable_order import search_for_order, stable_order
from stablebn.learners.tabu import tabu_search
from stablebn.search import Climb


def tabu_stable(problem: Problem, config: SearchConfig) -> Climb:
    """Tabu search whose arbitrary choices follow the data alone (Algorithm 1).

    References
    ----------
    Kitson and Constantinou, "Stable Structure Learning with HC-Stable and Tabu-Stable Algorithms".
    """
    found = search_for_order(problem, config)
    if problem.time_is_up:
        return found
    return tabu_search(problem, stable_order(found), config)
