"""Scores of mixed data: conditional Gaussian log-likelihoods, the degenerate Gaussian score, and the adaptive score."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from stablebn import _core
from stablebn._core import ln_of_integer
from stablebn.fixed_point import LO_BITS, NOT_A_CANDIDATE, UNIT, limbs
from stablebn.scores.base import CompiledScores
from stablebn.scores.gaussian import ln_pi
from stablebn.scores.incomplete import NodeAverageScores
from stablebn.stats.base import Statistics
from stablebn.stats.incomplete_mixed import AvailableMixedStatistics
from stablebn.stats.mixed import MixedColumns, MixedStatistics
from stablebn.stats.variable_sets import bit, members

_NO_VALUE = NOT_A_CANDIDATE << LO_BITS


class ConditionalGaussianScores(CompiledScores):
    """Conditional Gaussian log-likelihood less a penalty per free parameter.

    L(D, X) is the log-likelihood of the configurations of categorical D, and in each of them that of a Gaussian for
    continuous X with its own mean and covariance (divisor n_d). The score of a family is L(S + v) - L(S). A family is
    not scored if some configuration that occurs has fewer rows than continuous variables + 2.

    Parameters
    ----------
    statistics : MixedStatistics
    unit : int
        Penalty of one free parameter in units of 2**-62.
    compiled : _core.FamilyScores, optional
        The score in the core, if it exists already.
    """

    eliminates = True

    def __init__(self, statistics: MixedStatistics, unit: int, compiled: _core.FamilyScores | None = None) -> None:
        super().__init__(compiled or _core.ConditionalGaussianScores(statistics.compiled, *limbs(unit)))
        self._statistics = statistics
        self.unit = unit
        self._scales = [_scale(statistics, v) for v in range(statistics.n)]

    def reordered(self, order: Sequence[int]) -> ConditionalGaussianScores:
        """Return the score with the variables renumbered: new variable i is old variable order[i]."""
        compiled = self.compiled.reordered(list(order))
        return ConditionalGaussianScores(self._statistics.reordered(order), self.unit, compiled)

    def is_candidate(self, child: int, parents: int) -> bool:
        """Return whether every configuration that occurs has enough rows."""
        return self._statistics.compiled.value(parents | bit(child)) != _NO_VALUE

    def full_score(self, child: int, parents: int, term: int) -> int:
        """Return the score of a family; the term of the core is for standardised columns, without constants."""
        if term == _NO_VALUE:
            raise ValueError("the family is not a candidate and has no score")
        given = members(parents)
        free = self._statistics.parameters([*given, child]) - self._statistics.parameters(given)
        return term + self._scales[child] - self.unit * free

    def sums_with_one_parent(self) -> list[int]:
        """Return, for every variable, the sum of the changes of its score by each possible single parent."""
        sums, _ = self.compiled.sums_of_first()
        return sums


class MixedAverage(NodeAverageScores):
    """Node-average conditional Gaussian score of incomplete data: each parent is scored on rows in which it is known.

    Parameters
    ----------
    statistics : AvailableMixedStatistics
    unit : int
        Penalty of one free parameter in units of 2**-62.
    compiled : _core.NodeAverageScores, optional
        The score in the core, if it exists already.
    """

    def __init__(
        self, statistics: AvailableMixedStatistics, unit: int, compiled: _core.NodeAverageScores | None = None
    ) -> None:
        super().__init__(compiled or _core.NodeAverageMixed(statistics.compiled, *limbs(unit)), statistics.total, unit)
        self._statistics = statistics
        self._scales = [_scale(statistics, v) for v in range(statistics.n)]

    def reordered(self, order: Sequence[int]) -> MixedAverage:
        """Return the score with the variables renumbered: new variable i is old variable order[i]."""
        return MixedAverage(self._statistics.reordered(order), self.unit, self._renumbered(order))

    def free_parameters(self, child: int, parents: Sequence[int]) -> int:
        """Return the free parameters of the family less those of the parents."""
        return self._statistics.parameters([*parents, child]) - self._statistics.parameters(parents)

    def full_score(self, child: int, parents: int, term: int) -> int:
        """Return the score of a family; the term of the core is for standardised columns, without constants."""
        return super().full_score(child, parents, term) + self._scales[child]


def _scale(statistics: MixedColumns, v: int) -> int:
    """Return the constant of the density of a continuous variable: -(N / 2) (ln 2 pi + 1) - N ln(deviation).

    Without units the deviation is 1.
    """
    standard = statistics.standard(v)
    if standard is None:
        return 0
    ln_deviation = 0
    if statistics.has_units:
        ln_deviation = _core.ln(*standard.deviation) + standard.power * ln_of_integer(2)
    return -statistics.total * (ln_of_integer(2) + ln_pi() + UNIT + 2 * ln_deviation) // 2


class DegenerateGaussianScores(CompiledScores):
    """Gaussian log-likelihood of indicators and standardised columns, less a penalty per free parameter.

    L(S) is -(N / 2) ln det of the covariance of all columns of S, continuous ones with variance 1. With e columns it
    has e (e + 1) / 2 parameters. Covariances between variables are multiplied by 1 - 2**-40, so that the determinant
    stays above 0 if columns determine each other. The core computes L(S) less the terms of single variables.

    Parameters
    ----------
    compiled : _core.FamilyScores
    widths, scales : sequence of int
        Number of columns of each variable, and the term of its score from their variances.
    unit : int
        Penalty of one free parameter in units of 2**-62.
    """

    def __init__(self, compiled: _core.FamilyScores, widths: Sequence[int], scales: Sequence[int], unit: int) -> None:
        super().__init__(compiled)
        self._widths = widths
        self._scales = scales
        self.unit = unit

    def reordered(self, order: Sequence[int]) -> DegenerateGaussianScores:
        """Return the score with the variables renumbered: new variable i is old variable order[i]."""
        widths, scales = ([values[v] for v in order] for values in (self._widths, self._scales))
        return DegenerateGaussianScores(self.compiled.reordered(list(order)), widths, scales, self.unit)

    def full_score(self, child: int, parents: int, term: int) -> int:
        """Return the score of a family."""
        given = sum(self._widths[u] for u in members(parents))
        both = given + self._widths[child]
        return term + self._scales[child] - self.unit * (both * (both + 1) // 2 - given * (given + 1) // 2)


class AdaptiveScores(CompiledScores):
    """The best of several penalised log-likelihoods of each family (`src/core/mixed_scores/adaptive.hpp`).

    The core chooses the model and subtracts the penalty of its parameters except those of the child alone.

    Parameters
    ----------
    statistics : MixedStatistics
        Statistics with the rows in memory.
    unit : int
        Penalty of one free parameter in units of 2**-62.
    compiled : _core.FamilyScores, optional
        The score in the core, if it exists already.
    """

    eliminates = True
    score_equivalent = False
    # Logistic regression reads all rows several times.
    relative_cost = 100

    def __init__(self, statistics: MixedStatistics, unit: int, compiled: _core.FamilyScores | None = None) -> None:
        if compiled is None:
            blocks = statistics.column_products()
            compiled = _core.AdaptiveScores(
                statistics.compiled, *halves(blocks.products), blocks.columns, blocks.frequencies, *limbs(unit)
            )
        super().__init__(compiled)
        self._statistics = statistics
        self.unit = unit
        self._alone = [_scale(statistics, v) - unit * ((statistics.levels[v] or 3) - 1) for v in range(statistics.n)]

    def reordered(self, order: Sequence[int]) -> AdaptiveScores:
        """Return the score with the variables renumbered: new variable i is old variable order[i]."""
        compiled = self.compiled.reordered(list(order))
        return AdaptiveScores(self._statistics.reordered(order), self.unit, compiled)

    def is_candidate(self, child: int, parents: int) -> bool:
        """Return whether some model has a penalty that the log-likelihood can outweigh."""
        return self.compiled.term(child, parents) != _NO_VALUE

    def full_score(self, child: int, parents: int, term: int) -> int:
        """Return the score of a family from the term of the core, which is free of units."""
        if term == _NO_VALUE:
            raise ValueError("the family is not a candidate and has no score")
        return term + self._alone[child]


def penalised_likelihood(statistics: MixedStatistics | AvailableMixedStatistics, unit: int) -> CompiledScores:
    """Return the log-likelihood, or the node average of incomplete data, less a penalty per free parameter."""
    if isinstance(statistics, AvailableMixedStatistics):
        return MixedAverage(statistics, unit)
    return ConditionalGaussianScores(statistics, unit)


def bic(statistics: MixedStatistics | AvailableMixedStatistics, k: float) -> CompiledScores:
    """Return BIC, with a penalty of k * ln(N) / 2 per free parameter."""
    return penalised_likelihood(statistics, bic_unit(statistics, k))


def aic(statistics: MixedStatistics | AvailableMixedStatistics, k: float) -> CompiledScores:
    """Return AIC, with a penalty of k per free parameter."""
    return penalised_likelihood(statistics, round(Fraction(k) * UNIT))


def loglik(statistics: MixedStatistics | AvailableMixedStatistics) -> CompiledScores:
    """Return the log-likelihood without a penalty."""
    return penalised_likelihood(statistics, 0)


def dg(statistics: Statistics, k: float) -> DegenerateGaussianScores:
    """Return the degenerate Gaussian score, with a penalty of k * ln(N) / 2 per free parameter."""
    blocks, unit = statistics.column_products(), bic_unit(statistics, k)
    compiled = _core.DegenerateGaussianScores(
        *halves(blocks.products),
        blocks.columns,
        blocks.frequencies,
        [[v] for v in range(statistics.n)],
        statistics.total,
        *limbs(unit),
        statistics.threads,
    )
    widths = [len(columns) for columns in blocks.columns]
    scales = [scale_of_levels(rows_of_levels, statistics.total) for rows_of_levels in blocks.frequencies]
    return DegenerateGaussianScores(compiled, widths, scales, unit)


def adaptive(statistics: MixedStatistics | AvailableMixedStatistics, k: float) -> AdaptiveScores:
    """Return the adaptive score, with a penalty of k * ln(N) / 2 per free parameter of the best model of a family."""
    assert isinstance(statistics, MixedStatistics)
    return AdaptiveScores(statistics.in_memory('score="adaptive"'), bic_unit(statistics, k))


def halves(products: NDArray[np.object_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Split integers into high and low with high * 2**62 + low."""
    return (products >> 62).astype(np.int64), (products & (1 << 62) - 1).astype(np.int64)


def scale_of_levels(frequencies: Sequence[int], total: int) -> int:
    """Return -(N / 2) ln det of the covariance of indicators; the determinant is the product of all shares."""
    ln_determinant = sum(ln_of_integer(rows) - ln_of_integer(total) for rows in frequencies)
    return -total * ln_determinant // 2


def bic_unit(statistics: Statistics, k: float) -> int:
    """Return the penalty of one parameter, k * ln(N) / 2."""
    return round(Fraction(k) * ln_of_integer(statistics.total) / 2)
