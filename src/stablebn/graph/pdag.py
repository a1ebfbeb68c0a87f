"""Partially directed graphs, of which CPDAGs are a special case."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from heapq import heapify, heappop, heappush
from typing import cast

from stablebn.errors import GraphError
from stablebn.graph.dag import DAG
from stablebn.graph.drawable import Drawable
from stablebn.graph.names import (
    Edge,
    Node,
    as_names,
    as_pairs,
    check_edges,
    check_node,
    far_ends,
    rank_names,
    sorted_edges,
    sorted_pairs,
)
from stablebn.options import at_least, checked_arguments, mapping


def _check_limits(name: str, value: object) -> None:
    mapping(name, value)
    for limit in cast("Mapping[Node, object]", value).values():
        at_least(0)(name, limit)


class PDAG(Drawable):
    """A graph with directed and undirected edges; immutable and hashable.

    Two PDAGs are equal if they have the same set of nodes and the same edges. The order of the nodes is kept for
    presentation only. Directed cycles are allowed: such a graph has no extension.

    Parameters
    ----------
    nodes : iterable of hashable
        Names, all different.
    directed : iterable of (from, to)
        Directed edges.
    undirected : iterable of (a, b)
        Undirected edges, each given once, in either order.

    Raises
    ------
    GraphError
        An edge is not a pair of names, a name is repeated or unknown, an edge joins a node to itself, or two edges of
        any kind join the same nodes.

    Examples
    --------
    >>> PDAG("abc", [("a", "b")], [("c", "b")]).extension().arcs
    (('a', 'b'), ('b', 'c'))
    """

    __slots__ = ("_children", "_directed", "_neighbours", "_nodes", "_parents", "_rank", "_undirected")

    def __init__(self, nodes: Iterable[Node], directed: Iterable[Edge], undirected: Iterable[Edge]) -> None:
        self._nodes = as_names(nodes)
        self._rank = rank_names(self._nodes)
        directed = as_pairs(directed)
        undirected = as_pairs(undirected)
        check_edges([*directed, *undirected], self._rank)
        self._directed = sorted_edges(directed, self._rank)
        self._undirected = sorted_pairs(undirected, self._rank)
        self._parents = far_ends(self._nodes, [(b, a) for a, b in self._directed])
        self._children = far_ends(self._nodes, self._directed)
        # Reversed pairs come first, so that the neighbours of a node are sorted.
        both_ways = [*((b, a) for a, b in self._undirected), *self._undirected]
        self._neighbours = far_ends(self._nodes, both_ways)

    @property
    def nodes(self) -> tuple[Node, ...]:
        """Names, in the order given."""
        return self._nodes

    @property
    def directed(self) -> tuple[Edge, ...]:
        """Directed edges as (from, to), sorted by name."""
        return self._directed

    @property
    def undirected(self) -> tuple[Edge, ...]:
        """Undirected edges; edges and the names inside an edge are sorted by name."""
        return self._undirected

    @property
    def degree(self) -> float:
        """Mean number of edges per node; 0.0 without nodes."""
        edges = len(self._directed) + len(self._undirected)
        return 2 * edges / len(self._nodes) if self._nodes else 0.0

    @property
    def is_extendable(self) -> bool:
        """Whether the graph has a consistent extension."""
        return self.extension() is not None

    def parents(self, node: Node) -> tuple[Node, ...]:
        """Return the nodes with a directed edge into `node`, sorted by name."""
        check_node(node, self._rank)
        return self._parents[node]

    def children(self, node: Node) -> tuple[Node, ...]:
        """Return the nodes with a directed edge from `node`, sorted by name."""
        check_node(node, self._rank)
        return self._children[node]

    def neighbours(self, node: Node) -> tuple[Node, ...]:
        """Return the nodes with an undirected edge to `node`, sorted by name."""
        check_node(node, self._rank)
        return self._neighbours[node]

    def adjacent(self, a: Node, b: Node) -> bool:
        """Return whether an edge of any kind joins `a` and `b`."""
        check_node(b, self._rank)
        return b in self.parents(a) or b in self.children(a) or b in self.neighbours(a)

    def skeleton(self) -> tuple[Edge, ...]:
        """Return the adjacent pairs; pairs and the names inside a pair are sorted by name."""
        return sorted_pairs([*self._directed, *self._undirected], self._rank)

    @checked_arguments(most_parents=_check_limits)
    def extension(self, forbidden: Collection[Edge] = (), most_parents: Mapping[Node, int] | None = None) -> DAG | None:
        """Return a DAG with this skeleton, these directed edges and no other v-structures; None if there is none.

        Of the nodes that can be the next sink, the one whose name sorts last is removed first. So the DAG depends on
        the names, never on the order of nodes or edges. All consistent extensions are in one Markov equivalence class,
        so the class does not depend on the names either.

        Parameters
        ----------
        forbidden : collection of (from, to)
            Arcs that the DAG must not have.
        most_parents : mapping of node to int, optional
            Most parents of some nodes. The remaining neighbours of a sink become its parents, so it must have room for
            them. This misses no DAG: removing the sink gives no other node more parents.

        References
        ----------
        Dor and Tarsi, "A simple algorithm to construct a consistent extension of a partially oriented graph", 1992.
        """
        barred = set(as_pairs(forbidden))
        if barred:
            turned = self._turned_from(barred)
            return None if turned is None else turned.extension(most_parents=most_parents)
        most = {node: len(self._nodes) for node in self._nodes} | dict(most_parents or {})
        children = {node: set(self._children[node]) for node in self._nodes}
        neighbours = {node: set(self._neighbours[node]) for node in self._nodes}
        adjacent = {node: {*self._parents[node], *children[node], *neighbours[node]} for node in self._nodes}

        def is_sink(node: Node) -> bool:
            if children[node] or len(adjacent[node]) > most[node]:
                return False
            return all(adjacent[node] - {y} <= adjacent[y] for y in neighbours[node])

        by_rank = list(self._rank)
        # Removing other nodes keeps a sink a sink, so a node enters the queue once.
        queued = {node for node in by_rank if is_sink(node)}
        queue = [-self._rank[node] for node in by_rank if node in queued]
        heapify(queue)
        arcs = list(self._directed)
        while queue:
            sink = by_rank[-heappop(queue)]
            arcs += [(node, sink) for node in self._neighbours[sink] if node in neighbours[sink]]
            for node in adjacent[sink]:
                adjacent[node].discard(sink)
                neighbours[node].discard(sink)
                children[node].discard(sink)
            for node in adjacent[sink] - queued:
                if is_sink(node):
                    queued.add(node)
                    heappush(queue, -self._rank[node])
        return DAG(self._nodes, arcs) if len(queued) == len(self._nodes) else None

    def _turned_from(self, forbidden: AbstractSet[Edge]) -> PDAG | None:
        """Direct undirected edges with one forbidden direction the other way; None if no extension has them all.

        The extensions of the result are the extensions of this graph without a forbidden arc.
        """
        both_ways = [*self._undirected, *((b, a) for a, b in self._undirected)]
        turned = [(a, b) for a, b in both_ways if (b, a) in forbidden]
        if any(edge in forbidden for edge in (*self._directed, *turned)):
            return None
        undirected = [(a, b) for a, b in self._undirected if not {(a, b), (b, a)} & forbidden]
        directed = PDAG(self._nodes, [*self._directed, *turned], undirected)
        # If the new directions form another v-structure, no extension has them.
        for a, b in turned:
            if any(other != a and not self.adjacent(other, a) for other in directed.parents(b)):
                return None
        return directed

    def cpdag(self) -> PDAG:
        """Return the CPDAG of the Markov equivalence class of the consistent extensions.

        Raises
        ------
        GraphError
            No DAG extends this graph.
        """
        dag = self.extension()
        if dag is None:
            raise GraphError(
                "no DAG extends this partially directed graph without a cycle or a new v-structure, so it has no CPDAG."
            )
        return dag.cpdag()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PDAG):
            return NotImplemented
        return (
            self._rank.keys() == other._rank.keys()
            and self._directed == other._directed
            and self._undirected == other._undirected
        )

    def __hash__(self) -> int:
        return hash((frozenset(self._nodes), self._directed, self._undirected))

    def __repr__(self) -> str:
        return (
            f"<PDAG: {len(self._nodes)} nodes, {len(self._directed)} directed "
            f"and {len(self._undirected)} undirected edges>"
        )


def as_pdag(dag: DAG) -> PDAG:
    """Return a DAG as a PDAG with directed edges only. Both share their immutable data."""
    pdag = PDAG.__new__(PDAG)
    pdag._nodes, pdag._rank, pdag._directed = dag._nodes, dag._rank, dag._arcs
    pdag._parents, pdag._children = dag._parents, dag._children
    pdag._undirected, pdag._neighbours = (), dict.fromkeys(dag._nodes, ())
    return pdag
