"""Moments of incomplete continuous variables: of each set of variables, over the rows in which all of them are known.

Every value is standardised by the exact moments of its column and written in fixed point, so that it is an integer that
depends on the column alone. Sums of products of these are exact, and no layout can change a bit.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from copy import copy
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from stablebn import _core
from stablebn.stats.base import ColumnProducts, Statistics
from stablebn.stats.correlations import StandardisedColumns, finer_rows
from stablebn.stats.engines.memory import TableSource
from stablebn.stats.exact_sums import known_values
from stablebn.stats.moments import BITS_OF_CORRELATIONS, Moments, skewness_and_kurtosis
from stablebn.stats.symmetries.finer_rows import FinerRows
from stablebn.stats.symmetries.signs import ColumnsInUnits, points_of
from stablebn.stats.symmetries.symmetry import Relation, Structure, TableRows
from stablebn.table.table import ContinuousTable

# Number of bits that a double has below the standard deviation, for values that are not far from the mean.
_MOST_PLACES = 48
# Limit of the core: values are at most the root of the rows, and sums of products times rows have 126 bits.
_BITS_OF_SUMS = 62


class AvailableMoments(Statistics):
    """Correlations of sets of variables, each over the rows in which all of them are known.

    Parameters
    ----------
    table : ContinuousTable
        No column is constant.
    unit_free : bool
        Round correlations, so that a change of units cannot change them, and use no units.
    threads : int

    Attributes
    ----------
    compiled : _core.AvailableColumns
        The columns from which the core makes scores and tests.
    unit_free : bool
    deviations : list of (float, int)
        Standard deviation of the known values of each variable: a number times a power of two.
    has_units : bool
        Whether scores have the units of the columns.
    """

    kind = "continuous"
    has_missing = True

    def __init__(self, table: ContinuousTable, *, unit_free: bool = False, threads: int = 1) -> None:
        self._table = table
        self._columns: Sequence[int] = range(len(table.names))
        self.names = table.names
        self.n = len(table.names)
        self.total = table.total
        self.threads = threads
        places = min(_MOST_PLACES, _BITS_OF_SUMS - self.total.bit_length())
        standardised, self.deviations = _standardised(table)
        self._rounded = StandardisedColumns(TableSource(table))
        self._in_units = ColumnsInUnits(TableSource(table))
        known = ~np.isnan(table.values)
        fixed = np.full(table.values.shape, _core.AvailableColumns.HOLE, dtype=np.int64)
        fixed[known] = np.rint(np.ldexp(standardised[known], places)).astype(np.int64)
        self._exact = _core.AvailableColumns(fixed, table.weights, places, threads)
        self.unit_free = unit_free
        self.has_units = not unit_free
        self.compiled = self._exact.rounded() if unit_free else self._exact

    def measured(self) -> AvailableMoments:
        """Return the moments of the columns in their own units; the variables are ordered as before."""
        moments = copy(self)
        moments.has_units = True
        moments.compiled = self._exact
        return moments

    def reordered(self, order: Sequence[int]) -> AvailableMoments:
        """Return the moments with the variables renumbered: new variable i is old variable order[i]."""
        moments = copy(self)
        moments._columns = [self._columns[v] for v in order]
        moments.names = tuple(self.names[v] for v in order)
        moments.deviations = [self.deviations[v] for v in order]
        moments._exact = self._exact.reordered(list(order))
        moments.compiled = self.compiled.reordered(list(order))
        return moments

    def sort_key(self, v: int) -> Hashable:
        """Return the number of known values, the size of their skewness, and their kurtosis."""
        column, weights = known_values(self._table, self._columns[v])
        rows = column.size if weights is None else int(weights.sum())
        shape = (
            self._rounded.shape(self._columns[v])
            if self.unit_free
            else skewness_and_kurtosis(TableSource(self._table), self._columns[v])
        )
        return rows, *shape

    def points(self) -> list[int]:
        """Return every variable, then those without a canonical sign a second time."""
        return points_of(self._signs())[0] if self.unit_free else self._in_units.points(self._columns)

    def structures(self) -> list[Structure]:
        """Return the rows, a missing value being one more value; without units, standardised rows and correlations."""
        if not self.unit_free:
            return [self._in_units.rows(self._columns)]
        points, signs = points_of(self._signs())
        correlations = self.correlations()[np.ix_(points, points)] * np.outer(signs, signs)
        rows = [self._rounded.values(self._columns[v], sign) for v, sign in zip(points, signs.tolist(), strict=True)]
        return [Relation(correlations), TableRows(np.array(rows, dtype=np.int32), self._table.weights)]

    def finer_rows(self, groups: Sequence[Sequence[int]]) -> FinerRows | None:
        """Return the rows of unrounded standardised values."""
        if not self.unit_free:
            return None
        points, signs = points_of(self._signs())
        signed_points = [
            self._rounded.point(self._columns[v], sign) for v, sign in zip(points, signs.tolist(), strict=True)
        ]
        return finer_rows(TableSource(self._table), signed_points, groups)

    def _signs(self) -> list[int]:
        return [self._rounded.sign(column) for column in self._columns]

    def column_products(self) -> ColumnProducts:
        """Raise `ValueError`: products of incomplete columns would have different rows for each pair."""
        raise ValueError("incomplete columns have no single matrix of correlations")

    def correlations(self) -> NDArray[np.int64]:
        """Return the correlation of every two variables, in units of 2**-34."""
        found = np.zeros((self.n, self.n), dtype=np.int64)
        for u in range(self.n):
            for v in range(u):
                _, entries = self._exact.correlations([u, v])
                found[u, v] = found[v, u] = np.rint(np.ldexp(entries[0, 1], BITS_OF_CORRELATIONS))
        return found


def _standardised(table: ContinuousTable) -> tuple[NDArray[np.float64], list[tuple[float, int]]]:
    """Return distances from the mean in standard deviations, NaN if missing, and these deviations."""
    standardised = np.empty_like(table.values)
    deviations = []
    for c, column in enumerate(table.values):
        values, weights = known_values(table, c)
        moments = Moments(ContinuousTable((table.names[c],), values[np.newaxis], weights))
        # Scale by a power of two near the largest value, so that no square leaves the range of a double.
        power = int(np.frexp(np.abs(values).max())[1])
        unit = Fraction(2) ** -power
        mean = float(moments.mean(0) * unit)
        deviation = math.sqrt(moments.cross_product(0, 0) / moments.total * unit**2)
        standardised[c] = (np.ldexp(column, -power) - mean) / deviation
        deviations.append((deviation, power))
    return standardised, deviations
