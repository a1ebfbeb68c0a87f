"""Search among orders; parents are grown and shrunk (`src/core/order_search/grow_shrink.cpp`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from stablebn import _core
from stablebn.knowledge.constraints import Constraints
from stablebn.scores.base import CompiledScores
from stablebn.search.journal import Journal
from stablebn.stats.variable_sets import bit

# Seconds between two checks of the time limit.
_SECONDS_AT_ONCE = 0.05


class GrowShrinkSearch:
    """Improve orders of the variables, the parents of each grown and shrunk among those before it.

    Parameters
    ----------
    scores : CompiledScores
    effort : _core.GrowShrinkEffort
    max_parents : int, optional
    constraints : Constraints, optional
    journal : Journal, optional
        Where earlier searches are recorded: they continue from there. This search is recorded too.
    name : str
        The name of this search in the journal.
    """

    def __init__(
        self,
        scores: CompiledScores,
        effort: _core.GrowShrinkEffort,
        *,
        max_parents: int | None = None,
        constraints: Constraints | None = None,
        journal: Journal | None = None,
        name: str = "grow-shrink",
    ) -> None:
        limits = constraints or Constraints.of(scores.n)
        self._n = scores.n
        self._search = _core.GrowShrinkSearch(
            scores.compiled, list(limits.required), list(limits.allowed), limits.limits(max_parents), effort
        )
        self._journal = journal
        self._name = name
        self._searches = 0

    def search(
        self,
        starts: Sequence[tuple[Sequence[int], Sequence[int]]],
        time_is_up: Callable[[], bool],
        watch: Callable[[int], None] | None = None,
    ) -> list[int]:
        """Improve orders, besides those of earlier calls, and return the parent sets of the best DAG.

        Parameters
        ----------
        starts : sequence of (order, parent sets)
            Each a topological order of the required arcs, and a DAG whose parents are tried first.
        time_is_up : callable
        watch : callable, optional
            Called with the number of rounds made so far.
        """
        if not self._n:
            return []
        for order, dag in starts:
            self._search.add(list(order), list(dag))
        # After the time is up starts may be missing, and the search would take another course.
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
                watch(self._search.rounds)
        return [sum(map(bit, parents)) for parents in self._search.parents()]
