"""Scores of tables with holes: penalised node-average likelihoods.

The parents of a variable are weighed one after another, the one that gains most first: what it adds to the mean
log-likelihood, times N, over the n rows in which it, the variable and the parents before it are known, less N / n times
the usual penalty of its parameters. With and without a parent the rows are the same; those of two families are not, so
the scores of the DAGs of one class differ.

References
----------
Balov, "Consistent model selection of discrete Bayesian networks from incomplete data", 2013.
Bodewes and Scutari, "Learning Bayesian networks from incomplete data with the node-average likelihood", 2021.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from stablebn import _core
from stablebn.fixed_point import limbs
from stablebn.scores.base import CompiledScores
from stablebn.stats.counts import Counts
from stablebn.stats.incomplete import AvailableMoments
from stablebn.stats.variable_sets import bit


class NodeAverageScores(CompiledScores):
    """A penalised node-average likelihood.

    Parameters
    ----------
    compiled : _core.NodeAverageScores
    total : int
        Rows, by weight.
    unit : int
        Penalty of one free parameter in units of 2**-62, where all rows are known.
    """

    score_equivalent = False
    # Of parents that gain the same, to the last bit, the lower number is weighed first.
    eliminates = True

    def __init__(self, compiled: _core.NodeAverageScores, total: int, unit: int) -> None:
        super().__init__(compiled)
        self._averages = compiled
        self._total = total
        self._unit = unit

    def _renumbered(self, order: Sequence[int]) -> _core.NodeAverageScores:
        renumbered = self._averages.reordered(list(order))
        assert isinstance(renumbered, _core.NodeAverageScores)
        return renumbered

    @abstractmethod
    def free_parameters(self, child: int, parents: Sequence[int]) -> int:
        """Free parameters of a child with its parents."""

    def is_candidate(self, child: int, parents: int) -> bool:
        """Whether there are rows enough in which a child and its parents are known."""
        return super().is_candidate(child, parents) and self._averages.is_scored(child, parents)

    def complete_rows(self, child: int, parents: int) -> int:
        """How many rows, by weight, have a child and its parents known."""
        return self._averages.complete_rows(parents | bit(child))

    def whole(self, child: int, parents: int, term: int) -> int:
        """The score of a family: the term of the core less the penalty of its free parameters, which may be huge."""
        given: list[int] = []
        free = self.free_parameters(child, given)
        penalty = self._unit * free
        for parent, rows in self._averages.steps(child, parents):
            given.append(parent)
            before, free = free, self.free_parameters(child, given)
            penalty += (self._unit * self._total + rows // 2) // rows * (free - before)
        return term - penalty


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
        super().__init__(compiled or _core.NodeAverageLikelihood(counts.compiled, *limbs(unit)), counts.total, unit)
        self._counts = counts

    def reordered(self, order: Sequence[int]) -> CategoricalAverage:
        """The same score for variables renumbered so that new i is old order[i]."""
        return CategoricalAverage(self._counts.reordered(order), self._unit, self._renumbered(order))

    def free_parameters(self, child: int, parents: Sequence[int]) -> int:
        """(r_v - 1) * prod r_s."""
        return (self._counts.levels[child] - 1) * self._counts.states(parents)


class GaussianAverage(NodeAverageScores):
    """Of continuous variables, with parents + 2 parameters.

    Parameters
    ----------
    moments : AvailableMoments
    unit : int
        Penalty of one parameter in units of 2**-62.
    compiled : _core.NodeAverageScores
    """

    def __init__(self, moments: AvailableMoments, unit: int, compiled: _core.NodeAverageScores) -> None:
        super().__init__(compiled, moments.total, unit)
        self.moments = moments
        self.unit = unit
        # Without units every variable has a deviation of 1.
        deviations = moments.deviations if moments.has_units else [(1.0, 0)] * moments.n
        logarithms = [_core.ln(mantissa) + power * _core.ln_of_integer(2) for mantissa, power in deviations]
        self._of_units = [-moments.total * logarithm for logarithm in logarithms]

    def reordered(self, order: Sequence[int]) -> GaussianAverage:
        """The same score for variables renumbered so that new i is old order[i]."""
        return GaussianAverage(self.moments.reordered(order), self.unit, self._renumbered(order))

    def free_parameters(self, child: int, parents: Sequence[int]) -> int:
        """A coefficient for each parent, a mean and a variance."""
        return len(parents) + 2

    def whole(self, child: int, parents: int, term: int) -> int:
        """The score of a family, with what the unit of the child adds to it."""
        return super().whole(child, parents, term) + self._of_units[child]


def gaussian_average(moments: AvailableMoments, constant: int, unit: int) -> GaussianAverage:
    """The score with a penalty for each parameter.

    Parameters
    ----------
    moments : AvailableMoments
    constant, unit : int
        -(N/2) ln(2 pi), and the penalty of one parameter, in units of 2**-62.
    """
    compiled = _core.NodeAverageGaussian(moments.compiled, limbs(constant), limbs(unit), moments.threads)
    return GaussianAverage(moments, unit, compiled)
