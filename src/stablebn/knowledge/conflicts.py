"""Contradictions in background knowledge: the smallest sets of statements that no graph satisfies together.

A graph that satisfies all statements exists if and only if the graph of the required arcs alone satisfies them: it has
no cycle, no arc that is ruled out, and no variable with too many parents. So only these are checked.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from stablebn.errors import Conflict, shown, spelled
from stablebn.graph.names import Edge, name_key


def named(name: Hashable) -> str:
    """Return a name for a message: bare if it is an identifier, else quoted.

    >>> named("age"), named("my age"), named(1), named("1")
    ('age', "'my age'", '1', "'1'")
    """
    return name if isinstance(name, str) and name.isidentifier() else spelled(shown(name))


def arrow(arc: Edge) -> str:
    """Return an arc for a message."""
    return f"{named(arc[0])} -> {named(arc[1])}"


def in_words(names: Sequence[Hashable]) -> str:
    """Return names for a message, separated by commas."""
    return ", ".join(map(named, names))


def contradictions(
    required: Iterable[Edge],
    tiers: Sequence[Sequence[Hashable]],
    ruled_out: Mapping[str, Callable[[Edge], str | None]],
    most_parents: Callable[[Hashable], int | None],
) -> Iterator[Conflict]:
    """Yield all contradictions; for required arcs in cycles, a shortest cycle per strongly connected component.

    Parameters
    ----------
    required : iterable of (from, to)
    tiers : sequence of sequences of names
    ruled_out : mapping of kind to callable
        Functions that return why a required arc is ruled out, or None.
    most_parents : callable
        Returns the largest number of parents of a variable, or None.
    """
    arcs = sorted(required, key=_arc_key)
    yield from _in_two_tiers(tiers)
    for cycle in shortest_cycles(arcs):
        steps = tuple(pairwise(cycle))
        message = f"the required arcs {' -> '.join(map(named, cycle))} form a cycle. Leave one of them out."
        yield Conflict("cycle", message, steps, tuple(sorted(set(cycle), key=name_key)))
    for arc in arcs:
        for kind, reason in ruled_out.items():
            if (why := reason(arc)) is not None:
                yield Conflict(kind, f"{arrow(arc)} is required, but {why}.", (arc,), arc)
    by_child = _far_ends((b, a) for a, b in arcs)
    for child in sorted(by_child, key=name_key):
        parents, most = by_child[child], most_parents(child)
        if most is not None and len(parents) > most:
            # One more than allowed: leaving out any of them would resolve this contradiction.
            least = parents[: most + 1]
            message = (
                f"{in_words(least)} are required as parents of {named(child)}, but it may have {most} at most "
                "(max_parents)."
                if most
                else f"{arrow((least[0], child))} is required, but {named(child)} may have no parents (max_parents)."
            )
            yield Conflict("max_parents", message, tuple((a, child) for a in least), (*least, child))


def shortest_cycles(arcs: Sequence[Edge]) -> Iterator[list[Hashable]]:
    """Yield a shortest cycle of each strongly connected component, with its first node again at its end."""
    children, parents = _far_ends(arcs), _far_ends((b, a) for a, b in arcs)
    left = sorted(_below_cycles(children, parents), key=name_key)
    while left:
        component = _reached(left[0], children) & _reached(left[0], parents)
        if component:
            # The first by name of the shortest cycles, starting at its first node.
            yield min((_cycle_at(node, children) for node in left if node in component), key=len)
        left = [node for node in left[1:] if node not in component]


def _below_cycles(
    children: Mapping[Hashable, Sequence[Hashable]], parents: Mapping[Hashable, Sequence[Hashable]]
) -> set[Hashable]:
    """Return the nodes on cycles and their descendants."""
    missing = {node: len(node_parents) for node, node_parents in parents.items()}
    left = set(missing)
    open_ = [node for node in children if node not in missing]
    while open_:
        for child in children.get(open_.pop(), ()):
            missing[child] -= 1
            if not missing[child]:
                left.discard(child)
                open_.append(child)
    return left


def _far_ends(arcs: Iterable[Edge]) -> dict[Hashable, list[Hashable]]:
    ends: dict[Hashable, list[Hashable]] = {}
    for a, b in arcs:
        ends.setdefault(a, []).append(b)
    return ends


def _reached(start: Hashable, children: Mapping[Hashable, Sequence[Hashable]]) -> set[Hashable]:
    """Return the nodes to which a path of at least one arc leads."""
    found: set[Hashable] = set()
    open_ = [start]
    while open_:
        new = [child for child in children.get(open_.pop(), ()) if child not in found]
        found.update(new)
        open_ += new
    return found


def _cycle_at(start: Hashable, children: Mapping[Hashable, Sequence[Hashable]]) -> list[Hashable]:
    """Return a shortest cycle through a node that is on a cycle."""
    before: dict[Hashable, Hashable] = {}
    open_ = deque([start])
    while start not in before:
        node = open_.popleft()
        for child in children.get(node, ()):
            if child not in before:
                before[child] = node
                open_.append(child)
    path = [start, before[start]]
    while path[-1] != start:
        path.append(before[path[-1]])
    return path[::-1]


def _in_two_tiers(tiers: Sequence[Sequence[Hashable]]) -> Iterator[Conflict]:
    places: dict[Hashable, list[int]] = {}
    for number, tier in enumerate(tiers, start=1):
        for name in tier:
            places.setdefault(name, []).append(number)
    for name in sorted(places, key=name_key):
        if len(places[name]) > 1:
            numbers = " and in tier ".join(map(str, places[name]))
            yield Conflict("two tiers", f"{named(name)} is in tier {numbers}. It can be in one.", (), (name,))


def _arc_key(arc: Edge) -> tuple[object, object]:
    return name_key(arc[0]), name_key(arc[1])
