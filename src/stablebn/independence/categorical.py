"""Tests for categorical data: G2, with ordinary or adjusted degrees of freedom, and Pearson's X2."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from stablebn.independence.base import Numbers
from stablebn.independence.walking import CLEAR, Stop, WalkingTest
from stablebn.kernels.contingency import FOUND
from stablebn.kernels.logarithm import to_float, to_floats
from stablebn.kernels.tails import write_tails
from stablebn.scores.categorical import loglik
from stablebn.scores.set_terms import table_of_m_ln_m
from stablebn.stats.counts import Counts
from stablebn.stats.variable_sets import members

# Tests with more degrees of freedom than this are rare, and decided one by one.
_CRITICAL_VALUES = 4096
_ROWS_A_CELL = 5
# The median of the chi-square distribution is above df - 1 (Chen and Rubin 1986).
_MEDIAN = 0.5
# A table of so many cells is made whole, and added up over each variable in turn.
_MOST_CELLS = 4096


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
        self._plain = not (pearson or adjust)
        self._most_levels = max(self._levels, default=0)

    def outcomes(self, x: int, candidates: Sequence[int], given: int) -> tuple[Numbers, Numbers, Numbers]:
        """Statistics, degrees of freedom and p-values of x with each candidate, without counting them."""
        inside = members(given)
        others = np.array(candidates, dtype=np.int64)
        if self._plain and not given:
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

    def p_values(self, x: int, candidates: Sequence[int], given: int, alpha: float = 1.0) -> list[float]:
        """The p-value of x with each candidate; 1 where no statistic could be significant."""
        df, most = self._counts.states(members(given)) * (self._levels[x] - 1), self._most_information[x]
        if not self._plain or alpha > _MEDIAN or df * (self._most_levels - 1) - 1 <= most:
            return super().p_values(x, candidates, given, alpha)
        hopeful = [y for y in candidates if df * (self._levels[y] - 1) - 1 <= most]
        found = dict(zip(hopeful, super().p_values(x, hopeful, given, alpha), strict=True)) if hopeful else {}
        return [found.get(y, 1.0) for y in candidates]

    def p_values_given_rest(self, x: int, among: Sequence[int], blanket: int) -> Iterator[float]:
        """The p-value of x with each of some members of a set given the other members: one table has them all."""
        inside = members(blanket)
        own, states = self._levels[x], self._counts.states(inside)
        if not self._plain or len(among) < 2 or own * states > _MOST_CELLS:
            yield from super().p_values_given_rest(x, among, blanket)
            return
        levels = self._counts.levels[inside]
        statistics = self._counts.associations_given_rest(x, inside, self._table)
        p_values = self._p_values(statistics, (states // levels * (own - 1) * (levels - 1)).astype(np.float64))
        for y in among:
            yield float(p_values[inside.index(y)])

    @cached_property
    def _most_information(self) -> list[float]:
        """What G2 of each variable cannot exceed, whatever the other: twice its entropy, times N."""
        return [-2 * CLEAR * to_float(self._likelihood.changes(v, 0)[0]) for v in range(self.n)]

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
    """Upper tail of the chi-square distribution, as far down as doubles go: the strongest associations are compared."""
    from scipy.special import chdtrc

    p_values: Numbers = np.asarray(chdtrc(df, statistic))
    if not p_values.all():
        flat = p_values.reshape(-1)
        write_tails(np.full(flat.shape, statistic), np.full(flat.shape, df, dtype=np.float64), flat)
    return p_values


@lru_cache(maxsize=8)
def _critical_values(alpha: float) -> Numbers:
    """By degrees of freedom, a statistic whose p-value is clearly below alpha; with none nothing is clear."""
    from scipy.special import chdtri

    values: Numbers = chdtri(np.arange(_CRITICAL_VALUES), alpha) * CLEAR
    values[0] = np.inf
    return values
