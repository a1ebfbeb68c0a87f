"""HC-Stable."""

from __future__ import annotations

from stablebn.learners.config import SearchConfig
from stablebn.learners.hc import hill_climb
from stablebn.learners.problem import Problem
from stablebn.learners.stable_order import search_for_order, stable_order
from stablebn.search import Climb


def hc_stable(problem: Problem, config: SearchConfig) -> Climb:
    """Hill climbing whose arbitrary choices follow the data alone (Algorithm 1 without the tabu list).

    References
    ----------
    Kitson and Constantinou, "Stable Structure Learning with HC-Stable and Tabu-Stable Algorithms".
    """
    found = search_for_order(problem, config)
    if problem.time_is_up:
        return found
    return hill_climb(problem, stable_order(found), config)
