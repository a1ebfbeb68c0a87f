"""The test for mixed data: conditional Gaussian mutual information."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stablebn import _core
from stablebn.fixed_point import NOT_A_CANDIDATE, to_floats
from stablebn.independence.base import IndependenceTest, Numbers
from stablebn.stats.available_mixed import AvailableMixedStatistics
from stablebn.stats.mixed import MixedStatistics
from stablebn.stats.variable_sets import members


class ConditionalGaussianTest(IndependenceTest):
    """Twice what x and y raise the log-likelihood of each other, with a chi-square distribution.

    With L the log-likelihood of the conditional Gaussian score, the statistic is 2 (L(S+x+y) + L(S) - L(S+x) - L(S+y)),
    and the degrees of freedom are the same difference of free parameters. Where a configuration has too few rows for
    a covariance, the test counts as no evidence at all. It has the rows in which x, y and S are known.

    Parameters
    ----------
    statistics : MixedStatistics or AvailableMixedStatistics
        Of variables in canonical numbers: elimination follows them.
    """

    def __init__(self, statistics: MixedStatistics | AvailableMixedStatistics) -> None:
        super().__init__()
        self.n = statistics.n
        self._statistics = statistics

    def outcomes(self, x: int, candidates: Sequence[int], given: int) -> tuple[Numbers, Numbers, Numbers]:
        """Statistics, degrees of freedom and p-values of x with each candidate, without counting them."""
        own = members(given)
        gains = self._statistics.compiled.gains(x, own, list(candidates))
        df = np.array([self._freedom(x, y, own) for y in candidates], dtype=np.float64)
        known = gains[:, 0] != NOT_A_CANDIDATE
        # Floors under variances may take a little from what a variable tells: less than nothing is nothing.
        statistics = np.maximum(2 * to_floats(np.where(known[:, None], gains, 0)), 0.0)
        return statistics, df, np.where(known, _core.chi_square_tails(statistics, df), 1.0)

    def _freedom(self, x: int, y: int, given: list[int]) -> int:
        parameters = self._statistics.parameters
        return parameters([*given, x, y]) + parameters(given) - parameters([*given, x]) - parameters([*given, y])
