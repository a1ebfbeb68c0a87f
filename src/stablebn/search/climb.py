"""The one climbing loop: hill climbing and tabu search (SPEC section 3)."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from stablebn.kernels.logarithm import to_float
from stablebn.scores.families import FamilyScores
from stablebn.search.state import Move, State
from stablebn.search.trace import Trace

logger = logging.getLogger(__name__)

_MOVE_NAMES = ("add", "delete", "reverse")


Step = tuple[Move, float, int, tuple[Move, float] | None, bool]
"""A move, its delta, the score after it, the runner-up with its delta, and whether the move was arbitrary."""


@dataclass(frozen=True)
class Climb:
    """What a climb found.

    Attributes
    ----------
    parents : tuple of int
        Parent set of each variable in the best DAG seen, the earliest of equals.
    score : int
        Its score in units of 2**-62.
    order : tuple of int
        The processing order.
    steps : tuple of Step
    finished : bool
        False if `max_iter` or the deadline stopped it.
    """

    parents: tuple[int, ...]
    score: int
    order: tuple[int, ...]
    steps: tuple[Step, ...]
    finished: bool

    @cached_property
    def trace(self) -> Trace:
        """Every step, in columns, with variables as numbers."""
        return _trace(self.steps, self.order)


def climb(
    scores: FamilyScores,
    order: Sequence[int],
    *,
    start: Sequence[int] | None = None,
    tabu: int = 0,
    noinc: int = 0,
    max_parents: int | None = None,
    max_iter: int | None = None,
    allowed: NDArray[np.bool_] | None = None,
    deadline: float | None = None,
    watch: Callable[[int], None] | None = None,
) -> Climb:
    """Climb from `start` by single-arc changes; hill climbing is the case of no tabu list and no patience.

    Parameters
    ----------
    scores : FamilyScores
    order : sequence of int
        The processing order, which decides between equal moves.
    start : sequence of int, optional
        Parent set of each variable; none by default.
    tabu : int
        How many of the last DAGs may not be visited again.
    noinc : int
        How many moves that do not improve the score are tolerated since the best one.
    max_parents, max_iter : int, optional
    allowed : bool array [n, n], optional
        Whether the arc from u to v may be brought; all may by default.
    deadline : float, optional
        Time of `time.monotonic` after which no step is made.
    watch : callable, optional
        Called with the number of steps made so far.
    """
    n = scores.n
    state = State(
        scores,
        order,
        [0] * n if start is None else start,
        most_parents=n if max_parents is None else max_parents,
        tabu=tabu,
        allowed=allowed,
    )
    steps: list[Step] = []
    best_score = state.score
    best_parents = tuple(state.parents)
    bad = 0
    finished = True
    while True:
        candidates, arbitrary = state.best_moves()
        if not candidates:
            break
        move, delta = candidates[0]
        if delta <= 0 and bad + 1 > noinc:
            break
        if len(steps) == max_iter or (deadline is not None and time.monotonic() > deadline):
            finished = False
            break
        state.make(move)
        bad += delta <= 0
        if state.score > best_score:
            best_score, best_parents, bad = state.score, tuple(state.parents), 0
        steps.append((move, delta, state.score, candidates[1] if len(candidates) > 1 else None, arbitrary))
        if watch is not None:
            watch(len(steps))
    logger.debug("climbed %d steps to a score of %s", len(steps), to_float(best_score))
    return Climb(best_parents, best_score, tuple(order), tuple(steps), finished)


def _trace(steps: Sequence[Step], order: Sequence[int]) -> Trace:
    """The steps in columns, with variables in place of places."""
    trace = Trace()
    for (kind, u, v), delta, score, runner_up, arbitrary in steps:
        trace.move.append(_MOVE_NAMES[kind])
        trace.source.append(order[u])
        trace.target.append(order[v])
        trace.delta.append(delta)
        trace.score.append(to_float(score))
        (next_kind, next_u, next_v), next_delta = runner_up or ((None, None, None), None)
        trace.next_move.append(None if next_kind is None else _MOVE_NAMES[next_kind])
        trace.next_source.append(None if next_u is None else order[next_u])
        trace.next_target.append(None if next_v is None else order[next_v])
        trace.next_delta.append(next_delta)
        trace.arbitrary.append(arbitrary)
    return trace
