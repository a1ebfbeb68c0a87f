"""A table made ready for a learner: its variables by canonical number, with their scores and orders.

This is where names and columns end: everything a learner sees is a number that depends on the data alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from stablebn.data.table import Name, Table
from stablebn.independence import IndependenceTest
from stablebn.order import canonical_order
from stablebn.scores.families import CompiledScores
from stablebn.scores.registry import ScoreConfig, scores_from
from stablebn.stats import Counts, Moments, statistics_of


@dataclass(frozen=True)
class Problem:
    """What a learner learns from.

    Attributes
    ----------
    names : tuple of names
        Name of each variable; learners do not look.
    statistics : Counts or Moments
        What scores and tests of independence are made from.
    scores : CompiledScores
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
    """

    names: tuple[Name, ...]
    statistics: Counts | Moments
    scores: CompiledScores
    decreasing: tuple[int, ...]
    given: tuple[int, ...]
    start: tuple[int, ...] | None = None
    test: IndependenceTest | None = None
    deadline: float | None = None
    watch: Callable[[str, int], None] | None = None

    def time_is_up(self) -> bool:
        """Whether a learner should return what it has."""
        return self.deadline is not None and time.monotonic() > self.deadline

    @property
    def increasing(self) -> tuple[int, ...]:
        """The exact reverse of `decreasing`."""
        return self.decreasing[::-1]


def define_problem(table: Table, config: ScoreConfig, *, unit_free: bool = False, threads: int = 1) -> Problem:
    """Number a table's variables canonically and find their decreasing order.

    The numbers of continuous variables follow the unit-free order even where the processing order does not: the order
    of elimination in determinants, and with it their last bits, must not change with a column's unit.
    """
    statistics = statistics_of(table, threads=threads)
    scores = scores_from(statistics, config)
    order = numbering = canonical_order(statistics, scores, unit_free=unit_free)
    if isinstance(statistics, Moments) and not unit_free:
        numbering = canonical_order(statistics, scores, unit_free=True, last_resort=_places(order))
    number = _places(numbering)
    return Problem(
        names=tuple(table.names[column] for column in numbering),
        statistics=statistics.reordered(numbering),
        scores=scores.reordered(numbering),
        decreasing=tuple(number[column] for column in order),
        given=tuple(number),
    )


def _places(order: Sequence[int]) -> list[int]:
    """Place of each column in an order."""
    places = [0] * len(order)
    for place, column in enumerate(order):
        places[column] = place
    return places
