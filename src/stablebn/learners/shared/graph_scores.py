"""Exact scores of DAGs that depend on the data and the DAG alone, as `stablebn.score` returns them."""

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
    """Scores of DAGs; many DAGs cost little if the numbers of the variables do not depend on the DAG.

    Sets of variables are the bits of an int. Scores are exact integers in units of 2**-62 nats.

    Parameters
    ----------
    config : ScoreConfig
    scores : CompiledScores or None
        Family scores, if they do not depend on the DAG; else None.
    statistics : AnyStatistics or None
        Statistics from which family scores are made per DAG: the last bits of a determinant depend on the order of
        elimination, hence on the numbers of variables that the data leave tied.
    """

    def __init__(self, config: ScoreConfig, scores: CompiledScores | None, statistics: AnyStatistics | None) -> None:
        self._config = config
        self._scores = scores
        self._statistics = statistics
        self._numbered: Problem | None = None

    @classmethod
    def of_problem(cls, problem: Problem) -> GraphScores:
        """Return the scores of DAGs over the variables of a problem."""
        if needs_numbers(problem):
            return cls(problem.score_config, None, measured(problem.statistics))
        return cls(problem.score_config, _with_units(problem, ()), None)

    @classmethod
    def by_numbers_of(cls, problem: Problem, families: Sequence[int]) -> GraphScores:
        """Return the scores of one DAG by the numbers of the search: fast, but not with all digits of `of_problem`.

        Parameters
        ----------
        problem : Problem
        families : sequence of int
            Parent set of each variable in the DAG.
        """
        return cls(problem.score_config, _with_units(problem, families), None)

    def of_dag(self, families: Sequence[int]) -> int | None:
        """Return the score of a DAG; None if there are too few rows for one of its families.

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
        """Return the score of each family of a DAG, which sum to its score, and of each variable without parents.

        A score is None if there are too few rows for the family.
        """
        if self._scores is None:
            self._numbered_for(families)
        scores = [self.of_family(v, family) for v, family in enumerate(families)]
        return scores, [self.of_family(v, 0) for v in range(len(families))]

    def depend_on_ties(self, families: Sequence[int]) -> bool:
        """Return whether another DAG may change the numbers of the variables, so that scoring each DAG is slow."""
        return self._scores is None and (self._numbered or self._numbered_for(families)).tied

    def beside(self, families: Sequence[int], changes: Iterable[Mapping[int, int]]) -> Iterator[int | None]:
        """Yield the scores of DAGs that differ from a given one in some families.

        Parameters
        ----------
        families : sequence of int
            Parent set of each variable in the given DAG.
        changes : iterable of mappings from variable to parent set
        """
        total = None if self.depend_on_ties(families) else self.of_dag(families)
        family_score = cache(lambda v: self.of_family(v, families[v]))
        for change in changes:
            if total is None:
                yield self.of_dag([change.get(v, family) for v, family in enumerate(families)])
                continue
            gained, lost = (
                _summed([self.of_family(v, family) for v, family in change.items()]),
                _summed(map(family_score, change)),
            )
            yield None if gained is None or lost is None else total + gained - lost

    def of_family(self, v: int, parents: int) -> int | None:
        """Return the score of a family, or None if there are too few rows for it.

        A DAG must have been scored before, and the numbers must not depend on the DAG (`depend_on_ties`).
        """
        scores = self._scores
        if scores is None:
            assert self._numbered is not None
            scores, number = self._numbered.scores, self._numbered.given
            v, parents = number[v], sum([bit(number[u]) for u in members(parents)])
        return scores.cached_family(v, parents) if scores.is_candidate(v, parents) else None

    def _numbered_for(self, families: Sequence[int]) -> Problem:
        """Return the problem numbered for a DAG, which decides between variables that the data leave tied."""
        assert self._statistics is not None
        if self._numbered is None or self._numbered.tied:
            arcs = Relation(matrix_of(families).T.astype(np.int64))
            self._numbered = number_variables(self._statistics, self._config, [arcs])
        return self._numbered


def needs_numbers(problem: Problem) -> bool:
    """Return whether the score of a DAG needs a new numbering, which takes longer than the first one did."""
    if not problem.scores.eliminates:
        return False
    # For mixed data the units add a known constant; all else are the same numbers.
    return problem.tied or (problem.statistics.kind != "mixed" and not has_units(problem.statistics))


def _with_units(problem: Problem, families: Sequence[int]) -> CompiledScores:
    """Return the scores of a problem in the units of the columns, by its numbers, at least for the given families."""
    statistics = problem.statistics
    if not problem.scores.eliminates or has_units(statistics):
        return problem.scores
    if isinstance(statistics, StandardisedMoments):
        within = statistics.measured_within([*members(family), v] for v, family in enumerate(families))
        return scores_from(within, problem.score_config)
    return scores_from(measured(statistics), problem.score_config)


def _summed(scores: Iterable[int | None]) -> int | None:
    """Return the sum; None if a term is None."""
    total = 0
    for score in scores:
        if score is None:
            return None
        total += score
    return total
