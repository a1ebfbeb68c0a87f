"""Tests for continuous data, all of the partial correlation: Student's t, Fisher's z, Gaussian mutual information."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from stablebn.independence.base import Numbers
from stablebn.independence.categorical import chi_square_p_values
from stablebn.independence.walking import CLEAR, Stop, WalkingTest
from stablebn.kernels import correlation
from stablebn.kernels.subsets import ENDED, FOUND, PAUSED, next_subset
from stablebn.stats.moments import Moments
from stablebn.stats.variable_sets import members

# So near to 1 a correlation is as good as 1, and every statistic stays finite.
_LARGEST = 1 - 2.0**-52


class CorrelationTest(WalkingTest):
    """A test of the partial correlation, which is computed from the exact moments without a pass over rows.

    Parameters
    ----------
    moments : Moments
        Of variables in canonical numbers: elimination follows them.
    """

    def __init__(self, moments: Moments) -> None:
        super().__init__()
        self.n = moments.n
        self._total = moments.total
        self._matrix = moments.cross_products().entries
        # Each instance has a cache of its own, as the value depends on the number of rows.
        self._critical = lru_cache(maxsize=None)(self._critical_correlation)

    @abstractmethod
    def _degrees(self, size: int) -> int:
        """Degrees of freedom given so many variables."""

    @abstractmethod
    def _judge(self, correlations: Numbers, df: int) -> tuple[Numbers, Numbers]:
        """Statistics and p-values."""

    @abstractmethod
    def _critical_correlation(self, size: int, alpha: float) -> float:
        """The absolute correlation whose p-value is alpha."""

    def outcomes(self, x: int, candidates: Sequence[int], given: int) -> tuple[Numbers, Numbers, Numbers]:
        """Statistics, degrees of freedom and p-values of x with each candidate, without counting them."""
        inside = np.array(members(given), dtype=np.int64)
        found = correlation.partial_correlations(self._matrix, x, inside, np.array(candidates, dtype=np.int64))
        statistics, p_values = self._outcome(found, inside.size)
        return statistics, np.full(len(candidates), float(self._degrees(inside.size))), p_values

    def _outcome(self, correlations: Numbers, size: int) -> tuple[Numbers, Numbers]:
        df = self._degrees(size)
        if df < 1:
            # Too few rows for a test reject nothing.
            return np.zeros_like(correlations), np.ones_like(correlations)
        return self._judge(np.clip(correlations, -_LARGEST, _LARGEST), df)

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
        made, p_value = 0, 0.0
        while made < most:
            # The kernel compares with a critical value, a little above the true one; the p-value has the last word.
            total = size + always.size
            critical = self._critical(total, alpha) * CLEAR if self._degrees(total) > 0 else 1.0
            why, tests, value, weakest = correlation.search_subsets(
                self._matrix, x, y, pool, always, places[:size], most - made, critical
            )
            made += tests
            if why == FOUND:
                p_value = max(p_value, self._p_value(value, total))
            if greatest and weakest < np.inf:
                p_value = max(p_value, self._p_value(weakest, total))
            if p_value > alpha:
                return Stop(FOUND, made, p_value, size)
            if why == ENDED or (why == FOUND and not next_subset(places[:size], pool.size)):
                size += 1
                if size > min(places.size, pool.size):
                    return Stop(ENDED, made, p_value, size)
                places[:size] = np.arange(size)
        return Stop(PAUSED, made, p_value, size)

    def _p_value(self, value: float, size: int) -> float:
        return float(self._outcome(np.array([value]), size)[1][0])


class StudentTest(CorrelationTest):
    """The exact t test; the statistic reported is the partial correlation itself."""

    def _degrees(self, size: int) -> int:
        return self._total - 2 - size

    def _judge(self, correlations: Numbers, df: int) -> tuple[Numbers, Numbers]:
        from scipy.special import stdtr

        t = np.abs(correlations) * np.sqrt(df / ((1 - correlations) * (1 + correlations)))
        return correlations, 2 * stdtr(df, -t)

    def _critical_correlation(self, size: int, alpha: float) -> float:
        from scipy.special import stdtrit

        df = self._degrees(size)
        t = -float(stdtrit(df, alpha / 2))
        return t / float(np.sqrt(df + t * t))


class FisherTest(CorrelationTest):
    """Fisher's z transform of the partial correlation, with a normal distribution."""

    def _degrees(self, size: int) -> int:
        return self._total - 3 - size

    def _judge(self, correlations: Numbers, df: int) -> tuple[Numbers, Numbers]:
        from scipy.special import ndtr

        statistics = np.arctanh(correlations) * np.sqrt(df)
        return statistics, 2 * ndtr(-np.abs(statistics))

    def _critical_correlation(self, size: int, alpha: float) -> float:
        from scipy.special import ndtri

        return float(np.tanh(-ndtri(alpha / 2) / np.sqrt(self._degrees(size))))


class GaussianInformationTest(CorrelationTest):
    """Gaussian mutual information, -N ln(1 - r**2), with a chi-square distribution."""

    def _degrees(self, size: int) -> int:
        return 1

    def _judge(self, correlations: Numbers, df: int) -> tuple[Numbers, Numbers]:
        statistics = -self._total * np.log1p(-correlations * correlations)
        return statistics, chi_square_p_values(statistics, 1.0)

    def _critical_correlation(self, size: int, alpha: float) -> float:
        from scipy.special import chdtri

        return float(np.sqrt(-np.expm1(-chdtri(1, alpha) / self._total)))
