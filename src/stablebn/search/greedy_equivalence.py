"""Greedy search through equivalence classes: the best operator at every step, found without trying all again.

For a target y every operator belongs to a clique C among the neighbours of y: Insert(x, y, T) scores x as one more
parent of y next to S = C + Pa(y), where C = NA + T and NA are the neighbours of y adjacent to x. So one pass of
statistics for (y, S), and one walk along semi-directed paths from y past C, answer for all x at once.

The operators of a target are kept sorted, and made again only where edges around the target changed (Ramsey et al.
2017). Whether a path invalidates an Insert can change anywhere in the graph: that is looked at when an operator's turn
comes, so none is lost.

Where there are constraints, the state is a class all the same, one in which at least one DAG obeys. An operator is
valid only if it leads to such a class: what Insert and Delete score is the same for every DAG of a class, those that
obey among them. Whether a class has such a DAG is exact (`EquivalenceClass.obeying_dag`), and as it too can change
anywhere in the graph, it is looked at when an operator's turn comes.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from heapq import merge
from typing import Any, NamedTuple

from stablebn.fixed_point import LO_BITS, LO_MASK, NOT_A_CANDIDATE, joined, to_float
from stablebn.scores.families import FamilyScores
from stablebn.search.constraints import Constraints
from stablebn.search.equivalence import EquivalenceClass
from stablebn.search.journal import Journal
from stablebn.search.operator_trace import OperatorTrace
from stablebn.stats.variable_sets import bit, members

logger = logging.getLogger(__name__)

# So many operators are tried between two looks at the clock: a look takes longer than to see that one is not valid.
_BETWEEN_LOOKS = 64


class Operator(NamedTuple):
    """Insert(x, y, T) or Delete(x, y, H); operators compare in the order in which a search prefers them.

    Attributes
    ----------
    loss : int
        Minus the change of the score, in units of 2**-62: the greatest gain comes first.
    places, other_places : tuple of int
        Places of (x, y), and of T or H ascending, in the processing order. They decide between equal gains.
    x, y, others : int
        `others` is the set T or H.
    clique : int
        The neighbours of y that are its parents in the DAG that the operator changes.
    """

    loss: int
    places: tuple[int, int]
    other_places: tuple[int, ...]
    x: int
    y: int
    others: int
    clique: int


class GreedyEquivalenceSearch:
    """An equivalence class that is improved by operators.

    Parameters
    ----------
    scores : FamilyScores
        A score-equivalent score.
    order : sequence of int
        The processing order, which decides between equal operators.
    start : sequence of int
        Parent set of each variable in a DAG of the class to start from.
    most_parents : int
        Most parents of a variable of which the constraints say nothing.
    constraints : Constraints, optional
        Some DAG of every class that is visited obeys them, as that to start from does.
    time_is_up : callable, optional
        Asked again and again whether to stop; once it is, it stays so.
    watch : callable, optional
        Called with the phase and the number of operators made so far.
    journal : Journal, optional
        Has the operators that were made another time: they are made again, and the search goes on from there. All of
        them are noted.
    name : str
        What the search is called in the journal.

    Attributes
    ----------
    graph : EquivalenceClass
    score : int
        In units of 2**-62.
    trace : OperatorTrace
    finished : bool
        False if the time stopped it.
    """

    def __init__(
        self,
        scores: FamilyScores,
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
        self.graph = EquivalenceClass(start, [0] * len(start))
        self.score = scores.dag(self.graph.dag)
        self.trace = OperatorTrace()
        self.finished = True
        self._scores = scores
        self._place = {v: place for place, v in enumerate(order)}
        # Of a target the limit that is greatest of all: in another DAG of the class another variable may have the
        # parents (`Constraints.limits_differ`). Whether some DAG obeys all limits is looked at when a turn comes.
        limits = [most_parents] if constraints is None else constraints.limits(most_parents)
        self._most_parents = min(max(limits, default=0), scores.most_parents)
        self._constraints = None if constraints is None else constraints.within(most_parents)
        self._time_is_up = time_is_up
        self._watch = watch
        self._journal = journal
        self._earlier: list[dict[str, Any]] = []
        self._phases: list[dict[str, Any]] = []
        if journal is not None:
            self._earlier = journal.recall(name) or []
            journal.note(name, lambda: self._phases)
        self._gains: dict[tuple[int, int], list[tuple[int, int]]] = {}

    def insert_edges(self, partners: Sequence[int] | None = None) -> None:
        """Forward phase: the best valid Insert, as long as one improves the score.

        Parameters
        ----------
        partners : sequence of int, optional
            For each variable those that may be joined to it; by default all.
        """
        n = self._scores.n
        joined_to = [bit(n) - 1] * n if partners is None else partners
        if self._constraints is not None:
            joined_to = [own & joinable for own, joinable in zip(joined_to, self._constraints.joinable, strict=True)]
        self._climb("forward", lambda y: self._inserts(y, joined_to[y]), self._inserted)

    def delete_edges(self) -> None:
        """Backward phase: the best valid Delete, as long as one improves the score."""
        self._climb("backward", self._deletes, self._deleted)

    def dependent(self) -> list[int]:
        """For each variable those that improve its score as its only parent."""
        return [sum(bit(x) for x, _ in self._improving_parents(y, 0)) for y in range(self._scores.n)]

    def _climb(
        self,
        phase: str,
        operators: Callable[[int], Iterator[Operator]],
        result: Callable[[Operator], EquivalenceClass | None],
    ) -> None:
        n = self._scores.n
        improving: list[list[Operator]] = [[]] * n
        stale = bit(n) - 1
        if self._repeated(phase):
            return
        while True:
            for y in members(stale):
                improving[y] = sorted(operators(y))
            best = after = None
            for number, operator in enumerate(merge(*improving)):
                best, after = operator, result(operator)
                if after is not None or (number % _BETWEEN_LOOKS == 0 and self._is_late()):
                    break
            if self._is_late():
                self.finished = False
                break
            if best is None or after is None:
                self._phases[-1]["ended"] = True
                break
            before, self.graph = self.graph, after
            self._record(phase, best)
            if self._watch is not None:
                self._watch(phase, len(self.trace))
            if self._journal is not None:
                self._journal.something_is_new()
            # A target's operators depend on its own edges and on what its neighbours are adjacent to.
            ends = bit(best.x) | bit(best.y)
            stale = self.graph.differs_at(before)
            stale |= sum(bit(v) for v in range(n) if self.graph.neighbours[v] & ends and not stale & bit(v))
        logger.debug("%s: %d operators, score %s", phase, len(self.trace), to_float(self.score))

    def _repeated(self, phase: str) -> bool:
        """Begin a phase with the operators that were made another time; whether it came to its end then."""
        self._phases.append({"operators": [], "ended": False})
        earlier = self._earlier[len(self._phases) - 1 : len(self._phases)]
        for own in earlier:
            for x, y, others, gain in own["operators"]:
                operator = self._operator(gain, x, y, int(others, 16), clique=0)
                change = self.graph.insert if phase == "forward" else self.graph.delete
                self.graph = change(x, y, operator.others)
                self._record(phase, operator)
            self._phases[-1]["ended"] = own["ended"]
        return bool(self._phases[-1]["ended"])

    def _inserts(self, y: int, partners: int) -> Iterator[Operator]:
        """Inserts with target y that improve the score, whether or not a path makes them invalid (Theorem 15)."""
        graph = self.graph
        parents, neighbours = graph.parents[y], graph.neighbours[y]
        outside = partners & ~(graph.adjacent[y] | bit(y))
        room = self._most_parents - 1 - parents.bit_count()
        if room < 0:
            return
        for clique in graph.cliques(neighbours, room):
            if self._is_late():
                return
            # NA must lie in the clique: no x that is adjacent to another neighbour of y.
            allowed = outside
            for v in members(neighbours & ~clique):
                allowed &= ~graph.adjacent[v]
            if allowed:
                for x, gain in self._improving_parents(y, clique | parents):
                    if allowed & bit(x):
                        yield self._operator(gain, x, y, clique & ~graph.adjacent[x], clique)

    def _deletes(self, y: int) -> Iterator[Operator]:
        """Valid Deletes with target y that improve the score (Theorem 17)."""
        graph = self.graph
        parents, neighbours = graph.parents[y], graph.neighbours[y]
        required = 0 if self._constraints is None else self._constraints.joined[y]
        for x in members((parents | neighbours) & ~required):
            common = neighbours & graph.adjacent[x]
            for clique in graph.cliques(common, self._scores.n):
                if self._is_late():
                    return
                rest = (clique | parents) & ~bit(x)
                gain = self._scores.family(y, rest) - self._scores.family(y, rest | bit(x))
                if gain > 0:
                    yield self._operator(gain, x, y, common & ~clique, clique)

    def _inserted(self, insert: Operator) -> EquivalenceClass | None:
        """The class to which an Insert leads; None if it is not valid.

        It is if all semi-directed paths from y to x meet the clique (Theorem 15), and the class has a DAG that obeys.
        """
        graph, constraints = self.graph, self._constraints
        _, _, _, x, y, others, clique = insert
        if graph.reach(y, clique) & bit(x):
            return None
        if constraints is not None:
            # Most of what is not valid is seen at y. Parents that are not adjacent to x make a v-structure with it, and
            # where x -> y for this reason or as the other direction is forbidden, what was not its parent is its child.
            apart = others | (graph.parents[y] & ~graph.adjacent[x])
            if apart or not constraints.allows(y, x):
                below = graph.neighbours[y] & ~clique
                if (apart | bit(x)) & ~constraints.allowed[y] or below & ~constraints.children[y]:
                    return None
        return self._if_obeyed(graph.insert(x, y, others))

    def _deleted(self, delete: Operator) -> EquivalenceClass | None:
        """The class to which a Delete leads; None if no DAG of it obeys."""
        return self._if_obeyed(self.graph.delete(delete.x, delete.y, delete.others))

    def _if_obeyed(self, graph: EquivalenceClass) -> EquivalenceClass | None:
        """A class, if some DAG of it obeys."""
        return graph if self._constraints is None or graph.obeying_dag(self._constraints) is not None else None

    def _improving_parents(self, child: int, parents: int) -> list[tuple[int, int]]:
        """Every variable that improves a family as one more parent, with its gain."""
        key = (child, parents)
        if key not in self._gains:
            changes = self._scores.changes(child, parents)
            barred = changes[:, 0] == NOT_A_CANDIDATE
            hi, lo = changes[:, 0] + (changes[:, 1] >> LO_BITS), changes[:, 1] & LO_MASK
            improves = ((hi > 0) | ((hi == 0) & (lo > 0))) & ~barred
            found = [x for x in improves.nonzero()[0].tolist() if not (parents | bit(child)) & bit(x)]
            self._gains[key] = [(x, joined(hi[x], lo[x])) for x in found]
        return self._gains[key]

    def _operator(self, gain: int, x: int, y: int, others: int, clique: int) -> Operator:
        place = self._place
        places = tuple(sorted([place[v] for v in members(others)])) if others else ()
        return Operator(-gain, (place[x], place[y]), places, x, y, others, clique)

    def _record(self, phase: str, operator: Operator) -> None:
        self.score -= operator.loss
        others = sorted(members(operator.others), key=self._place.__getitem__)
        self.trace.append(
            phase=phase,
            x=operator.x,
            y=operator.y,
            others=tuple(others),
            delta=to_float(-operator.loss),
            score=to_float(self.score),
        )
        self._phases[-1]["operators"].append([operator.x, operator.y, hex(operator.others), -operator.loss])

    def _is_late(self) -> bool:
        return self._time_is_up is not None and self._time_is_up()
