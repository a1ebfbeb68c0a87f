"""The content of a report as plain values, which the templates render."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from stablebn.graph import Comparison
from stablebn.graph.names import Edge
from stablebn.messages import counted
from stablebn.plotting.layout import Layout
from stablebn.report.labels import Label
from stablebn.result.explain import FamilyScore

MATCHED, REVERSED, UNDECIDED, MISSING, EXTRA = "matched", "reversed", "undecided", "missing", "extra"


@dataclass(frozen=True)
class Arc:
    """An edge of the drawing.

    Attributes
    ----------
    ends : (a, b)
        Names; a directed edge leads from a to b.
    in_dag, in_class : bool
        Whether it is directed in the DAG (or the learned graph, if that is no DAG), and in the CPDAG.
    direction : str or None
        The reason for its direction, as in `Result.direction_reasons`; None if it is not in the learned graph.
    strength, gain : float or None
        The score lost without it, and the gain of the search step that added it.
    step : int or None
        The number of that step.
    sentences : tuple of str
        The explanation.
    truth : str or None
        The comparison with the true graph: one of the constants above.
    layouts, replicates : (count, share) or None
        The number of layouts of the stability analysis, or replicates of the bootstrap, in which its ends are adjacent,
        and the share of these with the same direction; an undirected edge counts as half.
    """

    ends: Edge
    in_dag: bool
    in_class: bool
    direction: str | None
    strength: float | None
    gain: float | None
    step: int | None
    sentences: tuple[str, ...]
    truth: str | None = None
    layouts: tuple[int, float] | None = None
    replicates: tuple[int, float] | None = None

    @property
    def in_graph(self) -> bool:
        """Return whether the edge is in the learned graph."""
        return self.direction is not None

    @property
    def arbitrary(self) -> bool:
        """Return whether its direction is arbitrary or was not determined."""
        return self.direction in ("arbitrary", "not determined")


@dataclass(frozen=True)
class Variable:
    """A variable and its neighbours in the graph; `family` is None if it has no score."""

    name: Hashable
    label: Label
    kind: str
    why: str
    levels: int | None
    parents: tuple[Hashable, ...]
    children: tuple[Hashable, ...]
    neighbours: tuple[Hashable, ...]
    family: FamilyScore | None
    stands_for: tuple[Hashable, ...]


@dataclass(frozen=True)
class SearchStep:
    """A step of the search: the move, its gain, the new score, and the move that came second."""

    number: int
    move: str
    edge: str
    gain: float
    score: float
    runner_up: str
    arbitrary: bool


@dataclass(frozen=True)
class Message:
    """A finding: its severity ("warning" or "note") and a sentence."""

    severity: str
    text: str


@dataclass(frozen=True)
class Frequencies:
    """Frequencies of edges among the graphs of layouts or of replicates.

    Attributes
    ----------
    verdict : str
    lines : tuple of str
        Details of the verdict.
    of : int
        The number of graphs.
    edges : tuple of (a, b, forward, backward, undirected)
    """

    verdict: str
    lines: tuple[str, ...]
    of: int
    edges: tuple[tuple[Hashable, Hashable, int, int, int], ...]


@dataclass(frozen=True)
class Content:
    """The content of a report."""

    learner: str
    score_name: str
    score: float | None
    rows: int
    finished: bool
    fingerprint: str
    promise: str
    proof: str | None
    has_dag: bool
    variables: tuple[Variable, ...]
    arcs: tuple[Arc, ...]
    layout: Layout
    steps: tuple[SearchStep, ...]
    best: int
    tests: int | None
    run_messages: tuple[Message, ...]
    data_messages: tuple[Message, ...]
    comparison: Comparison | None
    as_classes: bool
    audit: Frequencies | None
    bootstrap: Frequencies | None
    command: str | None
    call: str
    options: tuple[tuple[str, str], ...]
    versions: tuple[tuple[str, str], ...]

    @property
    def learned(self) -> tuple[Arc, ...]:
        """Return the edges of the learned graph."""
        return tuple(arc for arc in self.arcs if arc.in_graph)

    @property
    def summary(self) -> str:
        """Return the result in one sentence."""
        arcs, total = self.learned, len(self.learned)
        table = f"{counted(len(self.variables), 'variable')}, {counted(self.rows, 'row')}"
        if not total:
            return f"{table}: no arcs."
        edges = counted(total, "arc" if self.has_dag else "edge")
        decided = sum(arc.direction in ("compelled", "data-driven") for arc in arcs)
        others = {
            "knowledge": sum(arc.direction == "known" for arc in arcs),
            "the model": sum(arc.direction == "model" for arc in arcs),
        }
        if decided == total:
            return f"{table}: {edges}, {'its direction' if total == 1 else 'all directions'} decided by the data."
        by_data = f"the data decide the direction of {decided:,}" if decided else "the data decide no direction"
        by_others = "".join(f", {cause} that of {number:,}" for cause, number in others.items() if number)
        return f"{table}: {edges}; {by_data}{by_others}."
