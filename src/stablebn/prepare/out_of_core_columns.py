"""Columns of rows that are on disk, once it is decided what they are."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stablebn.columns.column import CategoricalColumn, Mask, NumericColumn
from stablebn.columns.encode import narrow
from stablebn.prepare.spool import Piece
from stablebn.prepare.spooled_columns import Limits, StockColumn
from stablebn.table.table import Codes, Name


@dataclass(frozen=True)
class StoredCategories(CategoricalColumn):
    """A categorical column on disk.

    Attributes
    ----------
    name : name
    stock : StockColumn
        What is on disk.
    of_place : integer array [places]
        The code of each value that has a place; `len(levels)` of a missing one.
    keys : array [keys] or None
        Ascending, the numbers of a column in which they are kept as they are.
    of_key : integer array [keys + 1]
        The code of each, and of a missing value.
    empty_rows, known : int
        Rows without a value; and by weight those with one.
    """

    name: Name
    stock: StockColumn
    levels: tuple[Hashable, ...]
    of_place: Codes
    keys: NDArray[Any] | None
    of_key: Codes
    empty_rows: int
    known: int

    @property
    def missing_count(self) -> int:
        """How many rows have no value."""
        return self.empty_rows

    @property
    def is_listed(self) -> bool:
        """Whether the levels are known."""
        return self.stock.unlisted is None

    def codes(self, piece: Piece) -> Codes:
        """The codes of some rows."""
        places = piece.places(self.name)
        if places is not None:
            listed: Codes = self.of_place[places]
            return listed
        assert self.keys is not None
        numbers, missing = piece.numbers(self.name)
        codes: Codes = self.of_key[np.searchsorted(self.keys, numbers)]
        if missing is not None:
            codes[missing] = self.of_key[-1]
        return codes

    def missing(self, piece: Piece) -> Mask:
        """Which of some rows have no value."""
        return np.asarray(self.codes(piece) == len(self.levels))

    def with_levels(self, levels: tuple[Hashable, ...]) -> StoredCategories:
        """Return the column with these levels, all of its own among them; a missing value stays the last code."""
        if levels == self.levels:
            return self
        place = {level: code for code, level in enumerate(levels)}
        return self._recoded(levels, np.array([*(place[level] for level in self.levels), len(levels)]))

    def keep(self, counts: NDArray[np.int64], known: int) -> StoredCategories:
        """Return the column of some rows, which have each code so many times, with the levels that occur in them."""
        occurs = counts > 0
        levels = tuple(level for level, used in zip(self.levels, occurs, strict=False) if used)
        # What does not occur may have any code, but that of a missing value.
        codes = np.where(occurs[:-1], np.cumsum(occurs[:-1]) - 1, 0)
        return replace(self._recoded(levels, np.array([*codes, len(levels)])), empty_rows=int(counts[-1]), known=known)

    def _recoded(self, levels: tuple[Hashable, ...], codes: NDArray[np.int64]) -> StoredCategories:
        of_place, of_key = (narrow(codes[own], len(levels)) for own in (self.of_place, self.of_key))
        return replace(self, levels=levels, of_place=of_place, of_key=of_key)

    def with_missing_level(self) -> StoredCategories:
        """Return the column with the missing value, if any, as a level of its own: None, the last."""
        return replace(self, levels=(*self.levels, None), empty_rows=0) if self.missing_count else self

    def with_numbers(self, numbers: Sequence[float]) -> StoredNumbers:
        """Return the continuous column that has a number for each level, NaN for those that stand for none."""
        of_place = np.array([*numbers, np.nan])[self.of_place]
        return StoredNumbers(self.name, of_place, limits_of(of_place, self.stock.rows, self.stock.weight))


@dataclass(frozen=True)
class StoredNumbers(NumericColumn):
    """A continuous column on disk.

    Attributes
    ----------
    name : name
        In the stock.
    of_place : float64 array [places]
        The number of each value that has a place; NaN of a missing one.
    limits : Limits
        Of all rows.
    """

    name: Name
    of_place: NDArray[np.float64]
    limits: Limits

    @property
    def missing_count(self) -> int:
        """How many rows have no value."""
        return self.limits.missing_count

    @property
    def infinite(self) -> int:
        """How many rows have an infinite value."""
        return self.limits.infinite

    @property
    def is_empty(self) -> bool:
        """Whether no row has a value."""
        return self.limits.least is None

    @property
    def is_constant(self) -> bool:
        """Whether all values that there are are the same."""
        return bool(self.limits.least == self.limits.greatest)

    @property
    def constant_value(self) -> Hashable:
        """The value of a constant column."""
        return float(self.limits.least) + 0.0

    def values(self, piece: Piece) -> NDArray[np.float64]:
        """The numbers of some rows, those missing as NaN and -0.0 as 0.0."""
        places = piece.places(self.name)
        if places is not None:
            listed: NDArray[np.float64] = self.of_place[places]
            return listed
        numbers, missing = piece.numbers(self.name)
        values: NDArray[np.float64] = numbers.astype(np.float64) + 0.0
        if missing is not None:
            values[missing] = np.nan
        return values

    def missing(self, piece: Piece) -> Mask:
        """Which of some rows have no value."""
        return np.isnan(self.values(piece))


def limits_of(numbers: NDArray[np.float64], rows: NDArray[np.int64], weight: NDArray[np.int64]) -> Limits:
    """What numbers are that so many rows have."""
    there = ~np.isnan(numbers) & (rows > 0)
    limits = Limits()
    limits.add(numbers[there], None, None)
    limits.infinite = int(rows[there & np.isinf(numbers)].sum())
    limits.missing_count, limits.known = int(rows[~there].sum()), int(weight[there].sum())
    return limits


@dataclass(frozen=True)
class Rule:
    """Which rows are left out: those without a value of one of some columns, or of any of them."""

    gaps: tuple[StoredCategories | StoredNumbers, ...]
    all_of_them: bool

    def kept(self, piece: Piece) -> Mask:
        """The rows that stay."""
        join = np.logical_and if self.all_of_them else np.logical_or
        kept: Mask = ~join.reduce([column.missing(piece) for column in self.gaps])
        return kept
