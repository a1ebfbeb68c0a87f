"""Tests for categorical data: G2, with ordinary or adjusted degrees of freedom, and Pearson's X2."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from stablebn.independence.base import Numbers
from stablebn.independence.walking import CLEAR, Stop, WalkingTest
from stablebn.kernels.contingency import FOUND
from stablebn.kernels.logarithm import to_floats
from stablebn.scores.categorical import loglik
from stablebn.scores.set_terms import table_of_m_ln_m
from stablebn.stats.counts import Counts
from stablebn.stats.variable_sets import members

# Tests with more degrees of freedom than this are rare, and decided one by one.
_CRITICAL_VALUES = 4096
_ROWS_A_CELL = 5


class CategoricalTest(WalkingTest):
    """G2 (twice the mutual information in nats, times N) or X2, with a chi-square distribution.

    The degrees of freedom are (r_x - 1)(r_y - 1) times the number of configurations of the given variables, seen or
    not; or, adjusted, the sum of (levels of x that occur - 1)(levels of y that occur - 1) over the configurations that
    do. As in bnlearn, a table with fewer than five rows a cell then counts as no evidence at all.

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
        self._counts = counts
        self._levels = counts.levels.tolist()
        self._pearson = pearson
        self._adjust = adjust
        self._table = table_of_m_ln_m(counts.total)
        self._likelihood = loglik(counts)
        self._largest = counts.total / _ROWS_A_CELL if adjust else np.inf

    def outcomes(self, x: int, candidates: Sequence[int], given: int) -> tuple[Numbers, Numbers, Numbers]:
        """Statistics, degrees of freedom and p-values of x with each candidate, without counting them."""
        inside = members(given)
        others = np.array(candidates, dtype=np.int64)
        if not (given or self._pearson or self._adjust):
            statistics = self._from_scores(x)[others]
        else:
            statistics, adjusted = self._counts.associations(x, inside, others, self._table, pearson=self._pearson)
        states, own, theirs = float(self._counts.states(inside)), self._levels[x], self._counts.levels[others]
        if not self._adjust:
            df = (theirs - 1) * (states * (own - 1))
        else:
            df = adjusted.astype(np.float64)
            statistics[states * own * theirs > self._largest] = 0.0
        return statistics, df, self._p_values(statistics, df)

    def _from_scores(self, x: int) -> Numbers:
        """G2 of x with every other variable, nothing given: half of it is by how much one raises the other's score."""
        return np.maximum(2 * to_floats(self._likelihood.changes(x, 0)[1][:, :2]), 0.0)

    def _p_values(self, statistics: Numbers | float, df: Numbers | float) -> Numbers:
        # Adjusted degrees of freedom can be 0: then the statistic is too, and there is nothing to reject.
        return chi_square_p_values(statistics, np.maximum(df, 1.0) if self._adjust else df)

    def _walk(
        self,
        x: int,
        y: int,
        pool: NDArray[np.int64],
        always: NDArray[np.int64],
        places: NDArray[np.int64],
        most: int,
        alpha: float,
    ) -> Stop:
        why, tests, statistic, df = self._counts.search_subsets(
            x,
            y,
            pool,
            always,
            places,
            most,
            _critical_values(alpha),
            self._table,
            adjust=self._adjust,
            largest=self._largest,
            pearson=self._pearson,
        )
        return Stop(why, tests, float(self._p_values(statistic, df)) if why == FOUND else 0.0)


def chi_square_p_values(statistic: Numbers | float, df: Numbers | float) -> Numbers:
    """Upper tail of the chi-square distribution."""
    from scipy.special import chdtrc

    p_values: Numbers = chdtrc(df, statistic)
    return p_values


@lru_cache(maxsize=8)
def _critical_values(alpha: float) -> Numbers:
    """By degrees of freedom, a statistic whose p-value is clearly below alpha; with none nothing is clear."""
    from scipy.special import chdtri

    values: Numbers = chdtri(np.arange(_CRITICAL_VALUES), alpha) * CLEAR
    values[0] = np.inf
    return values
