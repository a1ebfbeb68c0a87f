"""The one climbing loop: hill climbing and tabu search (SPEC section 3)."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stablebn.kernels.logarithm import to_float
from stablebn.scores.families import FamilyScores
from stablebn.search.state import Move, State
from stablebn.search.tabu_list import TabuList
from stablebn.search.trace import Trace

logger = logging.getLogger(__name__)

_MOVE_NAMES = ("add", "delete", "reverse")


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
    trace : Trace
        Every step, with variables as numbers.
    finished : bool
        False if `max_iter` or the deadline stopped it.
    """

    parents: tuple[int, ...]
    score: int
    order: tuple[int, ...]
    trace: Trace
    finished: bool


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
        Whether the arc u -> v may be added, or arise from a reversal; all may by default.
    deadline : float, optional
        Stop when `time.monotonic` has come so far.
    watch : callable, optional
        Called with the number of steps made so far.
    """
    n = scores.n
    state = State(
        scores, order, [0] * n if start is None else start, n if max_parents is None else max_parents, allowed
    )
    tabu_list = TabuList(tabu)
    trace = Trace()
    score = best_score = state.score
    best_parents = tuple(state.parents)
    bad = 0
    finished = True
    while True:
        forbidden = tabu_list.forbidden(state.has_arc)
        candidates = state.best_two_moves(forbidden)
        if not candidates:
            break
        move, delta = candidates[0]
        if delta <= 0 and bad + 1 > noinc:
            break
        if len(trace) == max_iter or (deadline is not None and time.monotonic() > deadline):
            finished = False
            break
        arbitrary = state.is_arbitrary(move, forbidden)
        state.make(move)
        tabu_list.move(move)
        score = state.score
        bad += delta <= 0
        if score > best_score:
            best_score, best_parents, bad = score, tuple(state.parents), 0
        trace.append(
            **_named("", move, order),
            delta=delta,
            score=to_float(score),
            **_named("next_", candidates[1][0] if len(candidates) > 1 else None, order),
            next_delta=candidates[1][1] if len(candidates) > 1 else None,
            arbitrary=arbitrary,
        )
        if watch is not None:
            watch(len(trace))
    logger.debug("climbed %d steps to a score of %s", len(trace), to_float(best_score))
    return Climb(best_parents, best_score, tuple(order), trace, finished)


def _named(prefix: str, move: Move | None, order: Sequence[int]) -> dict[str, str | int | None]:
    """The entries of a move in the trace."""
    kind, source, target = (
        (None, None, None) if move is None else (_MOVE_NAMES[move[0]], order[move[1]], order[move[2]])
    )
    return {f"{prefix}move": kind, f"{prefix}source": source, f"{prefix}target": target}
