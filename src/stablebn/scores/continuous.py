"""Scores of continuous data: Gaussian log-likelihoods and BGe (SPEC 2)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cache

import numpy as np

from stablebn.kernels import cholesky, counting
from stablebn.kernels.logarithm import UNIT, fixed_ln, joined, limbs, ln, to_fixed
from stablebn.scores.families import Changes, FamilyScores
from stablebn.stats.joint import Nearby, nothing
from stablebn.stats.moments import Moments, ScaledMatrix
from stablebn.stats.variable_sets import bit, members

# Measured: with more variables, a family takes longer than two threads take to get out of each other's way.
_MANY = 64
# pi is math.pi + this much.
_PI_REST = 1.2246467991473532e-16


@cache
def _ln_pi() -> int:
    # Not a constant: a kernel that is called when a module is imported makes every import slow.
    return joined(*to_fixed(*ln(math.pi, _PI_REST)))


class DeterminantScores(FamilyScores):
    """Scores that are m(S + v) ln det M[S + v] / 2 - m(S) ln det M[S] / 2, and an offset by the number of parents.

    Elimination follows the numbering of the variables, so sets of three or more have the same bits in every layout
    once the variables are numbered canonically; smaller sets have them before.

    Parameters
    ----------
    matrix : ScaledMatrix
        M.
    factors : sequence of int
        m, by the size of the set.
    offsets : sequence of int
        In units of 2**-62.
    """

    def __init__(self, matrix: ScaledMatrix, factors: Sequence[int], offsets: Sequence[int]) -> None:
        self.n = matrix.entries.shape[0]
        self.most_parents = len(offsets) - 1
        self.dear = self.n > _MANY
        self._matrix = matrix
        self._factors = np.array(factors, dtype=np.int64)
        self._offsets = offsets
        self._offset_limbs = np.array([limbs(offset) for offset in offsets], dtype=np.int64)
        self._terms: dict[int, int] = {}

    def family(self, child: int, parents: int) -> int:
        """Score of a child with a set of parents."""
        return self._term(parents | bit(child)) - self._term(parents) + self._offsets[parents.bit_count()]

    def write_changes(self, child: int, parents: int, out: Changes, nearby: Nearby = nothing) -> int:
        """Write what `changes` gives into int64 [n, 3], 0 at first, and return the score of the family."""
        return joined(
            *cholesky.determinant_changes(
                self._matrix.entries,
                self._matrix.exponents,
                child,
                np.array(members(parents), dtype=np.int64),
                self._factors,
                self._offset_limbs,
                out,
            )
        )

    def reordered(self, order: Sequence[int]) -> FamilyScores:
        """The same score for variables renumbered so that new i is old order[i]."""
        scores = DeterminantScores(self._matrix.select(list(order)), self._factors.tolist(), self._offsets)
        scores.adopt(self, order)
        return scores

    def _term(self, variables: int) -> int:
        if variables not in self._terms:
            inside = np.array(members(variables), dtype=np.int64)
            matrix, work = self._matrix, np.empty((inside.size, inside.size))
            self._terms[variables] = joined(
                *cholesky.half_ln_determinant(
                    matrix.entries, matrix.exponents, inside, self._factors[inside.size], work
                )
            )
        return self._terms[variables]


def _most_parents(moments: Moments) -> int:
    """A Gaussian family needs N > parents + 2."""
    return max(0, min(moments.n - 1, moments.total - 3))


def penalised_likelihood(moments: Moments, unit: int) -> FamilyScores:
    """-(N/2) ln(2 pi RSS / (N - 1)) - (N - 1)/2, less a penalty per parameter; a family has |S| + 2.

    RSS of v given S is det C[S + v] / det C[S], C the sums of centred cross-products.
    """
    total = moments.total
    constant = -total * (fixed_ln(2) + _ln_pi() - fixed_ln(total - 1)) // 2 - (total - 1) * UNIT // 2
    offsets = [constant - unit * (p + 2) for p in range(_most_parents(moments) + 1)]
    return DeterminantScores(moments.cross_products(), [-total] * (moments.n + 1), offsets)


def bic(moments: Moments, k: float) -> FamilyScores:
    """BIC: k * ln(N) / 2 a parameter."""
    return penalised_likelihood(moments, round(Fraction(k) * fixed_ln(moments.total) / 2))


def aic(moments: Moments, k: float) -> FamilyScores:
    """AIC: k a parameter."""
    return penalised_likelihood(moments, round(Fraction(k) * UNIT))


def loglik(moments: Moments) -> FamilyScores:
    """Log-likelihood without a penalty."""
    return penalised_likelihood(moments, 0)


def bge(moments: Moments, iss_mu: float, iss_w: int) -> FamilyScores:
    """Bayesian Gaussian equivalent score, with the prior mean at the sample mean and the prior matrix t I.

    References
    ----------
    Geiger and Heckerman (2002); Kuipers, Moffa and Heckerman (2014), whose equations 4 and 14 this
    follows: a_mu = iss_mu, a_w = iss_w, t = a_mu (a_w - n - 1) / (a_mu + 1), and R = t I + C.
    """
    n, total = moments.n, moments.total
    t = Fraction(iss_mu) * (iss_w - n - 1) / (Fraction(iss_mu) + 1)
    ln_t = joined(*to_fixed(*ln(*_double_double(t))))
    shrink = joined(*to_fixed(*ln(*_double_double(Fraction(iss_mu) / (total + Fraction(iss_mu))))))

    def offset(p: int) -> int:
        prior = iss_w - n + p + 1
        gammas = _ln_gamma_of_half(total + prior) - _ln_gamma_of_half(prior)
        return gammas + (shrink - total * _ln_pi() + (prior + p) * ln_t) // 2

    factors = [-(total + iss_w - n + size) for size in range(n + 1)]
    offsets = [offset(p) for p in range(_most_parents(moments) + 1)]
    return DeterminantScores(moments.cross_products(ridge=t), factors, offsets)


def _double_double(value: Fraction) -> tuple[float, float]:
    hi = float(value)
    return hi, float(value - Fraction(hi))


def _ln_gamma_of_half(m: int) -> int:
    """Ln Gamma(m / 2) for an integer m >= 1: steps up from Gamma(1) = 1 or Gamma(1/2) = sqrt(pi)."""
    steps = np.array([(m - 1) // 2], dtype=np.int64)
    if m % 2:
        return joined(*counting.sum_ln_rising(steps, 0.5)) + _ln_pi() // 2
    return joined(*counting.sum_ln_rising(steps, 1.0))
