"""The interface of statistics: what scores, orders, searches and tests of independence know about the data."""

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
    """Products of integer columns, of which each variable has one or several.

    Attributes
    ----------
    products : array of int [columns, columns]
        N sum(x y) - sum(x) sum(y), N being the number of rows by weight.
    columns : list of lists of int
        Columns of each variable.
    frequencies : list of lists of int
        Number of rows, by weight, of each level of a variable; the first level has no column. Empty for a continuous
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
        Names of the variables 0 .. n - 1.
    n, total : int
        Number of variables, and number of rows by weight.
    threads : int
        Number of threads that count at once. The statistics are the same integers for any number.
    has_missing : bool
        Whether values are missing: then a family is counted over the rows in which all its variables are known.
    has_units : bool
        Whether scores made of these statistics have the units of the columns, if there are any.
    values : int
        Number of values that a new query may have to read; 0 if it reads none, as for moments.
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
        """Return the number of values that a new query may have to read."""
        return 0

    @abstractmethod
    def reordered(self, order: Sequence[int]) -> Self:
        """Return the statistics with the variables renumbered: new variable i is old variable order[i]."""

    def measured(self) -> Self:
        """Return statistics of the same variables with which scores have the units of the columns, if they have any."""
        return self

    @abstractmethod
    def sort_key(self, v: int) -> Hashable:
        """Return a key of the variable's values, to order variables with equal scores (specification, section 4)."""

    def unlabelled_key(self, v: int) -> Hashable:
        """Return the same key without the labels of levels."""
        return self.sort_key(v)

    @abstractmethod
    def structures(self) -> list[Structure]:
        """Return what an exchange of variables must leave unchanged to be a symmetry of the data.

        Structures are about `points`, each of which stands for a variable. The structure that distinguishes most
        points comes first.
        """

    def finer_rows(self, groups: Sequence[Sequence[int]]) -> FinerRows | None:
        """Return the rows by values that the structures have rounded; None if they rounded none, or have too many rows.

        Parameters
        ----------
        groups : sequence of sequences of int
            Points that the structures do not distinguish.
        """
        return None

    def points(self) -> list[int]:
        """Return the variable of each point of the structures; by default point v stands for variable v."""
        return list(range(self.n))

    @abstractmethod
    def column_products(self) -> ColumnProducts:
        """Return the products of all columns; a categorical variable has an indicator column per level but one."""
