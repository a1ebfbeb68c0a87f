"""Names of nodes: one order for names of any kind, and the checks that every graph makes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime
from numbers import Real
from typing import Any, TypeAlias

from stablebn.errors import GraphError, listed, shown
from stablebn.options import is_hashable, is_iterable

Node: TypeAlias = Hashable
Edge: TypeAlias = tuple[Node, Node]

# Names of one of these types have an order of their own, which is that of `name_key`.
_PLAIN = (str, int)


def name_key(name: Node) -> tuple[str, Any]:
    """Sort key for names of any kinds, mixed ones too, the same in every process.

    Names sort by kind, then by value. Kinds without an order of their own sort by type name and `repr`.

    >>> sorted(["b", 10, ("a", 1), 9, "a"], key=name_key)
    [9, 10, 'a', 'b', ('a', 1)]
    """
    if isinstance(name, str):
        return "str", name
    # Real alone would do, and takes longer to ask.
    if isinstance(name, (int, float, Real)):
        return "number", name
    if isinstance(name, tuple):
        return "tuple", tuple(map(name_key, name))
    if isinstance(name, frozenset):
        # Its repr follows the hash seed.
        return "frozenset", tuple(sorted(map(name_key, name)))
    if isinstance(name, datetime):
        # One of pandas may be equal to one of Python.
        return "~datetime", name.isoformat()
    return f"~{type(name).__name__}", repr(name)


def nameless(names: Iterable[Node]) -> list[Node]:
    """Names by which nothing can be found or put in order, in another process too.

    NaN and the like are not even equal to themselves; some objects have no text but their place in memory; and of two
    that differ but have the same text nobody could say which comes first.

    >>> nameless(["a", 1, float("nan"), ("b", None), object])
    [nan]
    """
    # Nearly always that is all there is to see.
    odd = [name for name in names if type(name) not in _PLAIN]
    lost = [name for name in odd if not _is_a_name(name)]
    if lost:
        return lost
    times = Counter(map(name_key, odd))
    return [name for name in odd if times[name_key(name)] > 1]


def _is_a_name(name: Node) -> bool:
    if isinstance(name, (tuple, frozenset)):
        return all(map(_is_a_name, name))
    try:
        equal = bool(name == name)
    except (TypeError, ValueError, ArithmeticError):
        return False
    return equal and (isinstance(name, (str, int, float, Real)) or f"{id(name):x}" not in repr(name).lower())


def rank_names(nodes: Sequence[Node]) -> dict[Node, int]:
    """Place of every node in the order of names; a name that comes twice is refused."""
    if len(set(nodes)) < len(nodes):
        twice = [name for name, times in Counter(nodes).items() if times > 1]
        raise GraphError(f"node names must differ; given more than once: {listed(twice)}.")
    if lost := nameless(nodes):
        raise GraphError(f"these cannot be names, as nothing tells them apart for good: {listed(lost)}.")
    kinds = {*map(type, nodes)}
    key: Any = None if len(kinds) == 1 and kinds.pop() in _PLAIN else name_key
    return {name: place for place, name in enumerate(sorted(nodes, key=key))}


def as_names(nodes: Iterable[Node]) -> tuple[Node, ...]:
    """Nodes as they were given; what cannot be a name is refused."""
    if not is_iterable(nodes):
        raise GraphError(f"{shown(nodes)} is no list of nodes: give their names, such as ['a', 'b'].")
    names = tuple(nodes)
    unfit = [name for name in names if not is_hashable(name)]
    if unfit:
        raise GraphError(f"nodes are named by text, numbers or other hashable values, not by {shown(unfit[0])}.")
    return names


def as_pairs(edges: Iterable[Edge]) -> list[Edge]:
    """Edges as pairs of what can be names; anything else is refused. Whether there are such nodes is not asked."""
    if isinstance(edges, str | bytes) or not is_iterable(edges):
        raise GraphError(f"{shown(edges)} is no list of edges: give pairs of names, such as [('a', 'b')].")
    pairs = []
    for edge in edges:
        # Text has no two ends, and the ends of a set have no order. Nearly all are tuples, of which that need not be
        # asked.
        if type(edge) is not tuple and (isinstance(edge, str | bytes | AbstractSet | Mapping) or not is_iterable(edge)):
            raise _no_pair(edge)
        ends = tuple(edge)
        if len(ends) != 2 or not is_hashable(ends):
            raise _no_pair(edge)
        pairs.append(ends)
    return pairs


def check_edges(edges: Iterable[Edge], rank: Mapping[Node, int]) -> None:
    """Refuse an unknown node, a self loop, and a second edge between the same two nodes."""
    seen = set()
    for a, b in edges:
        # By rank: some names, such as a number of NumPy and a tuple, cannot be compared.
        one, other = rank.get(a), rank.get(b)
        if one is None or other is None:
            unknown = [name for name in (a, b) if name not in rank]
            raise GraphError(f"the edge {shown(a)}, {shown(b)} uses a name that is not a node: {listed(unknown)}.")
        if one == other:
            raise GraphError(f"node {shown(a)} has an edge to itself.")
        pair = (one, other) if one < other else (other, one)
        if pair in seen:
            raise GraphError(f"{shown(a)} and {shown(b)} are joined twice; two nodes share at most one edge.")
        seen.add(pair)


def check_node(node: Node, rank: Mapping[Node, int]) -> None:
    """Refuse a name that is not a node."""
    if not is_hashable(node) or node not in rank:
        raise GraphError(f"the graph has no node {shown(node)}.")


def sorted_edges(edges: Iterable[Edge], rank: Mapping[Node, int]) -> tuple[Edge, ...]:
    """Edges in the order of their names, each one as it stands."""
    return tuple(sorted(edges, key=lambda edge: (rank[edge[0]], rank[edge[1]])))


def sorted_pairs(edges: Iterable[Edge], rank: Mapping[Node, int]) -> tuple[Edge, ...]:
    """Edges as unordered pairs: the first name of a pair sorts before the second."""
    return sorted_edges(((a, b) if rank[a] < rank[b] else (b, a) for a, b in edges), rank)


def far_ends(nodes: Iterable[Node], edges: Iterable[Edge]) -> dict[Node, tuple[Node, ...]]:
    """For every node the second ends of the edges that start there, in the order of the edges."""
    ends: dict[Node, list[Node]] = {node: [] for node in nodes}
    for a, b in edges:
        ends[a].append(b)
    return {node: tuple(found) for node, found in ends.items()}


def _no_pair(edge: object) -> GraphError:
    return GraphError(f"{shown(edge)} is no edge: give each as a pair of two names, such as ('a', 'b').")
