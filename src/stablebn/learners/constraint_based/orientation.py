"""Direct the edges of a skeleton: by constraints, then v-structures, then Meek's rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from stablebn.graph import PDAG, meek_closure
from stablebn.learners.constraint_based.ci_test_runner import pair
from stablebn.learners.constraint_based.separating_sets import Separation
from stablebn.learners.shared.pattern import Edges, numbered
from stablebn.search import Constraints
from stablebn.stats.variable_sets import bit, members

Triple = tuple[int, int, int]


def v_structures(
    adjacent: Sequence[int], separations: Mapping[tuple[int, int], Separation], order: Sequence[int]
) -> dict[Triple, float]:
    """Return the triples a - c - b with a and b not adjacent whose separating set lacks c, with its p-value."""
    triples = {}
    for a, c, b in unshielded(adjacent, order):
        separation = separations.get(pair(a, b))
        if separation is not None and not separation.given >> c & 1:
            triples[a, c, b] = separation.p_value
    return triples


def unshielded(adjacent: Sequence[int], order: Sequence[int]) -> Iterator[Triple]:
    """Yield the triples a - c - b with a and b not adjacent, in the processing order of c, a and b."""
    for c in order:
        for a, b in combinations([v for v in order if adjacent[c] >> v & 1], 2):
            if not adjacent[a] >> b & 1:
                yield a, c, b


def oriented(
    adjacent: Sequence[int], colliders: Mapping[Triple, float], constraints: Constraints | None = None
) -> tuple[Edges, Edges, tuple[Triple, ...]]:
    """Return directed edges, undirected edges, and the v-structures that conflict with others.

    An edge of which one direction is not allowed has the other direction from the start (`known_children`), so every
    extension obeys the constraints. If these directions form a cycle, no extension exists: the tests contradict the
    constraints.

    V-structures are applied by increasing p-value, as in bnlearn; ties go to the first in the processing order of (c,
    a, b). A v-structure is applied if neither of its arcs already has the other direction or closes a directed cycle.
    Otherwise it is a conflict: both its arcs are left out, and it is reported. Meek's rules direct what follows.

    References
    ----------
    Meek, "Causal inference and causal explanation with background knowledge", 1995.
    """
    children = known_children(adjacent, constraints)
    conflicts = []
    for a, c, b in sorted(colliders, key=colliders.__getitem__):
        if any(children[c] >> parent & 1 or _reaches(children, c, parent) for parent in (a, b)):
            conflicts.append((a, c, b))
        else:
            children[a] |= bit(c)
            children[b] |= bit(c)
    closure = meek_closure(PDAG(range(len(adjacent)), *by_direction(adjacent, children)), acyclic=True)
    return numbered(closure.directed), numbered(closure.undirected), tuple(conflicts)


def known_children(adjacent: Sequence[int], constraints: Constraints | None) -> list[int]:
    """Return the children that constraints decide: adjacent variables to which only one direction is allowed."""
    if constraints is None:
        return [0] * len(adjacent)
    return [around & ~allowed for around, allowed in zip(adjacent, constraints.allowed, strict=True)]


def by_direction(adjacent: Sequence[int], children: Sequence[int]) -> tuple[Edges, Edges]:
    """Return the directed and undirected edges of a skeleton with some known directions."""
    directed = tuple((u, v) for u, below in enumerate(children) for v in members(below))
    undirected = tuple(
        (u, v)
        for u, around in enumerate(adjacent)
        for v in members(around)
        if u < v and not children[u] >> v & 1 and not children[v] >> u & 1
    )
    return directed, undirected


def _reaches(children: Sequence[int], u: int, v: int) -> bool:
    """Return whether a directed path leads from u to v."""
    seen = 0
    fresh = bit(u)
    while fresh:
        seen |= fresh
        below = 0
        for w in members(fresh):
            below |= children[w]
        fresh = below & ~seen
    return bool(seen >> v & 1)
