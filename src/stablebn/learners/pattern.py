"""What a learner of partially directed graphs finds."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


class PatternTrace(Protocol):
    """How a pattern was found."""

    def renamed(self, names: Sequence[Hashable]) -> PatternTrace:
        """The same trace with names in place of numbers of variables."""

    def to_dict(self) -> dict[str, Any]:
        """The columns by name."""


@dataclass(frozen=True)
class Pattern:
    """A partially directed graph over variables 0 .. n - 1.

    Attributes
    ----------
    directed : tuple of (from, to)
    undirected : tuple of (u, v)
        With u < v.
    order : tuple of int
        The processing order.
    trace : PatternTrace
        With variables as numbers.
    finished : bool
        False if a limit stopped the learner.
    conflicts : tuple
        Orientations that contradict each other; none where the pattern is the CPDAG of a class.
    """

    directed: tuple[tuple[int, int], ...]
    undirected: tuple[tuple[int, int], ...]
    order: tuple[int, ...]
    trace: PatternTrace
    finished: bool
    conflicts: tuple[Any, ...] = ()
