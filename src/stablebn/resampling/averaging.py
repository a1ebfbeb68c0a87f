"""Average graphs: choose the edges to keep, and their directions (Scutari and Nagarajan, 2013)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence

from stablebn.graph import PDAG
from stablebn.graph.names import Edge
from stablebn.resampling.edge_frequencies import EdgeConfidence


def threshold_of(counts: Iterable[int], replicates: int) -> int:
    """Compute the threshold of Scutari and Nagarajan (2013) exactly: edges in more replicates than this are kept.

    F(x) is the share of pairs that are adjacent in at most the share x of the replicates. They look for the constant t
    that is nearest to F in L1, over x from 0 to 1: a median of F over x. F never falls, so its value in the middle,
    t = F(1/2), is such a median, and the greatest one: if F jumps at 1/2, every value between the two sides is one.
    The threshold is the least x with F(x) = t: the greatest frequency that is not above one half, or 0 without one.
    """
    return max((count for count in counts if 2 * count <= replicates), default=0)


def averaged(nodes: Sequence[Hashable], kept: Iterable[EdgeConfidence], rank: Mapping[Hashable, int]) -> PDAG:
    """Build the graph of the kept edges, each with its most frequent direction, without a directed cycle.

    Edges get their direction one after another: first the edges with the largest difference between the two
    directions; then, of equals, those that are in more replicates; then in canonical order of the tail, and of the
    head. An edge that would close a cycle stays undirected.

    Parameters
    ----------
    nodes : sequence of names
    kept : iterable of EdgeConfidence
    rank : mapping of name to int
        The number of each variable in canonical order.
    """
    kept = list(kept)
    ranked: list[tuple[tuple[int, ...], Edge]] = []
    undirected: list[Edge] = [(edge.a, edge.b) for edge in kept if edge.mark == "--"]
    for edge in kept:
        if edge.mark != "--":
            u, v = (edge.a, edge.b) if edge.mark == "->" else (edge.b, edge.a)
            lead = abs(edge.forward - edge.backward)
            ranked.append(((-lead, -edge.adjacent, rank[u], rank[v]), (u, v)))
    directed: list[Edge] = []
    descendants: dict[Hashable, set[Hashable]] = {node: {node} for node in nodes}
    for _, (u, v) in sorted(ranked, key=lambda entry: entry[0]):
        if u in descendants[v]:
            undirected.append((u, v))
            continue
        directed.append((u, v))
        for reached in descendants.values():
            if u in reached:
                reached |= descendants[v]
    return PDAG(nodes, directed, undirected)
