"""Scores of categorical data: penalised log-likelihoods and Dirichlet marginal likelihoods (SPEC 2)."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property

import numpy as np

from stablebn.kernels import counting, joint
from stablebn.kernels.logarithm import LO_BITS, LO_MASK, UNIT, fixed_ln, joined, limbs
from stablebn.scores.families import NOT_A_CANDIDATE, Changes, DifferenceScores, FamilyScores, SingleScores
from stablebn.scores.notebook import NO_SOURCE, Source
from stablebn.scores.set_terms import DirichletTerms, EntropyTerms, SetTerms
from stablebn.stats.counts import Counts, Terms
from stablebn.stats.joint import MOST_CONFIGURATIONS, JointTable, Nearby, nothing
from stablebn.stats.variable_sets import bit, members

# A family whose penalty alone is beyond 2**30 nats is not a candidate: it would not fit the limbs.
_LARGEST_PENALTY = (1 << 30) * UNIT

# Measured, in nanoseconds of a table's configuration: above, two threads do not get in each other's way; and, for
# searches that do not need Python, summed over all variables: above, it pays to wake a thread.
_DEAR = 3_000
_DEAR_IN_ALL = 20_000


class TabulatedScores(SingleScores):
    """Scores whose changes are read off the joint table of a family, where that is not too large.

    Parameters
    ----------
    counts : Counts
    """

    def __init__(self, counts: Counts) -> None:
        self.n = counts.n
        self.most_parents = counts.n
        self._counts = counts
        self._tables = counts.tables
        self.dear = self._tables.cost > _DEAR

    @abstractmethod
    def with_counts(self, counts: Counts) -> TabulatedScores:
        """The same score of other counts."""

    @abstractmethod
    def read_changes(self, child: int, parents: int, table: JointTable, place: int, out: Changes) -> tuple[int, int]:
        """Write the changes of a family, whose child has this place in its table, and return limbs of its score."""

    def suits_table(self, child: int, parents: int) -> bool:
        """Whether a family's changes may be read off a table."""
        return True

    def write_changes(self, child: int, parents: int, out: Changes, nearby: Nearby = nothing) -> int:
        """Write what `changes` gives into int64 [n, 3], 0 at first, and return the score of the family."""
        family = parents | bit(child)
        table = self._tables.table(family, nearby) if self.suits_table(child, parents) else None
        if table is None:
            return super().write_changes(child, parents, out, nearby)
        place = (parents & (bit(child) - 1)).bit_count()
        own = joined(*self.read_changes(child, parents, table, place, out))
        for u in self._tables.wide:
            if not family & bit(u):
                out[u] = *limbs(self.family(child, parents | bit(u)) - own), 0
        return own

    def reordered(self, order: Sequence[int]) -> FamilyScores:
        """The same score for variables renumbered so that new i is old order[i]."""
        scores = self.with_counts(self._counts.reordered(order))
        scores.adopt(self, order)
        return scores


