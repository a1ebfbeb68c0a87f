"""Search among orders; parents are chosen from listed families (`src/core/order_search/order_search.cpp`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from stablebn import _core
from stablebn.knowledge.constraints import Constraints
from stablebn.scores.base import CompiledScores
from stablebn.search.journal import Journal
from stablebn.stats.variable_sets import bit

# Seconds between two checks of the time limit.
_SECONDS_AT_ONCE = 0.05

# Variables that are processed between two checks of the time limit: enough for several threads.
_VARIABLES_AT_ONCE = 16

# With more variables than this, fewer families per variable are listed, because there are more of them and each has
# more extensions.
_USUAL_VARIABLES = 100

# Rows below which the cost of a family does not decrease.
_FEW_ROWS = 100

# If families are expensive to score, this factor fewer are listed.
_FEWER_EXPENSIVE_FAMILIES = 6

# The second search is made with at most this many families; it may fail to improve in this factor more rounds.
_MOST_FAMILIES = 2_000
_TIMES_IN_VAIN = 2


@dataclass(frozen=True)
class Effort:
    """Amount of work of a search among orders, in counts and not in seconds.

    Attributes
    ----------
    families : int
        Number of families per variable and number of parents that are extended before the search.
    closer : int
        Number of families that are extended among those consistent with a new best order.
    orders : int
        Number of orders that are improved side by side.
    attempts : int
        Number of attempts to improve each of them per round.
    rounds_in_vain : int
        The search ends after this many rounds without improvement.
    sets : int
        A second search among all families of up to two parents follows if their number is at most this for up to 100
        rows; with more rows the limit decreases, because each family costs more.
    """

    families: int
    closer: int
    orders: int
    attempts: int
    rounds_in_vain: int
    sets: int = 0

    def for_variables(self, n: int, relative_cost: int = 1) -> Effort:
        """Return the effort for `n` variables, with fewer families if each is expensive."""
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
    """Improves orders until no better one is found.

    Parameters
    ----------
    scores : CompiledScores
    effort : Effort
    max_parents : int, optional
    constraints : Constraints, optional
    journal : Journal, optional
        Contains the states of an earlier run: the searches continue from there. Their states are recorded.
    name : str
        Key of the search in the journal.
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
        """Number of listed families."""
        return sum(len(self._bank.choices(child)) for child in range(self._n))

    def look_around(self, dag: Sequence[int], time_is_up: Callable[[], bool]) -> None:
        """List the families of a DAG, given by its parent sets, and those that differ from them by one parent."""
        for children in self._some_at_once(time_is_up):
            self._bank.extend_up_to(children, [dag[v] for v in children])

    def look_for_families(self, time_is_up: Callable[[], bool]) -> None:
        """List the best families of every variable, by number of parents."""
        for children in self._some_at_once(time_is_up):
            self._bank.grow(children, self._effort.families)

    def begin_again(self, rows: int, time_is_up: Callable[[], bool]) -> bool:
        """Prepare a second search among more families for the next call of `search`, if this pays.

        In a table with few rows two parents may, by chance, improve the score together and neither alone. So all
        families of two parents are scored, and larger ones if bounds leave few of them. If few families improve the
        score, each attempt of the search can start with one that the best order does not use.

        Returns
        -------
        bool
            Whether the second search is still to be made and not too expensive.
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
        """Yield all variables in chunks, as long as there is time."""
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
        """Improve orders, besides those of earlier calls, and return the parent sets of the best DAG."""
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
        # If the time was up before, families or orders are missing, and the search would take another course.
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
                # The state changes within a round and in the next search: record it as it is now.
                journal.note(name, partial(list, self._search.state()))
                journal.something_is_new()
            if watch is not None and not (ended or late):
                watch(self._earlier_rounds + self._search.rounds)
        return [sum(map(bit, parents)) for parents in self._search.parents()]
