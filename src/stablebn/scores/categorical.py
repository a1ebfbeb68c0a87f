"""Scores of categorical data: penalised log-likelihoods and Dirichlet marginal likelihoods (SPEC 2)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from stablebn.kernels import counting
from stablebn.kernels.logarithm import LO_BITS, LO_MASK, UNIT, fixed_ln, joined, limbs
from stablebn.scores.families import NOT_A_CANDIDATE, Changes, DifferenceScores, FamilyScores
from stablebn.scores.set_terms import DirichletTerms, EntropyTerms, SetTerms
from stablebn.scores.variable_sets import bit, members
from stablebn.stats.counts import Counts, Terms

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
        self._terms = EntropyTerms(counts)

    def joint_terms(self, child: int) -> SetTerms:
        """H."""
        return self._terms

    def parent_terms(self, child: int) -> SetTerms:
        """H."""
        return self._terms

    def offset(self, child: int, parents: int) -> int:
        """Minus the penalty of the family's free parameters."""
        free = (int(self._counts.levels[child]) - 1) * self._counts.states(members(parents))
        return -self._unit * free

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

    def compute_changes(self, child: int, parents: int) -> tuple[int, Changes]:
        """What `changes` gives; small families in one pass, where the sets of the terms need two."""
        offset = self.offset(child, parents)
        inside = members(parents)
        found = None
        if inside and -offset * int(self._counts.levels.max()) <= _LARGEST_PENALTY:
            found = self._counts.likelihood_changes(child, inside, self._terms.table)
        if found is None:
            return super().compute_changes(child, parents)
        hi, lo, terms = found
        changes = np.zeros((self.n, 3), dtype=np.int64)
        # One more parent multiplies the parameters by its levels, one less divides them.
        offset_hi, offset_lo = limbs(offset)
        more = self._counts.levels - 1
        changes[:, 0] = terms[:, 0] + offset_hi * more
        changes[:, 1] = terms[:, 1] + offset_lo * more
        for u in inside:
            less_hi, less_lo = limbs(offset // int(self._counts.levels[u]) - offset)
            changes[u, 0] = terms[u, 0] + less_hi
            changes[u, 1] = terms[u, 1] + less_lo
        return joined(hi, lo) + offset, changes

    def reordered(self, order: Sequence[int]) -> FamilyScores:
        """The same score for variables renumbered so that new i is old order[i]."""
        scores = PenalisedLikelihood(self._counts.reordered(order), self._unit)
        scores._terms.adopt(self._terms, order)
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