class PenalisedLikelihood(TabulatedScores, DifferenceScores):
    """Log-likelihood less a penalty per free parameter: H(S + v) - H(S) - unit * (r_v - 1) * prod r_s.

    Parameters
    ----------
    counts : Counts
    unit : int
        Penalty of one free parameter in units of 2**-62.
    """

    def __init__(self, counts: Counts, unit: int) -> None:
        super().__init__(counts)
        self._unit = unit
        self._unit_limbs = limbs(unit)
        self._terms = EntropyTerms(counts)
        self._levels = [int(size) for size in counts.levels]
        self._most_levels = max(self._levels, default=0)
        self._all_suit = unit * MOST_CONFIGURATIONS * self._most_levels <= _LARGEST_PENALTY
        # A search that works out most families by itself hardly needs Python.
        self.dear |= self._all_suit and self._tables.most_small > 0 and self.n * self._tables.cost > _DEAR_IN_ALL

    def with_counts(self, counts: Counts) -> PenalisedLikelihood:
        """The same score of other counts."""
        return PenalisedLikelihood(counts, self._unit)

    def joint_terms(self, child: int) -> SetTerms:
        """H."""
        return self._terms

    def parent_terms(self, child: int) -> SetTerms:
        """H."""
        return self._terms

    def offset(self, child: int, parents: int) -> int:
        """Minus the penalty of the family's free parameters."""
        return -self._unit * self._free(child, parents)

    def offsets_extended(self, child: int, parents: int) -> Terms:
        """Minus the penalties with one more parent."""
        offset = self.offset(child, parents)
        levels = self._counts.levels
        out = np.full((self.n, 2), NOT_A_CANDIDATE, dtype=np.int64)
        # As many levels as fit: beyond, the product would not.
        fits = levels <= (_LARGEST_PENALTY // -offset if offset else levels)
        if fits.any():
            hi, lo = limbs(offset)
            low = lo * levels[fits]
            out[fits, 0] = hi * levels[fits] + (low >> LO_BITS)
            out[fits, 1] = low & LO_MASK
        return out

    def write_first_changes(self, out: Changes) -> list[int]:
        """Write the changes of all variables without parents at once, and return their scores."""
        if self._tables.wide or self._unit * self._most_levels**2 > _LARGEST_PENALTY:
            return super().write_first_changes(out)
        owns = np.empty((self.n, 2), dtype=np.int64)
        joint.first_likelihood_changes(
            self._tables.pairs,
            self._tables.level_sizes,
            self._tables.first,
            self._tables.levels,
            self._terms.table,
            *self._unit_limbs,
            owns,
            out,
        )
        return [joined(hi, lo) for hi, lo in owns.tolist()]

    def small_tables(self) -> Source:
        """What a compiled search works out families from by itself."""
        tables = self._tables
        if not self._all_suit or not tables.most_small:
            return NO_SOURCE
        return (
            *tables.rows_with_weights,
            self._counts.packed,
            tables.pairs,
            tables.first,
            tables.levels,
            tables.with_rows,
            self._terms.table,
            *self._unit_limbs,
            tables.most_small,
            tables.most_for_bits,
        )

    def suits_table(self, child: int, parents: int) -> bool:
        """Whether the penalties with one more parent fit the limbs."""
        return self._all_suit or self._unit * self._free(child, parents) * self._most_levels <= _LARGEST_PENALTY

    def read_changes(self, child: int, parents: int, table: JointTable, place: int, out: Changes) -> tuple[int, int]:
        """Write the changes of a family, whose child has this place in its table, and return limbs of its score."""
        hi, lo = joint.likelihood_changes(
            table.counts,
            table.sizes,
            table.members,
            place,
            self._tables.first,
            self._tables.levels,
            self._tables.with_rows,
            self._terms.table,
            *self._unit_limbs,
            out,
        )
        return hi, lo

    def _free(self, child: int, parents: int) -> int:
        """Number of free parameters."""
        return (self._levels[child] - 1) * math.prod(self._levels[u] for u in members(parents))


def bic(counts: Counts, k: float) -> FamilyScores:
    """BIC: k * ln(N) / 2 a free parameter."""
    return PenalisedLikelihood(counts, round(Fraction(k) * fixed_ln(counts.total) / 2))


def aic(counts: Counts, k: float) -> FamilyScores:
    """AIC: k a free parameter."""
    return PenalisedLikelihood(counts, round(Fraction(k) * UNIT))


def loglik(counts: Counts) -> PenalisedLikelihood:
    """Log-likelihood without a penalty."""
    return PenalisedLikelihood(counts, 0)


class DirichletScores(TabulatedScores):
    """Marginal likelihoods under Dirichlet priors.

    Parameters
    ----------
    counts : Counts
    iss : float
        Imaginary sample size, where the prior has one.
    """

    prior: int

    def __init__(self, counts: Counts, iss: float = 1.0) -> None:
        super().__init__(counts)
        self._iss = iss

    def with_counts(self, counts: Counts) -> DirichletScores:
        """The same score of other counts."""
        return type(self)(counts, self._iss)

    def read_changes(self, child: int, parents: int, table: JointTable, place: int, out: Changes) -> tuple[int, int]:
        """Write the changes of a family, whose child has this place in its table, and return limbs of its score."""
        hi, lo = joint.dirichlet_changes(
            table.counts,
            table.sizes,
            table.members,
            place,
            self._tables.first,
            self._tables.levels,
            self._tables.with_rows,
            self.prior,
            float(self._iss),
            out,
        )
        return hi, lo

    def offset(self, child: int, parents: int) -> int:
        """Nothing: everything is in the set terms."""
        return 0

    def offsets_extended(self, child: int, parents: int) -> Terms:
        """Nothing."""
        return np.zeros((self.n, 2), dtype=np.int64)


class BDeu(DirichletScores, DifferenceScores):
    """Bayesian Dirichlet equivalent uniform score (equation 3 of the paper).

    The prior count of a cell is iss over the number of cells, so both terms are one function of sets.
    """

    prior = joint.EVENLY

    def joint_terms(self, child: int) -> SetTerms:
        """The Dirichlet terms of the cells."""
        return self._terms

    def parent_terms(self, child: int) -> SetTerms:
        """The same function."""
        return self._terms

    @cached_property
    def _terms(self) -> SetTerms:
        return DirichletTerms(self._counts, lambda states: float(Fraction(self._iss) / states))


class K2(DirichletScores, DifferenceScores):
    """Cooper and Herskovits' K2 score: a prior count of 1 in every cell. Not score-equivalent."""

    score_equivalent = False
    prior = joint.BY_ONE

    def joint_terms(self, child: int) -> SetTerms:
        """Cells with a prior count of 1."""
        return self._terms_with(1)

    def parent_terms(self, child: int) -> SetTerms:
        """Parent configurations with the prior count of a whole row of cells, r_v."""
        return self._terms_with(int(self._counts.levels[child]))

    def _terms_with(self, count: int) -> SetTerms:
        if count not in self._terms:
            self._terms[count] = DirichletTerms(self._counts, lambda states: float(count))
        return self._terms[count]

    @cached_property
    def _terms(self) -> dict[int, SetTerms]:
        return {}


class BDs(DirichletScores):
    """Scutari's Bayesian Dirichlet sparse score: the prior mass is shared by the parent configurations that occur.

    The prior of a cell depends on which of its variables is the child, so nothing is shared between
    families, and the score is not score-equivalent.
    """

    score_equivalent = False
    prior = joint.SPARSELY

    def family(self, child: int, parents: int) -> int:
        """Score of a child with a set of parents."""
        parent_cells = self._counts.cells(members(parents))
        cells = self._counts.cells(members(parents | bit(child)))
        share = Fraction(self._iss) / parent_cells.size
        own = joined(*counting.sum_ln_rising(cells, float(share / int(self._counts.levels[child]))))
        return own - joined(*counting.sum_ln_rising(parent_cells, float(share)))

    def extended(self, child: int, parents: int) -> Terms:
        """Scores of a child with the parents and u, limbs in row u; rows of the family's members mean nothing."""
        out = np.zeros((self.n, 2), dtype=np.int64)
        for u in range(self.n):
            if not (parents | bit(child)) & bit(u):
                out[u] = limbs(self.family(child, parents | bit(u)))
        return out
