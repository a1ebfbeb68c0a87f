"""Max-Min Hill-Climbing."""

from __future__ import annotations

from itertools import combinations

from stablebn.learners.constraint_based.ci_test_runner import Evidence
from stablebn.learners.constraint_based.restricted import climb_among_candidates
from stablebn.learners.shared.config import SearchConfig
from stablebn.learners.shared.problem import Problem
from stablebn.search import Climb
from stablebn.stats.variable_sets import bit


def mmhc(problem: Problem, config: SearchConfig) -> Climb:
    """Hill climbing among the parents and children that max-min selection finds.

    References
    ----------
    Tsamardinos, Brown and Aliferis (2006), "The max-min hill-climbing Bayesian network structure learning algorithm".
    """
    return climb_among_candidates(problem, config, parents_and_children)


def parents_and_children(evidence: Evidence, x: int, joinable: int) -> int:
    """MMPC: candidates enter by the max-min heuristic, then those that a subset of the others separates leave.

    What no allowed arc can join to x is no candidate, and not tested.
    """
    entered: list[int] = []
    weakest = dict.fromkeys(evidence.ordered(joinable), 0.0)
    weaken(evidence, x, weakest, 0)
    while weakest:
        # The smallest p-value, each the greatest so far; of equals the first in the processing order.
        newest = min(weakest, key=weakest.__getitem__)
        del weakest[newest]
        for size in range(min(len(entered), evidence.most - 1) + 1):
            for subset in combinations(entered, size):
                weaken(evidence, x, weakest, bit(newest) | sum(map(bit, subset)))
        entered.append(newest)
    return evidence.inseparable(x, sum(map(bit, entered)))


def weaken(evidence: Evidence, x: int, weakest: dict[int, float], given: int) -> None:
    """Raise the greatest p-value of every variable to the one given a set; those now independent leave."""
    candidates = list(weakest)
    for y, p_value in zip(candidates, evidence.p_values(x, candidates, given), strict=True):
        if p_value > evidence.alpha:
            del weakest[y]
        else:
            weakest[y] = max(weakest[y], p_value)
