"""Scores of continuous data: Gaussian log-likelihoods and BGe (specification, section 2)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cache

import numpy as np

from stablebn import _core
from stablebn._core import ln_of_integer
from stablebn.fixed_point import UNIT, limbs, wrapped
from stablebn.scores.base import CompiledScores
from stablebn.scores.incomplete import GaussianAverage, gaussian_average
from stablebn.stats.incomplete import AvailableMoments
from stablebn.stats.moments import Moments, ScaledMatrix, exponent_of_root, power_of_two
from stablebn.stats.variable_sets import members

# pi - math.pi.
_PI_REST = 1.2246467991473532e-16


@cache
def ln_pi() -> int:
    """Return ln pi in units of 2**-62."""
    return _core.ln(math.pi, _PI_REST)


class DeterminantScores(CompiledScores):
    """Scores m(S + v) ln det M[S + v] / 2 - m(S) ln det M[S] / 2 plus an offset by the number of parents.

    The change of a score by a parent depends on correlations only, and fits into the numbers of the core: it is at most
    14 nats per row, because columns count as collinear below 2**-40. The score of a family depends on the units of its
    columns and may not fit. The arithmetic of the core wraps around, so that its term differs from the score by a
    multiple of the range. The multiple follows from the terms of the units and the offset, because the rest is as small
    as a change.

    Parameters
    ----------
    compiled : _core.FamilyScores
    exponents : sequence of int
        Exponents of the matrix, by variable.
    factors, offsets : sequence of int
        As in `determinant_scores`.
    sizes : sequence of int
        Term of each variable's score from the squares of the matrix, for any parents.
    """

    eliminates = True

    def __init__(
        self,
        compiled: _core.FamilyScores,
        exponents: Sequence[int],
        factors: Sequence[int],
        offsets: Sequence[int],
        sizes: Sequence[int],
    ) -> None:
        super().__init__(compiled)
        self._exponents = exponents
        self._factors = factors
        self._offsets = offsets
        self._sizes = sizes

    def reordered(self, order: Sequence[int]) -> DeterminantScores:
        """Return the score with the variables renumbered: new variable i is old variable order[i]."""
        exponents, sizes = ([values[v] for v in order] for values in (self._exponents, self._sizes))
        return DeterminantScores(self.compiled.reordered(list(order)), exponents, self._factors, self._offsets, sizes)

    def full_score(self, child: int, parents: int, term: int) -> int:
        """Return the score of a family from the term of the core."""
        size = parents.bit_count()
        units = sum(self._exponents[v] for v in members(parents))
        by_units = self._factors[size + 1] * (units + self._exponents[child]) - self._factors[size] * units
        nearby = by_units * ln_of_integer(2) + self._offsets[size]
        return nearby + wrapped(term - nearby) + self._sizes[child]


def determinant_scores(
    matrix: ScaledMatrix, factors: Sequence[int], offsets: Sequence[int], *, threads: int = 1
) -> DeterminantScores:
    """Return scores made of determinants.

    Parameters
    ----------
    matrix : ScaledMatrix
        M.
    factors : sequence of int
        m by the size of the set; the same for all sizes if the matrix has squares.
    offsets : sequence of int
        Offsets for 0, 1, ... parents up to the largest number, in units of 2**-62.
    """
    offset_limbs = np.array([limbs(wrapped(offset)) for offset in offsets], dtype=np.int64)
    exponents = matrix.exponents.tolist()
    compiled = _core.GaussianScores(matrix.entries, exponents, list(factors), offset_limbs, threads)
    sizes = [factors[0] * _ln_of_square(square) // 2 for square in matrix.squares] or [0] * len(exponents)
    return DeterminantScores(compiled, exponents, factors, offsets, sizes)


def _ln_of_square(square: Fraction) -> int:
    """Return the logarithm; a factor that is a power of four adds a multiple of ln 4 and changes nothing else."""
    exponent = exponent_of_root(square)
    return _core.ln(*_double_double(square * power_of_two(-2 * exponent))) + 2 * exponent * ln_of_integer(2)


def _most_parents(moments: Moments) -> int:
    """Return the largest number of parents: a Gaussian family needs N > parents + 2."""
    return max(0, min(moments.n - 1, moments.total - 3))


def penalised_likelihood(moments: Moments | AvailableMoments, unit: int) -> CompiledScores:
    """Return -(N/2) ln(2 pi RSS / (N - 1)) - (N - 1)/2, less a penalty for each of |S| + 2 parameters.

    RSS of v given S is det C[S + v] / det C[S], C the sums of centred cross-products. If values are missing, it is the
    mean over the rows in which the family is known, times N.
    """
    total = moments.total
    if isinstance(moments, AvailableMoments):
        return gaussian_average(moments, -total * (ln_of_integer(2) + ln_pi()) // 2, unit)
    constant = -total * (ln_of_integer(2) + ln_pi() - ln_of_integer(total - 1)) // 2 - (total - 1) * UNIT // 2
    offsets = [constant - unit * (p + 2) for p in range(_most_parents(moments) + 1)]
    return determinant_scores(moments.cross_products(), [-total] * (moments.n + 1), offsets, threads=moments.threads)


def scores_of_pairs(scores: GaussianAverage) -> DeterminantScores:
    """Return Gaussian scores that are near those of a table with missing values, and far cheaper.

    They are made of one matrix of correlations, each over the rows in which both variables are known, and shrunk as far
    as it takes to make the matrix positive definite. So they may propose graphs; they decide nothing.
    """
    moments = scores.moments
    n, total = moments.n, moments.total
    correlations = moments.compiled.correlations_of_pairs(moments.threads)
    offsets = np.array([limbs(-scores.unit * p) for p in range(min(n - 1, max(0, total - 3)) + 1)], dtype=np.int64)
    factors = [-total] * (n + 1)
    compiled = _core.GaussianScores(correlations, [0] * n, factors, offsets, moments.threads)
    found = DeterminantScores(compiled, [0] * n, factors, [0] * len(offsets), [0] * n)
    found.charge_arcs(scores.cost_of_arc)
    return found


def bic(moments: Moments | AvailableMoments, k: float) -> CompiledScores:
    """Return BIC, with a penalty of k * ln(N) / 2 per parameter."""
    return penalised_likelihood(moments, round(Fraction(k) * ln_of_integer(moments.total) / 2))


def aic(moments: Moments | AvailableMoments, k: float) -> CompiledScores:
    """Return AIC, with a penalty of k per parameter."""
    return penalised_likelihood(moments, round(Fraction(k) * UNIT))


def loglik(moments: Moments | AvailableMoments) -> CompiledScores:
    """Return the log-likelihood without a penalty."""
    return penalised_likelihood(moments, 0)


def bge(moments: Moments, iss_mu: float, iss_w: int) -> DeterminantScores:
    """Return the Bayesian Gaussian equivalent score, with prior mean at the sample mean and prior matrix t I.

    References
    ----------
    Geiger and Heckerman (2002); Kuipers, Moffa and Heckerman (2014), whose equations 4 and 14 this
    follows: a_mu = iss_mu, a_w = iss_w, t = a_mu (a_w - n - 1) / (a_mu + 1), and R = t I + C.
    """
    n, total = moments.n, moments.total
    t = Fraction(iss_mu) * (iss_w - n - 1) / (Fraction(iss_mu) + 1)
    ln_t = _core.ln(*_double_double(t))
    shrink = _core.ln(*_double_double(Fraction(iss_mu) / (total + Fraction(iss_mu))))

    def offset(p: int) -> int:
        prior = iss_w - n + p + 1
        gammas = _ln_gamma_of_half(total + prior) - _ln_gamma_of_half(prior)
        return gammas + (shrink - total * ln_pi() + (prior + p) * ln_t) // 2

    factors = [-(total + iss_w - n + size) for size in range(n + 1)]
    offsets = [offset(p) for p in range(_most_parents(moments) + 1)]
    return determinant_scores(moments.cross_products(ridge=t), factors, offsets, threads=moments.threads)


def _double_double(value: Fraction) -> tuple[float, float]:
    hi = float(value)
    numerator, denominator = hi.as_integer_ratio()
    # The division of integers rounds once, and is much faster than that of fractions.
    rest = value.numerator * denominator - numerator * value.denominator
    return hi, rest / (value.denominator * denominator)


def _ln_gamma_of_half(m: int) -> int:
    """Return ln Gamma(m / 2) for an integer m >= 1, by steps up from Gamma(1) = 1 or Gamma(1/2) = sqrt(pi)."""
    steps = np.array([(m - 1) // 2], dtype=np.int64)
    if m % 2:
        return _core.sum_ln_rising(steps, 0.5) + ln_pi() // 2
    return _core.sum_ln_rising(steps, 1.0)
