"""Directed acyclic graphs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from stablebn.errors import GraphError, listed, spelled
from stablebn.graph.drawable import Pictured
from stablebn.graph.names import (
    Edge,
    Node,
    as_names,
    as_pairs,
    check_edges,
    check_node,
    far_ends,
    name_key,
    rank_names,
    sorted_edges,
    sorted_pairs,
)

if TYPE_CHECKING:
    from stablebn.graph.pdag import PDAG


class DAG(Pictured):
    """A directed acyclic graph with named nodes; immutable and hashable.

    Two DAGs are equal when they have the same set of nodes and the same arcs. The order of the nodes
    is kept for presentation only.

    Parameters
    ----------
    nodes : iterable of hashable
        Names, all different.
    arcs : iterable of (from, to)
        At most one between any two nodes.

    Raises
    ------
    GraphError
        On something that is no pair of names, a repeated name, an unknown name, a self loop, two arcs between the same
        nodes, or a cycle.

    Examples
    --------
    >>> dag = DAG(["rain", "sprinkler", "wet"], [("rain", "wet"), ("sprinkler", "wet")])
    >>> dag.parents("wet")
    ('rain', 'sprinkler')
    >>> dag.v_structures()
    (('rain', 'wet', 'sprinkler'),)
    """

    __slots__ = ("_arcs", "_children", "_layers", "_nodes", "_parents", "_rank")

    def __init__(self, nodes: Iterable[Node], arcs: Iterable[Edge]) -> None:
        self._nodes = as_names(nodes)
        self._rank = rank_names(self._nodes)
        arcs = as_pairs(arcs)
        check_edges(arcs, self._rank)
        self._arcs = sorted_edges(arcs, self._rank)
        self._parents = far_ends(self._nodes, ((b, a) for a, b in self._arcs))
        self._children = far_ends(self._nodes, self._arcs)
        self._layers = _layers(self._nodes, self._parents, self._children, self._rank)

    @property
    def nodes(self) -> tuple[Node, ...]:
        """Names, in the order given."""
        return self._nodes

    @property
    def arcs(self) -> tuple[Edge, ...]:
        """Arcs as (from, to), sorted by the names."""
        return self._arcs

    @property
    def degree(self) -> float:
        """Mean number of edges at a node; 0.0 without nodes."""
        return 2 * len(self._arcs) / len(self._nodes) if self._nodes else 0.0

    def parents(self, node: Node) -> tuple[Node, ...]:
        """Nodes with an arc into `node`, sorted by name."""
        check_node(node, self._rank)
        return self._parents[node]

    def children(self, node: Node) -> tuple[Node, ...]:
        """Nodes with an arc from `node`, sorted by name."""
        check_node(node, self._rank)
        return self._children[node]

    def layers(self) -> tuple[tuple[Node, ...], ...]:
        """Topological layers: roots first, every other node one below its lowest parent.

        Inside a layer the nodes stand in the order of `nodes`.
        """
        return self._layers

    def topological_order(self) -> tuple[Node, ...]:
        """Nodes layer by layer, so every node comes after its parents."""
        return tuple(node for layer in self._layers for node in layer)

    def skeleton(self) -> tuple[Edge, ...]:
        """Adjacent pairs, sorted by the names, also inside a pair."""
        return sorted_pairs(self._arcs, self._rank)

    def v_structures(self) -> tuple[tuple[Node, Node, Node], ...]:
        """Triples (a, c, b) where a -> c <- b and no arc joins a and b.

        The name a sorts before b; triples are sorted by c, then a, then b.
        """
        return tuple(
            (a, child, b)
            for child in self._rank
            for a, b in combinations(self._parents[child], 2)
            if a not in self._parents[b] and b not in self._parents[a]
        )

    def moral(self) -> tuple[Edge, ...]:
        """Edges of the moral graph, in which the parents of a common child are joined."""
        married = [(a, b) for a, _, b in self.v_structures()]
        return sorted_pairs(dict.fromkeys([*self.skeleton(), *married]), self._rank)

    def cpdag(self, known: Iterable[Edge] = ()) -> PDAG:
        """Graph of the equivalence class: an edge is directed when all its members agree.

        The v-structures are directed first; Meek's rules then find every other compelled arc.

        Parameters
        ----------
        known : iterable of (from, to)
            Arcs of the DAG whose direction is known besides, because the other one is forbidden or this one required.
            Of the class there are then only the members that have these arcs too: what they agree on is directed
            (Meek 1995), and none of them is lost.

        Examples
        --------
        >>> chain = DAG("abc", [("a", "b"), ("b", "c")])
        >>> chain.cpdag().undirected
        (('a', 'b'), ('b', 'c'))
        >>> chain.cpdag(known=[("a", "b")]).directed
        (('a', 'b'), ('b', 'c'))
        """
        # Imported here because a PDAG can itself be extended to a DAG.
        from stablebn.graph.meek import meek_closure
        from stablebn.graph.pdag import PDAG

        given = set(as_pairs(known))
        if others := given - set(self._arcs):
            raise GraphError(
                f"known arcs must be arcs of the graph; these are not: {listed(sorted(others, key=name_key))}."
            )
        settled = {*given, *((parent, c) for a, c, b in self.v_structures() for parent in (a, b))}
        directed = [arc for arc in self._arcs if arc in settled]
        undirected = [arc for arc in self._arcs if arc not in settled]
        return meek_closure(PDAG(self._nodes, directed, undirected))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DAG):
            return NotImplemented
        return self._rank.keys() == other._rank.keys() and self._arcs == other._arcs

    def __hash__(self) -> int:
        return hash((frozenset(self._nodes), self._arcs))

    def __repr__(self) -> str:
        return f"<DAG: {len(self._nodes)} nodes, {len(self._arcs)} arcs>"


def _layers(
    nodes: Sequence[Node],
    parents: Mapping[Node, Sequence[Node]],
    children: Mapping[Node, Sequence[Node]],
    rank: Mapping[Node, int],
) -> tuple[tuple[Node, ...], ...]:
    """Topological layers, or a `GraphError` that shows a cycle."""
    waiting = {node: len(parents[node]) for node in nodes}
    position = {node: place for place, node in enumerate(nodes)}
    layers = []
    layer = [node for node in nodes if not waiting[node]]
    while layer:
        layers.append(tuple(layer))
        released = []
        for node in layer:
            del waiting[node]
            for child in children[node]:
                waiting[child] -= 1
                if not waiting[child]:
                    released.append(child)
        layer = sorted(released, key=position.__getitem__)
    if waiting:
        cycle = _cycle({node: [p for p in parents[node] if p in waiting] for node in waiting}, rank)
        raise GraphError(f"the arcs form a cycle: {' -> '.join(map(spelled, cycle))}.")
    return tuple(layers)


def _cycle(parents: Mapping[Node, Sequence[Node]], rank: Mapping[Node, int]) -> list[Node]:
    """One cycle among nodes that all have a parent, from its first name round to that name again."""
    node = min(parents, key=rank.__getitem__)
    walk: dict[Node, int] = {}
    while node not in walk:
        walk[node] = len(walk)
        node = parents[node][0]
    cycle = list(walk)[walk[node] :][::-1]
    start = cycle.index(min(cycle, key=rank.__getitem__))
    return [*cycle[start:], *cycle[: start + 1]]
