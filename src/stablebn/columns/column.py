"""What decisions ask of columns, wherever their rows are: in memory (`encoding`, `held`) or on disk (`stored`).

All of it is the same for the same values, in whatever parts they came: so are the decisions.
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
    """Whole numbers: how many, of how many distinct values.

    `spread` is how many values there could be from the least to the greatest in steps of their common difference; None
    unless all occur equally often.
    """

    total: int
    distinct: int
    spread: int | None
    largest: int


class UnlistedTexts(NamedTuple):
    """The texts of a column that are more than memory holds.

    Attributes
    ----------
    forms : TextForms
    others : list of str
        The first ones, in sorted order, that are neither numbers nor markers of missing values.
    """

    forms: TextForms
    others: list[str]


class CategoricalColumn(ABC):
    """A categorical column.

    Attributes
    ----------
    levels : tuple
        The values that occur, sorted; or all that are declared.
    """

    levels: tuple[Hashable, ...]

    @property
    def is_listed(self) -> bool:
        """Whether the levels are known: there may be more texts than memory holds."""
        return True

    @property
    @abstractmethod
    def missing_count(self) -> int:
        """How many rows have no value."""

    @property
    def is_empty(self) -> bool:
        """Whether no row has a value."""
        return not self.levels

    @property
    def is_constant(self) -> bool:
        """Whether all values that there are are the same."""
        return len(self.levels) == 1

    @property
    def constant_value(self) -> Hashable:
        """The value of a constant column."""
        return self.levels[0]

    @abstractmethod
    def with_levels(self, levels: tuple[Hashable, ...]) -> Self:
        """Return the column with these levels, all of its own among them; a missing value stays the last code."""

    @abstractmethod
    def with_missing_level(self) -> Self:
        """Return the column with the missing value, if any, as a level of its own: None, the last."""

    @abstractmethod
    def with_numbers(self, numbers: Sequence[float]) -> NumericColumn:
        """Return the continuous column that has a number for each level, NaN for those that stand for none."""


class NumericColumn(ABC):
    """A continuous column."""

    @property
    @abstractmethod
    def missing_count(self) -> int:
        """How many rows have no value."""

    @property
    @abstractmethod
    def infinite(self) -> int:
        """How many rows have an infinite value."""

    @property
    @abstractmethod
    def is_empty(self) -> bool:
        """Whether no row has a value."""

    @property
    @abstractmethod
    def is_constant(self) -> bool:
        """Whether all values that there are are the same."""

    @property
    @abstractmethod
    def constant_value(self) -> Hashable:
        """The value of a constant column."""


Column: TypeAlias = CategoricalColumn | NumericColumn


class Rows(ABC):
    """The rows of a table, but for those of weight 0, before it is decided what their columns are.

    Attributes
    ----------
    types : mapping of name to pyarrow.DataType
        Of all variables, in column order, as `usable` gives them.
    count : int
        How many rows there are.
    total : int
        How many they stand for.
    """

    types: Mapping[Name, pa.DataType]
    count: int
    total: int

    @abstractmethod
    def whole_numbers(self, name: Name) -> WholeNumbers | None:
        """What the values of a column of integers or floats are; None if they are not all whole, or there are none."""

    @abstractmethod
    def encode(self, kinds: Mapping[Name, Kind], problems: ErrorCollector) -> dict[Name, Column]:
        """Some columns by their kinds; continuous ones are no text. Those that cannot be are told of, and left out."""

    @abstractmethod
    def whole(self, column: NumericColumn) -> WholeNumbers | None:
        """The same as `whole_numbers` of a column that has been encoded."""

    def texts(self, column: CategoricalColumn) -> UnlistedTexts:
        """What the texts of a column are that is not listed: none is in memory."""
        raise AssertionError("all texts of this table are listed")

    @abstractmethod
    def known(self, column: Column) -> int:
        """How many rows, by weight, have a value of a column."""

    @abstractmethod
    def masks(self, columns: Mapping[Name, Column]) -> Iterator[dict[Name, Mask]]:
        """Which rows have no value of which column, some rows at a time."""

    @abstractmethod
    def without(self, columns: Mapping[Name, Column], gaps: Sequence[Name], *, all_of_them: bool) -> KeptRows:
        """Leave out the rows that have no value of one of some columns, or of none of them."""

    @abstractmethod
    def tabulate(self, columns: Mapping[Name, Column], *, may_have_holes: bool) -> AnyTable:
        """Put columns into a table; what is still missing in them is a hole. Weights that are all 1 are none."""


class KeptRows(NamedTuple):
    """Some rows of a table, and columns of them."""

    rows: Rows
    columns: dict[Name, Column]


@dataclass(frozen=True)
class OpenedRows:
    """The rows of a table, and how many there are.

    Attributes
    ----------
    rows : Rows
    count : int
        All rows, those of weight 0 too.
    total : int
        How many rows they stand for.
    categories : callable
        Gives the values of the columns whose own type says which there are, by name. Few ask for them.
    """

    rows: Rows
    count: int
    total: int
    categories: Callable[[], Mapping[Name, tuple[Hashable, ...]]]


class OpenedTable(ABC):
    """A table that has been opened: its columns are known, and perhaps not yet its rows.

    Attributes
    ----------
    names : list of names
        Of all columns, those too that were not wanted or could not be read.
    types : mapping of name to pyarrow.DataType
        Of the variables, in column order.
    cautions : list of Caution
        What was recognised on the way.
    """

    names: list[Name]
    types: Mapping[Name, pa.DataType]
    cautions: list[Caution]

    @abstractmethod
    def rows(self, said: UserKinds, problems: ErrorCollector) -> OpenedRows:
        """Read the rows, of columns that the user says this of. Columns that cannot be read are told of."""
