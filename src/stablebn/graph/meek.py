"""Meek's orientation rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from stablebn.graph.names import Edge, Node
from stablebn.graph.pdag import PDAG


class Reason(NamedTuple):
    """Why a rule directs an edge.

    Attributes
    ----------
    rule : int
        1 to 4.
    others : tuple of nodes
        The other nodes of the rule, in the order of the rule.
    """

    rule: int
    others: tuple[Node, ...]


def meek_closure(pdag: PDAG, *, acyclic: bool = False) -> PDAG:
    """Apply Meek's four orientation rules until none applies.

    Parameters
    ----------
    pdag : PDAG
    acyclic : bool
        Leave edges undirected that the rules would direct into a directed cycle. This can happen only if no DAG extends
        `pdag`.

    Notes
    -----
    The result does not depend on the order of nodes or edges: the rules are applied in rounds, and each round depends
    only on the graph after the round before. If a DAG extends `pdag`, the rules direct exactly the edges on which all
    extensions agree. Otherwise a round may require both directions of an edge, which then stays undirected.

    Rule 4 applies only if some directed edge is background knowledge and does not follow from a v-structure.

    References
    ----------
    Meek, "Causal inference and causal explanation with background knowledge", 1995.

    Examples
    --------
    >>> meek_closure(PDAG("abc", [("a", "b")], [("b", "c")])).directed
    (('a', 'b'), ('b', 'c'))
    """
    return _closed(pdag, {}, acyclic=acyclic)


def meek_reasons(pdag: PDAG, *, acyclic: bool = False) -> dict[Edge, list[Reason]]:
    """Return why Meek's rules direct each edge: all reasons of the first round that directs it.

    Parameters
    ----------
    pdag, acyclic
        As in `meek_closure`.

    Examples
    --------
    >>> meek_reasons(PDAG("abc", [("a", "b")], [("b", "c")]))
    {('b', 'c'): [Reason(rule=1, others=('a',))]}
    """
    reasons: dict[Edge, list[Reason]] = {}
    closure = _closed(pdag, reasons, acyclic=acyclic)
    return {edge: reasons[edge] for edge in closure.directed if edge in reasons}


def _closed(pdag: PDAG, reasons: dict[Edge, list[Reason]], *, acyclic: bool) -> PDAG:
    """Return the closure and fill in `reasons`."""
    marks = _Marks(pdag)
    directed = list(pdag.directed)
    demanded: set[Edge] = set()
    fresh = directed
    while fresh:
        # Undirected premises can only disappear, so a rule newly applies only next to an edge that was just directed.
        # The iteration order of sets has no effect: the graph changes only after all edges of a round are known.
        new: dict[Edge, list[Reason]] = {}
        for a, b in fresh:
            for edge, reason in marks.demands(a, b):
                if edge not in demanded:
                    new.setdefault(edge, []).append(reason)
        demanded |= new.keys()
        reasons |= new
        fresh = [(a, b) for a, b in new if (b, a) not in demanded]
        if acyclic:
            # Edges that close a cycle together all stay undirected.
            children = marks.children_with(fresh)
            fresh = [(a, b) for a, b in fresh if not _reaches(children, b, a)]
        for a, b in fresh:
            marks.direct(a, b)
        directed += fresh
    undirected = [(a, b) for a, b in pdag.undirected if b in marks.neighbours[a]]
    return PDAG(pdag.nodes, directed, undirected)


def _reaches(children: Mapping[Node, set[Node]], start: Node, end: Node) -> bool:
    """Return whether a directed path leads from one node to another."""
    seen = {start}
    waiting = [start]
    while waiting:
        new = children[waiting.pop()] - seen
        seen |= new
        waiting += new
    return end in seen


class _Marks:
    """The edges at every node while they are being directed."""

    def __init__(self, pdag: PDAG) -> None:
        self.parents = {node: set(pdag.parents(node)) for node in pdag.nodes}
        self.children = {node: set(pdag.children(node)) for node in pdag.nodes}
        self.neighbours = {node: set(pdag.neighbours(node)) for node in pdag.nodes}
        self.adjacent = {node: self.parents[node] | self.children[node] | self.neighbours[node] for node in pdag.nodes}

    def direct(self, a: Node, b: Node) -> None:
        """Turn a - b into a -> b."""
        self.neighbours[a].remove(b)
        self.neighbours[b].remove(a)
        self.children[a].add(b)
        self.parents[b].add(a)

    def children_with(self, edges: Iterable[Edge]) -> dict[Node, set[Node]]:
        """Return the children of every node if these edges were directed too."""
        children = {node: set(own) for node, own in self.children.items()}
        for a, b in edges:
            children[a].add(b)
        return children

    def demands(self, a: Node, b: Node) -> Iterator[tuple[Edge, Reason]]:
        """Yield the directions that follow from a -> b and the edges around it, with reasons."""
        yield from self._rule_1(a, b)
        yield from self._rule_2(a, b)
        yield from self._rule_3(a, b)
        yield from self._rule_4(a, b)

    def _rule_1(self, a: Node, b: Node) -> Iterator[tuple[Edge, Reason]]:
        """If a -> b - x, a and x not adjacent: b -> x, or b would be a new collider."""
        for x in self.neighbours[b] - self.adjacent[a]:
            yield (b, x), Reason(1, (a,))

    def _rule_2(self, a: Node, b: Node) -> Iterator[tuple[Edge, Reason]]:
        """If x -> y -> z and x - z: x -> z, or there would be a cycle."""
        for z in self.children[b] & self.neighbours[a]:
            yield (a, z), Reason(2, (b,))
        for x in self.parents[a] & self.neighbours[b]:
            yield (x, b), Reason(2, (a,))

    def _rule_3(self, a: Node, b: Node) -> Iterator[tuple[Edge, Reason]]:
        """If a -> b <- c, a - x - c, x - b, a and c not adjacent: x -> b, or x would be a new collider."""
        for x in self.neighbours[a] & self.neighbours[b]:
            for c in (self.parents[b] & self.neighbours[x]) - self.adjacent[a] - {a}:
                yield (x, b), Reason(3, (a, c))

    def _rule_4(self, a: Node, b: Node) -> Iterator[tuple[Edge, Reason]]:
        """If x -> y -> z, x - w - z, w and y adjacent, x and z not adjacent: w -> z, or w would be a new collider."""
        for x, y, z in [(a, b, z) for z in self.children[b]] + [(x, a, b) for x in self.parents[a]]:
            if z not in self.adjacent[x]:
                for w in self.neighbours[x] & self.neighbours[z] & self.adjacent[y]:
                    yield (w, z), Reason(4, (x, y))
