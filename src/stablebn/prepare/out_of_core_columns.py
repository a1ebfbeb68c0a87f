"""Categorical and continuous columns of a table whose rows are on disk."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stablebn.columns.column import CategoricalColumn, Mask, NumericColumn
from stablebn.columns.encode import narrow
from stablebn.prepare.spool import Piece
from stablebn.prepare.spooled_columns import Limits, SpooledColumn
from stablebn.table.table import Codes, Name


@dataclass(frozen=True)
class OutOfCoreCategories(CategoricalColumn):
    """A categorical column on disk.

    Attributes
    ----------
    name : name
    spool : SpooledColumn
    of_place : integer array [values]
        The code of each value in the list of the spool; `len(levels)` for the missing value.
    keys : array [keys] or None
        The distinct numbers, ascending, of a column without a list.
    of_key : integer array [keys + 1]
        The code of each key, and of the missing value.
    empty_rows, known : int
        The number of rows with a missing value, and of rows with a value, by weight.
    """

    name: Name
    spool: SpooledColumn
    levels: tuple[Hashable, ...]
    of_place: Codes
    keys: NDArray[Any] | None
    of_key: Codes
    empty_rows: int
    known: int

    @property
    def missing_count(self) -> int:
        """The number of rows with a missing value."""
        return self.empty_rows

    @property
    def is_listed(self) -> bool:
        """Whether the levels are known."""
        return self.spool.unlisted is None

    def codes(self, piece: Piece) -> Codes:
        """Return the codes of some rows."""
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
        """Return which rows have a missing value."""
        return np.asarray(self.codes(piece) == len(self.levels))

    def with_levels(self, levels: tuple[Hashable, ...]) -> OutOfCoreCategories:
        """Return the column with these levels, which include its own; a missing value keeps the last code."""
        if levels == self.levels:
            return self
        place = {level: code for code, level in enumerate(levels)}
        return self._recoded(levels, np.array([*(place[level] for level in self.levels), len(levels)]))

    def keep(self, counts: NDArray[np.int64], known: int) -> OutOfCoreCategories:
        """Return the column of a part of its rows, given the count of each code, with the levels that occur."""
        occurs = counts > 0
        levels = tuple(level for level, used in zip(self.levels, occurs, strict=False) if used)
        # A level that does not occur may get any code except that of a missing value.
        codes = np.where(occurs[:-1], np.cumsum(occurs[:-1]) - 1, 0)
        return replace(self._recoded(levels, np.array([*codes, len(levels)])), empty_rows=int(counts[-1]), known=known)

    def _recoded(self, levels: tuple[Hashable, ...], codes: NDArray[np.int64]) -> OutOfCoreCategories:
        of_place, of_key = (narrow(codes[own], len(levels)) for own in (self.of_place, self.of_key))
        return replace(self, levels=levels, of_place=of_place, of_key=of_key)

    def with_missing_level(self) -> OutOfCoreCategories:
        """Return the column with the missing value, if any, as its last level: None."""
        return replace(self, levels=(*self.levels, None), empty_rows=0) if self.missing_count else self

    def with_numbers(self, numbers: Sequence[float]) -> OutOfCoreNumbers:
        """Return the continuous column with this number for each level; NaN for levels that are no numbers."""
        of_place = np.array([*numbers, np.nan])[self.of_place]
        return OutOfCoreNumbers(self.name, of_place, limits_of(of_place, self.spool.rows, self.spool.weight))


@dataclass(frozen=True)
class OutOfCoreNumbers(NumericColumn):
    """A continuous column on disk.

    Attributes
    ----------
    name : name
    of_place : float64 array [values]
        The number of each value in the list of the spool; NaN for the missing value.
    limits : Limits
        The summary of all rows.
    """

    name: Name
    of_place: NDArray[np.float64]
    limits: Limits

    @property
    def missing_count(self) -> int:
        """The number of rows with a missing value."""
        return self.limits.missing_count

    @property
    def infinite(self) -> int:
        """The number of rows with an infinite value."""
        return self.limits.infinite

    @property
    def is_empty(self) -> bool:
        """Whether no row has a value."""
        return self.limits.least is None

    @property
    def is_constant(self) -> bool:
        """Whether all values are the same, missing ones aside."""
        return bool(self.limits.least == self.limits.greatest)

    @property
    def constant_value(self) -> Hashable:
        """The value of a constant column."""
        return float(self.limits.least) + 0.0

    def values(self, piece: Piece) -> NDArray[np.float64]:
        """Return the numbers of some rows, with NaN for missing ones and 0.0 for -0.0."""
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
        """Return which rows have a missing value."""
        return np.isnan(self.values(piece))


def limits_of(numbers: NDArray[np.float64], rows: NDArray[np.int64], weight: NDArray[np.int64]) -> Limits:
    """Summarise numbers, given the number of rows that have each, and the sum of their weights."""
    there = ~np.isnan(numbers) & (rows > 0)
    limits = Limits()
    limits.add(numbers[there], None, None)
    limits.infinite = int(rows[there & np.isinf(numbers)].sum())
    limits.missing_count, limits.known = int(rows[~there].sum()), int(weight[there].sum())
    return limits


@dataclass(frozen=True)
class Rule:
    """Which rows are left out: those with a missing value in one of the columns, or in all of them."""

    gaps: tuple[OutOfCoreCategories | OutOfCoreNumbers, ...]
    all_of_them: bool

    def kept(self, piece: Piece) -> Mask:
        """Return which rows stay."""
        join = np.logical_and if self.all_of_them else np.logical_or
        kept: Mask = ~join.reduce([column.missing(piece) for column in self.gaps])
        return kept
