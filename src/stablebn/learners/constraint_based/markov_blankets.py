"""What grow-shrink and incremental association share: from Markov blankets to a pattern."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np

from stablebn.learners.constraint_based.ci_test_runner import Evidence, gather, pair
from stablebn.learners.constraint_based.orientation import Triple, oriented, unshielded
from stablebn.learners.constraint_based.separating_sets import Separation
from stablebn.learners.shared.config import SearchConfig
from stablebn.learners.shared.pattern import Pattern, test_trace
from stablebn.learners.shared.problem import Problem
from stablebn.search import Constraints
from stablebn.stats.variable_sets import bit


def learn_by_blankets(problem: Problem, config: SearchConfig, blanket_of: Callable[[Evidence, int], int]) -> Pattern:
    """Find the blanket of every variable, then its neighbours, then the directions.

    Variables that no allowed arc can join may be in each other's blankets, as parents of one child, but are no
    neighbours; those that a required arc joins are in each other's blankets, and neighbours. Neither are tested as to
    that.

    References
    ----------
    Margaritis (2003), "Learning Bayesian network model structure from data", section 2.5; Scutari (2017), "Bayesian
    network constraint-based structure learning algorithms", algorithm 1.
    """
    evidence = gather(problem, config)
    found = evidence.answers("blankets", blanket_of, range(evidence.test.n))
    blankets = symmetric([blanket or 0 for blanket in found])
    constraints = problem.constraints or Constraints.of(evidence.test.n)
    blankets = [own | joined for own, joined in zip(blankets, constraints.joined, strict=True)]
    adjacent = [own & joinable for own, joinable in zip(blankets, constraints.joinable, strict=True)]
    tested = [own & ~joined for own, joined in zip(adjacent, constraints.joined, strict=True)]
    separations = separated(evidence, blankets, tested)
    for x, y in separations:
        adjacent[x] &= ~bit(y)
        adjacent[y] &= ~bit(x)
    colliders = find_colliders(evidence, blankets, adjacent)
    directed, undirected, conflicts = oriented(adjacent, colliders, constraints)
    return Pattern(
        directed=directed,
        undirected=undirected,
        order=evidence.order,
        trace=test_trace(
            evidence.test.performed,
            dict(enumerate(blankets)),
            {xy: separation.given for xy, separation in separations.items()},
        ),
        finished=evidence.limit.kept,
        conflicts=conflicts,
    )


def shrunk(evidence: Evidence, x: int, blanket: int, entered: Sequence[int]) -> int:
    """A blanket without the members that the rest of it separates from x, looked at as they entered.

    When one has left, all others are looked at again: given fewer, one that was dependent need not be any more.
    """
    p_values = evidence.p_values_given_rest(x, entered, blanket, stop_above=evidence.alpha)
    if not p_values or p_values[-1] <= evidence.alpha:
        return blanket
    place = len(p_values) - 1
    left = [*entered[:place], *entered[place + 1 :]]
    return shrunk(evidence, x, blanket & ~bit(entered[place]), left)


def symmetric(sets: list[int]) -> list[int]:
    """Each set without the variables in whose own set its owner is not: x in the blanket of y, and y in that of x."""
    n = len(sets)
    width = n // 8 + 1
    rows = np.frombuffer(b"".join(own.to_bytes(width, "little") for own in sets), dtype=np.uint8).reshape(n, width)
    inside = np.unpackbits(rows, axis=1, count=n, bitorder="little")
    both = np.packbits(inside & inside.T, axis=1, bitorder="little")
    return [int.from_bytes(row.tobytes(), "little") for row in both]


def separated(evidence: Evidence, blankets: list[int], tested: list[int]) -> dict[tuple[int, int], Separation]:
    """The pairs to test that a subset of the smaller of their two blankets separates.

    Two variables that are each the whole blanket of the other are neighbours, and no test is made.
    """
    pairs = [
        (x, y)
        for x, y in combinations(evidence.order, 2)
        if tested[x] >> y & 1 and (blankets[x] | blankets[y]) & ~(bit(x) | bit(y))
    ]

    def ask(evidence: Evidence, ends: tuple[int, int]) -> Separation | None:
        x, y = ends
        return separation(evidence, x, y, smaller_blankets(blankets, x, y, bit(x) | bit(y)))

    found = zip(pairs, evidence.answers("neighbours", ask, pairs), strict=True)
    return {pair(x, y): answer for (x, y), answer in found if answer is not None}


def smaller_blankets(blankets: list[int], x: int, y: int, without: int) -> list[int]:
    """The smaller of two variables' blankets without some variables; both if they differ and neither is smaller."""
    pools = [blankets[v] & ~without for v in (x, y)]
    least = min(map(int.bit_count, pools))
    return list(dict.fromkeys(pool for pool in pools if pool.bit_count() == least))


def separation(evidence: Evidence, x: int, y: int, pools: list[int]) -> Separation | None:
    """The first separation of x and y by subsets of growing size."""
    tried = 0
    for pool in pools:
        found = evidence.separating_set(x, y, pool, evidence.sizes(pool), tried)
        if found is not None:
            return Separation(*found)
        tried = pool
    return None


def find_colliders(evidence: Evidence, blankets: list[int], adjacent: list[int]) -> dict[Triple, float]:
    """The middles of a - c - b given which, and whatever else, a and b depend; with the greatest p-value seen.

    What else: every subset of the smaller of the blankets of a and b, that of b if neither is, without the three.
    """
    triples = list(unshielded(adjacent, evidence.order))

    def ask(evidence: Evidence, triple: Triple) -> float:
        a, c, b = triple
        pools = (blankets[v] & ~(bit(a) | bit(b) | bit(c)) for v in (b, a))
        return evidence.greatest_p_value(a, b, min(pools, key=int.bit_count), bit(c))

    found = zip(triples, evidence.answers("v-structures", ask, triples), strict=True)
    return {triple: greatest for triple, greatest in found if greatest is not None and greatest <= evidence.alpha}
