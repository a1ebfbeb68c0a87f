"""What scores, orders, searches and tests of independence ask of the data; nobody else reads rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, ClassVar

from stablebn.stats.symmetry import Structure

if TYPE_CHECKING:
    from typing_extensions import Self


class Statistics(ABC):
    """The statistics of a table.

    Attributes
    ----------
    kind : {"categorical", "continuous"}
    names : tuple of names
        Of the variables, which are 0 .. n - 1.
    n, total : int
        Number of variables, and of rows by weight.
    threads : int
        How many threads count at once. The statistics are the same integers for any number.
    has_holes : bool
        Whether values are missing: then a family has the rows in which all its members are known.
    """

    kind: ClassVar[str]

    names: tuple[Hashable, ...]
    n: int
    total: int
    threads: int
    has_holes: bool = False

    @abstractmethod
    def reordered(self, order: Sequence[int]) -> Self:
        """The statistics of the same variables renumbered so that new i is old order[i]."""

    @abstractmethod
    def sort_key(self, v: int) -> Hashable:
        """A key of a variable's own values, by which orders tell apart what scores cannot (SPEC 4, key 3)."""

    @abstractmethod
    def structures(self) -> list[Structure]:
        """What must stay as it is when variables are exchanged, for the data to be the same; what tells most first."""
