"""One graph out of many: which edges to keep, and which way they go."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

from stablebn.graph import PDAG
from stablebn.graph.names import Edge


class EdgeConfidence(NamedTuple):
    """In how many replicates two variables are joined: a -> b, a <- b, or without a direction in the class."""

    a: Hashable
    b: Hashable
    forward: int
    backward: int
    undirected: int
    replicates: int

    @property
    def adjacent(self) -> int:
        """In how many replicates they are joined at all."""
        return self.forward + self.backward + self.undirected

    @property
    def frequency(self) -> float:
        """In which share of the replicates they are joined at all."""
        return self.adjacent / self.replicates

    @property
    def direction(self) -> float:
        """Of the replicates in which they are joined, the share of a -> b; an edge without a direction is half of one.

        Scutari and Nagarajan (2013) count so too. That of a <- b is one less this.
        """
        return (2 * self.forward + self.undirected) / (2 * self.adjacent)

    @property
    def mark(self) -> str:
        """How it goes in more than half of the replicates in which it is: -> or <-; else --."""
        if 2 * self.forward > self.adjacent:
            return "->"
        return "<-" if 2 * self.backward > self.adjacent else "--"


def threshold_of(counts: Iterable[int], replicates: int) -> int:
    """The threshold of Scutari and Nagarajan (2013), exactly: edges in more than so many replicates are kept.

    They look for the constant t that is nearest in L1, over x from 0 to 1, to the share F(x) of pairs that are joined
    in at most the share x of the replicates: a median of F over x. As F never falls, its value in the middle,
    t = F(1/2), is one, and the greatest (where F jumps at 1/2, all between its values before and after are). The
    threshold is the least x with F(x) = t: the greatest frequency that is not above one half, 0 where there is none.
    """
    return max((count for count in counts if 2 * count <= replicates), default=0)


def averaged(nodes: Sequence[Hashable], kept: Iterable[EdgeConfidence], place: Mapping[Hashable, int]) -> PDAG:
    """The graph of edges that are kept, directed as most of their replicates have them, without a directed cycle.

    Edges get their direction one after another: first those that go their way in the most replicates more than they go
    the other way; of equals those that are in more replicates; then in canonical order of the variable from which
    they go, and of that to which they go. One that would close a cycle stays without a direction.

    Parameters
    ----------
    nodes : sequence of names
    kept : iterable of EdgeConfidence
    place : mapping of name to int
        Of each variable in canonical order.
    """
    kept = list(kept)
    wanted: list[tuple[tuple[int, ...], Edge]] = []
    undirected: list[Edge] = [(edge.a, edge.b) for edge in kept if edge.mark == "--"]
    for edge in kept:
        if edge.mark != "--":
            u, v = (edge.a, edge.b) if edge.mark == "->" else (edge.b, edge.a)
            lead = abs(edge.forward - edge.backward)
            wanted.append(((-lead, -edge.adjacent, place[u], place[v]), (u, v)))
    directed: list[Edge] = []
    reached: dict[Hashable, set[Hashable]] = {node: {node} for node in nodes}
    for _, (u, v) in sorted(wanted, key=lambda one: one[0]):
        if u in reached[v]:
            undirected.append((u, v))
            continue
        directed.append((u, v))
        for own in reached.values():
            if u in own:
                own |= reached[v]
    return PDAG(nodes, directed, undirected)
