"""Scores of incomplete data: penalised node-average likelihoods.

The parents of a variable are scored one after another, the one with the largest gain first. A parent adds its gain of
the mean log-likelihood, times N, over the n rows in which the parent, the variable and the earlier parents are known,
less N / n times the usual penalty of its parameters. The likelihoods with and without a parent are on the same rows,
but those of two families are not, so that Markov equivalent DAGs may have different scores.

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
        Number of rows by weight.
    unit : int
        Penalty of one free parameter in units of 2**-62, if all rows are known.
    """

    score_equivalent = False
    # Of parents with exactly equal gains the lower number comes first.
    eliminates = True

    def __init__(self, compiled: _core.NodeAverageScores, total: int, unit: int) -> None:
        super().__init__(compiled)
        self._averages = compiled
        self._total = total
        self.unit = unit

    def _renumbered(self, order: Sequence[int]) -> _core.NodeAverageScores:
        renumbered = self._averages.reordered(list(order))
        assert isinstance(renumbered, _core.NodeAverageScores)
        return renumbered

    @abstractmethod
    def free_parameters(self, child: int, parents: Sequence[int]) -> int:
        """Return the number of free parameters of a child with its parents."""

    def is_candidate(self, child: int, parents: int) -> bool:
        """Return whether a child and its parents are known in enough rows."""
        return super().is_candidate(child, parents) and self._averages.is_scored(child, parents)

    def complete_rows(self, child: int, parents: int) -> int:
        """Return the number of rows, by weight, in which a child and its parents are known."""
        return self._averages.complete_rows(parents | bit(child))

    def full_score(self, child: int, parents: int, term: int) -> int:
        """Return the score of a family: the term of the core less the penalty of its parameters, which may be huge."""
        given: list[int] = []
        free = self.free_parameters(child, given)
        penalty = self.unit * free
        for parent, rows in self._averages.steps(child, parents):
            given.append(parent)
            before, free = free, self.free_parameters(child, given)
            penalty += (self.unit * self._total + rows // 2) // rows * (free - before)
        return term - penalty


class CategoricalAverage(NodeAverageScores):
    """Node-average likelihood of categorical variables, with (r_v - 1) * prod r_s free parameters.

    Parameters
    ----------
    counts : Counts
    unit : int
        Penalty of one free parameter in units of 2**-62.
    compiled : _core.NodeAverageScores, optional
        The score in the core, if it exists already.
    """

    def __init__(self, counts: Counts, unit: int, compiled: _core.NodeAverageScores | None = None) -> None:
        super().__init__(compiled or _core.NodeAverageLikelihood(counts.compiled, *limbs(unit)), counts.total, unit)
        self._counts = counts

    def reordered(self, order: Sequence[int]) -> CategoricalAverage:
        """Return the score with the variables renumbered: new variable i is old variable order[i]."""
        return CategoricalAverage(self._counts.reordered(order), self.unit, self._renumbered(order))

    def free_parameters(self, child: int, parents: Sequence[int]) -> int:
        """Return (r_v - 1) * prod r_s."""
        return (self._counts.levels[child] - 1) * self._counts.states(parents)


class GaussianAverage(NodeAverageScores):
    """Node-average likelihood of continuous variables, with parents + 2 parameters.

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
        # Without units every variable has deviation 1.
        deviations = moments.deviations if moments.has_units else [(1.0, 0)] * moments.n
        logarithms = [_core.ln(mantissa) + power * _core.ln_of_integer(2) for mantissa, power in deviations]
        self._of_units = [-moments.total * logarithm for logarithm in logarithms]

    def reordered(self, order: Sequence[int]) -> GaussianAverage:
        """Return the score with the variables renumbered: new variable i is old variable order[i]."""
        return GaussianAverage(self.moments.reordered(order), self.unit, self._renumbered(order))

    def free_parameters(self, child: int, parents: Sequence[int]) -> int:
        """Return the number of parameters: a coefficient per parent, a mean and a variance."""
        return len(parents) + 2

    def full_score(self, child: int, parents: int, term: int) -> int:
        """Return the score of a family, with the term of the child's unit."""
        return super().full_score(child, parents, term) + self._of_units[child]


def gaussian_average(moments: AvailableMoments, constant: int, unit: int) -> GaussianAverage:
    """Return the node-average score of continuous variables with a penalty per parameter.

    Parameters
    ----------
    moments : AvailableMoments
    constant, unit : int
        -(N/2) ln(2 pi), and the penalty of one parameter, in units of 2**-62.
    """
    compiled = _core.NodeAverageGaussian(moments.compiled, limbs(constant), limbs(unit), moments.threads)
    return GaussianAverage(moments, unit, compiled)
