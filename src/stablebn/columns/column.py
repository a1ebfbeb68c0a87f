"""Interfaces of columns and rows that are in memory, on disk or distributed.

Decisions about columns (kinds, levels, missing values) use only these interfaces. All results depend on the values
alone, not on the parts in which they are read; therefore the decisions do too.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from stablebn.columns.error_collector import ErrorCollector
from stablebn.messages import Caution
from stablebn.table.blocks import AnyTable
from stablebn.table.table import Name

if TYPE_CHECKING:
    from typing_extensions import Self

    from stablebn.columns.kinds import TextForms, UserKinds

Mask: TypeAlias = NDArray[np.bool_]
Kind: TypeAlias = Literal["categorical", "continuous"]


class WholeNumbers(NamedTuple):
    """Summary of a column of whole numbers.

    Attributes
    ----------
    total : int
        Number of values, by weight.
    distinct : int
        Number of distinct values.
    spread : int or None
        Number of possible values from the least to the greatest, in steps of the greatest common divisor of the
        differences; None unless all values occur equally often.
    largest : int
        The largest absolute value.
    """

    total: int
    distinct: int
    spread: int | None
    largest: int


class UnlistedTexts(NamedTuple):
    """Summary of the distinct texts of a column that do not fit into memory.

    Attributes
    ----------
    forms : TextForms
    others : list of str
        The first texts, in sorted order, that are neither numbers nor markers of missing values.
    """

    forms: TextForms
    others: list[str]


class CategoricalColumn(ABC):
    """Categorical column.

    Attributes
    ----------
    levels : tuple
        The values that occur, sorted; or all declared levels.
    """

    levels: tuple[Hashable, ...]

    @property
    def is_listed(self) -> bool:
        """Whether the levels are known; they are not if the texts do not fit into memory."""
        return True

    @property
    @abstractmethod
    def missing_count(self) -> int:
        """Number of rows without a value."""

    @property
    def is_empty(self) -> bool:
        """Whether no row has a value."""
        return not self.levels

    @property
    def is_constant(self) -> bool:
        """Whether all values are the same, ignoring missing ones."""
        return len(self.levels) == 1

    @property
    def constant_value(self) -> Hashable:
        """The value of a constant column."""
        return self.levels[0]

    @abstractmethod
    def with_levels(self, levels: tuple[Hashable, ...]) -> Self:
        """Return the column with these levels, which include its own; a missing value keeps the last code."""

    @abstractmethod
    def with_missing_level(self) -> Self:
        """Return the column with None as the last level if a value is missing."""

    @abstractmethod
    def with_numbers(self, numbers: Sequence[float]) -> NumericColumn:
        """Return the continuous column that replaces each level by a number; NaN means missing."""


class NumericColumn(ABC):
    """Continuous column."""

    @property
    @abstractmethod
    def missing_count(self) -> int:
        """Number of rows without a value."""

    @property
    @abstractmethod
    def infinite(self) -> int:
        """Number of rows with an infinite value."""

    @property
    @abstractmethod
    def is_empty(self) -> bool:
        """Whether no row has a value."""

    @property
    @abstractmethod
    def is_constant(self) -> bool:
        """Whether all values are the same, ignoring missing ones."""

    @property
    @abstractmethod
    def constant_value(self) -> Hashable:
        """The value of a constant column."""


Column: TypeAlias = CategoricalColumn | NumericColumn


class Rows(ABC):
    """Rows of a table, without those of weight 0, before the kinds of the columns are decided.

    Attributes
    ----------
    types : mapping of name to pyarrow.DataType
        Types of all variables, in column order, after `as_supported`.
    count : int
        Number of stored rows.
    total : int
        Number of rows, by weight.
    """

    types: Mapping[Name, pa.DataType]
    count: int
    total: int

    @abstractmethod
    def whole_numbers(self, name: Name) -> WholeNumbers | None:
        """Summarise a column of integers or floats; None if some value is not whole, or there is no value."""

    @abstractmethod
    def encode(self, kinds: Mapping[Name, Kind], problems: ErrorCollector) -> dict[Name, Column]:
        """Encode columns by their kinds (text is never continuous); collect and leave out those that fail."""

    @abstractmethod
    def whole(self, column: NumericColumn) -> WholeNumbers | None:
        """Like `whole_numbers`, for an encoded column."""

    def texts(self, column: CategoricalColumn) -> UnlistedTexts:
        """Summarise the texts of a column whose levels are not known (`is_listed`)."""
        raise AssertionError("all texts of this table are listed")

    @abstractmethod
    def known(self, column: Column) -> int:
        """Count the rows, by weight, in which a column has a value."""

    @abstractmethod
    def masks(self, columns: Mapping[Name, Column]) -> Iterator[dict[Name, Mask]]:
        """Yield, for one part of the rows after another, where each column has no value."""

    @abstractmethod
    def without(self, columns: Mapping[Name, Column], gaps: Sequence[Name], *, all_of_them: bool) -> KeptRows:
        """Leave out the rows without a value in any of the columns `gaps`, or (`all_of_them`) in all of them."""

    @abstractmethod
    def tabulate(self, columns: Mapping[Name, Column], *, may_have_holes: bool) -> AnyTable:
        """Put columns into a table, which may have missing values; weights that are all 1 are left out."""


class KeptRows(NamedTuple):
    """Remaining rows of a table, and its columns restricted to them."""

    rows: Rows
    columns: dict[Name, Column]


@dataclass(frozen=True)
class OpenedRows:
    """Rows of an opened table, with their number.

    Attributes
    ----------
    rows : Rows
    count : int
        Number of stored rows, including those of weight 0.
    total : int
        Number of rows, by weight.
    categories : callable
        Returns, by name, the categories that the types of columns list. It is called only if they are needed.
    """

    rows: Rows
    count: int
    total: int
    categories: Callable[[], Mapping[Name, tuple[Hashable, ...]]]


class OpenedTable(ABC):
    """Opened table: its columns are known; its rows may not have been read yet.

    Attributes
    ----------
    names : list of names
        Names of all columns, including those that are not selected or could not be read.
    types : mapping of name to pyarrow.DataType
        Types of the variables, in column order.
    cautions : list of Caution
        Warnings about how the source was read.
    """

    names: list[Name]
    types: Mapping[Name, pa.DataType]
    cautions: list[Caution]

    @abstractmethod
    def rows(self, user_kinds: UserKinds, problems: ErrorCollector) -> OpenedRows:
        """Read the rows; collect the errors of columns that cannot be read."""
