"""Scores of tables with holes: penalised node-average likelihoods.

A family is scored on the rows in which the child and its parents are known: N times the mean log-likelihood of these,
less the usual penalty of N rows. Families have other rows than their neighbours, so the scores of the DAGs of one class
differ.

References
----------
Balov, "Consistent model selection of discrete Bayesian networks from incomplete data", 2013.
Bodewes and Scutari, "Learning Bayesian networks from incomplete data with the node-average likelihood", 2021.
"""

from __future__ import annotations

from collections.abc import Sequence

from stablebn import _core
from stablebn.fixed_point import limbs
from stablebn.scores.families import CompiledScores
from stablebn.stats.available import AvailableMoments
from stablebn.stats.counts import Counts
from stablebn.stats.variable_sets import bit, members


class NodeAverageScores(CompiledScores):
    """A penalised node-average likelihood.

    Parameters
    ----------
    compiled : _core.NodeAverageScores
    """

    score_equivalent = False

    def __init__(self, compiled: _core.NodeAverageScores) -> None:
        super().__init__(compiled)
        self._averages = compiled

    def _renumbered(self, order: Sequence[int]) -> _core.NodeAverageScores:
        renumbered = self._averages.reordered(list(order))
        assert isinstance(renumbered, _core.NodeAverageScores)
        return renumbered

    def is_candidate(self, child: int, parents: int) -> bool:
        """Whether there are rows enough in which a child and its parents are known."""
        return super().is_candidate(child, parents) and self._averages.is_scored(child, parents)

    def complete_rows(self, child: int, parents: int) -> int:
        """How many rows, by weight, have a child and its parents known."""
        return self._averages.complete_rows(parents | bit(child))


class CategoricalAverage(NodeAverageScores):
    """Of categorical variables, with (r_v - 1) * prod r_s free parameters.

    Parameters
    ----------
    counts : Counts
    unit : int
        Penalty of one free parameter in units of 2**-62.
    compiled : _core.NodeAverageScores, optional
        The same in the core, if it is there already.
    """

    def __init__(self, counts: Counts, unit: int, compiled: _core.NodeAverageScores | None = None) -> None:
        super().__init__(compiled or _core.NodeAverageLikelihood(counts.compiled, *limbs(unit)))
        self._counts = counts
        self._unit = unit

    def reordered(self, order: Sequence[int]) -> CategoricalAverage:
        """The same score for variables renumbered so that new i is old order[i]."""
        return CategoricalAverage(self._counts.reordered(order), self._unit, self._renumbered(order))

    def whole(self, child: int, parents: int, term: int) -> int:
        """The score of a family: the term of the core less the penalty of its free parameters, which may be huge."""
        return term - self._unit * (self._counts.levels[child] - 1) * self._counts.states(members(parents))


class GaussianAverage(NodeAverageScores):
    """Of continuous variables, with parents + 2 parameters.

    Parameters
    ----------
    moments : AvailableMoments
    compiled : _core.NodeAverageScores
    """

    eliminates = True

    def __init__(self, moments: AvailableMoments, compiled: _core.NodeAverageScores) -> None:
        super().__init__(compiled)
        self._moments = moments
        # Without units every variable has a deviation of 1.
        deviations = moments.deviations if moments.has_units else [(1.0, 0)] * moments.n
        logarithms = [_core.ln(mantissa) + power * _core.ln_of_integer(2) for mantissa, power in deviations]
        self._of_units = [-moments.total * logarithm for logarithm in logarithms]

    def reordered(self, order: Sequence[int]) -> GaussianAverage:
        """The same score for variables renumbered so that new i is old order[i]."""
        return GaussianAverage(self._moments.reordered(order), self._renumbered(order))

    def whole(self, child: int, parents: int, term: int) -> int:
        """The score of a family: the term of the core, and what the unit of the child adds to it."""
        return term + self._of_units[child]


def gaussian_average(moments: AvailableMoments, constant: int, unit: int) -> GaussianAverage:
    """The score with a penalty for each parameter.

    Parameters
    ----------
    moments : AvailableMoments
    constant, unit : int
        -(N/2) ln(2 pi), and the penalty of one parameter, in units of 2**-62.
    """
    compiled = _core.NodeAverageGaussian(moments.compiled, limbs(constant), limbs(unit), moments.threads)
    return GaussianAverage(moments, compiled)
