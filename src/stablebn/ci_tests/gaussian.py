"""Tests for continuous data, all of the partial correlation: Student's t, Fisher's z, Gaussian mutual information."""

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
    """A test of the partial correlation, which is computed from the exact moments without a pass over rows.

    Parameters
    ----------
    moments : Moments
        Of variables in canonical numbers: elimination follows them.
    statistic : {"student", "fisher", "information"}
        The exact t test, whose statistic is the partial correlation itself; Fisher's z transform of it, with a normal
        distribution; or Gaussian mutual information, -N ln(1 - r**2), with a chi-square distribution.
    """

    def __init__(self, moments: Moments, statistic: Statistic) -> None:
        super().__init__()
        self.n = moments.n
        self._compiled = _core.CorrelationTest(moments.cross_products().entries, statistic, moments.total)

    def outcomes(self, x: int, candidates: Sequence[int], given: int) -> tuple[Numbers, Numbers, Numbers]:
        """Statistics, degrees of freedom and p-values of x with each candidate, without counting them."""
        found = self._compiled.outcomes(x, members(given), list(candidates))
        return found[:, 0], found[:, 1], found[:, 2]

    def p_values(self, x: int, candidates: Sequence[int], given: int, alpha: float = 1.0) -> list[float]:
        """The p-value of x with each candidate; 1 where it is above alpha."""
        return self._compiled.p_values(x, members(given), list(candidates), alpha)

    def _walk(
        self, x: int, y: int, always: list[int], subsets: _core.SubsetCursor, alpha: float, *, greatest: bool
    ) -> Walk:
        return _core.CorrelationWalk(self._compiled, x, y, always, subsets, alpha, greatest)


class AvailableCorrelationTest(IndependenceTest):
    """The same tests for variables with holes: each on the rows in which x, y and the given variables are known.

    Parameters
    ----------
    moments : AvailableMoments
        Of variables in canonical numbers: elimination follows them.
    statistic : {"student", "fisher", "information"}
        As in `CorrelationTest`.
    """

    def __init__(self, moments: AvailableMoments, statistic: Statistic) -> None:
        super().__init__()
        self.n = moments.n
        self._compiled = _core.AvailableCorrelationTest(moments.compiled, statistic, moments.threads)

    def outcomes(self, x: int, candidates: Sequence[int], given: int) -> tuple[Numbers, Numbers, Numbers]:
        """Statistics, degrees of freedom and p-values of x with each candidate, without counting them."""
        found = self._compiled.outcomes(x, members(given), list(candidates))
        return found[:, 0], found[:, 1], found[:, 2]
