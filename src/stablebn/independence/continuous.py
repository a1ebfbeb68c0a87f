"""Tests for continuous data, all of the partial correlation: Student's t, Fisher's z, Gaussian mutual information."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from stablebn.independence.base import Numbers
from stablebn.independence.categorical import chi_square_p_values
from stablebn.independence.walking import CLEAR, MOST_AT_ONCE, Stop, WalkingTest
from stablebn.kernels import correlation
from stablebn.kernels.contingency import ENDED, FOUND, next_subset
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
        always: NDArray[np.int64],
        places: NDArray[np.int64],
        most: int,
        alpha: float,
    ) -> Stop:
        size = places.size + always.size
        why, tests, value, _ = self._search(x, y, pool, always, places, most, alpha)
        return Stop(why, tests, self._p_value(value, size) if why == FOUND else 0.0)

    def _search(
        self,
        x: int,
        y: int,
        pool: NDArray[np.int64],
        always: NDArray[np.int64],
        places: NDArray[np.int64],
        most: int,
        alpha: float,
    ) -> tuple[int, int, float, float]:
        size = places.size + always.size
        critical = self._critical(size, alpha) * CLEAR if self._degrees(size) > 0 else 1.0
        found: tuple[int, int, float, float] = correlation.search_subsets(
            self._matrix, x, y, pool, always, places, most, critical
        )
        return found

    def _p_value(self, value: float, size: int) -> float:
        return float(self._outcome(np.array([value]), size)[1][0])

    def greatest_p_value(
        self,
        x: int,
        y: int,
        pool: Sequence[int],
        size: int,
        alpha: float,
        *,
        always: int = 0,
        watch: Callable[[], None] | None = None,
    ) -> float:
        """The greatest p-value given any subset of a pool, that of the weakest correlation; the first above alpha."""
        variables, fixed = np.array(pool, dtype=np.int64), np.array(members(always), dtype=np.int64)
        places = np.arange(size, dtype=np.int64)
        greatest = 0.0
        more = size <= len(pool)
        while more:
            why, tests, value, weakest = self._search(x, y, variables, fixed, places, MOST_AT_ONCE, alpha)
            self.performed += tests
            seen = [found for found in (weakest, value if why == FOUND else np.inf) if abs(found) < np.inf]
            greatest = max([greatest, *(self._p_value(found, size + fixed.size) for found in seen)])
            if greatest > alpha:
                break
            more = next_subset(places, len(pool)) if why == FOUND else why != ENDED
            if watch is not None:
                watch()
        return greatest


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
