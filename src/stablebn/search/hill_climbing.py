"""Hill climbing and tabu search over DAGs: the compiled loop (`src/core/search/climber.cpp`) and its result."""

from __future__ import annotations

import hashlib
import logging
import sys
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass, field
from functools import cached_property, partial
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stablebn import _core
from stablebn.fixed_point import joined, to_float
from stablebn.graph import DAG
from stablebn.knowledge.constraints import Constraints
from stablebn.scores.base import CompiledScores
from stablebn.search.journal import Journal
from stablebn.search.trace import Trace
from stablebn.stats.variable_sets import bit, members

logger = logging.getLogger(__name__)

# Seconds between two checks of Ctrl-C and the time limit.
_SECONDS_AT_ONCE = 0.05

_MOVE_NAMES = ("add", "delete", "reverse")
_REVERSE, _NONE = 2, 3


@dataclass(frozen=True, eq=False)
class Climb:
    """The result of a climb.

    Attributes
    ----------
    parents : tuple of int
        Parent set of each variable in the best DAG visited, the earliest of equals.
    score : int
        Its score in units of 2**-62.
    order : tuple of int
        The processing order.
    start : int
        Score of the DAG at the start.
    steps, deltas : int64 array [steps, 9], float64 array [steps, 2]
        The moves, as `_core.Climber.steps` describes them.
    finished : bool
        False if `max_iter` or the time stopped the climb.
    order_search : Climb or None
        The climb whose DAG gave the processing order, if there was one.
    """

    parents: tuple[int, ...]
    score: int
    order: tuple[int, ...]
    start: int
    steps: NDArray[np.int64]
    deltas: NDArray[np.float64]
    finished: bool
    order_search: Climb | None = field(default=None, kw_only=True)

    def order_source(self, names: Sequence[Hashable]) -> OrderSource | None:
        """Return the search that gave the processing order, with names of variables; None if the order was given."""
        search = self.order_search
        if search is None:
            return None
        arcs = [(names[u], names[v]) for v, family in enumerate(search.parents) for u in members(family)]
        return OrderSource(DAG(names, arcs), tuple(names[v] for v in search.order), search.named_trace(names))

    def named_trace(self, names: Sequence[Hashable]) -> Trace:
        """Return every step, with variables by name; it is made when it is first used."""
        return Trace.made_by(lambda: self.trace.renamed(names))

    @cached_property
    def trace(self) -> Trace:
        """Every step, in columns, with variables as numbers."""
        order = self.order
        kind, u, v, next_kind, next_u, next_v, hi, lo, arbitrary = self.steps.T.tolist()
        delta, next_delta = self.deltas.T.tolist()
        scores = [*accumulate(map(joined, hi, lo), initial=self.start)]
        has_next = [kind_number != _NONE for kind_number in next_kind]
        return Trace(
            move=[_MOVE_NAMES[kind_number] for kind_number in kind],
            source=[order[index] for index in u],
            target=[order[index] for index in v],
            delta=delta,
            score=[to_float(score) for score in scores[1:]],
            next_move=[
                _MOVE_NAMES[kind_number] if there else None
                for kind_number, there in zip(next_kind, has_next, strict=True)
            ],
            next_source=[order[index] if there else None for index, there in zip(next_u, has_next, strict=True)],
            next_target=[order[index] if there else None for index, there in zip(next_v, has_next, strict=True)],
            next_delta=[
                kind_number if there else None for kind_number, there in zip(next_delta, has_next, strict=True)
            ],
            arbitrary=[*map(bool, arbitrary)],
            # The first of the highest scores.
            best=scores.index(max(scores)),
        )


@dataclass(frozen=True)
class OrderSource:
    """The search whose DAG gave a processing order, layer by layer, with names of variables.

    Attributes
    ----------
    dag : DAG
        The DAG that it learned.
    order : tuple of names
        Its own processing order, which also orders each layer.
    trace : Trace
    """

    dag: DAG
    order: tuple[Hashable, ...]
    trace: Trace


@dataclass(frozen=True)
class ClimbSettings:
    """Settings of a climb; hill climbing has tabu = 0 and noinc = 0.

    Attributes
    ----------
    tabu : int
        Number of visited DAGs that the search must not return to.
    noinc : int
        Number of moves in sequence that may fail to improve on the best DAG.
    max_parents, max_iter : int or None
        Limits on the parents of a variable and on the number of moves.
    """

    tabu: int = 0
    noinc: int = 0
    max_parents: int | None = None
    max_iter: int | None = None


