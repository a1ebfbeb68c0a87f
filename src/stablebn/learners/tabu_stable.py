"""Tabu-Stable: tabu search in the stable order."""

from __future__ import annotations

from stablebn.learners.shared.config import SearchConfig
from stablebn.learners.shared.problem import Problem
from stablebn.learners.stable_order import climb_in_stable_order
from stablebn.learners.tabu import tabu_search
from stablebn.search import Climb


def tabu_stable(problem: Problem, config: SearchConfig) -> Climb:
    """Run tabu search with ties broken by the stable order (Algorithm 1).

    References
    ----------
    Kitson and Constantinou, "Stable Structure Learning with HC-Stable and Tabu-Stable Algorithms", Algorithms 1 and 2.
    """
    return climb_in_stable_order(problem, config, tabu_search)
