"""MMHC: max-min hill climbing."""

from __future__ import annotations

from itertools import combinations

from stablebn.learners.constraint_based.ci_test_runner import CITestRunner
from stablebn.learners.constraint_based.restricted import climb_among_candidates
from stablebn.learners.shared.config import SearchConfig
from stablebn.learners.shared.problem import Problem
from stablebn.search import Climb
from stablebn.stats.variable_sets import bit


def mmhc(problem: Problem, config: SearchConfig) -> Climb:
    """Run hill climbing among the parents and children that max-min selection finds.

    References
    ----------
    Tsamardinos, Brown and Aliferis, "The max-min hill-climbing Bayesian network structure learning algorithm", 2006.
    """
    return climb_among_candidates(problem, config, parents_and_children)


def parents_and_children(runner: CITestRunner, x: int, joinable: int) -> int:
    """MMPC: add candidates by the max-min heuristic, then drop those that a subset of the others separates.

    A variable that no allowed arc can join to x is neither a candidate nor tested.
    """
    entered: list[int] = []
    weakest = dict.fromkeys(runner.ordered(joinable), 0.0)
    weaken(runner, x, weakest, 0)
    while weakest:
        # The smallest of the greatest p-values so far; ties go to the first in the processing order.
        newest = min(weakest, key=weakest.__getitem__)
        del weakest[newest]
        for size in range(min(len(entered), runner.most - 1) + 1):
            for subset in combinations(entered, size):
                weaken(runner, x, weakest, bit(newest) | sum(map(bit, subset)))
        entered.append(newest)
    return runner.inseparable(x, sum(map(bit, entered)))


def weaken(runner: CITestRunner, x: int, weakest: dict[int, float], given: int) -> None:
    """Raise the greatest p-value of each candidate to its p-value given a set; drop independent candidates."""
    candidates = list(weakest)
    for y, p_value in zip(candidates, runner.p_values(x, candidates, given), strict=True):
        if p_value > runner.alpha:
            del weakest[y]
        else:
            weakest[y] = max(weakest[y], p_value)
