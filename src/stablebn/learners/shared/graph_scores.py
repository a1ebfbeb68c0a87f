"""Scores of DAGs: functions of the data and the DAG alone, as `stablebn.score` has them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache

import numpy as np

from stablebn.learners.shared.problem import Problem, has_units, measured, number_variables
from stablebn.scores.base import CompiledScores
from stablebn.scores.registry import ScoreConfig, scores_from
from stablebn.stats import AnyStatistics, StandardisedMoments
from stablebn.stats.symmetries.symmetry import Relation
from stablebn.stats.variable_sets import bit, matrix_of, members


class GraphScores:
    """Scores of DAGs, many of them with little work where numbers of variables do not depend on the DAG.

    Sets of variables are the bits of an int. Scores are exact integers in units of 2**-62 nats.

    Parameters
    ----------
    config : ScoreConfig
    scores : CompiledScores or None
        Those of families, where the DAG has no say in them; else None.
    statistics : AnyStatistics or None
        From which scores of families are made where the DAG has a say: the last bits of determinants depend on the
        order of elimination, and so on the numbers of variables that the data leave tied.
    """

    def __init__(self, config: ScoreConfig, scores: CompiledScores | None, statistics: AnyStatistics | None) -> None:
        self._config = config
        self._scores = scores
        self._statistics = statistics
        self._numbered: Problem | None = None

    @classmethod
    def of_problem(cls, problem: Problem) -> GraphScores:
        """Of DAGs over the variables of a problem."""
        if needs_numbers(problem):
            return cls(problem.score_config, None, measured(problem.statistics))
        return cls(problem.score_config, _with_units(problem, ()), None)

    @classmethod
    def by_numbers_of(cls, problem: Problem, families: Sequence[int]) -> GraphScores:
        """Of one DAG with the numbers of the search: quick, but its last digits may differ from those of `of_problem`.

        Parameters
        ----------
        problem : Problem
        families : sequence of int
            Parent set of each variable in the DAG.
        """
        return cls(problem.score_config, _with_units(problem, families), None)

    def of_dag(self, families: Sequence[int]) -> int | None:
        """The score of a DAG; None where rows are too few for one of its families.

        Parameters
        ----------
        families : sequence of int
            Parent set of each variable.
        """
        scores = self._scores
        if scores is not None:
            return scores.dag(families) if all(map(scores.is_candidate, range(scores.n), families)) else None
        self._numbered_for(families)
        return _summed(self.of_family(v, family) for v, family in enumerate(families))

    def of_families(self, families: Sequence[int]) -> tuple[list[int | None], list[int | None]]:
        """The score of each family of a DAG, whose sum is that of the DAG, and of each variable without parents.

        None where rows are too few for one.
        """
        if self._scores is None:
            self._numbered_for(families)
        own = [self.of_family(v, family) for v, family in enumerate(families)]
        return own, [self.of_family(v, 0) for v in range(len(families))]

    def depend_on_ties(self, families: Sequence[int]) -> bool:
        """Whether variables have other numbers for another DAG than this one, so that each takes long to score."""
        return self._scores is None and (self._numbered or self._numbered_for(families)).tied

    def beside(self, families: Sequence[int], changes: Iterable[Mapping[int, int]]) -> Iterator[int | None]:
        """The scores of DAGs that differ from one in some families.

        Parameters
        ----------
        families : sequence of int
            Parent set of each variable in that one.
        changes : iterable of mappings from variable to parent set
        """
        total = None if self.depend_on_ties(families) else self.of_dag(families)
        own = cache(lambda v: self.of_family(v, families[v]))
        for change in changes:
            if total is None:
                yield self.of_dag([change.get(v, family) for v, family in enumerate(families)])
                continue
            gained, lost = (
                _summed([self.of_family(v, family) for v, family in change.items()]),
                _summed(map(own, change)),
            )
            yield None if gained is None or lost is None else total + gained - lost

    def of_family(self, v: int, parents: int) -> int | None:
        """The score of a family of any DAG, once one was scored and where all have the same numbers (`depend_on_ties`).

        None where rows are too few for it.
        """
        scores = self._scores
        if scores is None:
            assert self._numbered is not None
            scores, number = self._numbered.scores, self._numbered.given
            v, parents = number[v], sum([bit(number[u]) for u in members(parents)])
        return scores.cached_family(v, parents) if scores.is_candidate(v, parents) else None

    def _numbered_for(self, families: Sequence[int]) -> Problem:
        """The variables by numbers, in which a DAG has a say where the data leave them tied."""
        assert self._statistics is not None
        if self._numbered is None or self._numbered.tied:
            arcs = Relation(matrix_of(families).T.astype(np.int64))
            self._numbered = number_variables(self._statistics, self._config, [arcs])
        return self._numbered


def needs_numbers(problem: Problem) -> bool:
    """Return whether variables are numbered again for the score of a DAG, which takes longer than their order did."""
    if not problem.scores.eliminates:
        return False
    # To mixed data units add a constant: all else is the same numbers, which are known.
    return problem.tied or (problem.statistics.kind != "mixed" and not has_units(problem.statistics))


def _with_units(problem: Problem, families: Sequence[int]) -> CompiledScores:
    """The scores of a problem with the units of the columns, by its own numbers; of these families at least."""
    statistics = problem.statistics
    if not problem.scores.eliminates or has_units(statistics):
        return problem.scores
    if isinstance(statistics, StandardisedMoments):
        within = statistics.measured_within([*members(own), v] for v, own in enumerate(families))
        return scores_from(within, problem.score_config)
    return scores_from(measured(statistics), problem.score_config)


def _summed(scores: Iterable[int | None]) -> int | None:
    """The sum; None if one is not there."""
    total = 0
    for own in scores:
        if own is None:
            return None
        total += own
    return total
