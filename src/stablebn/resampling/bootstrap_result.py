"""What a bootstrap found: the graphs of all replicates, and how far they agree."""

from __future__ import annotations

import csv
import io
import json
import os
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from stablebn.errors import one_of, spelled
from stablebn.graph import PDAG
from stablebn.graph.metrics import edge_marks
from stablebn.graph.names import Edge, rank_names, sorted_edges
from stablebn.messages import Caution, counted
from stablebn.resampling.averaging import EdgeConfidence, averaged, threshold_of
from stablebn.result.result import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# In so many replicates of a hundred an edge is called sure in the summary.
_SURE = 95
# So many doubtful arcs are named there.
_MOST_NAMED = 5


@dataclass(frozen=True, repr=False)
class Bootstrap:
    """How sure the edges of a learned graph are.

    Attributes
    ----------
    learner : str
    rows : int
        N, as many as the table has (by weight); each replicate has so many.
    seed : int
    stable : bool
        Whether the learner gives one graph for one table: then all that differs between replicates is the sample.
    learned : PDAG
        The class of the graph learned from the whole table.
    result : Result or None
        What was learned from the whole table; None of a callable.
    graphs : tuple of (PDAG or None)
        The class of the graph of every replicate, or the graph as it was learned where no DAG extends it; None where
        learning failed.
    relaid : tuple of (PDAG or None)
        The same of every replicate in a second layout: the same rows, with columns and rows in another order. Empty
        where there was none.
    canonical : tuple of names
        The variables in canonical order.
    warnings : tuple of Caution
    seconds : float
        Spent on replicates in this run, by the clock.
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
        """How many there are, failed ones too."""
        return len(self.graphs)

    @cached_property
    def failed(self) -> int:
        """In how many replicates learning failed: frequencies are of the others."""
        return sum(graph is None for graph in self.graphs)

    @cached_property
    def edges(self) -> tuple[EdgeConfidence, ...]:
        """Every pair that is joined in some replicate: the most often joined first, then by name."""
        rank = rank_names(self.nodes)
        tally = _tally(self.graphs, rank)
        pairs = sorted_edges(dict.fromkeys(pair for pair, _ in tally), rank)
        done = self.replicates - self.failed
        found = [
            EdgeConfidence(a, b, tally[(a, b), "->"], tally[(a, b), "<-"], tally[(a, b), "--"], done) for a, b in pairs
        ]
        return tuple(sorted(found, key=lambda edge: -edge.adjacent))

    @cached_property
    def directions(self) -> dict[Edge, float]:
        """For each pair that is joined in some replicate, either way round: `EdgeConfidence.direction`."""
        there = {(edge.a, edge.b): edge.direction for edge in self.edges}
        back = {(edge.b, edge.a): 1 - edge.direction for edge in self.edges}
        return {**there, **back}

    def edge(self, a: Hashable, b: Hashable) -> EdgeConfidence:
        """How sure the edge from a to b is; `direction` is then that of a -> b."""
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
        """The frequency above which edges are kept in `averaged`: `threshold_of`."""
        done = self.replicates - self.failed
        return threshold_of((edge.adjacent for edge in self.edges), done) / done

    @cached_property
    def averaged(self) -> PDAG:
        """The edges with a frequency above the threshold, directed as most of their replicates have them."""
        place = {name: number for number, name in enumerate(self.canonical)}
        return averaged(self.nodes, (edge for edge in self.edges if edge.frequency > self.threshold), place)

    @cached_property
    def disagreement(self) -> float:
        """In how many edges the graphs of two replicates differ in the mean, by presence or direction."""
        return float(self._between)

    @cached_property
    def layout_share(self) -> float:
        """Which part of the disagreement is there between two layouts of the same replicate: not of the sample.

        For each pair of variables and each kind of edge, the variance over samples and layouts is the mean variance
        over layouts of one sample, and the variance over samples of the mean: this is the share of the first, all
        added up. Of a learner that gives one graph for one table it is 0; 1 where the sample plays no part. As both
        are estimates, the quotient can be somewhat above 1, and is 1 then. NaN where it was not looked at.
        """
        if self.stable and not self.relaid:
            return 0.0
        both = [(one, other) for one, other in zip(self.graphs, self.relaid, strict=False) if one and other]
        if not both:
            return float("nan")
        rank = rank_names(self.nodes)
        within = Fraction(sum(_distance(one, other, rank) for one, other in both), len(both))
        return float(min(Fraction(1), within / self._between)) if self._between else float(within > 0)

    @cached_property
    def _between(self) -> Fraction:
        """The mean over all pairs of replicates of the number of edges in which they differ."""
        rank = rank_names(self.nodes)
        graphs = [graph for graph in self.graphs if graph is not None]
        done = len(graphs)
        if done < 2:
            return Fraction(0)
        tally = _tally(graphs, rank)
        joined = Counter({pair: 0 for pair, _ in tally})
        for (pair, _), times in tally.items():
            joined[pair] += times
        # Pairs of replicates that agree: with the same mark, or both without an edge.
        agree = sum(times * (times - 1) for times in tally.values())
        agree += sum((done - times) * (done - times - 1) for times in joined.values())
        return len(joined) - Fraction(agree, done * (done - 1))

    def summary(self) -> str:
        """A few readable lines: first the answer, then the figures behind it, then what to worry about."""
        table = f"{counted(self.rows, 'row')} of {counted(len(self.nodes), 'variable')}"
        kept = len(self.averaged.directed) + len(self.averaged.undirected)
        answer = (
            f"{counted(kept, 'edge')} {'is' if kept == 1 else 'are'} in more than half of "
            f"{counted(self.replicates - self.failed, 'replicate')}, {len(self.averaged.directed)} of them mostly "
            "the same way round."
        )
        lines = [answer, f"  {self.learner} on {table} (seed {self.seed}; threshold {self.threshold:.3f})."]
        learned = [self.edge(*pair) for pair in self.learned.skeleton()]
        if learned:
            sure = sum(100 * edge.adjacent >= _SURE * edge.replicates for edge in learned)
            lines.append(
                f"  Of {counted(len(learned), 'edge')} learned from the whole table, {sure} "
                f"{'is' if sure == 1 else 'are'} in at least {_SURE} % of the replicates."
            )
            doubtful = sorted((e for e in learned if e.frequency <= self.threshold), key=lambda e: e.adjacent)
            if doubtful:
                marks = edge_marks(self.learned, rank_names(self.nodes))
                shown = ", ".join(
                    f"{spelled(edge.a)} {marks[edge.a, edge.b]} {spelled(edge.b)} ({_percent(edge)})"
                    for edge in doubtful[:_MOST_NAMED]
                )
                more = f" and {len(doubtful) - _MOST_NAMED} more" if len(doubtful) > _MOST_NAMED else ""
                lines.append(f"  In no more than half of them: {shown}{more}.")
        lines.append(f"  {self.noise}")
        lines += [f"  {caution}" for caution in self.warnings]
        return "\n".join(lines)

    @property
    def noise(self) -> str:
        """Where the differences between replicates come from, in one sentence."""
        answer = f"Two replicates differ in {self.disagreement:.1f} edges in the mean: "
        if self.stable and not self.relaid:
            return answer + "that is the sample alone, as this learner gives one graph for one table."
        if not self.relaid:
            return answer + "the sample and the layout of the table, which were not told apart."
        if self.layout_share != self.layout_share:
            return answer + "the sample and the layout could not be told apart, as learning failed."
        return answer + (f"{100 * self.layout_share:.0f} % of that is the layout of the table, the rest is the sample.")

    def __repr__(self) -> str:
        return self.summary()

    def to_dict(self) -> dict[str, Any]:
        """Everything but the time, in types that JSON has: equal bootstraps give equal texts."""
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

    def to_json(self) -> str:
        """`to_dict` as JSON text; names that JSON does not have are written as text."""
        return json.dumps(self.to_dict(), indent=1, default=str, ensure_ascii=False) + "\n"

    def to_csv(self) -> str:
        """The edges as CSV: how often they were found and which way, how they were learned, and in the average."""
        rows = self._rows()
        out = io.StringIO()
        head = ["a", "b", "frequency", "direction", *("adjacent", "forward", "backward", "undirected", "replicates")]
        writer = csv.DictWriter(out, [*head, "learned", "averaged"], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        return out.getvalue()

    def _rows(self) -> list[dict[str, Any]]:
        """The edges, with those of the two graphs beside them."""
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

    def plot(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        kind: Literal["bars", "map"] = "bars",
        force: bool = False,
    ) -> Figure:
        """Draw how often every edge was found and which way; needs matplotlib.

        Parameters
        ----------
        path : path, optional
            A file to write: .png, .svg or .pdf.
        kind : {"bars", "map"}
            A bar an edge, or a map in which rows are where arcs start and columns where they end.
        force : bool
            Replace a file that exists.

        Returns
        -------
        matplotlib.figure.Figure
            Notebooks show it.
        """
        from stablebn.plotting.matplotlib_figures import drawn
        from stablebn.resampling.bootstrap_plot import draw, draw_map

        one_of("kind", kind, ("bars", "map"))
        return drawn(lambda: draw(self) if kind == "bars" else draw_map(self), path, force=force)


def _tally(graphs: Sequence[PDAG | None], rank: Mapping[Hashable, int]) -> Counter[tuple[Edge, str]]:
    """How often each pair, as names sort, has each mark."""
    times = Counter(graph for graph in graphs if graph is not None)
    tally: Counter[tuple[Edge, str]] = Counter()
    for graph, count in times.items():
        for edge in edge_marks(graph, rank).items():
            tally[edge] += count
    return tally


def _distance(one: PDAG, other: PDAG, rank: Mapping[Hashable, int]) -> int:
    """In how many pairs two graphs differ."""
    first, second = edge_marks(one, rank), edge_marks(other, rank)
    return sum(first.get(pair) != second.get(pair) for pair in {**first, **second})


def _as_dict(graph: PDAG) -> dict[str, list[list[Hashable]]]:
    return {
        "directed": [list(edge) for edge in graph.directed],
        "undirected": [list(edge) for edge in graph.undirected],
    }


def _percent(edge: EdgeConfidence) -> str:
    return f"{100 * edge.frequency:.0f} %"
