"""Scores of categorical data: penalised log-likelihoods and Dirichlet marginal likelihoods (SPEC 2)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from stablebn.kernels import counting, joint
from stablebn.kernels.logarithm import LO_BITS, LO_MASK, UNIT, fixed_ln, joined, limbs
from stablebn.scores.families import NOT_A_CANDIDATE, Changes, DifferenceScores, FamilyScores
from stablebn.scores.set_terms import DirichletTerms, EntropyTerms, SetTerms
from stablebn.stats.counts import Counts, Terms
from stablebn.stats.joint import JointTables
from stablebn.stats.variable_sets import bit, members

# A family whose penalty alone is beyond 2**30 nats is not a candidate: it would not fit the limbs.
_LARGEST_PENALTY = (1 << 30) * UNIT


class PenalisedLikelihood(DifferenceScores):
    """Log-likelihood less a penalty per free parameter: H(S + v) - H(S) - unit * (r_v - 1) * prod r_s.

    Parameters
    ----------
    counts : Counts
    unit : int
        Penalty of one free parameter in units of 2**-62.
    """

    def __init__(self, counts: Counts, unit: int) -> None:
        self.n = counts.n
        self.most_parents = counts.n
        self._counts = counts
        self._unit = unit
        self._unit_limbs = limbs(unit)
        self._terms = EntropyTerms(counts)
        self._tables = JointTables(counts)
        self._levels = [int(size) for size in counts.levels]
        self._most_levels = max(self._levels, default=0)

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

    def changes_without_parents(self) -> list[tuple[int, Changes]]:
        """What `changes` gives for every variable without parents, all at once."""
        if not self._tables.narrow.all() or self._is_too_large(self._unit * self._most_levels**2):
            return super().changes_without_parents()
        owns = np.empty((self.n, 2), dtype=np.int64)
        changes = np.zeros((self.n, self.n, 3), dtype=np.int64)
        joint.first_likelihood_changes(
            self._tables.pairs,
            self._tables.level_sizes,
            self._tables.first,
            self._tables.levels,
            self._terms.table,
            *self._unit_limbs,
            owns,
            changes,
        )
        return [(joined(hi, lo), own) for (hi, lo), own in zip(owns.tolist(), changes, strict=True)]

    def compute_changes(self, child: int, parents: int) -> tuple[int, Changes]:
        """What `changes` gives, from the joint table of the family where that is not too large."""
        free = self._free(child, parents)
        table = None
        if not self._is_too_large(self._unit * free * self._most_levels):
            table = self._tables.table(parents | bit(child))
        if table is None:
            return super().compute_changes(child, parents)
        changes = np.zeros((self.n, 3), dtype=np.int64)
        hi, lo = joint.likelihood_changes(
            table.counts,
            table.sizes,
            table.members,
            (parents & (bit(child) - 1)).bit_count(),
            self._tables.first,
            self._tables.levels,
            table.outside,
            self._terms.table,
            *self._unit_limbs,
            free,
            changes,
        )
        own = joined(hi, lo)
        for u in np.flatnonzero(~self._tables.narrow).tolist():
            if not (parents | bit(child)) & bit(u):
                changes[u] = *limbs(self.family(child, parents | bit(u)) - own), 0
        return own, changes

    def _free(self, child: int, parents: int) -> int:
        """Number of free parameters."""
        return (self._levels[child] - 1) * math.prod(self._levels[u] for u in members(parents))

    @staticmethod
    def _is_too_large(penalty: int) -> bool:
        return penalty > _LARGEST_PENALTY

    def reordered(self, order: Sequence[int]) -> FamilyScores:
        """The same score for variables renumbered so that new i is old order[i]."""
        scores = PenalisedLikelihood(self._counts.reordered(order), self._unit)
        scores._tables = self._tables.reordered(order, scores._counts)
        scores.adopt(self, order)
        return scores


def bic(counts: Counts, k: float) -> FamilyScores:
    """BIC: k * ln(N) / 2 a free parameter."""
    return PenalisedLikelihood(counts, round(Fraction(k) * fixed_ln(counts.total) / 2))


def aic(counts: Counts, k: float) -> FamilyScores:
    """AIC: k a free parameter."""
    return PenalisedLikelihood(counts, round(Fraction(k) * UNIT))


def loglik(counts: Counts) -> FamilyScores:
    """Log-likelihood without a penalty."""
    return PenalisedLikelihood(counts, 0)


class _NoOffset(DifferenceScores):
    """Marginal likelihoods: everything is in the set terms."""

    def offset(self, child: int, parents: int) -> int:
        """Nothing."""
        return 0

    def offsets_extended(self, child: int, parents: int) -> Terms:
        """Nothing."""
        return np.zeros((self.n, 2), dtype=np.int64)


class BDeu(_NoOffset):
    """Bayesian Dirichlet equivalent uniform score (equation 3 of the paper).

    The prior count of a cell is iss over the number of cells, so both terms are one function of sets.
    """

    def __init__(self, counts: Counts, iss: float) -> None:
        self.n = counts.n
        self.most_parents = counts.n
        self._counts = counts
        self._iss = iss
        self._terms = DirichletTerms(counts, lambda states: float(Fraction(iss) / states))

    def joint_terms(self, child: int) -> SetTerms:
        """The Dirichlet terms of the cells."""
        return self._terms

    def parent_terms(self, child: int) -> SetTerms:
        """The same function."""
        return self._terms

    def reordered(self, order: Sequence[int]) -> FamilyScores:
        """The same score for variables renumbered so that new i is old order[i]."""
        scores = BDeu(self._counts.reordered(order), self._iss)
        scores._terms.adopt(self._terms, order)
        return scores


class K2(_NoOffset):
    """Cooper and Herskovits' K2 score: a prior count of 1 in every cell. Not score-equivalent."""

    score_equivalent = False

    def __init__(self, counts: Counts) -> None:
        self.n = counts.n
        self.most_parents = counts.n
        self._counts = counts
        self._joint = DirichletTerms(counts, lambda states: 1.0)
        self._parent: dict[int, SetTerms] = {}

    def joint_terms(self, child: int) -> SetTerms:
        """Cells with a prior count of 1."""
        return self._joint

    def parent_terms(self, child: int) -> SetTerms:
        """Parent configurations with the prior count of a whole row of cells, r_v."""
        levels = int(self._counts.levels[child])
        if levels not in self._parent:
            self._parent[levels] = DirichletTerms(self._counts, lambda states: float(levels))
        return self._parent[levels]

    def reordered(self, order: Sequence[int]) -> FamilyScores:
        """The same score for variables renumbered so that new i is old order[i]."""
        scores = K2(self._counts.reordered(order))
        scores._joint.adopt(self._joint, order)
        return scores


