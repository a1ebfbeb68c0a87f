"""PC-Stable."""

from __future__ import annotations

from itertools import combinations

from stablebn.learners.config import SearchConfig
from stablebn.learners.evidence import Evidence, all_but, gather, pair
from stablebn.learners.orientation import Separation, oriented, v_structures
from stablebn.learners.pattern import Pattern, test_trace
from stablebn.learners.problem import Problem
from stablebn.stats.variable_sets import bit


def pc_stable(problem: Problem, config: SearchConfig) -> Pattern:
    """PC with a skeleton that no order can change; the order decides which separating set is found first.

    References
    ----------
    Colombo and Maathuis (2014), "Order-independent constraint-based causal structure learning".
    """
    evidence = gather(problem, config)
    adjacent = [all_but(evidence.test.n, x) for x in range(evidence.test.n)]
    separations: dict[tuple[int, int], Separation] = {}
    with evidence.limit:
        thin_skeleton(evidence, adjacent, separations)
    directed, undirected, conflicts = oriented(adjacent, v_structures(adjacent, separations, evidence.order))
    return Pattern(
        directed=directed,
        undirected=undirected,
        order=evidence.order,
        trace=test_trace(evidence.test.performed, {}, {xy: found.given for xy, found in separations.items()}),
        finished=evidence.limit.kept,
        conflicts=conflicts,
    )


def thin_skeleton(evidence: Evidence, adjacent: list[int], separations: dict[tuple[int, int], Separation]) -> None:
    """Remove every edge whose ends some of their neighbours separate, in rounds of growing sets.

    The neighbours are those at the start of the round: that is what makes the skeleton independent of the order.
    """
    size = 0
    while size <= evidence.most and any(around.bit_count() > size for around in adjacent):
        at_start = tuple(adjacent)
        for x, y in combinations(evidence.order, 2):
            if not at_start[x] >> y & 1:
                continue
            pools = (at_start[x] & ~bit(y), at_start[y] & ~bit(x)) if size else (0,)
            for pool in pools:
                found = evidence.separating_set(x, y, pool, size)
                if found is not None:
                    separations[pair(x, y)] = Separation(*found)
                    adjacent[x] &= ~bit(y)
                    adjacent[y] &= ~bit(x)
                    break
        size += 1
