"""What cannot all be true of one graph: the smallest sets of statements that contradict each other.

A graph that obeys exists if and only if the graph of the required arcs alone obeys: it has no cycle, no arc that
something else rules out, and no variable with too many parents. So nothing but these need be looked for.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from stablebn.errors import Conflict, shown, spelled
from stablebn.graph.names import Edge, name_key


def named(name: Hashable) -> str:
    """A name in a message: bare where nothing could be mistaken, else quoted.

    >>> named("age"), named("my age"), named(1), named("1")
    ('age', "'my age'", '1', "'1'")
    """
    return name if isinstance(name, str) and name.isidentifier() else spelled(shown(name))


def arrow(arc: Edge) -> str:
    """An arc in a message."""
    return f"{named(arc[0])} -> {named(arc[1])}"


def in_words(names: Sequence[Hashable]) -> str:
    """Names in a message, with commas between them."""
    return ", ".join(map(named, names))


def contradictions(
    required: Iterable[Edge],
    tiers: Sequence[Sequence[Hashable]],
    ruled_out: Mapping[str, Callable[[Edge], str | None]],
    most_parents: Callable[[Hashable], int | None],
) -> Iterator[Conflict]:
    """All contradictions, each by itself; of required arcs in cycles, a shortest cycle of those that hang together.

    Parameters
    ----------
    required : iterable of (from, to)
    tiers : sequence of sequences of names
    ruled_out : mapping of kind to callable
        What says for a required arc why it cannot be; None: it can.
    most_parents : callable
        How many parents a variable may have; None: any number.
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
            # One more than there may be: leaving any of them out would end the contradiction.
            least = parents[: most + 1]
            message = (
                f"{in_words(least)} are required as parents of {named(child)}, but it may have {most} at most "
                "(max_parents)."
                if most
                else f"{arrow((least[0], child))} is required, but {named(child)} may have no parents (max_parents)."
            )
            yield Conflict("max_parents", message, tuple((a, child) for a in least), (*least, child))


def shortest_cycles(arcs: Sequence[Edge]) -> Iterator[list[Hashable]]:
    """A shortest cycle, its first node again at its end, in each part of the graph that has any."""
    children, parents = _far_ends(arcs), _far_ends((b, a) for a, b in arcs)
    left = sorted(_below_cycles(children, parents), key=name_key)
    while left:
        together = _reached(left[0], children) & _reached(left[0], parents)
        if together:
            # The first by name of the shortest, from its first node on.
            yield min((_cycle_at(node, children) for node in left if node in together), key=len)
        left = [node for node in left[1:] if node not in together]


def _below_cycles(
    children: Mapping[Hashable, Sequence[Hashable]], parents: Mapping[Hashable, Sequence[Hashable]]
) -> set[Hashable]:
    """Nodes on cycles, and those to which a path leads from one: without a cycle, none."""
    missing = {node: len(own) for node, own in parents.items()}
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
    """Nodes to which a path of at least one arc leads."""
    found: set[Hashable] = set()
    open_ = [start]
    while open_:
        new = [child for child in children.get(open_.pop(), ()) if child not in found]
        found.update(new)
        open_ += new
    return found


def _cycle_at(start: Hashable, children: Mapping[Hashable, Sequence[Hashable]]) -> list[Hashable]:
    """A shortest cycle through a node that is on one."""
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
