"""Hill climbing and tabu search: one loop, which is compiled (`kernels/climbing.py`), and what it found."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from stablebn.kernels.climbing import ENDED, PAUSED, UNKNOWN
from stablebn.kernels.logarithm import joined, to_float
from stablebn.kernels.moves import NONE, REVERSE
from stablebn.scores.families import FamilyScores
from stablebn.scores.notebook import Notebook
from stablebn.search.state import State
from stablebn.search.trace import Trace
from stablebn.stats.variable_sets import bit

logger = logging.getLogger(__name__)

# So many steps take a fraction of a second: no longer is Ctrl-C, or the end of the time, left unheard.
_STEPS_AT_ONCE = 64

_MOVE_NAMES = ("add", "delete", "reverse")


@dataclass(frozen=True, eq=False)
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
    start : int
        Score of the DAG at the start.
    steps, deltas : int64 array [steps, 9], float64 array [steps, 2]
        What was done, as `kernels/climbing.py` describes it.
    finished : bool
        False if `max_iter` or the time stopped it.
    notebook : Notebook
        What was worked out.
    """

    parents: tuple[int, ...]
    score: int
    order: tuple[int, ...]
    start: int
    steps: NDArray[np.int64]
    deltas: NDArray[np.float64]
    finished: bool
    notebook: Notebook

    @cached_property
    def trace(self) -> Trace:
        """Every step, in columns, with variables as numbers."""
        trace = Trace()
        score = self.start
        for step, (delta, next_delta) in zip(self.steps.tolist(), self.deltas.tolist(), strict=True):
            kind, u, v, next_kind, next_u, next_v, hi, lo, arbitrary = step
            score += joined(hi, lo)
            trace.move.append(_MOVE_NAMES[kind])
            trace.source.append(self.order[u])
            trace.target.append(self.order[v])
            trace.delta.append(delta)
            trace.score.append(to_float(score))
            alone = next_kind == NONE
            trace.next_move.append(None if alone else _MOVE_NAMES[next_kind])
            trace.next_source.append(None if alone else self.order[next_u])
            trace.next_target.append(None if alone else self.order[next_v])
            trace.next_delta.append(None if alone else next_delta)
            trace.arbitrary.append(bool(arbitrary))
        return trace


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
    time_is_up: Callable[[], bool] | None = None,
    watch: Callable[[int], None] | None = None,
    notebook: Notebook | None = None,
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
    time_is_up : callable, optional
        Asked again and again whether to stop.
    watch : callable, optional
        Called with the number of steps made so far.
    notebook : Notebook, optional
        What an earlier search with these scores has worked out; this one adds to it.
    """
    n = scores.n
    parents = [0] * n if start is None else list(start)
    most = sys.maxsize if max_iter is None else max_iter
    at_once = _STEPS_AT_ONCE if watch is None else 1
    finished = True
    notebook = scores.new_notebook() if notebook is None else notebook
    state = State(
        scores,
        notebook,
        order,
        parents,
        most_parents=n if max_parents is None else max_parents,
        tabu=tabu,
        noinc=noinc,
        allowed=allowed,
    )
    while True:
        late = time_is_up is not None and time_is_up()
        made = state.made
        status, variable = state.climb(made if late else min(most, made + at_once))
        if watch is not None and state.made > made:
            watch(state.made)
        if status == ENDED:
            break
        if late or (status == PAUSED and state.made == max_iter):
            finished = False
            break
        if status == UNKNOWN:
            state.look_up(variable)
    steps, deltas = state.steps
    score = state.start + sum(joined(hi, lo) for hi, lo in steps[: state.best, 6:8].tolist())
    for kind, u, v in steps[: state.best, :3].tolist():
        parents[order[v]] ^= bit(order[u])
        if kind == REVERSE:
            parents[order[u]] ^= bit(order[v])
    logger.debug("climbed %d steps to a score of %s", len(steps), to_float(score))
    return Climb(tuple(parents), score, tuple(order), state.start, steps, deltas, finished, notebook)
