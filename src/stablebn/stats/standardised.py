"""Continuous variables without units: nothing is known of them but their correlations, rounded."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from stablebn.stats.moments import BITS_OF_CORRELATIONS, Moments, ScaledMatrix
from stablebn.stats.symmetry import Relation, Structure, TableRows

BITS_OF_VALUES = 16
"""Bits after the point of standardised values by which rows are compared."""


class StandardisedMoments(Moments):
    """The moments of columns of variance 1: a function of the rounded correlations, and so free of units.

    Parameters
    ----------
    moments : Moments

    Attributes
    ----------
    with_units : Moments
        The moments of the columns as they are.
    """

    unit_free = True

    def __init__(self, moments: Moments) -> None:
        self._take(moments, moments.rounded_correlations())

    def _take(self, moments: Moments, correlations: NDArray[np.int64]) -> None:
        vars(self).update(vars(moments))
        self.with_units = moments
        self._correlations = correlations

    def reordered(self, order: Sequence[int]) -> StandardisedMoments:
        """The moments of the same variables renumbered so that new i is old order[i]."""
        moments = type(self).__new__(type(self))
        moments._take(self.with_units.reordered(order), self._correlations[np.ix_(order, order)])
        return moments

    def structures(self) -> list[Structure]:
        """The correlations; and the rows of standardised values, rounded, which may tell apart what these cannot."""
        return [Relation(self._correlations), TableRows(self._rounded_values(), self._table.weights)]

    def _rounded_values(self) -> NDArray[np.int32]:
        """Distances from the mean in steps of 2**-16 standard deviations, by exact moments."""
        rounded = np.empty((self.n, self._table.values.shape[1]), dtype=np.int32)
        for v in range(self.n):
            column = self._table.values[self._columns[v]]
            # In units of a power of two near the largest value no square leaves the range of a double.
            power = int(np.frexp(np.abs(column).max())[1])
            unit = Fraction(2) ** -power
            mean = float(self.mean(v) * unit)
            deviation = math.sqrt(self.cross_product(v, v) / self.total * unit**2)
            # A distance is at most the root of the number of rows.
            rounded[v] = np.rint((np.ldexp(column, -power) - mean) / deviation * 2**BITS_OF_VALUES)
        return rounded

    def rounded_correlations(self) -> NDArray[np.int64]:
        """All correlations in units of 2**-34."""
        return self._correlations

    def cross_products(self, *, ridge: Fraction = Fraction(0)) -> ScaledMatrix:
        """The correlations as cross-products."""
        if ridge:
            raise ValueError("a ridge has units, and these variables have none")
        return ScaledMatrix(np.ldexp(self._correlations, -BITS_OF_CORRELATIONS), np.zeros(self.n, dtype=np.int64))
