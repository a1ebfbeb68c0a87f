"""What a report shows, in plain values."""

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
    """An edge of the picture.

    Attributes
    ----------
    ends : (a, b)
        Names; the arc points from a to b where it is directed.
    in_dag, in_class : bool
        Whether it has a head in the DAG, or in the graph as it was learned; and in the CPDAG.
    direction : str or None
        What it follows from, as in `Result.direction_reasons`. None of one that is not in the graph.
    strength, gain : float or None
        The score lost without it, and what it added when it came in.
    step : int or None
        When that was.
    sentences : tuple of str
        Why it is there.
    truth : str or None
        Beside the true graph: one of the words above; "missing" of one that is only there.
    layouts, replicates : (joined, this way) or None
        In how many layouts of the audit, and replicates of the bootstrap, the two are joined; and in which share of
        these the same way round, where one without a direction is half of one.
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
        """Whether it was learned."""
        return self.direction is not None

    @property
    def arbitrary(self) -> bool:
        """Whether its direction is arbitrary, or was not determined."""
        return self.direction in ("arbitrary", "not determined")


@dataclass(frozen=True)
class Variable:
    """A variable and its part in the graph; `family` is None where there is no score."""

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
class Step:
    """A step of the search: what was done, what came of it, and what would have been done otherwise."""

    number: int
    move: str
    edge: str
    gain: float
    score: float
    runner_up: str
    arbitrary: bool


@dataclass(frozen=True)
class Message:
    """Something to know: how serious it is ("warning" or "note"), and a sentence."""

    severity: str
    text: str


@dataclass(frozen=True)
class Frequencies:
    """How often edges were found in other layouts, or in replicates.

    Attributes
    ----------
    verdict : str
        The answer.
    lines : tuple of str
        The figures behind it.
    of : int
        How many graphs there were.
    edges : tuple of (a, b, forward, backward, undirected)
    """

    verdict: str
    lines: tuple[str, ...]
    of: int
    edges: tuple[tuple[Hashable, Hashable, int, int, int], ...]


@dataclass(frozen=True)
class Content:
    """All that a report shows."""

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
    steps: tuple[Step, ...]
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
        """The edges of the learned graph."""
        return tuple(arc for arc in self.arcs if arc.in_graph)

    @property
    def summary(self) -> str:
        """The answer in one sentence."""
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
        by_others = "".join(f", {what} that of {number:,}" for what, number in others.items() if number)
        return f"{table}: {edges}; {by_data}{by_others}."
