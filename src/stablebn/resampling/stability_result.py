"""What an audit found: the graphs of all layouts, and how far they agree."""

from __future__ import annotations

import csv
import io
import json
import os
import statistics
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from stablebn.errors import one_of
from stablebn.graph import DAG, PDAG, compare
from stablebn.graph.metrics import edge_marks
from stablebn.graph.names import rank_names, sorted_edges
from stablebn.messages import Caution, counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Spread(NamedTuple):
    """Mean, sample standard deviation, least and greatest of some values; exactly 0.0 where they are all equal."""

    mean: float
    sd: float
    low: float
    high: float

    @property
    def width(self) -> float:
        """The greatest less the least."""
        return self.high - self.low


class EdgeFrequency(NamedTuple):
    """In how many layouts two variables are joined: a -> b, a <- b, or without a direction."""

    a: Hashable
    b: Hashable
    forward: int
    backward: int
    undirected: int

    @property
    def adjacent(self) -> int:
        """In how many layouts they are joined at all."""
        return self.forward + self.backward + self.undirected

    @property
    def agreement(self) -> int:
        """In how many layouts the edge is as it most often is, where it is there."""
        return max(self.forward, self.backward, self.undirected)


@dataclass(frozen=True, repr=False)
class Stability:
    """How much of a learner's answer the layout of the table decides.

    Attributes
    ----------
    learner : str
    rows : int
        Of the table.
    vary : tuple of str
        What differed between layouts.
    seed : int
    score_name : str or None
        None if graphs were not scored.
    learned : tuple of PDAG
        The graph of every layout under the names of the table, that of the table as given first. A learner of DAGs
        directs every edge.
    scores : tuple of (float or None)
        Of the graphs in `learned`; None where no DAG extends one.
    truth : DAG, PDAG or None
    warnings : tuple of Caution
        What our learner says of the table as given: names decide between identical columns, for instance.
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
        """How many layouts there were."""
        return len(self.learned)

    @cached_property
    def graphs(self) -> int:
        """How many different graphs they gave."""
        return len(set(self.learned))

    @cached_property
    def cpdags(self) -> tuple[PDAG, ...]:
        """Equivalence class of every learned graph that a DAG extends."""
        classes = {graph: graph.cpdag() for graph in dict.fromkeys(self.learned) if graph.extension() is not None}
        return tuple(classes[graph] for graph in self.learned if graph in classes)

    @cached_property
    def classes(self) -> int:
        """How many different equivalence classes they gave."""
        return len(set(self.cpdags))

    @property
    def non_extendable(self) -> int:
        """In how many layouts no DAG extends the graph: these have no class, no score and no F1."""
        return self.layouts - len(self.cpdags)

    @property
    def stable(self) -> bool:
        """Whether every layout gave the same graph with the same score, compared with ==."""
        return self.graphs == 1 and len(set(self.scores)) == 1

    @cached_property
    def edges(self) -> tuple[EdgeFrequency, ...]:
        """Every pair that is joined in some layout: the most often joined first, then by name."""
        rank = rank_names(self.learned[0].nodes)
        tally = Counter(edge for graph in self.learned for edge in edge_marks(graph, rank).items())
        pairs = sorted_edges(dict.fromkeys(pair for pair, _ in tally), rank)
        found = [EdgeFrequency(*pair, *(tally[pair, mark] for mark in ("->", "<-", "--"))) for pair in pairs]
        return tuple(sorted(found, key=lambda edge: -edge.adjacent))

    @cached_property
    def shd(self) -> Spread | None:
        """Structural Hamming distance between the CPDAGs of every two layouts."""
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
        """Spread of F1, if the truth was given."""
        if self.truth is None:
            return None
        f1 = {graph: compare(graph, self.truth).f1 for graph in dict.fromkeys(self.cpdags)}
        return _spread([f1[graph] for graph in self.cpdags])

    @property
    def seconds(self) -> float:
        """Seconds that the learner took for all layouts."""
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
        """A few readable lines: first the answer, then the figures behind it, then what to worry about."""
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
        settled = sum(edge.agreement == self.layouts for edge in self.edges)
        lines.append(
            f"  Of {counted(len(self.edges), 'edge')} that were found, {always} are in every layout, "
            f"{settled} of them always the same way round."
        )
        lines += [f"  {caution}" for caution in self.warnings]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return self.summary()

    def to_dict(self) -> dict[str, Any]:
        """Everything but the times, in types that JSON has: equal audits give equal texts."""
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

    def to_json(self) -> str:
        """`to_dict` as JSON text; names that JSON does not have are written as text."""
        return json.dumps(self.to_dict(), indent=1, default=str, ensure_ascii=False) + "\n"

    def to_csv(self) -> str:
        """The edges as CSV: their two ends, the number of layouts, and in how many they are what."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(("a", "b", "layouts", "adjacent", "forward", "backward", "undirected"))
        for edge in self.edges:
            writer.writerow((edge.a, edge.b, self.layouts, edge.adjacent, edge.forward, edge.backward, edge.undirected))
        return out.getvalue()

    def plot(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        kind: Literal["bars", "map"] = "bars",
        force: bool = False,
    ) -> Figure:
        """Draw how often every edge was found and which way, and the spread of the scores; needs matplotlib.

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
        from stablebn.resampling.stability_plot import draw, draw_map

        one_of("kind", kind, ("bars", "map"))
        return drawn(lambda: draw(self) if kind == "bars" else draw_map(self), path, force=force)


def _spread(values: Sequence[float]) -> Spread | None:
    """Of no values there is none. The module `statistics` adds exactly, so the order of layouts plays no part."""
    if not values:
        return None
    sd = statistics.stdev(values) if len(values) > 1 else 0.0
    return Spread(float(statistics.mean(values)), float(sd), float(min(values)), float(max(values)))


def _as_dict(spread: Spread | None) -> dict[str, float] | None:
    return None if spread is None else spread._asdict()
