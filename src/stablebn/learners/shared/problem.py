"""A table made ready for a learner: its variables by canonical number, with their scores and orders.

This is where names and columns end: everything a learner sees is a number that depends on the data alone.
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
from stablebn.search.search_log import Journal
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
        """How many problems may be solved at once."""

    def problem(self, seed: int, replicate: int) -> Problem:
        """The problem of a bootstrap sample, for the variables that still vary in it."""


@dataclass(frozen=True)
class Problem:
    """What a learner learns from.

    Attributes
    ----------
    names : tuple of names
        Name of each variable; learners do not look.
    statistics : Statistics
        What scores and tests of independence are made from.
    scores : CompiledScores
    score_config : ScoreConfig
        Which scores these are.
    decreasing : tuple of int
        Variables by decreasing sort key (specification, section 4).
    given : tuple of int
        Variables as the columns stood in the table.
    tied : bool
        Whether more than the sort keys was needed to number the variables.
    interchangeable : tuple of tuples of int
        Variables between which only names can decide, as a symmetry of the data exchanges them.
    undecided : tuple of int
        Variables between which names have decided, as it would have taken too long to see whether they must.
    constraints : Constraints or None
        What every graph must obey; None: all do.
    start : tuple of int or None
        Parent set of each variable in the DAG to start from.
    test : IndependenceTest or None
        A test to use instead of one of the data, for instance an oracle.
    deadline : float or None
        When a learner should return what it has, in terms of `time.monotonic`.
    interruption : Interruption or None
        Whether somebody asks it to return what it has before.
    watch : callable or None
        Called with the name of the search under way and its number of steps.
    journal : Journal or None
        Where a learner notes what it has found, to go on from there another time.
    resampling : Resampling or None
        Draws rows and makes the same problem of them, for a learner that averages.
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
        """Whether a learner should return what it has."""
        return self.is_interrupted() or (self.deadline is not None and _is_past(self.deadline))

    def is_interrupted(self) -> bool:
        """Whether somebody has asked a learner to return what it has."""
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
    """Number a table's variables canonically and find their decreasing order.

    Parameters
    ----------
    table : Table, BlockTable or RowSource
    config : ScoreConfig
    unit_free : bool
        Learn from the correlations of continuous variables alone.
    relation : Relation, optional
        Between the columns of the table, given besides the data, for instance a graph.
    constraints : Constraints, optional
        What every graph over the columns of the table must obey.
    called : mapping of name to name, optional
        The names to decide by where not their own, see `canonical_order`.
    threads : int
    deadline : float, optional
        When names must decide between variables, and a learner must return what it has, at the latest, in terms of
        `time.monotonic`.
    watch : callable, optional
        Called with what is under way, and how far it is; by the learner too.
    """
    work = WorkOnTable(table, threads=threads, deadline=deadline, watch=watch)
    return work.problem(config, unit_free=unit_free, relation=relation, constraints=constraints, called=called)


class WorkOnTable:
    """A table from which several problems may be made, which share its statistics and scores.

    Parameters
    ----------
    table, threads, deadline, watch
        As in `define_problem`.
    latest : float, optional
        When to give up if there are no statistics yet, in terms of `time.monotonic`: `_core.TimeIsUp` is raised.

    Attributes
    ----------
    seconds_of_ordering : float
        How long it took to number the variables of the last problem.
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
        """The statistics of the table, made when they are first asked for."""
        if unit_free not in self._statistics:
            self.check_memory()
            if self.watch is not None:
                self.watch("counting", 0)
            count = partial(statistics_of, self._table, unit_free=unit_free, threads=self._threads)
            self._statistics[unit_free] = self._by(self._latest, count)
        return self._statistics[unit_free]

    def scores(self, config: ScoreConfig, *, unit_free: bool) -> CompiledScores:
        """The scores of families, made when they are first asked for."""
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
        """Number the variables for the score of a graph, which has the units of the columns.

        Parameters
        ----------
        config : ScoreConfig
        graph : Relation
            Between the columns of the table.
        unit_free : bool
            Whether the variables are told apart without their units.
        """
        statistics = self.statistics(unit_free=unit_free)
        return self._by(None, lambda: number_variables(measured(statistics), config, [graph]))

    def check_memory(self) -> None:
        """Raise `DataError` if there is too little memory for what is kept of every pair of variables."""
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
    """Number variables canonically: by their statistics, and by relations between them where these leave them tied.

    The numbers of continuous variables follow the unit-free order even where the processing order does not: the order
    of elimination in determinants, and with it their last bits, must not change with a column's unit.
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
        told = canonical_order(
            statistics,
            scores,
            unit_free=statistics.unit_free,
            relations=relations,
            called=called,
            deadline=deadline,
            watch=watch,
        )
        if not KINDS[statistics.kind].has_units or statistics.unit_free:
            return told, told.order
        return told, unit_free_numbers(statistics, scores, told.order)

    try:
        told, numbering = ordered() if deadline is None else within_time(deadline, ordered)
    except _core.TimeIsUp:
        told = order_by_names(statistics.names, called)
        numbering = told.order
    number = [0] * len(numbering)
    for v, column in enumerate(numbering):
        number[column] = v
    return Problem(
        names=tuple(statistics.names[column] for column in numbering),
        statistics=statistics.reordered(numbering),
        scores=scores.reordered(numbering),
        score_config=config,
        decreasing=tuple(number[column] for column in told.order),
        given=tuple(number),
        tied=told.tied,
        interchangeable=tuple(tuple(number[column] for column in group) for group in told.interchangeable),
        undecided=tuple(number[column] for column in told.undecided),
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
    """Return whether a graph is scored by these statistics themselves: they know the units of the columns, if any."""
    return statistics.has_units


def measured(statistics: AnyStatistics) -> AnyStatistics:
    """The statistics by which a graph is scored: where these know nothing of units, others that do."""
    return statistics if statistics.has_units else statistics.measured()
