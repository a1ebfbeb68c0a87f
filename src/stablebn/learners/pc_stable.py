"""PC-Stable."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import combinations

from stablebn.learners.constraint_based.ci_test_runner import Evidence, gather, pair
from stablebn.learners.constraint_based.orientation import by_direction, known_children, oriented, v_structures
from stablebn.learners.constraint_based.separating_sets import Separation
from stablebn.learners.shared.config import SearchConfig
from stablebn.learners.shared.pattern import Pattern, test_trace
from stablebn.learners.shared.problem import Problem
from stablebn.search import Constraints
from stablebn.stats.variable_sets import bit


def pc_stable(problem: Problem, config: SearchConfig) -> Pattern:
    """PC with a skeleton that no order can change; the order decides which separating set is found first.

    Variables that no allowed arc can join are apart from the start, those that a required arc joins are adjacent to the
    end: neither are tested as to that.

    References
    ----------
    Colombo and Maathuis (2014), "Order-independent constraint-based causal structure learning".
    """
    evidence = gather(problem, config)
    constraints = problem.constraints or Constraints.of(evidence.test.n)
    adjacent = list(constraints.joinable)
    separations: dict[tuple[int, int], Separation] = {}
    thin_skeleton(evidence, adjacent, separations, constraints.joined)
    if problem.constraints is not None:
        separate_those_apart(evidence, adjacent, separations, constraints)
    finished = evidence.limit.kept
    # Too many edges are left of a skeleton that is not finished: directions would say nothing, and take long to find.
    if finished:
        colliders = v_structures(adjacent, separations, evidence.order)
        directed, undirected, conflicts = oriented(adjacent, colliders, constraints)
    else:
        directed, undirected = by_direction(adjacent, known_children(adjacent, constraints))
        conflicts = ()
    return Pattern(
        directed=directed,
        undirected=undirected,
        order=evidence.order,
        trace=test_trace(evidence.test.performed, {}, {xy: found.given for xy, found in separations.items()}),
        finished=finished,
        conflicts=conflicts,
        has_directions=finished,
    )


def thin_skeleton(
    evidence: Evidence, adjacent: list[int], separations: dict[tuple[int, int], Separation], joined: Sequence[int]
) -> None:
    """Remove every edge whose ends some of their neighbours separate, in rounds of growing sets; but none of some.

    The neighbours are those at the start of the round: that is what makes the skeleton independent of the order. A pair
    that was never tested, for want of time, is no edge.
    """
    size = 0
    while size <= evidence.most and evidence.limit.kept and any(around.bit_count() > size for around in adjacent):
        pairs = [(x, y) for x, y in combinations(evidence.order, 2) if (adjacent[x] & ~joined[x]) >> y & 1]
        ask = partial(separation_among_neighbours, tuple(adjacent), size)
        found = evidence.answers(f"sets of {size}", ask, pairs)
        for (x, y), answer in zip(pairs, found, strict=True):
            if answer:
                separations[pair(x, y)] = answer[0]
            if answer or (answer is None and size == 0):
                adjacent[x] &= ~bit(y)
                adjacent[y] &= ~bit(x)
        size += 1


def separate_those_apart(
    evidence: Evidence, adjacent: list[int], separations: dict[tuple[int, int], Separation], constraints: Constraints
) -> None:
    """Find what separates variables that no arc may join, where they share a neighbour.

    Whether that one is a collider is read off the set that separates them, which no test of an edge has found.
    """
    pairs = [
        (x, y)
        for x, y in combinations(evidence.order, 2)
        if not constraints.joinable[x] >> y & 1 and adjacent[x] & adjacent[y]
    ]

    def ask(evidence: Evidence, ends: tuple[int, int]) -> list[Separation]:
        most = min(evidence.most, max(adjacent[v].bit_count() for v in ends))
        found = (separation_among_neighbours(tuple(adjacent), size, evidence, ends) for size in range(most + 1))
        return next(filter(None, found), [])

    for ends, answer in zip(pairs, evidence.answers("pairs apart", ask, pairs), strict=True):
        if answer:
            separations[pair(*ends)] = answer[0]


def separation_among_neighbours(
    adjacent: tuple[int, ...], size: int, evidence: Evidence, ends: tuple[int, int]
) -> list[Separation]:
    """The first separation of two variables by so many neighbours of one of them, if there is one."""
    x, y = ends
    tried = 0
    for pool in (adjacent[x] & ~bit(y), adjacent[y] & ~bit(x)) if size else (0,):
        found = evidence.separating_set(x, y, pool, range(size, size + 1), tried)
        if found is not None:
            return [Separation(*found)]
        tried = pool
    return []
