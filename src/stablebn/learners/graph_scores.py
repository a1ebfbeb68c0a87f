"""Scores of DAGs over the columns of a table: functions of the data and the DAG alone, as `stablebn.score` has them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from stablebn.data.table import Table
from stablebn.learners.problem import Problem, measured, number_variables
from stablebn.scores.families import CompiledScores
from stablebn.scores.registry import ScoreConfig, family_scores, numbers_matter
from stablebn.stats import statistics_of
from stablebn.stats.symmetry import Relation
from stablebn.stats.variable_sets import bit, members


class GraphScores:
    """Scores of DAGs, many of them with little work where numbers of variables do not depend on the DAG.

    Variables are the columns of the table as they stand, sets of them the bits of an int. Scores are exact integers in
    units of 2**-62 nats.

    Parameters
    ----------
    table : Table
    config : ScoreConfig
    unit_free : bool
        Whether continuous columns were learned from free of units: their last digits follow.
    threads : int
    """

    def __init__(self, table: Table, config: ScoreConfig, *, unit_free: bool, threads: int = 1) -> None:
        self._config = config
        self._numbered: Problem | None = None
        self._scores: CompiledScores
        if numbers_matter(table, config):
            self._statistics = measured(statistics_of(table, unit_free=unit_free, threads=threads))
            self._numbered = number_variables(self._statistics, config)
            self._scores = self._numbered.scores
        else:
            # Counts have no order: there is nothing to number.
            self._scores = family_scores(table, config, threads=threads)

    def of_dag(self, families: Sequence[int]) -> int | None:
        """The score of a DAG; None where rows are too few for one of its families.

        Parameters
        ----------
        families : sequence of int
            Parent set of each variable.
        """
        if self._numbered is None:
            return _summed(self._scores, enumerate(families))
        problem = self._numbered
        if problem.tied:
            # The last bits of determinants depend on numbers that the data leave open: there the DAG has a say.
            marks = np.array([[family >> u & 1 for family in families] for u in range(len(families))], dtype=np.int64)
            problem = number_variables(self._statistics, self._config, [Relation(marks)])
        return _summed(problem.scores, _renumbered(problem, enumerate(families)))

    def beside(self, families: Sequence[int], changes: Iterable[Mapping[int, int]]) -> Iterator[int | None]:
        """The scores of DAGs that differ from one in some families.

        Parameters
        ----------
        families : sequence of int
            Parent set of each variable in that one.
        changes : iterable of mappings from variable to parent set
        """
        alike = self._numbered is None or not self._numbered.tied
        total = self.of_dag(families) if alike else None
        for change in changes:
            if total is None:
                yield self.of_dag([change.get(v, family) for v, family in enumerate(families)])
                continue
            gained, lost = map(self._sum, (change.items(), [(v, families[v]) for v in change]))
            yield None if gained is None or lost is None else total + gained - lost

    def _sum(self, families: Iterable[tuple[int, int]]) -> int | None:
        """The score of some families of any DAG, where all have the same numbers."""
        if self._numbered is not None:
            families = _renumbered(self._numbered, families)
        return _summed(self._scores, families)


def _renumbered(problem: Problem, families: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    for v, family in families:
        yield problem.given[v], sum(bit(problem.given[u]) for u in members(family))


def _summed(scores: CompiledScores, families: Iterable[tuple[int, int]]) -> int | None:
    total = 0
    for v, family in families:
        if not scores.is_candidate(v, family):
            return None
        total += scores.family(v, family)
    return total