def climb(
    scores: CompiledScores,
    orders: Sequence[Sequence[int]],
    settings: ClimbSettings | None = None,
    *,
    start: Sequence[int] | None = None,
    constraints: Constraints | None = None,
    time_is_up: Callable[[], bool] | None = None,
    watch: Callable[[Sequence[int]], None] | None = None,
    journal: Journal | None = None,
) -> list[Climb]:
    """Climb by single-arc changes once per order, in parallel if that pays.

    Parameters
    ----------
    scores : CompiledScores
    orders : sequence of sequence of int
        Processing orders, which decide between moves that score the same.
    settings : ClimbSettings, optional
        By default those of hill climbing without limits.
    start : sequence of int, optional
        Parent set of each variable; by default the required parents.
    constraints : Constraints, optional
        Arcs that may be added, arcs that are not removed, and limits on parents that differ from `max_parents`. The
        start obeys them.
    time_is_up : callable, optional
        Called often, also within a step; returns whether to stop. If it does so at first, no step is made.
    watch : callable, optional
        Called at intervals with the number of steps made so far for each order.
    journal : Journal, optional
        Contains the steps of an earlier run: they are repeated, and the climb continues from there. All steps are
        recorded.
    """
    if start is None:
        start = [0] * scores.n if constraints is None else constraints.required
    parents = list(start)
    settings = settings or ClimbSettings()
    tabu, noinc, max_parents, max_iter = astuple(settings)
    options = _core.ClimbOptions(
        tabu=tabu,
        noinc=noinc,
        most_parents=scores.n if max_parents is None else max_parents,
        most_steps=sys.maxsize if max_iter is None else max_iter,
    )
    obeyed = (
        (None, None, None)
        if constraints is None
        else (list(constraints.allowed), list(constraints.required), constraints.limits(max_parents))
    )
    is_late = time_is_up or (lambda: False)
    climbers: list[_core.Climber] = []

    def climb_all() -> None:
        if is_late():
            return
        climbers.extend(_core.Climber(scores.compiled, list(order), parents, options, *obeyed) for order in orders)
        if journal is not None:
            for climber, order in zip(climbers, orders, strict=True):
                name = _name_of((tuple(order), parents, obeyed, tabu, noinc, max_parents))
                _resume(climber, journal, name, max_iter)
        ended = False
        while not (ended or is_late()):
            ended = _core.climb_on(climbers, _SECONDS_AT_ONCE)
            if watch is not None:
                watch([climber.made for climber in climbers])
            if journal is not None:
                journal.something_is_new()

    # Steps made before the time limit are kept.
    with suppress(_core.TimeIsUp):
        _core.within_time(is_late, climb_all)
    first = scores.dag(parents)
    if len(climbers) < len(orders):
        return [_not_begun(order, parents, first) for order in orders]
    return [_result(climber, order, parents, first) for climber, order in zip(climbers, orders, strict=True)]


def _not_begun(order: Sequence[int], start: Sequence[int], score: int) -> Climb:
    """Return the result of a climb that had no time for a step."""
    return Climb(
        parents=tuple(start),
        score=score,
        order=tuple(order),
        start=score,
        steps=np.zeros((0, 9), dtype=np.int64),
        deltas=np.zeros((0, 2)),
        finished=False,
    )


def _name_of(climb: object) -> str:
    """Return the key of a climb in a journal, from everything that its steps depend on besides the scores."""
    return f"climb {hashlib.sha256(repr(climb).encode()).hexdigest()[:16]}"


def _resume(climber: _core.Climber, journal: Journal, name: str, max_iter: int | None) -> None:
    """Repeat the steps of a journal, and record all further steps."""
    earlier = journal.recall(name)
    if earlier is not None and earlier["steps"]:
        steps = np.array(earlier["steps"][:max_iter], dtype=np.int64).reshape(-1, 9)
        climber.replay(steps, np.array(earlier["deltas"][:max_iter], dtype=np.float64).reshape(-1, 2))
    journal.note(name, partial(_record, climber))


def _record(climber: _core.Climber) -> dict[str, Any]:
    steps, deltas = climber.steps()
    return {"steps": steps.tolist(), "deltas": deltas.tolist()}


def watch_stages(
    watch: Callable[[str, int], None] | None, stages: Sequence[str]
) -> Callable[[Sequence[int]], None] | None:
    """Return a watcher of several concurrent searches that calls `watch` with the name of each stage that advanced."""
    if watch is None:
        return None
    reported = [0] * len(stages)

    def tell(made: Sequence[int]) -> None:
        for index, (stage, steps) in enumerate(zip(stages, made, strict=True)):
            if steps > reported[index]:
                reported[index] = steps
                watch(stage, steps)

    return tell


def _result(climber: _core.Climber, order: Sequence[int], start: Sequence[int], first: int) -> Climb:
    """Return the result of a climber from its start DAG and the score of that."""
    steps, deltas = climber.steps()
    score, parents = first, list(start)
    for kind, u, v, _, _, _, hi, lo, _ in steps[: climber.best].tolist():
        score += joined(hi, lo)
        parents[order[v]] ^= bit(order[u])
        if kind == _REVERSE:
            parents[order[u]] ^= bit(order[v])
    logger.debug("climbed %d steps to a score of %s", len(steps), to_float(score))
    return Climb(tuple(parents), score, tuple(order), first, steps, deltas, climber.has_converged)
