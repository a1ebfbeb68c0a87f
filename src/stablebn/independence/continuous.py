"""Tests for continuous data, all of the partial correlation: Student's t, Fisher's z, Gaussian mutual information."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from stablebn import _core
from stablebn.independence.base import Numbers
from stablebn.independence.chi_square import CLEARLY, chi_square_p_values
from stablebn.independence.walking import Walk, WalkingTest
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
        self._compiled = _core.PartialCorrelations(moments.cross_products().entries)
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
        inside = members(given)
        correlations = self._compiled.given(x, inside, list(candidates))
        statistics, p_values = self._outcome(correlations, len(inside))
        return statistics, np.full(len(candidates), float(self._degrees(len(inside)))), p_values

    def _outcome(self, correlations: Numbers, size: int) -> tuple[Numbers, Numbers]:
        df = self._degrees(size)
        if df < 1:
            # Too few rows for a test reject nothing.
            return np.zeros_like(correlations), np.ones_like(correlations)
        return self._judge(np.clip(correlations, -_LARGEST, _LARGEST), df)

    def p_value(self, correlation: float, size: int) -> float:
        """The p-value of a correlation given so many variables."""
        return float(self._outcome(np.array([correlation]), size)[1][0])

    def clear_correlation(self, size: int, alpha: float) -> float:
        """An absolute correlation above which the p-value is clearly not above alpha, given so many variables."""
        return self._critical(size, alpha) * CLEARLY if self._degrees(size) > 0 else 1.0

    def _walk(
        self, x: int, y: int, always: list[int], subsets: _core.SubsetCursor, alpha: float, *, greatest: bool
    ) -> Walk:
        steps = _core.CorrelationWalk(self._compiled, x, y, always, subsets)
        return _CorrelationWalk(self, steps, alpha, greatest=greatest)


class _CorrelationWalk:
    """A walk over subsets by a test of correlation.

    The core compares correlations with a critical value, a little above the true one; the p-value has the last word.
    """

    def __init__(self, test: CorrelationTest, steps: _core.CorrelationWalk, alpha: float, *, greatest: bool) -> None:
        self._test = test
        self._steps = steps
        self._alpha = alpha
        self._greatest = greatest
        self.tests = 0
        self.p_value = 0.0

    @property
    def found(self) -> bool:
        return self.p_value > self._alpha

    @property
    def subset(self) -> list[int]:
        return self._steps.subset

    def advance(self, most: int) -> bool:
        """Make at most so many tests; whether there are more to make."""
        end = self.tests + most
        while self.tests < end and not self.found and not self._steps.ended:
            size = self._steps.given
            critical = self._test.clear_correlation(size, self._alpha)
            tests, unclear, correlation, weakest = self._steps.advance(critical, end - self.tests)
            self.tests += tests
            if unclear:
                self.p_value = max(self.p_value, self._test.p_value(correlation, size))
            if self._greatest and weakest < math.inf:
                self.p_value = max(self.p_value, self._test.p_value(weakest, size))
        return not self.found and not self._steps.ended


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
