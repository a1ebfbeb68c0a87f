"""What a greedy equivalence search did, operator by operator, in columns."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any


@dataclass
class OperatorTrace:
    """One entry an operator in every column.

    Attributes
    ----------
    phase : list of str
        "forward" (an edge is inserted) or "backward" (one is deleted).
    x, y : list
        The edge: x -> y, or x - y.
    others : list of tuple
        T of Insert(x, y, T) or H of Delete(x, y, H), in processing order.
    delta, score : list of float
        Change of the score, and the score after it.
    """

    phase: list[str] = field(default_factory=list)
    x: list[Hashable] = field(default_factory=list)
    y: list[Hashable] = field(default_factory=list)
    others: list[tuple[Hashable, ...]] = field(default_factory=list)
    delta: list[float] = field(default_factory=list)
    score: list[float] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.phase)

    def append(self, **step: Any) -> None:
        """Add one operator, a value for every column."""
        for column, value in step.items():
            getattr(self, column).append(value)

    def renamed(self, names: Sequence[Any]) -> OperatorTrace:
        """The same trace with names in place of numbers of variables."""
        numbers: Any = self
        return replace(
            self,
            x=[names[v] for v in numbers.x],
            y=[names[v] for v in numbers.y],
            others=[tuple(names[v] for v in others) for others in numbers.others],
        )

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns by name."""
        return {column.name: list(getattr(self, column.name)) for column in fields(self)}
