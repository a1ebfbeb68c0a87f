"""Continuous variables without units: nothing is known of them but their correlations, rounded."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from stablebn.stats.moments import Moments, ScaledMatrix
from stablebn.stats.symmetry import Relation, Structure

# Another unit rounds every value anew, and moves a correlation by some 2**-53: far less than these steps, so that what
# is equal stays equal. They in turn are far finer than what any number of rows could tell.
_BITS = 34


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

    def __init__(self, moments: Moments) -> None:
        self._take(moments, _rounded_correlations(moments))

    def _take(self, moments: Moments, correlations: NDArray[np.int64]) -> None:
        vars(self).update(vars(moments))
        self.with_units = moments
        self._correlations = correlations

    def reordered(self, order: Sequence[int]) -> StandardisedMoments:
        """The moments of the same variables renumbered so that new i is old order[i]."""
        moments = type(self).__new__(type(self))
        moments._take(self.with_units.reordered(order), self._correlations[np.ix_(order, order)])
        return moments

    def structure(self) -> Structure:
        """The correlations: nothing that is learned depends on more."""
        return Relation(self._correlations)

    def cross_products(self, *, ridge: Fraction = Fraction(0)) -> ScaledMatrix:
        """The correlations as cross-products."""
        if ridge:
            raise ValueError("a ridge has units, and these variables have none")
        return ScaledMatrix(np.ldexp(self._correlations, -_BITS), np.zeros(self.n, dtype=np.int64))


def _rounded_correlations(moments: Moments) -> NDArray[np.int64]:
    correlations = np.full((moments.n, moments.n), 1 << _BITS, dtype=np.int64)
    for u in range(moments.n):
        for v in range(u):
            correlations[u, v] = correlations[v, u] = moments.correlation(u, v, _BITS)
    return correlations
