"""Search among orders of the variables, each with the best parents before it (`src/core/order_search/order_search.cpp`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from stablebn import _core
from stablebn.knowledge.constraints import Constraints
from stablebn.scores.base import CompiledScores
from stablebn.search.journal import Journal
from stablebn.stats.variable_sets import bit

# Seconds: no longer is the end of the time left unheard.
_SECONDS_AT_ONCE = 0.05

# Few enough that the end of the time is heard between them, many enough for threads.
_VARIABLES_AT_ONCE = 16

# With more variables, fewer families of each are looked at: there are more of them, and each has more ways to grow.
_USUAL_VARIABLES = 100

# With fewer rows a family costs no less.
_FEW_ROWS = 100

# A share of the families is looked at if each takes much longer than its counts alone.
_FEWER_EXPENSIVE_FAMILIES = 6

# Of the second search: with more families its attempts cost too much; with these, more rounds may be in vain.
_MOST_FAMILIES = 2_000
_TIMES_IN_VAIN = 2


@dataclass(frozen=True)
class Effort:
    """How much work a search among orders does; seconds play no part.

    Attributes
    ----------
    families : int
        How many families of a variable, those with the same number of parents, are extended before the search.
    closer : int
        How many are extended of those that fit a new best order.
    orders : int
        Orders that are improved side by side.
    attempts : int
        Attempts to improve each of them in a round.
    rounds_in_vain : int
        The search ends when so many rounds have brought nothing better.
    sets : int
        A second search among all families of up to two parents follows where there are no more of them than this: so
        many in a table of up to 100 rows, and fewer in one of more rows as these make each cost more.
    """

    families: int
    closer: int
    orders: int
    attempts: int
    rounds_in_vain: int
    sets: int = 0

    def for_variables(self, n: int, relative_cost: int = 1) -> Effort:
        """Return the effort for so many variables, with fewer families if each is expensive."""
        share = _USUAL_VARIABLES / max(n, _USUAL_VARIABLES)
        share_of_families = share / _FEWER_EXPENSIVE_FAMILIES if relative_cost > 1 else share
        return Effort(
            families=min(self.families, max(2, round(self.families * share_of_families))),
            closer=min(self.closer, max(2, round(self.closer * share_of_families))),
            orders=self.orders,
            attempts=min(self.attempts, max(5, round(self.attempts * share))),
            rounds_in_vain=self.rounds_in_vain,
            sets=self.sets,
        )


class OrderSearch:
    """Orders that are improved until nothing better is found.

    Parameters
    ----------
    scores : CompiledScores
    effort : Effort
    max_parents : int, optional
    constraints : Constraints, optional
    journal : Journal, optional
        Has where searches stood another time: they go on from there. Where they stand is noted.
    name : str
        What the search is called in the journal.
    """

    def __init__(
        self,
        scores: CompiledScores,
        effort: Effort,
        *,
        max_parents: int | None = None,
        constraints: Constraints | None = None,
        journal: Journal | None = None,
        name: str = "orders",
    ) -> None:
        limits = constraints or Constraints.of(scores.n)
        self._scores = scores
        self._limits = limits
        self._max_parents = max_parents
        self._n = scores.n
        self._effort = effort.for_variables(scores.n, scores.relative_cost)
        self._bank = _core.FamilyBank(
            scores.compiled, list(limits.required), list(limits.allowed), limits.limits(max_parents)
        )
        self._search: _core.OrderSearch | None = None
        self._is_second = False
        self._earlier_rounds = 0
        self._journal = journal
        self._name = name
        self._searches = 0

    @property
    def families(self) -> int:
        """How many families there are to choose from."""
        return sum(len(self._bank.choices(child)) for child in range(self._n))

    def look_around(self, dag: Sequence[int], time_is_up: Callable[[], bool]) -> None:
        """Take in the families of a DAG, given by its parent sets, and those that differ from them by one parent."""
        for children in self._some_at_once(time_is_up):
            self._bank.extend_up_to(children, [dag[v] for v in children])

    def look_for_families(self, time_is_up: Callable[[], bool]) -> None:
        """Take in the best families of every variable, level by level."""
        for children in self._some_at_once(time_is_up):
            self._bank.grow(children, self._effort.families)

    def begin_again(self, rows: int, time_is_up: Callable[[], bool]) -> bool:
        """Let the next call of `search` begin a second search, of another kind, among more families, where it pays.

        In a table of few rows two parents may, by chance, be worth something together and nothing alone. So all
        families of two are looked at, and larger ones as far as bounds leave few of them. Where not many are worth
        something, each attempt of the search can begin with one that the best order does without.

        Returns
        -------
        bool
            Whether it has yet to be done and is not too much work.
        """
        n = self._n
        sets = n * (n - 1) + n * (n - 1) * (n - 2) // 2
        cost = sets * max(rows, _FEW_ROWS) * self._scores.relative_cost
        is_too_much = cost > self._effort.sets * _FEW_ROWS or self.families > _MOST_FAMILIES
        if self._is_second or is_too_much or not n:
            return False
        listed = _core.CandidateSearch(
            self._scores.compiled,
            list(self._limits.allowed),
            self._limits.required,
            self._limits.limits(self._max_parents),
            sets,
            sets,
        )
        while not (listed.go_on(_SECONDS_AT_ONCE) or time_is_up()):
            pass
        self._bank.take_in(listed)
        self._is_second = True
        if self._search is not None:
            self._earlier_rounds = self._search.rounds
        self._search = None
        return True

    def _some_at_once(self, time_is_up: Callable[[], bool]) -> Iterator[list[int]]:
        """All variables in parts, as long as there is time."""
        for first in range(0, self._n, _VARIABLES_AT_ONCE):
            if time_is_up():
                return
            yield list(range(first, min(self._n, first + _VARIABLES_AT_ONCE)))

    def search(
        self,
        orders: Sequence[Sequence[int]],
        time_is_up: Callable[[], bool],
        watch: Callable[[int], None] | None = None,
    ) -> list[int]:
        """Improve orders, besides those of earlier calls; the parent sets of the best DAG."""
        if not self._n:
            return []
        if self._search is None:
            effort = self._effort
            in_vain, attempts = effort.rounds_in_vain, effort.attempts
            if self._is_second:
                # Few variables need few attempts.
                in_vain, attempts = in_vain * _TIMES_IN_VAIN, min(attempts, self._n)
            self._search = _core.OrderSearch(
                self._bank,
                _core.OrderEffort(effort.orders, attempts, in_vain, effort.closer, self._is_second),
            )
        for order in orders:
            self._search.add(list(order))
        # Where the time was up before, families or orders are missing, and the whole search would go another way.
        journal = None if time_is_up() else self._journal
        self._searches += 1
        name = f"{self._name} {self._searches}"
        earlier = None if journal is None else journal.recall(name)
        if earlier is not None:
            self._search.go_on_from(*earlier)
        ended = late = False
        while not (ended or late):
            ended = self._search.advance(_SECONDS_AT_ONCE, time_is_up)
            late = time_is_up()
            if journal is not None and not late:
                # As it is now: within a round, and in the next search, it is another.
                journal.note(name, partial(list, self._search.state()))
                journal.something_is_new()
            if watch is not None and not (ended or late):
                watch(self._earlier_rounds + self._search.rounds)
        return [sum(map(bit, parents)) for parents in self._search.parents()]
