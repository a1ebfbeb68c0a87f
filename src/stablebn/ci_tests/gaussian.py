"""Tests of the partial correlation for continuous data: Student's t, Fisher's z, Gaussian mutual information."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from stablebn import _core
from stablebn.ci_tests.base import IndependenceTest, Numbers
from stablebn.ci_tests.subset_walk import Walk, WalkingTest
from stablebn.stats.incomplete import AvailableMoments
from stablebn.stats.moments import Moments
from stablebn.stats.variable_sets import members

Statistic: TypeAlias = Literal["student", "fisher", "information"]


class CorrelationTest(WalkingTest):
    """Test the partial correlation, which is computed from the exact moments without a pass over the rows.

    Parameters
    ----------
    moments : Moments
        Moments of variables in canonical numbers, the order of elimination.
    statistic : {"student", "fisher", "information"}
        The exact t test, whose statistic is the partial correlation itself; Fisher's z transform of it, with a normal
        distribution; or Gaussian mutual information, -N ln(1 - r**2), with a chi-square distribution.
    """

    def __init__(self, moments: Moments, statistic: Statistic) -> None:
        super().__init__()
        self.n = moments.n
        self._compiled = _core.CorrelationTest(moments.cross_products().entries, statistic, moments.total)

    def outcomes(self, x: int, candidates: Sequence[int], given: int) -> tuple[Numbers, Numbers, Numbers]:
        """Return statistics, degrees of freedom and p-values of x with each candidate, without counting the tests."""
        found = self._compiled.outcomes(x, members(given), list(candidates))
        return found[:, 0], found[:, 1], found[:, 2]

    def p_values(self, x: int, candidates: Sequence[int], given: int, alpha: float = 1.0) -> list[float]:
        """Return the p-value of x with each candidate; 1 if it is above alpha."""
        return self._compiled.p_values(x, members(given), list(candidates), alpha)

    def _walk(
        self, x: int, y: int, always: list[int], subsets: _core.SubsetCursor, alpha: float, *, greatest: bool
    ) -> Walk:
        return _core.CorrelationWalk(self._compiled, x, y, always, subsets, alpha, greatest)


class AvailableCorrelationTest(IndependenceTest):
    """Test the partial correlation of incomplete data, over the rows in which x, y and the given variables are known.

    Parameters
    ----------
    moments : AvailableMoments
        Moments of variables in canonical numbers, the order of elimination.
    statistic : {"student", "fisher", "information"}
        As in `CorrelationTest`.
    """

    def __init__(self, moments: AvailableMoments, statistic: Statistic) -> None:
        super().__init__()
        self.n = moments.n
        self._compiled = _core.AvailableCorrelationTest(moments.compiled, statistic, moments.threads)

    def outcomes(self, x: int, candidates: Sequence[int], given: int) -> tuple[Numbers, Numbers, Numbers]:
        """Return statistics, degrees of freedom and p-values of x with each candidate, without counting the tests."""
        found = self._compiled.outcomes(x, members(given), list(candidates))
        return found[:, 0], found[:, 1], found[:, 2]
