"""From Markov blankets to a partially directed graph: the steps that GS and Inter-IAMB share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np

from stablebn.learners.constraint_based.ci_test_runner import CITestRunner, gather, pair
from stablebn.learners.constraint_based.orientation import Triple, oriented, unshielded
from stablebn.learners.constraint_based.separating_sets import Separation
from stablebn.learners.shared.config import SearchConfig
from stablebn.learners.shared.pattern import Pattern, test_trace
from stablebn.learners.shared.problem import Problem
from stablebn.search import Constraints
from stablebn.stats.variable_sets import bit


def learn_by_blankets(
    problem: Problem, config: SearchConfig, blanket_of: Callable[[CITestRunner, int], int]
) -> Pattern:
    """Find the Markov blanket of every variable, then its neighbours, then the directions.

    Variables that no allowed arc can join may be in each other's blankets, as parents of one child, but are not
    neighbours. Variables that a required arc joins are in each other's blankets and are neighbours. Neither pair is
    tested.

    References
    ----------
    Margaritis, "Learning Bayesian network model structure from data", 2003, section 2.5.
    Scutari, "Bayesian network constraint-based structure learning algorithms", 2017, algorithm 1.
    """
    runner = gather(problem, config)
    answers = runner.answers("blankets", blanket_of, range(runner.test.n))
    blankets = symmetric([blanket or 0 for blanket in answers])
    constraints = problem.constraints or Constraints.of(runner.test.n)
    blankets = [blanket | required for blanket, required in zip(blankets, constraints.joined, strict=True)]
    adjacent = [blanket & joinable for blanket, joinable in zip(blankets, constraints.joinable, strict=True)]
    tested = [blanket & ~required for blanket, required in zip(adjacent, constraints.joined, strict=True)]
    separations = separated(runner, blankets, tested)
    for x, y in separations:
        adjacent[x] &= ~bit(y)
        adjacent[y] &= ~bit(x)
    colliders = find_colliders(runner, blankets, adjacent)
    directed, undirected, conflicts = oriented(adjacent, colliders, constraints)
    return Pattern(
        directed=directed,
        undirected=undirected,
        order=runner.order,
        trace=test_trace(
            runner.test.performed,
            dict(enumerate(blankets)),
            {xy: separation.given for xy, separation in separations.items()},
        ),
        finished=runner.limit.kept,
        conflicts=conflicts,
    )


def shrunk(runner: CITestRunner, x: int, blanket: int, entered: Sequence[int]) -> int:
    """Return a blanket without the members that the rest of it separates from x, tested in the order of entry.

    When one member is dropped, all others are tested again: given fewer variables, they may be independent now.
    """
    p_values = runner.p_values_given_rest(x, entered, blanket, stop_above=runner.alpha)
    if not p_values or p_values[-1] <= runner.alpha:
        return blanket
    position = len(p_values) - 1
    remaining = [*entered[:position], *entered[position + 1 :]]
    return shrunk(runner, x, blanket & ~bit(entered[position]), remaining)


def symmetric(sets: list[int]) -> list[int]:
    """Keep x in the set of y only if y is in the set of x."""
    n = len(sets)
    width = n // 8 + 1
    rows = np.frombuffer(b"".join(variables.to_bytes(width, "little") for variables in sets), dtype=np.uint8).reshape(
        n, width
    )
    inside = np.unpackbits(rows, axis=1, count=n, bitorder="little")
    both = np.packbits(inside & inside.T, axis=1, bitorder="little")
    return [int.from_bytes(row.tobytes(), "little") for row in both]


def separated(runner: CITestRunner, blankets: list[int], tested: list[int]) -> dict[tuple[int, int], Separation]:
    """Return separations of the tested pairs by subsets of the smaller of their two blankets.

    Two variables that are each the only member of the other's blanket are neighbours without a test.
    """
    pairs = [
        (x, y)
        for x, y in combinations(runner.order, 2)
        if tested[x] >> y & 1 and (blankets[x] | blankets[y]) & ~(bit(x) | bit(y))
    ]

    def query(runner: CITestRunner, ends: tuple[int, int]) -> Separation | None:
        x, y = ends
        return separation(runner, x, y, smaller_blankets(blankets, x, y, bit(x) | bit(y)))

    answers = zip(pairs, runner.answers("neighbours", query, pairs), strict=True)
    return {pair(x, y): answer for (x, y), answer in answers if answer is not None}


def smaller_blankets(blankets: list[int], x: int, y: int, without: int) -> list[int]:
    """Return the smaller of two variables' blankets without some variables; both if they differ and have equal size."""
    pools = [blankets[v] & ~without for v in (x, y)]
    least = min(map(int.bit_count, pools))
    return list(dict.fromkeys(pool for pool in pools if pool.bit_count() == least))


def separation(runner: CITestRunner, x: int, y: int, pools: list[int]) -> Separation | None:
    """Return the first separation of x and y by subsets of growing size."""
    tried = 0
    for pool in pools:
        separator = runner.separating_set(x, y, pool, runner.sizes(pool), tried)
        if separator is not None:
            return Separation(*separator)
        tried = pool
    return None


def find_colliders(runner: CITestRunner, blankets: list[int], adjacent: list[int]) -> dict[Triple, float]:
    """Return the triples a - c - b whose ends depend given c and any other subset, with the greatest p-value.

    The subsets are those of the smaller of the blankets of a and b (that of b if they have equal size), without a, b,
    c.
    """
    triples = list(unshielded(adjacent, runner.order))

    def query(runner: CITestRunner, triple: Triple) -> float:
        a, c, b = triple
        pools = (blankets[v] & ~(bit(a) | bit(b) | bit(c)) for v in (b, a))
        return runner.greatest_p_value(a, b, min(pools, key=int.bit_count), bit(c))

    answers = zip(triples, runner.answers("v-structures", query, triples), strict=True)
    return {triple: greatest for triple, greatest in answers if greatest is not None and greatest <= runner.alpha}
