"""Tests for categorical data: G2, with ordinary or adjusted degrees of freedom, and Pearson's X2."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from stablebn import _core
from stablebn.ci_tests.base import Numbers
from stablebn.ci_tests.subset_walk import Walk, WalkingTest
from stablebn.errors import DataError
from stablebn.fixed_point import MOST_NATS, to_float, to_floats
from stablebn.scores.discrete import loglik
from stablebn.stats.counts import Counts
from stablebn.stats.variable_sets import members

_ROWS_A_CELL = 5
_MEDIAN = 0.5
# Factor that raises an upper bound by more than its rounding error.
_CLEARLY = 1 + 1e-9


@lru_cache(maxsize=8)
def critical_values(alpha: float) -> _core.CriticalValues:
    """Return the critical values of alpha; they are cached for other tables."""
    return _core.CriticalValues(alpha)


def _check_range(counts: Counts) -> None:
    """Raise `DataError` if X2, at most N times the fewer levels of two variables, may exceed the sums of the core."""
    fewer = sorted(counts.levels)[-2:][0] if counts.levels else 0
    if counts.total * fewer >= MOST_NATS:
        raise DataError(
            f"test='x2' can take {MOST_NATS // fewer - 1} rows of columns with {fewer} levels, and the table stands "
            f"for {counts.total}: take a sample, scale the weights down, or use test='mi'."
        )


class CategoricalTest(WalkingTest):
    """G2 (twice the mutual information in nats, times N) or X2, with a chi-square distribution.

    The degrees of freedom are (r_x - 1)(r_y - 1) times the number of possible configurations of the given variables.
    Adjusted degrees of freedom are the sum, over the configurations that occur, of (levels of x that occur - 1)(levels
    of y that occur - 1). As in bnlearn, a table with fewer than five rows per cell then has p-value 1. A test uses the
    rows in which x, y and the given variables are known.

    Parameters
    ----------
    counts : Counts
    pearson : bool
        X2, else G2.
    adjust : bool
        Adjusted degrees of freedom.
    """

    def __init__(self, counts: Counts, *, pearson: bool = False, adjust: bool = False) -> None:
        super().__init__()
        self.n = counts.n
        if pearson:
            _check_range(counts)
        # Upper bound of G2 for each variable: twice its entropy, times N.
        self._most_information = [math.inf] * self.n
        pairs: Numbers = np.empty((0, 0), dtype=np.float64)
        # A score of incomplete data is N times a mean over other rows, so that G2 does not follow from it.
        if not (pearson or adjust or counts.has_missing):
            # Without given variables, half of G2 of a pair is the change of one's score by the other.
            scores, changes = loglik(counts).without_parents
            self._most_information = [-2 * _CLEARLY * to_float(score) for score in scores]
            pairs = np.maximum(2 * to_floats(changes), 0.0)
        self._compiled = _core.ContingencyTest(counts.compiled, pearson, adjust, _ROWS_A_CELL if adjust else 0.0, pairs)

    def outcomes(self, x: int, candidates: Sequence[int], given: int) -> tuple[Numbers, Numbers, Numbers]:
        """Return statistics, degrees of freedom and p-values of x with each candidate, without counting the tests."""
        found = self._compiled.outcomes(x, members(given), list(candidates))
        return found[:, 0], found[:, 1], found[:, 2]

    def p_values(self, x: int, candidates: Sequence[int], given: int, alpha: float = 1.0) -> list[float]:
        """Return the p-value of x with each candidate; 1 if it is above alpha, or no statistic could be significant."""
        critical = None if alpha == 1 else critical_values(alpha)
        most = self._greatest_possible(x, alpha)
        return self._compiled.p_values(x, members(given), list(candidates), most, critical)

    def first_dependent(self, x: int, candidates: Sequence[int], given: int, alpha: float) -> int | None:
        """Return the first candidate that depends on x, in one pass that ends there."""
        tests, depends = self._compiled.until_dependent(
            x, members(given), list(candidates), alpha, self._greatest_possible(x, alpha), critical_values(alpha)
        )
        self.performed += tests
        return candidates[tests - 1] if depends else None

    def p_values_given_rest(self, x: int, among: Sequence[int], blanket: int, stop_above: float = 1.0) -> list[float]:
        """Return the p-value of x with some members of a set, each given the others, from one table if possible."""
        return self._compiled.p_values_given_rest(x, members(blanket), list(among), stop_above)

    def inseparable(
        self, x: int, among: Sequence[int], most: int, alpha: float, *, watch: Callable[[], None] | None = None
    ) -> list[int]:
        """Return the variables that no subset of the others separates from x, from one table if possible."""
        found = self._compiled.inseparable(x, list(among), most, alpha, critical_values(alpha))
        if found is None:
            return super().inseparable(x, among, most, alpha, watch=watch)
        kept, tests = found
        self.performed += tests
        return kept

    def _greatest_possible(self, x: int, alpha: float) -> float:
        """Return an upper bound of the statistics of x; infinite if alpha is above the median."""
        return math.inf if alpha > _MEDIAN else self._most_information[x]

    def _walk(
        self, x: int, y: int, always: list[int], subsets: _core.SubsetCursor, alpha: float, *, greatest: bool
    ) -> Walk:
        critical = None if greatest else critical_values(alpha)
        return _core.ContingencyWalk(self._compiled, x, y, always, subsets, alpha, critical)
