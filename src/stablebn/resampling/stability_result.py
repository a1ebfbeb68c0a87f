"""Represent the result of a stability analysis: the graphs of all layouts, and how far they agree."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from stablebn.graph import DAG, PDAG, compare
from stablebn.messages import Caution, counted
from stablebn.resampling.edge_frequencies import EdgeFrequencies, EdgeFrequency
from stablebn.resampling.resampling_result import EdgeFrequencyResult, csv_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Spread(NamedTuple):
    """Mean, sample standard deviation, minimum and maximum; the deviation of equal values is exactly 0.0."""

    mean: float
    sd: float
    low: float
    high: float

    @property
    def width(self) -> float:
        """The maximum minus the minimum."""
        return self.high - self.low


@dataclass(frozen=True, repr=False)
class Stability(EdgeFrequencyResult):
    """How much of a learned graph depends on the layout of the table.

    Attributes
    ----------
    learner : str
    rows : int
        The rows of the table.
    vary : tuple of str
        What differs between layouts.
    seed : int
    score_name : str or None
        None if graphs were not scored.
    learned : tuple of PDAG
        The graph of every layout, with the names of the table as given; the first layout is that table itself. An
        algorithm that learns DAGs directs every edge.
    scores : tuple of (float or None)
        The scores of the graphs in `learned`; None if no DAG extends the graph.
    truth : DAG, PDAG or None
    warnings : tuple of Caution
        The warnings of the algorithm for the table as given.
    times : tuple of float
        Seconds that the learner took for each layout.
    """

    learner: str
    rows: int
    vary: tuple[str, ...]
    seed: int
    score_name: str | None
    learned: tuple[PDAG, ...]
    scores: tuple[float | None, ...]
    truth: DAG | PDAG | None
    warnings: tuple[Caution, ...]
    times: tuple[float, ...] = field(compare=False)

    @property
    def layouts(self) -> int:
        """The number of layouts."""
        return len(self.learned)

    @cached_property
    def graphs(self) -> int:
        """The number of different graphs."""
        return len(set(self.learned))

    @cached_property
    def cpdags(self) -> tuple[PDAG, ...]:
        """The CPDAG of every learned graph that a DAG extends."""
        classes = {graph: graph.cpdag() for graph in dict.fromkeys(self.learned) if graph.extension() is not None}
        return tuple(classes[graph] for graph in self.learned if graph in classes)

    @cached_property
    def classes(self) -> int:
        """The number of different Markov equivalence classes."""
        return len(set(self.cpdags))

    @property
    def non_extendable(self) -> int:
        """The number of layouts in which no DAG extends the graph: these have no CPDAG, no score and no F1."""
        return self.layouts - len(self.cpdags)

    @property
    def stable(self) -> bool:
        """Whether every layout gave the same graph with the same score, compared with ==."""
        return self.graphs == 1 and len(set(self.scores)) == 1

    @cached_property
    def edges(self) -> tuple[EdgeFrequency, ...]:
        """Every pair that is adjacent in some layout: the most frequent first, then by name."""
        counts = EdgeFrequencies(self.learned, self.learned[0].nodes).counts
        return tuple(EdgeFrequency(*pair, *marks) for pair, marks in counts.items())

    @cached_property
    def shd(self) -> Spread | None:
        """Structural Hamming distance between the CPDAGs of every pair of layouts."""
        distance = {
            frozenset(pair): compare(*pair, as_cpdag=False).shd for pair in combinations(dict.fromkeys(self.cpdags), 2)
        }
        return _spread([distance.get(frozenset(pair), 0) for pair in combinations(self.cpdags, 2)])

    @cached_property
    def score(self) -> Spread | None:
        """Spread of the scores."""
        return _spread([score for score in self.scores if score is not None])

    @cached_property
    def f1(self) -> Spread | None:
        """Spread of F1; None without a true graph."""
        if self.truth is None:
            return None
        f1 = {graph: compare(graph, self.truth).f1 for graph in dict.fromkeys(self.cpdags)}
        return _spread([f1[graph] for graph in self.cpdags])

    @property
    def seconds(self) -> float:
        """Seconds that the learner took for all layouts together."""
        return sum(self.times)

    @property
    def verdict(self) -> str:
        """The answer in one sentence."""
        if self.stable:
            return f"One table, one graph: {self.layouts} layouts gave the same graph."
        if self.graphs == 1:
            return f"One graph, but not one score: {self.layouts} layouts gave {len(set(self.scores))} scores for it."
        answer = f"{self.layouts} layouts gave {self.graphs} graphs"
        if self.classes == 1 and not self.non_extendable:
            return f"The layout decides directions: {answer} of one equivalence class."
        differences = []
        if self.shd is not None and self.shd.high:
            differences.append(f"up to {counted(int(self.shd.high), 'edge')} differ{'s' * (self.shd.high == 1)}")
        if self.score is not None and self.score.width:
            differences.append(f"{str(self.score_name).upper()} differs by up to {self.score.width:,.2f}")
        if self.non_extendable:
            differences.append(f"in {counted(self.non_extendable, 'layout')} no DAG extends the graph")
        return f"The layout decides: {'; '.join([answer, *differences])}."

    def summary(self) -> str:
        """Return a few readable lines: the answer, the figures behind it, and the warnings."""
        varied = f"other {', '.join(self.vary)}" if self.vary else "nothing varied"
        table = f"{counted(self.rows, 'row')} of {counted(len(self.learned[0].nodes), 'variable')}"
        lines = [self.verdict, f"  {self.learner} on {table}; {varied} (seed {self.seed})."]
        if self.shd is not None and self.graphs > 1:
            lines.append(
                f"  {counted(self.classes, 'equivalence class', 'equivalence classes')}; SHD between two layouts: "
                f"mean {self.shd.mean:.2f}, at most {self.shd.high:.0f}."
            )
        if self.score is not None:
            lines.append(
                f"  {str(self.score_name).upper()} from {self.score.low:,.2f} to {self.score.high:,.2f}, "
                f"SD {self.score.sd:.4g}."
            )
        if self.f1 is not None:
            lines.append(f"  F1 {self.f1.mean:.4f}, SD {self.f1.sd:.4f}, from {self.f1.low:.4f} to {self.f1.high:.4f}.")
        always = sum(edge.adjacent == self.layouts for edge in self.edges)
        same_direction = sum(edge.agreement == self.layouts for edge in self.edges)
        lines.append(
            f"  Of {counted(len(self.edges), 'edge')} that were found, {always} are in every layout, "
            f"{same_direction} of them always in the same direction."
        )
        lines += [f"  {caution}" for caution in self.warnings]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the times, in types that JSON has: equal results give equal texts."""
        return {
            "verdict": self.verdict,
            "stable": self.stable,
            "learner": self.learner,
            "vary": list(self.vary),
            "seed": self.seed,
            "rows": self.rows,
            "nodes": list(self.learned[0].nodes),
            "layouts": self.layouts,
            "graphs": self.graphs,
            "classes": self.classes,
            "non_extendable": self.non_extendable,
            "shd": _as_dict(self.shd),
            "score_name": self.score_name,
            "score": _as_dict(self.score),
            "scores": list(self.scores),
            "f1": _as_dict(self.f1),
            "warnings": [str(caution) for caution in self.warnings],
            "edges": [{**edge._asdict(), "adjacent": edge.adjacent} for edge in self.edges],
        }

    def to_csv(self) -> str:
        """Return the edges as CSV: in how many layouts each occurs, and with which direction."""
        columns = ("a", "b", "layouts", "adjacent", "forward", "backward", "undirected")
        rows = ({**edge._asdict(), "layouts": self.layouts, "adjacent": edge.adjacent} for edge in self.edges)
        return csv_text(columns, rows)

    def _draw(self, kind: str) -> Figure:
        from stablebn.resampling.edge_plots import draw_stability

        return draw_stability(self, kind)


def _spread(values: Sequence[float]) -> Spread | None:
    """Return the spread of values, or None without any; `statistics` adds exactly, whatever the order of layouts."""
    if not values:
        return None
    sd = statistics.stdev(values) if len(values) > 1 else 0.0
    return Spread(float(statistics.mean(values)), float(sd), float(min(values)), float(max(values)))


def _as_dict(spread: Spread | None) -> dict[str, float] | None:
    return None if spread is None else spread._asdict()
