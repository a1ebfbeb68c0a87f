"""Walking over the subsets of a pool in a kernel, which comes back now and then."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stablebn.independence.base import IndependenceTest
from stablebn.kernels.contingency import FOUND, PAUSED
from stablebn.stats.variable_sets import bit, members

# A kernel comes back after so many tests, so that a limit of time can be kept.
MOST_AT_ONCE = 256
# Statistics this close to the critical one are left to the p-value.
CLEAR = 1 + 1e-9


class Stop(NamedTuple):
    """Where a kernel came back: why, after how many tests, and the greatest p-value of those it looked at."""

    why: int
    tests: int
    p_value: float


class WalkingTest(IndependenceTest):
    """A test whose walk over subsets is compiled."""

    @abstractmethod
    def _walk(
        self,
        x: int,
        y: int,
        pool: NDArray[np.int64],
        tried: NDArray[np.bool_],
        always: NDArray[np.int64],
        places: NDArray[np.int64],
        most: int,
        alpha: float,
        *,
        greatest: bool,
    ) -> Stop:
        """Walk on from the subset at these places until a p-value is above alpha.

        Unless the greatest is asked for, a p-value that is clearly not need not be known.
        """

    def separating_set(
        self,
        x: int,
        y: int,
        pool: Sequence[int],
        size: int,
        alpha: float,
        *,
        always: int = 0,
        tried: int = 0,
        watch: Callable[[], None] | None = None,
    ) -> tuple[int, float] | None:
        """The first subset of a pool given which x and y are independent, and the p-value there."""
        places = np.arange(size, dtype=np.int64)
        known = np.array([tried >> v & 1 for v in pool], dtype=np.bool_)
        for stop in self._stops(x, y, pool, known, places, alpha, always, watch, greatest=False):
            if stop.why == FOUND:
                return always | sum(bit(pool[place]) for place in places.tolist()), stop.p_value
        return None

    def greatest_p_value(
        self,
        x: int,
        y: int,
        pool: Sequence[int],
        size: int,
        alpha: float,
        *,
        always: int = 0,
        watch: Callable[[], None] | None = None,
    ) -> float:
        """The greatest p-value of x and y given any subset of a pool; or the first above alpha."""
        places, new = np.arange(size, dtype=np.int64), np.zeros(len(pool), dtype=np.bool_)
        stops = self._stops(x, y, pool, new, places, alpha, always, watch, greatest=True)
        return max((stop.p_value for stop in stops), default=0.0)

    def _stops(
        self,
        x: int,
        y: int,
        pool: Sequence[int],
        tried: NDArray[np.bool_],
        places: NDArray[np.int64],
        alpha: float,
        always: int,
        watch: Callable[[], None] | None,
        *,
        greatest: bool,
    ) -> Iterator[Stop]:
        """The stops of a walk from the subset at these places to the first with a p-value above alpha, or the last."""
        if places.size > len(pool):
            return
        variables, fixed = np.array(pool, dtype=np.int64), np.array(members(always), dtype=np.int64)
        why = PAUSED
        while why == PAUSED:
            stop = self._walk(x, y, variables, tried, fixed, places, MOST_AT_ONCE, alpha, greatest=greatest)
            why = stop.why
            self.performed += stop.tests
            yield stop
            if watch is not None:
                watch()
