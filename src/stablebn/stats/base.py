"""What scores, orders, searches and tests of independence ask of the data; nobody else reads rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from stablebn.stats.symmetries.symmetry import Structure

if TYPE_CHECKING:
    from typing_extensions import Self

    from stablebn.stats.symmetries.finer_rows import FinerRows


@dataclass(frozen=True)
class ColumnProducts:
    """Variables that are several columns of integers each.

    Attributes
    ----------
    products : array of int [columns, columns]
        N sum(x y) - sum(x) sum(y), N being the number of rows by weight.
    columns : list of lists of int
        Of each variable.
    frequencies : list of lists of int
        How many rows, by weight, each level of a variable has, of which the first has no column; empty of a continuous
        variable.
    """

    products: NDArray[np.object_]
    columns: list[list[int]]
    frequencies: list[list[int]]


class Statistics(ABC):
    """The statistics of a table.

    Attributes
    ----------
    kind : {"categorical", "continuous", "mixed"}
    unit_free : bool
        Whether orders must not depend on the units of continuous variables.
    names : tuple of names
        Of the variables, which are 0 .. n - 1.
    n, total : int
        Number of variables, and of rows by weight.
    threads : int
        How many threads count at once. The statistics are the same integers for any number.
    has_missing : bool
        Whether values are missing: then a family has the rows in which all its members are known.
    values : int
        How many values a new question may have to look at; 0 where none, as for moments.
    """

    kind: ClassVar[str]
    unit_free: bool = False

    names: tuple[Hashable, ...]
    n: int
    total: int
    threads: int
    has_missing: bool = False
    has_units: bool = True

    @property
    def values(self) -> int:
        """How many values a new question may have to look at."""
        return 0

    @abstractmethod
    def reordered(self, order: Sequence[int]) -> Self:
        """The statistics of the same variables renumbered so that new i is old order[i]."""

    def measured(self) -> Self:
        """Return statistics of the same variables with which scores have the units of the columns, if they have any."""
        return self

    @abstractmethod
    def sort_key(self, v: int) -> Hashable:
        """Return a key of the variable's values, to order variables with equal scores (specification, section 4)."""

    def unlabelled_key(self, v: int) -> Hashable:
        """The same key without the labels of levels."""
        return self.sort_key(v)

    @abstractmethod
    def structures(self) -> list[Structure]:
        """What must stay as it is when variables are exchanged, for the data to be the same; what tells most first.

        Of `points`, each of which stands for a variable.
        """

    def finer_rows(self, groups: Sequence[Sequence[int]]) -> FinerRows | None:
        """The rows by values that the structures have rounded; None if they have rounded none, or there are too many.

        Parameters
        ----------
        groups : sequence of sequences of int
            Points that the structures cannot tell apart.
        """
        return None

    def points(self) -> list[int]:
        """The variable that each point of the structures stands for: here each for its own."""
        return list(range(self.n))

    @abstractmethod
    def column_products(self) -> ColumnProducts:
        """Products of all columns, those of a categorical variable being indicators of its levels but one."""
