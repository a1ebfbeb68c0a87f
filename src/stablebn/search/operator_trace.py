"""The operators of a greedy equivalence search, in columns."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

from stablebn.search.trace import StepTrace


@dataclass
class OperatorTrace(StepTrace):
    """One entry per operator in every column.

    Attributes
    ----------
    phase : list of str
        "forward" (an edge is inserted), "backward" (an edge is deleted) or "turning" (an edge is turned).
    x, y : list
        The edge: x -> y, or x - y.
    others : list of tuple
        T of Insert(x, y, T), H of Delete(x, y, H) or C of Turn(x, y, C), in processing order.
    delta, score : list of float
        Change of the score, and the score after it.
    """

    columns = ("phase", "x", "y", "others", "delta", "score")
    variable_columns = ("x", "y", "others")

    phase: list[str] = field(default_factory=list)
    x: list[Hashable] = field(default_factory=list)
    y: list[Hashable] = field(default_factory=list)
    others: list[tuple[Hashable, ...]] = field(default_factory=list)
    delta: list[float] = field(default_factory=list)
    score: list[float] = field(default_factory=list)

    def append(self, **step: Any) -> None:
        """Add one operator, with a value for every column."""
        for column, value in step.items():
            getattr(self, column).append(value)

    def renamed(self, names: Sequence[Any]) -> OperatorTrace:
        """Return the same trace with names in place of numbers of variables."""
        return OperatorTrace(**self.renamed_columns(names))
