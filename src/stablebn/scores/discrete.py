"""Scores of categorical data: penalised, quotient and Dirichlet marginal likelihoods (specification, section 2)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache

from stablebn import _core
from stablebn.fixed_point import UNIT, limbs
from stablebn.scores.base import CompiledScores
from stablebn.scores.incomplete import CategoricalAverage
from stablebn.stats.counts import Counts
from stablebn.stats.variable_sets import bit, members


class PenalisedLikelihood(CompiledScores):
    """Log-likelihood less a penalty per free parameter: H(S + v) - H(S) - unit * (r_v - 1) * prod r_s.

    Parameters
    ----------
    counts : Counts
    unit : int
        Penalty of one free parameter in units of 2**-62.
    compiled : _core.FamilyScores, optional
        The score in the core, if it exists already.
    """

    def __init__(self, counts: Counts, unit: int, compiled: _core.FamilyScores | None = None) -> None:
        super().__init__(compiled or _core.PenalisedLikelihood(counts.compiled, *limbs(unit)))
        self._counts = counts
        self._unit = unit

    def reordered(self, order: Sequence[int]) -> PenalisedLikelihood:
        """Return the score with the variables renumbered: new variable i is old variable order[i]."""
        return PenalisedLikelihood(self._counts.reordered(order), self._unit, self.compiled.reordered(list(order)))

    def full_score(self, child: int, parents: int, term: int) -> int:
        """Return the score of a family: the term of the core less the penalty of its parameters, which may be huge."""
        configurations = self._counts.states(members(parents)) if parents else 1
        return term - self._unit * (self._counts.levels[child] - 1) * configurations


def penalised_likelihood(counts: Counts, unit: int) -> CompiledScores:
    """Return the log-likelihood, or the node average of incomplete data, less a penalty per free parameter."""
    return CategoricalAverage(counts, unit) if counts.has_missing else PenalisedLikelihood(counts, unit)


def bic(counts: Counts, k: float) -> CompiledScores:
    """Return BIC, with a penalty of k * ln(N) / 2 per free parameter."""
    return penalised_likelihood(counts, round(Fraction(k) * _core.ln_of_integer(counts.total) / 2))


def aic(counts: Counts, k: float) -> CompiledScores:
    """Return AIC, with a penalty of k per free parameter."""
    return penalised_likelihood(counts, round(Fraction(k) * UNIT))


def loglik(counts: Counts) -> CompiledScores:
    """Return the log-likelihood without a penalty."""
    return penalised_likelihood(counts, 0)


class QuotientLikelihood(CompiledScores):
    """Quotient normalised maximum likelihood: H(S + v) - H(S) - (regret(N, K of S + v) - regret(N, K of S)).

    K is the product of the numbers of levels of a set. The regret is that of a categorical distribution with K
    outcomes.

    Parameters
    ----------
    counts : Counts
    compiled : _core.FamilyScores, optional
        The score in the core, if it exists already.

    References
    ----------
    Silander, Leppa-aho, Jaasaari and Roos, "Quotient normalized maximum likelihood criterion for learning Bayesian
    network structures", 2018.
    Szpankowski and Weinberger, "Minimax pointwise redundancy for memoryless models over large alphabets", 2012.
    """

    def __init__(self, counts: Counts, compiled: _core.FamilyScores | None = None) -> None:
        super().__init__(compiled or _core.QuotientLikelihood(counts.compiled))
        self._counts = counts

    def reordered(self, order: Sequence[int]) -> QuotientLikelihood:
        """Return the score with the variables renumbered: new variable i is old variable order[i]."""
        return QuotientLikelihood(self._counts.reordered(order), self.compiled.reordered(list(order)))

    def is_candidate(self, child: int, parents: int) -> bool:
        """Return whether the family has at most `MOST_OUTCOMES` joint configurations."""
        return self._configurations(parents | bit(child)) <= MOST_OUTCOMES

    def full_score(self, child: int, parents: int, term: int) -> int:
        """Return the score of a family without the cost of its arcs: the core's term less the difference of regrets."""
        configurations = self._configurations(parents)
        outcomes = configurations * self._counts.levels[child]
        return term - _regret(self._counts.total, outcomes) + _regret(self._counts.total, configurations)

    def _configurations(self, variables: int) -> int:
        return self._counts.states(members(variables)) if variables else 1


MOST_OUTCOMES = 2**53
"""The largest number of joint configurations with a regret; `qnml` does not score larger families."""


@cache
def _regret(rows: int, outcomes: int) -> int:
    return _core.regret(rows, outcomes)


class DirichletScores(CompiledScores):
    """Marginal likelihoods under Dirichlet priors.

    Parameters
    ----------
    compiled : _core.DirichletScores
    score_equivalent : bool
    """

    def __init__(self, compiled: _core.FamilyScores, *, score_equivalent: bool) -> None:
        super().__init__(compiled)
        self.score_equivalent = score_equivalent

    def reordered(self, order: Sequence[int]) -> DirichletScores:
        """Return the score with the variables renumbered: new variable i is old variable order[i]."""
        return DirichletScores(self.compiled.reordered(list(order)), score_equivalent=self.score_equivalent)


def bdeu(counts: Counts, iss: float) -> DirichletScores:
    """Return the BDeu score: the prior mass iss is shared equally by all cells."""
    return DirichletScores(_core.DirichletScores(counts.compiled, "evenly", float(iss)), score_equivalent=True)


def bds(counts: Counts, iss: float) -> DirichletScores:
    """Return Scutari's Bayesian Dirichlet sparse score: parent configurations that occur share the prior mass.

    The prior of a cell depends on which of its variables is the child, so the score is not score-equivalent.
    """
    return DirichletScores(_core.DirichletScores(counts.compiled, "sparsely", float(iss)), score_equivalent=False)


def qnml(counts: Counts) -> QuotientLikelihood:
    """Return the quotient normalised maximum likelihood score; it has no parameter."""
    return QuotientLikelihood(counts)


def k2(counts: Counts) -> DirichletScores:
    """Return Cooper and Herskovits' K2 score: a prior count of 1 in every cell. It is not score-equivalent."""
    return DirichletScores(_core.DirichletScores(counts.compiled, "by-one", 1.0), score_equivalent=False)
