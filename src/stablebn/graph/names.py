"""Names of nodes: one sort order for names of all types, and the checks of nodes and edges."""

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

# Names that are all of one of these types are sorted natively; `name_key` gives the same order.
_PLAIN = (str, int)


def name_key(name: Node) -> tuple[str, Any]:
    """Return a sort key for names of any types, also mixed, that is the same in every process.

    Names sort by kind, then by value. Kinds without an order of their own sort by type name and `repr`.

    >>> sorted(["b", 10, ("a", 1), 9, "a"], key=name_key)
    [9, 10, 'a', 'b', ('a', 1)]
    """
    if isinstance(name, str):
        return "str", name
    # `Real` alone would suffice, but its check is slower.
    if isinstance(name, (int, float, Real)):
        return "number", name
    if isinstance(name, tuple):
        return "tuple", tuple(map(name_key, name))
    if isinstance(name, frozenset):
        # The repr of a set depends on the hash seed.
        return "frozenset", tuple(sorted(map(name_key, name)))
    if isinstance(name, datetime):
        # A pandas timestamp may equal a Python datetime.
        return "~datetime", name.isoformat()
    return f"~{type(name).__name__}", repr(name)


def nameless(names: Iterable[Node]) -> list[Node]:
    """Return the values that cannot be names, because another process could not find or sort them.

    NaN does not equal itself, some objects have only their memory address as text, and different names with equal text
    have no defined order.

    >>> nameless(["a", 1, float("nan"), ("b", None), object])
    [nan]
    """
    # Nearly always this list is empty.
    unusual = [name for name in names if type(name) not in _PLAIN]
    invalid = [name for name in unusual if not _is_a_name(name)]
    if invalid:
        return invalid
    counts = Counter(map(name_key, unusual))
    return [name for name in unusual if counts[name_key(name)] > 1]


def _is_a_name(name: Node) -> bool:
    if isinstance(name, (tuple, frozenset)):
        return all(map(_is_a_name, name))
    try:
        equal = bool(name == name)
    except (TypeError, ValueError, ArithmeticError):
        return False
    return equal and (isinstance(name, (str, int, float, Real)) or f"{id(name):x}" not in repr(name).lower())


def rank_names(nodes: Sequence[Node]) -> dict[Node, int]:
    """Return the position of every node in the sort order of names; raise `GraphError` for a repeated name."""
    if len(set(nodes)) < len(nodes):
        twice = [name for name, times in Counter(nodes).items() if times > 1]
        raise GraphError(f"node names must differ; given more than once: {listed(twice)}.")
    if lost := nameless(nodes):
        raise GraphError(f"these cannot be names, because they cannot be told apart reliably: {listed(lost)}.")
    kinds = {*map(type, nodes)}
    key: Any = None if len(kinds) == 1 and kinds.pop() in _PLAIN else name_key
    return {name: rank for rank, name in enumerate(sorted(nodes, key=key))}


def as_names(nodes: Iterable[Node]) -> tuple[Node, ...]:
    """Return the nodes as a tuple; raise `GraphError` for a value that cannot be a name."""
    if not is_iterable(nodes):
        raise GraphError(f"{shown(nodes)} is not a list of nodes: give their names, such as ['a', 'b'].")
    names = tuple(nodes)
    unfit = [name for name in names if not is_hashable(name)]
    if unfit:
        raise GraphError(f"nodes are named by text, numbers or other hashable values, not by {shown(unfit[0])}.")
    return names


def as_pairs(edges: Iterable[Edge]) -> list[Edge]:
    """Return edges as pairs of possible names; raise `GraphError` otherwise. The nodes need not exist."""
    if isinstance(edges, str | bytes) or not is_iterable(edges):
        raise GraphError(f"{shown(edges)} is not a list of edges: give pairs of names, such as [('a', 'b')].")
    pairs = []
    for edge in edges:
        # Text is not a pair, and a set has no order. Nearly all edges are tuples, for which this check is skipped.
        if type(edge) is not tuple and (isinstance(edge, str | bytes | AbstractSet | Mapping) or not is_iterable(edge)):
            raise _no_pair(edge)
        ends = tuple(edge)
        if len(ends) != 2 or not is_hashable(ends):
            raise _no_pair(edge)
        pairs.append(ends)
    return pairs


def check_edges(edges: Iterable[Edge], rank: Mapping[Node, int]) -> None:
    """Raise `GraphError` for an unknown node, a self loop, or a second edge between two nodes."""
    seen = set()
    for a, b in edges:
        # Compare ranks: some names, such as a NumPy number and a tuple, cannot be compared.
        one, other = rank.get(a), rank.get(b)
        if one is None or other is None:
            unknown = [name for name in (a, b) if name not in rank]
            raise GraphError(f"the edge {shown(a)}, {shown(b)} uses a name that is not a node: {listed(unknown)}.")
        if one == other:
            raise GraphError(f"node {shown(a)} has an edge to itself.")
        pair = (one, other) if one < other else (other, one)
        if pair in seen:
            raise GraphError(f"{shown(a)} and {shown(b)} have two edges; two nodes share at most one.")
        seen.add(pair)


def check_node(node: Node, rank: Mapping[Node, int]) -> None:
    """Raise `GraphError` if a name is not a node."""
    if not is_hashable(node) or node not in rank:
        raise GraphError(f"the graph has no node {shown(node)}.")


def sorted_edges(edges: Iterable[Edge], rank: Mapping[Node, int]) -> tuple[Edge, ...]:
    """Return the edges sorted by their names, each with its direction."""
    return tuple(sorted(edges, key=lambda edge: (rank[edge[0]], rank[edge[1]])))


def sorted_pairs(edges: Iterable[Edge], rank: Mapping[Node, int]) -> tuple[Edge, ...]:
    """Return edges as unordered pairs: the first name of a pair sorts before the second."""
    return sorted_edges(((a, b) if rank[a] < rank[b] else (b, a) for a, b in edges), rank)


def far_ends(nodes: Iterable[Node], edges: Iterable[Edge]) -> dict[Node, tuple[Node, ...]]:
    """Return for every node the second ends of the edges that start there, in the order of the edges."""
    ends: dict[Node, list[Node]] = {node: [] for node in nodes}
    for a, b in edges:
        ends[a].append(b)
    return {node: tuple(second_ends) for node, second_ends in ends.items()}


def _no_pair(edge: object) -> GraphError:
    return GraphError(f"{shown(edge)} is not an edge: give each as a pair of two names, such as ('a', 'b').")