class BDs(FamilyScores):
    """Scutari's Bayesian Dirichlet sparse score: the prior mass is shared by the parent configurations that occur.

    The prior of a cell depends on which of its variables is the child, so nothing is shared between
    families, and the score is not score-equivalent.
    """

    score_equivalent = False

    def __init__(self, counts: Counts, iss: float) -> None:
        self.n = counts.n
        self.most_parents = counts.n
        self._counts = counts
        self._iss = iss
        self._families: dict[tuple[int, int], int] = {}

    def family(self, child: int, parents: int) -> int:
        """Score of a child with a set of parents."""
        if (child, parents) not in self._families:
            parent_cells = self._counts.cells(members(parents))
            cells = self._counts.cells(members(parents | bit(child)))
            share = Fraction(self._iss) / parent_cells.size
            joint = joined(*counting.sum_ln_rising(cells, float(share / int(self._counts.levels[child]))))
            parent = joined(*counting.sum_ln_rising(parent_cells, float(share)))
            self._families[child, parents] = joint - parent
        return self._families[child, parents]

    def extended(self, child: int, parents: int) -> Terms:
        """Scores of a child with the parents and u, limbs in row u; rows of the family's members mean nothing."""
        out = np.zeros((self.n, 2), dtype=np.int64)
        for u in range(self.n):
            if not (parents | bit(child)) & bit(u):
                out[u] = limbs(self.family(child, parents | bit(u)))
        return out

    def reordered(self, order: Sequence[int]) -> FamilyScores:
        """The same score for variables renumbered so that new i is old order[i]."""
        return BDs(self._counts.reordered(order), self._iss)
