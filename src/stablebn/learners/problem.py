"""A table made ready for a learner: its variables by canonical number, with their scores and orders.

This is where names and columns end: everything a learner sees is a number that depends on the data alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from threading import Event

from stablebn.data.table import ContinuousTable, Name, Table
from stablebn.independence import IndependenceTest
from stablebn.order import canonical_order
from stablebn.scores.families import FamilyScores
from stablebn.scores.registry import ScoreConfig, scores_from, statistics_of
from stablebn.stats.counts import Counts
from stablebn.stats.moments import Moments


@dataclass(frozen=True)
class Problem:
    """What a learner learns from.

    Attributes
    ----------
    names : tuple of names
        Name of each variable; learners do not look.
    scores : FamilyScores
    as_given, numbering : Counts or Moments, tuple of int
        What the scores are made from, before the variables were numbered, and the column of each variable.
    decreasing : tuple of int
        Variables by decreasing sort key (SPEC section 4).
    given : tuple of int
        Variables as the columns stood in the table.
    start : tuple of int or None
        Parent set of each variable in the DAG to start from.
    test : IndependenceTest or None
        A test to use instead of one of the data, for instance an oracle.
    deadline : float or None
        When a learner should return what it has, in terms of `time.monotonic`.
    watch : callable or None
        Called with the name of the search under way and its number of steps.
    given_up : Event
        Set when nobody waits for the answer any more.
    """

    names: tuple[Name, ...]
    scores: FamilyScores
    as_given: Counts | Moments
    numbering: tuple[int, ...]
    decreasing: tuple[int, ...]
    given: tuple[int, ...]
    start: tuple[int, ...] | None = None
    test: IndependenceTest | None = None
    deadline: float | None = None
    watch: Callable[[str, int], None] | None = None
    given_up: Event = field(default_factory=Event)

    @cached_property
    def statistics(self) -> Counts | Moments:
        """What tests of independence are made from."""
        return self.as_given.reordered(self.numbering)

    def time_is_up(self) -> bool:
        """Whether a learner should return what it has."""
        return self.given_up.is_set() or (self.deadline is not None and time.monotonic() > self.deadline)

    @property
    def increasing(self) -> tuple[int, ...]:
        """The exact reverse of `decreasing`."""
        return self.decreasing[::-1]


def pose(table: Table, config: ScoreConfig, *, unit_free: bool = False, threads: int = 1) -> Problem:
    """Number a table's variables canonically and find their decreasing order.

    The numbers of continuous variables follow the unit-free order even where the processing order does not: the order
    of elimination in determinants, and with it their last bits, must not change with a column's unit.
    """
    statistics = statistics_of(table, threads=threads)
    scores = scores_from(statistics, config)
    order = numbering = canonical_order(table, scores, unit_free=unit_free)
    if isinstance(table, ContinuousTable) and not unit_free:
        numbering = canonical_order(table, scores, unit_free=True, last_resort=_places(order))
    number = _places(numbering)
    return Problem(
        names=tuple(table.names[column] for column in numbering),
        scores=scores.reordered(numbering),
        as_given=statistics,
        numbering=tuple(numbering),
        decreasing=tuple(number[column] for column in order),
        given=tuple(number),
    )


def _places(order: Sequence[int]) -> list[int]:
    """Place of each column in an order."""
    places = [0] * len(order)
    for place, column in enumerate(order):
        places[column] = place
    return places
