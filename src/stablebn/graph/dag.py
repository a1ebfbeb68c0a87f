"""Directed acyclic graphs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from stablebn.errors import GraphError, listed, spelled
from stablebn.graph.drawable import Drawable
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


class DAG(Drawable):
    """A directed acyclic graph with named nodes; immutable and hashable.

    Two DAGs are equal if they have the same set of nodes and the same arcs. The order of the nodes is kept for
    presentation only.

    Parameters
    ----------
    nodes : iterable of hashable
        Names, all different.
    arcs : iterable of (from, to)
        At most one between any two nodes.

    Raises
    ------
    GraphError
        An arc is not a pair of names, a name is repeated or unknown, an arc joins a node to itself, two arcs join the
        same nodes, or the arcs form a cycle.

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
        """Arcs as (from, to), sorted by name."""
        return self._arcs

    @property
    def degree(self) -> float:
        """Mean number of edges per node; 0.0 without nodes."""
        return 2 * len(self._arcs) / len(self._nodes) if self._nodes else 0.0

    def parents(self, node: Node) -> tuple[Node, ...]:
        """Return the nodes with an arc into `node`, sorted by name."""
        check_node(node, self._rank)
        return self._parents[node]

    def children(self, node: Node) -> tuple[Node, ...]:
        """Return the nodes with an arc from `node`, sorted by name."""
        check_node(node, self._rank)
        return self._children[node]

    def layers(self) -> tuple[tuple[Node, ...], ...]:
        """Return the topological layers: roots first, every other node one layer below its lowest parent.

        Inside a layer the nodes are in the order of `nodes`.
        """
        return self._layers

    def topological_order(self) -> tuple[Node, ...]:
        """Return the nodes layer by layer, so that every node follows its parents."""
        return tuple(node for layer in self._layers for node in layer)

    def skeleton(self) -> tuple[Edge, ...]:
        """Return the adjacent pairs; pairs and the names inside a pair are sorted by name."""
        return sorted_pairs(self._arcs, self._rank)

    def v_structures(self) -> tuple[tuple[Node, Node, Node], ...]:
        """Return the triples (a, c, b) with a -> c <- b and a, b not adjacent.

        The name a sorts before b; triples are sorted by c, then a, then b.
        """
        return tuple(
            (a, child, b)
            for child in self._rank
            for a, b in combinations(self._parents[child], 2)
            if a not in self._parents[b] and b not in self._parents[a]
        )

    def moral(self) -> tuple[Edge, ...]:
        """Return the edges of the moral graph, in which the parents of a common child are adjacent."""
        married = [(a, b) for a, _, b in self.v_structures()]
        return sorted_pairs(dict.fromkeys([*self.skeleton(), *married]), self._rank)

    def cpdag(self, known: Iterable[Edge] = ()) -> PDAG:
        """Return the CPDAG of the Markov equivalence class: an edge is directed if all DAGs of the class agree.

        The v-structures are directed first; Meek's rules then direct every other compelled arc.

        Parameters
        ----------
        known : iterable of (from, to)
            Arcs of the DAG whose direction is known, because the reverse is forbidden or the arc is required. Only the
            DAGs of the class with these arcs count, and the edges on which they agree are directed (Meek 1995).

        Examples
        --------
        >>> chain = DAG("abc", [("a", "b"), ("b", "c")])
        >>> chain.cpdag().undirected
        (('a', 'b'), ('b', 'c'))
        >>> chain.cpdag(known=[("a", "b")]).directed
        (('a', 'b'), ('b', 'c'))
        """
        # Imported here because a PDAG has methods that return DAGs.
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
    """Return the topological layers, or raise a `GraphError` that shows a cycle."""
    missing_parents = {node: len(parents[node]) for node in nodes}
    position = {node: index for index, node in enumerate(nodes)}
    layers = []
    layer = [node for node in nodes if not missing_parents[node]]
    while layer:
        layers.append(tuple(layer))
        released = []
        for node in layer:
            del missing_parents[node]
            for child in children[node]:
                missing_parents[child] -= 1
                if not missing_parents[child]:
                    released.append(child)
        layer = sorted(released, key=position.__getitem__)
    if missing_parents:
        cycle = _cycle({node: [p for p in parents[node] if p in missing_parents] for node in missing_parents}, rank)
        raise GraphError(f"the arcs form a cycle: {' -> '.join(map(spelled, cycle))}.")
    return tuple(layers)


def _cycle(parents: Mapping[Node, Sequence[Node]], rank: Mapping[Node, int]) -> list[Node]:
    """Return one cycle among nodes that all have a parent, from its first name to that name again."""
    node = min(parents, key=rank.__getitem__)
    walk: dict[Node, int] = {}
    while node not in walk:
        walk[node] = len(walk)
        node = parents[node][0]
    cycle = list(walk)[walk[node] :][::-1]
    start = cycle.index(min(cycle, key=rank.__getitem__))
    return [*cycle[start:], *cycle[: start + 1]]
