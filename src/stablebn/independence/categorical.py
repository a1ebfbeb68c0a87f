"""Tests for categorical data: G2, with ordinary or adjusted degrees of freedom, and Pearson's X2."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from stablebn.independence.base import Numbers
from stablebn.independence.walking import CLEAR, Stop, WalkingTest
from stablebn.kernels import contingency, subsets
from stablebn.kernels.logarithm import to_float, to_floats
from stablebn.kernels.tails import address_of_tail, upper_tails
from stablebn.scores.categorical import loglik
from stablebn.scores.set_terms import table_of_m_ln_m
from stablebn.stats.counts import Counts
from stablebn.stats.variable_sets import members

# Tests with more degrees of freedom than this are rare, and decided one by one.
_CRITICAL_VALUES = 4096
_NOTHING_CLEAR = np.empty(0, dtype=np.float64)
_ROWS_A_CELL = 5
_MEDIAN = 0.5
# A table of so many cells is made whole, and added up over each variable in turn.
_MOST_CELLS = 4096
# So many cells in all, and every set of some variables has its table added up.
_MOST_IN_ALL = 32_768


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
        self._rows = counts.rows
        plain = not (pearson or adjust)
        self._most_cells = _MOST_CELLS if plain else 0
        self._most_in_all = _MOST_IN_ALL if plain else 0
        self._level_numbers: list[int] = counts.levels.tolist()
        # What G2 of each variable cannot exceed, whatever the other: twice its entropy, times N.
        self._most_information = [np.inf] * self.n
        alone = np.empty((0, 0), dtype=np.float64)
        if plain:
            # Half of G2, nothing given, is by how much one variable raises the other's score.
            scores, changes = loglik(counts).without_parents
            self._most_information = [-2 * CLEAR * to_float(score) for score in scores]
            alone = np.maximum(2 * to_floats(changes[:, :, :2].reshape(-1, 2)), 0.0).reshape(self.n, self.n)
        largest = counts.total / _ROWS_A_CELL if adjust else np.inf
        self._rule = (pearson, adjust, largest, table_of_m_ln_m(counts.total), alone, address_of_tail())

    def outcomes(self, x: int, candidates: Sequence[int], given: int) -> tuple[Numbers, Numbers, Numbers]:
        """Statistics, degrees of freedom and p-values of x with each candidate, without counting them."""
        found = self._associations(x, candidates, given, np.inf, -1.0, _NOTHING_CLEAR)
        return found[:, 0], found[:, 1], found[:, 2]

    def p_values(self, x: int, candidates: Sequence[int], given: int, alpha: float = 1.0) -> list[float]:
        """The p-value of x with each candidate; 1 where no statistic could be significant."""
        found = self._associations(x, candidates, given, self._hope(x, alpha), -1.0, _NOTHING_CLEAR)
        p_values: list[float] = found[:, 2].tolist()
        return p_values

    def first_dependent(self, x: int, candidates: Sequence[int], given: int, alpha: float) -> int | None:
        """The first candidate that depends on x, found in one pass that ends there."""
        found = self._associations(x, candidates, given, self._hope(x, alpha), alpha, _critical_values(alpha))
        self.performed += len(found)
        return candidates[len(found) - 1] if len(found) and found[-1, 2] <= alpha else None

    def p_values_given_rest(self, x: int, among: Sequence[int], blanket: int, stop_above: float = 1.0) -> list[float]:
        """The p-value of x with each of some members of a set given the other members: one table may have them all."""
        inside, some = np.array(members(blanket), dtype=np.int64), np.array(among, dtype=np.int64)
        p_values: list[float] = contingency.associations_given_rest(
            x, inside, some, self._most_cells, stop_above, *self._rule, *self._rows
        ).tolist()
        return p_values

    def inseparable(
        self, x: int, among: Sequence[int], most: int, alpha: float, *, watch: Callable[[], None] | None = None
    ) -> list[int]:
        """Those of some variables that no subset of the others separates from x: one table may have all answers."""
        if len(among) < 2 or not self._is_small((x, *among)):
            return super().inseparable(x, among, most, alpha, watch=watch)
        kept, tests = subsets.inseparable(
            x, np.array(among, dtype=np.int64), most, alpha, _critical_values(alpha), *self._rule, *self._rows
        )
        self.performed += tests
        return [y for y, stays in zip(among, kept.tolist(), strict=True) if stays]

    def _is_small(self, variables: Sequence[int]) -> bool:
        """Whether the joint tables of every set of some variables have few cells in all."""
        return math.prod([self._level_numbers[v] + 1 for v in variables]) <= self._most_in_all

    def _hope(self, x: int, alpha: float) -> float:
        """The greatest statistic to hope for; infinite if p-values above the median matter."""
        return np.inf if alpha > _MEDIAN else self._most_information[x]

    def _associations(
        self, x: int, candidates: Sequence[int], given: int, most: float, stop_at: float, critical: Numbers
    ) -> Numbers:
        inside, others = np.array(members(given), dtype=np.int64), np.array(candidates, dtype=np.int64)
        found: Numbers = contingency.associations(x, inside, others, most, stop_at, critical, *self._rule, *self._rows)
        return found

    def _walk(
        self,
        x: int,
        y: int,
        pool: NDArray[np.int64],
        tried: NDArray[np.bool_],
        always: NDArray[np.int64],
        places: NDArray[np.int64],
        size: int,
        most: int,
        alpha: float,
        *,
        greatest: bool,
    ) -> Stop:
        critical = _NOTHING_CLEAR if greatest else _critical_values(alpha)
        return Stop(
            *subsets.search_subsets(
                x, y, pool, tried, always, places, size, most, alpha, critical, *self._rule, *self._rows
            )
        )


def chi_square_p_values(statistic: Numbers | float, df: Numbers | float) -> Numbers:
    """Upper tail of the chi-square distribution, as far down as doubles go: the strongest associations are compared."""
    statistics, degrees = np.broadcast_arrays(np.asarray(statistic, dtype=np.float64), df)
    p_values: Numbers = upper_tails(statistics.ravel(), degrees.astype(np.float64).ravel(), address_of_tail())
    return p_values.reshape(statistics.shape)


@lru_cache(maxsize=8)
def _critical_values(alpha: float) -> Numbers:
    """By degrees of freedom, a statistic whose p-value is clearly below alpha; with none nothing is clear."""
    from scipy.special import chdtri

    values: Numbers = chdtri(np.arange(_CRITICAL_VALUES), alpha) * CLEAR
    values[0] = np.inf
    return values
