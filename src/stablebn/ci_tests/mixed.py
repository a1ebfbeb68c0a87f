"""The test for mixed data: conditional Gaussian mutual information."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

import numpy as np

from stablebn import _core
from stablebn.ci_tests.base import IndependenceTest, Numbers
from stablebn.fixed_point import NOT_A_CANDIDATE, to_floats
from stablebn.stats.incomplete_mixed import AvailableMixedStatistics
from stablebn.stats.mixed import MixedStatistics
from stablebn.stats.variable_sets import members


class ConditionalGaussianTest(IndependenceTest):
    """Compute a likelihood-ratio test of x and y given S in conditional Gaussian distributions.

    With L the log-likelihood of the conditional Gaussian score, the statistic is 2 (L(S+x+y) + L(S) - L(S+x) - L(S+y)).
    If x and y are categorical and S has continuous variables, this is no likelihood ratio, as the models are not
    nested. Then it is 2 (M(x, y) - M(x) - M(y)), M the log-likelihoods of logistic regressions on the continuous
    variables of S, their squares and products, in each configuration of the categorical ones.

    The chi-square distribution has as many degrees of freedom as the first formula has free parameters. If a
    configuration has too few rows for a covariance, p = 1. The test uses the rows in which x, y and S are known.

    Parameters
    ----------
    statistics : MixedStatistics or AvailableMixedStatistics
        Statistics of variables in canonical numbers, the order of elimination.
    """

    def __init__(self, statistics: MixedStatistics | AvailableMixedStatistics) -> None:
        super().__init__()
        self.n = statistics.n
        self._statistics = statistics
        self._rows = _CompleteRows(statistics)

    def outcomes(self, x: int, candidates: Sequence[int], given: int) -> tuple[Numbers, Numbers, Numbers]:
        """Return statistics, degrees of freedom and p-values of x with each candidate, without counting the tests."""
        given_variables = members(given)
        statistics = self._statistics
        if self._needs_rows(x, candidates, given_variables):
            statistics = self._rows.get()
        gains = statistics.compiled.gains(x, given_variables, list(candidates))
        df = np.array([self._freedom(x, y, given_variables) for y in candidates], dtype=np.float64)
        known = gains[:, 0] != NOT_A_CANDIDATE
        # The least variances can make a statistic slightly negative: take 0 then.
        statistic = np.maximum(2 * to_floats(np.where(known[:, None], gains, 0)), 0.0)
        return statistic, df, np.where(known, _core.chi_square_tails(statistic, df), 1.0)

    def _needs_rows(self, x: int, candidates: Sequence[int], given: list[int]) -> bool:
        """Return whether two categorical variables are tested given a continuous one."""
        levels = self._statistics.levels
        return bool(levels[x]) and any(levels[y] for y in candidates) and not all(levels[v] for v in given)

    def _freedom(self, x: int, y: int, given: list[int]) -> int:
        parameters = self._statistics.parameters
        return parameters([*given, x, y]) + parameters(given) - parameters([*given, x]) - parameters([*given, y])


class _CompleteRows:
    """Statistics with the rows in memory, fetched once, when the first test needs them."""

    def __init__(self, statistics: MixedStatistics | AvailableMixedStatistics) -> None:
        self._statistics = statistics
        self._fetched: MixedStatistics | AvailableMixedStatistics | None = None
        self._lock = Lock()

    def get(self) -> MixedStatistics | AvailableMixedStatistics:
        with self._lock:
            if self._fetched is None:
                self._fetched = self._statistics.in_memory('test="mi-cg" of categories given numbers')
            return self._fetched
