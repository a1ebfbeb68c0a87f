"""Count in how many graphs each edge occurs, and with which direction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from stablebn.graph import PDAG
from stablebn.graph.metrics import edge_marks
from stablebn.graph.names import Edge, rank_names, sorted_edges


class EdgeFrequency(NamedTuple):
    """In how many layouts an edge is a -> b, a <- b, or undirected."""

    a: Hashable
    b: Hashable
    forward: int
    backward: int
    undirected: int

    @property
    def adjacent(self) -> int:
        """The number of layouts in which a and b are adjacent."""
        return self.forward + self.backward + self.undirected

    @property
    def agreement(self) -> int:
        """The number of layouts in which the edge has its most frequent direction."""
        return max(self.forward, self.backward, self.undirected)


class EdgeConfidence(NamedTuple):
    """In how many replicates an edge is a -> b, a <- b, or undirected in the CPDAG."""

    a: Hashable
    b: Hashable
    forward: int
    backward: int
    undirected: int
    replicates: int

    @property
    def adjacent(self) -> int:
        """The number of replicates in which a and b are adjacent."""
        return self.forward + self.backward + self.undirected

    @property
    def frequency(self) -> float:
        """The share of the replicates in which a and b are adjacent."""
        return self.adjacent / self.replicates

    @property
    def direction(self) -> float:
        """The share of a -> b among the replicates in which a and b are adjacent; an undirected edge counts half.

        Scutari and Nagarajan (2013) count so too. The share of a <- b is 1 minus this.
        """
        return (2 * self.forward + self.undirected) / (2 * self.adjacent)

    @property
    def mark(self) -> str:
        """The direction in more than half of the replicates that have the edge: -> or <-; otherwise --."""
        if 2 * self.forward > self.adjacent:
            return "->"
        return "<-" if 2 * self.backward > self.adjacent else "--"


class MarkCounts(NamedTuple):
    """In how many graphs an edge (a, b) is a -> b, a <- b, or undirected."""

    forward: int
    backward: int
    undirected: int

    @property
    def adjacent(self) -> int:
        """The number of graphs that have the edge."""
        return sum(self)


class EdgeFrequencies:
    """How often each edge occurs in several graphs of the same variables.

    Parameters
    ----------
    graphs : iterable of PDAG
    nodes : sequence of names

    Attributes
    ----------
    graphs : int
        How many graphs there are.
    counts : dict of (a, b) to MarkCounts
        Every pair that is adjacent in some graph: the most frequent first, then by name.
    """

    def __init__(self, graphs: Iterable[PDAG], nodes: Sequence[Hashable]) -> None:
        rank = rank_names(nodes)
        times = Counter(graphs)
        tally: Counter[tuple[Edge, str]] = Counter()
        for graph, count in times.items():
            for edge in edge_marks(graph, rank).items():
                tally[edge] += count
        pairs = sorted_edges(dict.fromkeys(pair for pair, _ in tally), rank)
        counts = [(pair, MarkCounts(*(tally[pair, mark] for mark in ("->", "<-", "--")))) for pair in pairs]
        self.graphs = times.total()
        self.counts = dict(sorted(counts, key=lambda entry: -entry[1].adjacent))

    def mean_difference(self) -> Fraction:
        """Return the mean number of edges in which two of the graphs differ, by presence or direction."""
        n = self.graphs
        if n < 2:
            return Fraction(0)
        # Ordered pairs of graphs that agree on an edge: both have it with the same mark, or neither has it.
        agreeing = sum(
            sum(count * (count - 1) for count in marks) + (n - marks.adjacent) * (n - marks.adjacent - 1)
            for marks in self.counts.values()
        )
        return len(self.counts) - Fraction(agreeing, n * (n - 1))


def edge_distance(one: PDAG, other: PDAG, nodes: Sequence[Hashable]) -> int:
    """Count the edges in which two graphs differ, by presence or direction."""
    rank = rank_names(nodes)
    first, second = edge_marks(one, rank), edge_marks(other, rank)
    return sum(first.get(pair) != second.get(pair) for pair in {**first, **second})
