"""Tables whose rows are in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pyarrow as pa

from stablebn.columns.arrow.conversion import Columns
from stablebn.columns.arrow.type_conversion import as_supported, is_time, time_as
from stablebn.columns.column import (
    Column,
    KeptRows,
    Kind,
    Mask,
    NumericColumn,
    OpenedRows,
    OpenedTable,
    Rows,
    WholeNumbers,
)
from stablebn.columns.encode import Categories, Encoded, Numbers, encode, plain, tabulate
from stablebn.columns.error_collector import ErrorCollector
from stablebn.columns.kinds import UserKinds, family, float_values, whole_floats, whole_integers
from stablebn.columns.levels import categories_of
from stablebn.columns.requirements import total_of
from stablebn.columns.weights import rows_with_weight
from stablebn.messages import Caution
from stablebn.table.table import Name, Table, Weights, total_weight


@dataclass
class TableInMemory(OpenedTable):
    """A table in memory, before its kinds are known.

    Attributes
    ----------
    columns : dict of name to pyarrow.ChunkedArray
        The variables, without the column of weights.
    weights : pyarrow.ChunkedArray of int64, or None
    with_categories : set of names
        The columns whose types declare categories.
    """

    names: list[Name]
    cautions: list[Caution]
    columns: Columns
    weights: pa.ChunkedArray | None
    with_categories: set[Name]
    threads: int = 1
    types: Mapping[Name, pa.DataType] = field(init=False)

    def __post_init__(self) -> None:
        self.types = {name: column.type for name, column in self.columns.items()}

    def rows(self, said: UserKinds, problems: ErrorCollector) -> OpenedRows:
        """Return the rows with positive weight."""
        count = len(next(iter(self.columns.values()), ()))
        used, weights = rows_with_weight(self.columns, self.weights)
        rows = RowsInMemory(used, len(next(iter(used.values()), ())), weights, self.threads)
        categories = partial(categories_of, self.columns, self.with_categories)
        return OpenedRows(rows, count, total_of(count, weights), categories)


@dataclass
class RowsInMemory(Rows):
    """Rows in memory; all weights are positive."""

    columns: Columns
    count: int
    weights: Weights | None = None
    threads: int = 1
    types: Mapping[Name, pa.DataType] = field(init=False)
    total: int = field(init=False)

    def __post_init__(self) -> None:
        self.columns = {name: as_supported(column) for name, column in self.columns.items()}
        self.types = {name: column.type for name, column in self.columns.items()}
        self.total = total_weight(self.count, self.weights)

    def whole_numbers(self, name: Name) -> WholeNumbers | None:
        """Summarise a column of integers or floats; `None` if not all values are whole numbers."""
        column = self.columns[name]
        if family(column.type) == "integer":
            return whole_integers(column, self.weights)
        return whole_floats(float_values(column), self.weights)

    def encode(self, kinds: Mapping[Name, Kind], problems: ErrorCollector) -> dict[Name, Column]:
        """Encode columns by their kinds."""
        fitting = {name: _as(self.columns[name], kind) for name, kind in kinds.items()}
        return {**encode(fitting, kinds, problems, threads=self.threads)}

    def whole(self, column: NumericColumn) -> WholeNumbers | None:
        """Summarise a continuous column that has been encoded."""
        assert isinstance(column, Numbers)
        return whole_floats(column.values, self.weights)

    def known(self, column: Column) -> int:
        """Return the number of rows, by weight, with a value of a column."""
        if not _held(column).has_missing:
            return self.total
        there = ~_held(column).missing
        return total_weight(int(there.sum()), None if self.weights is None else self.weights[there])

    def masks(self, columns: Mapping[Name, Column]) -> Iterator[dict[Name, Mask]]:
        """Yield once which rows have a missing value of each column."""
        yield {name: _held(column).missing for name, column in columns.items()}

    def without(self, columns: Mapping[Name, Column], gaps: Sequence[Name], *, all_of_them: bool) -> KeptRows:
        """Leave out the rows with a missing value in one of these columns, or in all of them."""
        join = np.logical_and if all_of_them else np.logical_or
        kept = ~join.reduce([_held(columns[name]).missing for name in gaps])
        left = RowsInMemory({}, int(kept.sum()), None if self.weights is None else self.weights[kept], self.threads)
        return KeptRows(left, {name: _held(column).keep(kept) for name, column in columns.items()})

    def tabulate(self, columns: Mapping[Name, Column], *, may_have_holes: bool) -> Table:
        """Put columns into a table."""
        held = {name: _held(column) for name, column in columns.items()}
        return tabulate(held, self.count, self.weights, may_have_holes=may_have_holes)


def columns_in_memory(columns: Mapping[Name, Column]) -> dict[Name, Encoded]:
    """Return columns that are in memory with their precise type."""
    return {name: _held(column) for name, column in columns.items()}


def _held(column: Column) -> Encoded:
    assert isinstance(column, Categories | Numbers)
    return column


def _as(column: pa.ChunkedArray, kind: Kind) -> pa.ChunkedArray:
    """Convert a column to a type from which its kind can be encoded."""
    if is_time(column.type):
        return time_as(column, kind)
    if kind == "categorical" and pa.types.is_floating(column.type):
        try:
            # Integer codes become floats if a value is missing: convert them back.
            return plain(column).cast(pa.int64())
        except pa.ArrowInvalid:
            return column
    return column
