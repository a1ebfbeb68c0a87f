"""The problem of an algorithm: variables by canonical number, with their scores and orders.

Names and columns end here: an algorithm sees only numbers that depend on the data alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol, TypeVar

from stablebn import _core
from stablebn.canonical import RefinedOrder, canonical_order, order_by_names, unit_free_numbers
from stablebn.ci_tests import IndependenceTest
from stablebn.knowledge.constraints import Constraints
from stablebn.learners.shared.interruption import Interruption
from stablebn.learners.shared.memory_estimate import check_memory_for, out_of_memory
from stablebn.scores.base import CompiledScores
from stablebn.scores.registry import ScoreConfig, scores_from
from stablebn.search.journal import Journal
from stablebn.stats import (
    AnyStatistics,
    statistics_of,
)
from stablebn.stats.row_source import RowSource
from stablebn.stats.symmetries.symmetry import Relation
from stablebn.table.blocks import AnyTable
from stablebn.table.data_kinds import KINDS
from stablebn.table.table import Name

_Made = TypeVar("_Made")


class Resampling(Protocol):
    """Draws rows with replacement."""

    @property
    def threads(self) -> int:
        """Number of problems that may be solved at once."""

    def problem(self, seed: int, replicate: int) -> Problem:
        """Return the problem of a bootstrap sample, for the variables that still vary in it."""


@dataclass(frozen=True)
class Problem:
    """The input of an algorithm.

    Attributes
    ----------
    names : tuple of names
        Name of each variable; algorithms do not use them.
    statistics : Statistics
        The source of scores and tests of independence.
    scores : CompiledScores
    score_config : ScoreConfig
        The options of these scores.
    decreasing : tuple of int
        Variables by decreasing sort key (specification, section 4).
    given : tuple of int
        Variables in the order of the columns of the table.
    tied : bool
        Whether the sort keys alone did not decide the numbers of the variables.
    interchangeable : tuple of tuples of int
        Groups of variables that a symmetry of the data exchanges, so that only names can decide between them.
    undecided : tuple of int
        Variables ordered by name because it would have taken too long to check whether the data distinguish them.
    constraints : Constraints or None
        Constraints on every graph; None: no constraints.
    start : tuple of int or None
        Parent set of each variable in the DAG to start from.
    test : IndependenceTest or None
        A test to use instead of one of the data, for instance an oracle.
    deadline : float or None
        When an algorithm should return its result so far, in terms of `time.monotonic`.
    interruption : Interruption or None
        Whether a signal asks it to return its result so far.
    watch : callable or None
        Called with the name of the current search and its number of steps.
    journal : Journal or None
        Records the progress of an algorithm, so that a later run can continue from there.
    resampling : Resampling or None
        Makes the same problem for bootstrap samples, for an algorithm that averages; None if the time was up before.
    """

    names: tuple[Name, ...]
    statistics: AnyStatistics
    scores: CompiledScores
    score_config: ScoreConfig
    decreasing: tuple[int, ...]
    given: tuple[int, ...]
    tied: bool = False
    interchangeable: tuple[tuple[int, ...], ...] = ()
    undecided: tuple[int, ...] = ()
    constraints: Constraints | None = None
    start: tuple[int, ...] | None = None
    test: IndependenceTest | None = None
    deadline: float | None = None
    interruption: Interruption | None = None
    watch: Callable[[str, int], None] | None = None
    journal: Journal | None = None
    resampling: Resampling | None = None

    def time_is_up(self) -> bool:
        """Return whether an algorithm should return its result so far."""
        return self.is_interrupted() or (self.deadline is not None and _is_past(self.deadline))

    def is_interrupted(self) -> bool:
        """Return whether a signal asks an algorithm to return its result so far."""
        return self.interruption is not None and self.interruption.is_asked()

    @property
    def increasing(self) -> tuple[int, ...]:
        """The exact reverse of `decreasing`."""
        return self.decreasing[::-1]


def define_problem(
    table: AnyTable | RowSource,
    config: ScoreConfig,
    *,
    unit_free: bool = False,
    relation: Relation | None = None,
    constraints: Constraints | None = None,
    called: Mapping[Name, Name] | None = None,
    threads: int = 1,
    deadline: float | None = None,
    watch: Callable[[str, int], None] | None = None,
) -> Problem:
    """Number the variables of a table canonically and find their decreasing order.

    Parameters
    ----------
    table : Table, BlockTable or RowSource
    config : ScoreConfig
    unit_free : bool
        Learn from the correlations of continuous variables alone.
    relation : Relation, optional
        A relation between the columns, given besides the data, for instance a graph.
    constraints : Constraints, optional
        Constraints on every graph over the columns of the table.
    called : mapping of name to name, optional
        Replacements of the names that break ties, see `canonical_order`.
    threads : int
    deadline : float, optional
        When names must decide between variables, and an algorithm must return its result so far, in terms of
        `time.monotonic`.
    watch : callable, optional
        Called with the current step and its progress; the algorithm calls it too.
    """
    work = WorkOnTable(table, threads=threads, deadline=deadline, watch=watch)
    return work.problem(config, unit_free=unit_free, relation=relation, constraints=constraints, called=called)


class WorkOnTable:
    """A table from which several problems are made; they share its statistics and scores.

    Parameters
    ----------
    table, threads, deadline, watch
        As in `define_problem`.
    latest : float, optional
        When to raise `_core.TimeIsUp` if there are no statistics yet, in terms of `time.monotonic`.

    Attributes
    ----------
    seconds_of_ordering : float
        Time that the numbering of the variables of the last problem took.
    """

    def __init__(
        self,
        table: AnyTable | RowSource,
        *,
        threads: int = 1,
        deadline: float | None = None,
        latest: float | None = None,
        watch: Callable[[str, int], None] | None = None,
    ) -> None:
        self.deadline = deadline
        self.watch = watch
        self._table = table
        self._threads = threads
        self._latest = latest
        self._statistics: dict[bool, AnyStatistics] = {}
        self._scores: dict[tuple[bool, ScoreConfig], CompiledScores] = {}
        self.seconds_of_ordering = 0.0

    def statistics(self, *, unit_free: bool) -> AnyStatistics:
        """Return the statistics of the table; they are computed once."""
        if unit_free not in self._statistics:
            self.check_memory()
            if self.watch is not None:
                self.watch("counting", 0)
            count = partial(statistics_of, self._table, unit_free=unit_free, threads=self._threads)
            self._statistics[unit_free] = self._by(self._latest, count)
        return self._statistics[unit_free]

    def scores(self, config: ScoreConfig, *, unit_free: bool) -> CompiledScores:
        """Return the family scores; they are made once."""
        key = unit_free, config
        if key not in self._scores:
            statistics = self.statistics(unit_free=unit_free)
            self._scores[key] = self._by(self._latest, partial(scores_from, statistics, config))
        return self._scores[key]

    def problem(
        self,
        config: ScoreConfig,
        *,
        unit_free: bool = False,
        relation: Relation | None = None,
        constraints: Constraints | None = None,
        called: Mapping[Name, Name] | None = None,
    ) -> Problem:
        """Make a problem; for the parameters see `define_problem`."""
        relations = [] if relation is None else [relation]
        if constraints is not None and constraints.is_everything:
            constraints = None
        if constraints is not None:
            relations.append(constraints.relation())
        statistics = self.statistics(unit_free=unit_free)
        scores = self.scores(config, unit_free=unit_free)
        if self.watch is not None:
            self.watch("ordering", 0)
        number = partial(_numbered, statistics, scores, config, relations, called, self.deadline, self.watch)
        began = time.monotonic()
        problem = self._by(None, number)
        self.seconds_of_ordering = time.monotonic() - began
        return problem if constraints is None else replace(problem, constraints=constraints.renumbered(problem.given))

    def problem_of_score(self, config: ScoreConfig, graph: Relation, *, unit_free: bool) -> Problem:
        """Number the variables for the score of a graph, in the units of the columns.

        Parameters
        ----------
        config : ScoreConfig
        graph : Relation
            The graph, as a relation between the columns of the table.
        unit_free : bool
            Whether to order the variables without their units.
        """
        statistics = self.statistics(unit_free=unit_free)
        return self._by(None, lambda: number_variables(measured(statistics), config, [graph]))

    def check_memory(self) -> None:
        """Raise `DataError` if the statistics of all pairs of variables do not fit into memory."""
        check_memory_for(self._table)

    def _by(self, latest: float | None, work: Callable[[], _Made]) -> _Made:
        try:
            return work() if latest is None else within_time(latest, work)
        except MemoryError as error:
            raise out_of_memory(self._table) from error


def number_variables(
    statistics: AnyStatistics,
    config: ScoreConfig,
    relations: Sequence[Relation] = (),
    called: Mapping[Name, Name] | None = None,
    deadline: float | None = None,
    watch: Callable[[str, int], None] | None = None,
) -> Problem:
    """Number variables canonically by their statistics, and by relations between variables that are still tied.

    The numbers of continuous variables follow the unit-free order even if the processing order does not: the order of
    elimination in determinants, and with it their last bits, must not change with the unit of a column.
    """
    return _numbered(statistics, scores_from(statistics, config), config, relations, called, deadline, watch)


def _numbered(
    statistics: AnyStatistics,
    scores: CompiledScores,
    config: ScoreConfig,
    relations: Sequence[Relation],
    called: Mapping[Name, Name] | None,
    deadline: float | None,
    watch: Callable[[str, int], None] | None,
) -> Problem:
    def ordered() -> tuple[RefinedOrder, list[int]]:
        ordering = canonical_order(
            statistics,
            scores,
            unit_free=statistics.unit_free,
            relations=relations,
            called=called,
            deadline=deadline,
            watch=watch,
        )
        if not KINDS[statistics.kind].has_units or statistics.unit_free:
            return ordering, ordering.order
        return ordering, unit_free_numbers(statistics, scores, ordering.order)

    try:
        ordering, numbering = ordered() if deadline is None else within_time(deadline, ordered)
    except _core.TimeIsUp:
        ordering = order_by_names(statistics.names, called)
        numbering = ordering.order
    number = [0] * len(numbering)
    for v, column in enumerate(numbering):
        number[column] = v
    return Problem(
        names=tuple(statistics.names[column] for column in numbering),
        statistics=statistics.reordered(numbering),
        scores=scores.reordered(numbering),
        score_config=config,
        decreasing=tuple(number[column] for column in ordering.order),
        given=tuple(number),
        tied=ordering.tied,
        interchangeable=tuple(tuple(number[column] for column in group) for group in ordering.interchangeable),
        undecided=tuple(number[column] for column in ordering.undecided),
        deadline=deadline,
        watch=watch,
    )


def _is_past(deadline: float) -> bool:
    return time.monotonic() > deadline


def within_time(deadline: float, work: Callable[[], _Made]) -> _Made:
    """Do some work; raise `_core.TimeIsUp` as soon as the deadline, in terms of `time.monotonic`, is past."""
    if _is_past(deadline):
        raise _core.TimeIsUp
    return _core.within_time(partial(_is_past, deadline), work)


def has_units(statistics: AnyStatistics) -> bool:
    """Return whether the statistics know the units of the columns, if any, so that they can score a graph."""
    return statistics.has_units


def measured(statistics: AnyStatistics) -> AnyStatistics:
    """Return statistics in the units of the columns, which score a graph."""
    return statistics if statistics.has_units else statistics.measured()
