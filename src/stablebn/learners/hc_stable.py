"""HC-Stable: hill climbing in the stable order."""

from __future__ import annotations

from stablebn.learners.hc import hill_climb
from stablebn.learners.shared.config import SearchConfig
from stablebn.learners.shared.problem import Problem
from stablebn.learners.stable_order import climb_in_stable_order
from stablebn.search import Climb


def hc_stable(problem: Problem, config: SearchConfig) -> Climb:
    """Run hill climbing with ties broken by the stable order (Algorithm 1 without the tabu list).

    References
    ----------
    Kitson and Constantinou, "Stable Structure Learning with HC-Stable and Tabu-Stable Algorithms", Algorithms 1 and 2.
    """
    return climb_in_stable_order(problem, config, hill_climb)
