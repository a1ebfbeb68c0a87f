"""The encoded table from which statistics are computed.

A `Table` has only the columns that take part in a search, as arrays with one *contiguous row per variable*, because
counting scans one variable at a time. It has missing values only with missing="available".
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

Name: TypeAlias = Hashable
Weights: TypeAlias = NDArray[np.int64]
Codes: TypeAlias = NDArray[np.uint8] | NDArray[np.uint16] | NDArray[np.int32]


@dataclass(frozen=True)
class CategoricalTable:
    """Categorical variables as integer codes.

    Attributes
    ----------
    names : tuple of hashable, length n
    codes : uint8, uint16 or int32 array [n, rows], C-contiguous
        The code of a value is the index of its level in `levels`; that of a missing value is `len(levels)`. The dtype
        is the smallest that holds every code.
    levels : tuple of tuples, length n
        The values that occur, sorted; or all declared levels, including those that do not occur.
    weights : int64 array [rows], all positive, or None
        Number of rows that each stored row stands for; None: one each.
    holes : frozenset of int
        The columns with missing values.
    """

    kind: ClassVar[str] = "categorical"

    names: tuple[Name, ...]
    codes: Codes
    levels: tuple[tuple[Hashable, ...], ...]
    weights: Weights | None = None
    holes: frozenset[int] = frozenset()

    @property
    def rows(self) -> int:
        """The number of rows that are stored."""
        return int(self.codes.shape[1])

    @property
    def total(self) -> int:
        """N, the number of rows that the table stands for."""
        return total_weight(self.rows, self.weights)

    def __sizeof__(self) -> int:
        """Return the number of bytes of the values, which Dask uses to limit memory."""
        return self.codes.nbytes + (0 if self.weights is None else self.weights.nbytes)

    def select(self, columns: Sequence[int]) -> CategoricalTable:
        """Return the same rows with only these columns, in this order."""
        return CategoricalTable(
            names=tuple(self.names[c] for c in columns),
            codes=self.codes[list(columns)],
            levels=tuple(self.levels[c] for c in columns),
            weights=self.weights,
            holes=_holes_among(columns, self.holes),
        )


@dataclass(frozen=True)
class ContinuousTable:
    """Continuous variables as finite numbers.

    Attributes
    ----------
    names : tuple of hashable, length n
    values : float64 array [n, rows], C-contiguous
        NaN, always with the same bits, for missing values.
    weights : int64 array [rows], all positive, or None
        Number of rows that each stored row stands for; None: one each.
    holes : frozenset of int
        The columns with missing values.
    """

    kind: ClassVar[str] = "continuous"

    names: tuple[Name, ...]
    values: NDArray[np.float64]
    weights: Weights | None = None
    holes: frozenset[int] = frozenset()

    @property
    def rows(self) -> int:
        """The number of rows that are stored."""
        return int(self.values.shape[1])

    @property
    def total(self) -> int:
        """N, the number of rows that the table stands for."""
        return total_weight(self.rows, self.weights)

    def __sizeof__(self) -> int:
        """Return the number of bytes of the values."""
        return self.values.nbytes + (0 if self.weights is None else self.weights.nbytes)

    def select(self, columns: Sequence[int]) -> ContinuousTable:
        """Return the same rows with only these columns, in this order."""
        return ContinuousTable(
            names=tuple(self.names[c] for c in columns),
            values=self.values[list(columns)],
            weights=self.weights,
            holes=_holes_among(columns, self.holes),
        )


@dataclass(frozen=True)
class MixedTable:
    """Categorical and continuous variables of the same rows, with at least one column of each kind.

    Attributes
    ----------
    names : tuple of hashable, length n
        Names of all variables, in column order.
    categorical : CategoricalTable
    continuous : ContinuousTable
        Both parts have the same weights.
    """

    kind: ClassVar[str] = "mixed"

    names: tuple[Name, ...]
    categorical: CategoricalTable
    continuous: ContinuousTable

    @property
    def weights(self) -> Weights | None:
        """Number of rows that each stored row stands for; None: one each."""
        return self.categorical.weights

    @property
    def holes(self) -> frozenset[int]:
        """The columns with missing values."""
        parts = (self.categorical, self.continuous)
        names = {part.names[c] for part in parts for c in part.holes}
        return frozenset(c for c, name in enumerate(self.names) if name in names)

    @property
    def rows(self) -> int:
        """The number of rows that are stored."""
        return self.categorical.rows

    @property
    def total(self) -> int:
        """N, the number of rows that the table stands for."""
        return self.categorical.total

    def __sizeof__(self) -> int:
        """Return the number of bytes of the values."""
        return self.categorical.__sizeof__() + self.continuous.__sizeof__()

    def select(self, columns: Sequence[int]) -> Table:
        """Return the same rows with only these columns, in this order, as a table of their kind."""
        names = tuple(self.names[c] for c in columns)
        categorical = self.categorical.select(_indices(names, self.categorical.names))
        continuous = self.continuous.select(_indices(names, self.continuous.names))
        if not continuous.names:
            return categorical
        if not categorical.names:
            return continuous
        return MixedTable(names, categorical, continuous)


Table: TypeAlias = CategoricalTable | ContinuousTable | MixedTable


def total_weight(rows: int, weights: Weights | None) -> int:
    """Return the sum of the weights; without weights, the number of rows."""
    return rows if weights is None else int(weights.sum())


def _holes_among(columns: Sequence[int], holes: frozenset[int]) -> frozenset[int]:
    """Return the new indices of those columns that have missing values."""
    return frozenset(index for index, column in enumerate(columns) if column in holes)


def _indices(names: Sequence[Name], among: Sequence[Name]) -> list[int]:
    """Return the indices in `among` of those names that are in it."""
    index_of = {name: c for c, name in enumerate(among)}
    return [index_of[name] for name in names if name in index_of]
