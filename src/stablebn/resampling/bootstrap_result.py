"""Represent the result of a bootstrap: the graphs of all replicates, and how far they agree."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from stablebn.errors import spelled
from stablebn.graph import PDAG
from stablebn.graph.metrics import edge_marks
from stablebn.graph.names import Edge, rank_names
from stablebn.messages import Caution, counted
from stablebn.resampling.averaging import averaged, threshold_of
from stablebn.resampling.edge_frequencies import EdgeConfidence, EdgeFrequencies, edge_distance
from stablebn.resampling.resampling_result import EdgeFrequencyResult, csv_text
from stablebn.result.result import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# The summary calls an edge certain if it is in at least this percentage of the replicates.
_CERTAIN = 95
# The summary names at most this many uncertain edges.
_MOST_NAMED = 5


@dataclass(frozen=True, repr=False)
class Bootstrap(EdgeFrequencyResult):
    """How certain the edges of a learned graph are.

    Attributes
    ----------
    learner : str
    rows : int
        N, the sum of the weights of the table; each replicate has N rows too.
    seed : int
    stable : bool
        Whether the learner gives one graph for one table: then replicates differ only by their sample.
    learned : PDAG
        The CPDAG learned from the complete table.
    result : Result or None
        The result of learning from the complete table; None for a callable.
    graphs : tuple of (PDAG or None)
        The CPDAG of every replicate, or the learned graph itself if no DAG extends it; None if learning failed.
    relaid : tuple of (PDAG or None)
        The same for a second layout of every replicate: the same rows, with columns and rows in another order. Empty
        if there was no second layout.
    canonical : tuple of names
        The variables in canonical order.
    warnings : tuple of Caution
    seconds : float
        Wall-clock time of the replicates in this run.
    """

    learner: str
    rows: int
    seed: int
    stable: bool
    learned: PDAG
    result: Result | None
    graphs: tuple[PDAG | None, ...]
    relaid: tuple[PDAG | None, ...]
    canonical: tuple[Hashable, ...]
    warnings: tuple[Caution, ...]
    seconds: float = field(compare=False)

    @property
    def nodes(self) -> tuple[Hashable, ...]:
        """The variables, in column order."""
        return self.learned.nodes

    @property
    def replicates(self) -> int:
        """The number of replicates, including failed ones."""
        return len(self.graphs)

    @cached_property
    def failed(self) -> int:
        """The number of replicates in which learning failed; frequencies are over the other ones."""
        return sum(graph is None for graph in self.graphs)

    @cached_property
    def edges(self) -> tuple[EdgeConfidence, ...]:
        """Every pair that is adjacent in some replicate: the most frequent first, then by name."""
        table = self._frequencies
        return tuple(EdgeConfidence(*pair, *marks, table.graphs) for pair, marks in table.counts.items())

    @cached_property
    def directions(self) -> dict[Edge, float]:
        """`EdgeConfidence.direction` of each pair that is adjacent in some replicate, for (a, b) and for (b, a)."""
        forward = {(edge.a, edge.b): edge.direction for edge in self.edges}
        backward = {(edge.b, edge.a): 1 - edge.direction for edge in self.edges}
        return {**forward, **backward}

    def edge(self, a: Hashable, b: Hashable) -> EdgeConfidence:
        """Return the confidence in the edge between a and b; its `direction` is that of a -> b."""
        rank = rank_names(self.nodes)
        for name in (a, b):
            self.learned.neighbours(name)
        pair = (a, b) if rank[a] < rank[b] else (b, a)
        done = self.replicates - self.failed
        found = self._by_pair.get(pair, EdgeConfidence(*pair, 0, 0, 0, done))
        return found if pair == (a, b) else EdgeConfidence(a, b, found.backward, found.forward, found.undirected, done)

    @cached_property
    def _by_pair(self) -> dict[Edge, EdgeConfidence]:
        return {(edge.a, edge.b): edge for edge in self.edges}

    @cached_property
    def threshold(self) -> float:
        """The frequency above which `averaged` keeps an edge (Scutari and Nagarajan, 2013)."""
        done = self.replicates - self.failed
        return threshold_of((edge.adjacent for edge in self.edges), done) / done

    @cached_property
    def averaged(self) -> PDAG:
        """The graph of the edges above the threshold, each with its most frequent direction."""
        rank = {name: number for number, name in enumerate(self.canonical)}
        return averaged(self.nodes, (edge for edge in self.edges if edge.frequency > self.threshold), rank)

    @cached_property
    def disagreement(self) -> float:
        """The mean number of edges in which two replicates differ, by presence or direction."""
        return float(self._frequencies.mean_difference())

    @cached_property
    def layout_share(self) -> float:
        """The share of the disagreement that comes from the layout of the table, not from the sample.

        For each pair of variables and each direction, the variance over samples and layouts is the sum of two parts:
        the mean variance over the layouts of one sample, and the variance over samples of the mean over layouts. This
        is the share of the first part, after adding up pairs and directions. It is 0 for a learner that gives one
        graph for one table, and 1 if the sample has no influence. Both parts are estimates: a quotient above 1 is
        reported as 1. NaN if there was no second layout.
        """
        if self.stable and not self.relaid:
            return 0.0
        both = [(one, other) for one, other in zip(self.graphs, self.relaid, strict=False) if one and other]
        if not both:
            return float("nan")
        within = Fraction(sum(edge_distance(one, other, self.nodes) for one, other in both), len(both))
        between = self._frequencies.mean_difference()
        return float(min(Fraction(1), within / between)) if between else float(within > 0)

    @cached_property
    def _frequencies(self) -> EdgeFrequencies:
        return EdgeFrequencies((graph for graph in self.graphs if graph is not None), self.nodes)

    def summary(self) -> str:
        """Return a few readable lines: the answer, the figures behind it, and the warnings."""
        table = f"{counted(self.rows, 'row')} of {counted(len(self.nodes), 'variable')}"
        kept = len(self.averaged.directed) + len(self.averaged.undirected)
        answer = (
            f"{counted(kept, 'edge')} {'is' if kept == 1 else 'are'} in more than half of "
            f"{counted(self.replicates - self.failed, 'replicate')}, {len(self.averaged.directed)} of them mostly "
            "in the same direction."
        )
        lines = [answer, f"  {self.learner} on {table} (seed {self.seed}; threshold {self.threshold:.3f})."]
        learned = [self.edge(*pair) for pair in self.learned.skeleton()]
        if learned:
            certain = sum(100 * edge.adjacent >= _CERTAIN * edge.replicates for edge in learned)
            lines.append(
                f"  Of {counted(len(learned), 'edge')} learned from the whole table, {certain} "
                f"{'is' if certain == 1 else 'are'} in at least {_CERTAIN} % of the replicates."
            )
            uncertain = sorted((e for e in learned if e.frequency <= self.threshold), key=lambda e: e.adjacent)
            if uncertain:
                marks = edge_marks(self.learned, rank_names(self.nodes))
                shown = ", ".join(
                    f"{spelled(edge.a)} {marks[edge.a, edge.b]} {spelled(edge.b)} ({_percent(edge)})"
                    for edge in uncertain[:_MOST_NAMED]
                )
                more = f" and {len(uncertain) - _MOST_NAMED} more" if len(uncertain) > _MOST_NAMED else ""
                lines.append(f"  In no more than half of them: {shown}{more}.")
        lines.append(f"  {self.noise}")
        lines += [f"  {caution}" for caution in self.warnings]
        return "\n".join(lines)

    @property
    def noise(self) -> str:
        """One sentence that says where the differences between replicates come from."""
        answer = f"Two replicates differ in {self.disagreement:.1f} edges in the mean: "
        if self.stable and not self.relaid:
            return answer + "that is the sample alone, as this learner gives one graph for one table."
        if not self.relaid:
            return answer + "the sample and the layout of the table, which were not told apart."
        if self.layout_share != self.layout_share:
            return answer + "the sample and the layout could not be told apart, as learning failed."
        return answer + (f"{100 * self.layout_share:.0f} % of that is the layout of the table, the rest is the sample.")

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the time, in types that JSON has: equal bootstraps give equal texts."""
        return {
            "learner": self.learner,
            "rows": self.rows,
            "nodes": list(self.nodes),
            "seed": self.seed,
            "replicates": self.replicates,
            "failed": self.failed,
            "stable": self.stable,
            "threshold": self.threshold,
            "averaged": _as_dict(self.averaged),
            "learned": _as_dict(self.learned),
            "disagreement": self.disagreement,
            "layout_share": None if self.layout_share != self.layout_share else self.layout_share,
            "noise": self.noise,
            "warnings": [str(caution) for caution in self.warnings],
            "result": None if self.result is None else self.result.to_dict(),
            "edges": self._rows(),
        }

    def to_csv(self) -> str:
        """Return the edges as CSV: their frequencies, and their marks in the learned and in the averaged graph."""
        head = ["a", "b", "frequency", "direction", *("adjacent", "forward", "backward", "undirected", "replicates")]
        return csv_text([*head, "learned", "averaged"], self._rows())

    def _rows(self) -> list[dict[str, Any]]:
        """Return one row per edge, with its marks in the learned and in the averaged graph."""
        rank = rank_names(self.nodes)
        learned, average = edge_marks(self.learned, rank), edge_marks(self.averaged, rank)
        missing = [pair for pair in learned if pair not in self._by_pair]
        return [
            {
                "a": edge.a,
                "b": edge.b,
                "frequency": edge.frequency,
                "direction": edge.direction if edge.adjacent else None,
                "adjacent": edge.adjacent,
                "forward": edge.forward,
                "backward": edge.backward,
                "undirected": edge.undirected,
                "replicates": edge.replicates,
                "learned": learned.get((edge.a, edge.b), ""),
                "averaged": average.get((edge.a, edge.b), ""),
            }
            for edge in (*self.edges, *(self.edge(*pair) for pair in missing))
        ]

    def _draw(self, kind: str) -> Figure:
        from stablebn.resampling.edge_plots import draw_bootstrap

        return draw_bootstrap(self, kind)


def _as_dict(graph: PDAG) -> dict[str, list[list[Hashable]]]:
    return {
        "directed": [list(edge) for edge in graph.directed],
        "undirected": [list(edge) for edge in graph.undirected],
    }


def _percent(edge: EdgeConfidence) -> str:
    return f"{100 * edge.frequency:.0f} %"
