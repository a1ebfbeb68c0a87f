"""Greedy search among Markov equivalence classes, with the operators of the compiled core.

An operator inserts, deletes or turns an edge of some DAG of the class (Chickering 2002; Hauser and Buehlmann 2012). Its
gain is exact, and the same for every DAG of the class that it can change. If gains are equal, the positions of x, y and
the others in the processing order decide.

With constraints, the search visits only classes of which at least one DAG obeys them, which is decided exactly.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from stablebn import _core
from stablebn.fixed_point import to_float
from stablebn.knowledge.constraints import Constraints
from stablebn.scores.base import CompiledScores
from stablebn.search.equivalence_classes import EquivalenceClass
from stablebn.search.journal import Journal
from stablebn.search.operator_trace import OperatorTrace
from stablebn.stats.variable_sets import bit, members

logger = logging.getLogger(__name__)

_DELETION, _TURN, _INSERTION = range(3)
_PHASES = {_DELETION: "backward", _TURN: "turning", _INSERTION: "forward"}


class Operator(NamedTuple):
    """Insert(x, y, T), Delete(x, y, H) or Turn(x, y, C); `others` is T, H or C, `gain` is in units of 2**-62."""

    kind: int
    x: int
    y: int
    others: list[int]
    gain: int


class GreedyEquivalenceSearch:
    """An equivalence class that is improved by operators.

    Parameters
    ----------
    scores : CompiledScores
        A score-equivalent score.
    order : sequence of int
        The processing order, which decides between equal operators.
    start : sequence of int
        Parent set of each variable in a DAG of the class to start from.
    most_parents : int
        Most parents of a variable without a limit in the constraints.
    constraints : Constraints, optional
        At least one DAG of every visited class obeys them, also of the class to start from.
    time_is_up : callable, optional
        Called often; returns whether to stop. Once it has returned True, it must always do so.
    watch : callable, optional
        Called with the phase and the number of operators made so far.
    journal : Journal, optional
        Contains the operators of an earlier run: they are repeated, and the search continues from there. New operators
        are recorded.
    name : str
        Key of the search in the journal.

    Attributes
    ----------
    score : int
        In units of 2**-62.
    trace : OperatorTrace
    finished : bool
        False if the time limit stopped the search.
    """

    def __init__(
        self,
        scores: CompiledScores,
        order: Sequence[int],
        start: Sequence[int],
        *,
        most_parents: int,
        constraints: Constraints | None = None,
        time_is_up: Callable[[], bool] | None = None,
        watch: Callable[[str, int], None] | None = None,
        journal: Journal | None = None,
        name: str = "classes",
    ) -> None:
        self.score = scores.dag(start)
        self.trace = OperatorTrace()
        self.finished = True
        self._place = {v: position for position, v in enumerate(order)}
        # A target may have as many parents as the greatest limit: in another DAG of the class another variable may have
        # them (`Constraints.limits_differ`). Whether some DAG obeys all limits is checked before an operator is
        # applied.
        limits = [most_parents] if constraints is None else constraints.limits(most_parents)
        obeyed = None if constraints is None else constraints.within(most_parents)
        self._n = scores.n
        self._time_is_up = time_is_up or (lambda: False)
        self.core = _core.EquivalenceSearch(
            scores.compiled,
            list(order),
            list(start),
            max(limits, default=0),
            None if obeyed is None else list(obeyed.allowed),
            None if obeyed is None else list(obeyed.required),
            None if obeyed is None else obeyed.limits(None),
        )
        self._watch = watch
        self._journal = journal
        self._earlier: list[dict[str, Any]] = []
        self._phases: list[dict[str, Any]] = []
        if journal is not None:
            self._earlier = journal.recall(name) or []
            journal.note(name, lambda: self._phases)

    @property
    def graph(self) -> EquivalenceClass:
        """The current class."""
        return EquivalenceClass(
            *([sum(map(bit, ends_of)) for ends_of in ends] for ends in (self.core.parents, self.core.neighbours))
        )

    def insert_edges(self, partners: Sequence[int] | None = None) -> None:
        """Run the forward phase of FGES: make the best valid insertion as long as it improves the score.

        Parameters
        ----------
        partners : sequence of int, optional
            For each variable those to which an insertion may join it; by default all.
        """
        self._set_partners(partners)
        self._run(lambda: self._steps(_INSERTION))

    def delete_edges(self) -> None:
        """Run the backward phase of FGES: make the best valid deletion as long as it improves the score."""
        self._run(lambda: self._steps(_DELETION))

    def improve(self, partners: Sequence[int] | None = None) -> None:
        """Search as XGES does: deletions before turns before insertions, as long as one of them improves the score.

        Then make one deletion after another, whatever it costs, and search on from each of these classes without
        inserting the deleted arc again. Whenever this leads to a higher score, continue from there with the next
        deletion; repeat until no deletion of the class leads to a higher score.

        Parameters
        ----------
        partners : sequence of int, optional
            For each variable those to which an insertion may join it; by default all.

        References
        ----------
        Nazaret and Blei, "Extremely greedy equivalence search", 2024.
        """
        self._set_partners(partners)
        self._run(lambda: self._steps(_DELETION, _TURN, _INSERTION))
        before = -1
        while self.finished and len(self.trace) > before:
            before = len(self.trace)
            self._run(self._deletions_and_more, lists_deletions=True)

    def dependent(self) -> list[int]:
        """Return, for each variable, those that improve its score as its only parent."""
        return [sum(map(bit, parents)) for parents in self.core.dependent()]

    def _set_partners(self, partners: Sequence[int] | None) -> None:
        self.core.set_partners([bit(self._n) - 1] * self._n if partners is None else list(partners))

    def _steps(self, *kinds: int) -> Iterable[list[Operator]]:
        """Yield operators of the given kinds, as long as one improves the score."""
        while (made := self.core.step(kinds, self._time_is_up)) is not None:
            yield [Operator(*made)]

    def _deletions_and_more(self) -> Iterable[list[Operator]]:
        """Yield improving operators, and groups of a deletion and the operators after it that improve together."""
        while True:
            yield from self._steps(_DELETION, _TURN, _INSERTION)
            made = self.core.delete_and_search(self._time_is_up)
            if not made:
                return
            yield [Operator(*operator) for operator in made]

    def _run(self, operators: Callable[[], Iterable[list[Operator]]], *, lists_deletions: bool = False) -> None:
        """Apply operators until there are none, first those of an earlier run."""
        earlier = self._earlier[len(self._phases) : len(self._phases) + 1]
        made: list[list[Any]] = []
        self._phases.append({"operators": made, "ended": False})
        if lists_deletions:
            tried = [entry[-1] for phase in earlier for entry in phase["operators"]]
            self.core.list_deletions(max(tried, default=0))
        for phase in earlier:
            for kind, x, y, others, gain, _ in phase["operators"]:
                operator = Operator(kind, x, y, members(int(others, 16)), gain)
                self.core.repeat(kind, x, y, operator.others)
                self._record(operator)
            made += phase["operators"]
            self._phases[-1]["ended"] = phase["ended"]
        if not self._phases[-1]["ended"]:
            for group in operators():
                for operator in group:
                    self._record(operator)
                # Added at once: a reader of the journal must not see a part of them.
                made += [self._entry(operator) for operator in group]
                if self._watch is not None:
                    self._watch(self.trace.phase[-1], len(self.trace))
                if self._journal is not None:
                    self._journal.something_is_new()
            if self._time_is_up():
                self.finished = False
            else:
                self._phases[-1]["ended"] = True
        logger.debug("%d operators, score %s", len(self.trace), to_float(self.score))

    def _record(self, operator: Operator) -> None:
        """Add an operator to the score and the trace."""
        kind, x, y, others, gain = operator
        self.score += gain
        self.trace.append(
            phase=_PHASES[kind],
            x=x,
            y=y,
            others=tuple(sorted(others, key=self._place.__getitem__)),
            delta=to_float(gain),
            score=to_float(self.score),
        )

    def _entry(self, operator: Operator) -> list[Any]:
        """Return an operator for the journal, with the number of listed deletions that were tried before it."""
        kind, x, y, others, gain = operator
        return [kind, x, y, hex(sum(map(bit, others))), gain, self.core.tried]
