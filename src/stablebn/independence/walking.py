"""Walking over the subsets of a pool in a kernel, which comes back now and then."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stablebn.independence.base import IndependenceTest
from stablebn.kernels.subsets import FOUND, PAUSED
from stablebn.stats.variable_sets import bit, members

# A kernel comes back after so many tests, so that a limit of time can be kept.
MOST_AT_ONCE = 256
# Statistics this close to the critical one are left to the p-value.
CLEAR = 1 + 1e-9


class Stop(NamedTuple):
    """Where a walk came back: why, after how many tests, the greatest p-value seen, and the size of the subset."""

    why: int
    tests: int
    p_value: float
    size: int


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
        size: int,
        most: int,
        alpha: float,
        *,
        greatest: bool,
    ) -> Stop:
        """Walk on from the subset at the first places until a p-value is above alpha.

        There are as many places as the largest subsets have members. Unless the greatest is asked for, a p-value that
        is clearly not above alpha need not be known.
        """

    def separating_set(
        self,
        x: int,
        y: int,
        pool: Sequence[int],
        sizes: range,
        alpha: float,
        *,
        always: int = 0,
        tried: int = 0,
        watch: Callable[[], None] | None = None,
    ) -> tuple[int, float] | None:
        """The first subset of a pool given which x and y are independent, and the p-value there."""
        places = np.arange(max(sizes, default=0), dtype=np.int64)
        for stop in self._stops(x, y, pool, tried, places, sizes, alpha, always, watch, greatest=False):
            if stop.why == FOUND:
                return always | sum(bit(pool[place]) for place in places[: stop.size].tolist()), stop.p_value
        return None

    def greatest_p_value(
        self,
        x: int,
        y: int,
        pool: Sequence[int],
        sizes: range,
        alpha: float,
        *,
        always: int = 0,
        watch: Callable[[], None] | None = None,
    ) -> float:
        """The greatest p-value of x and y given any subset of a pool; or the first above alpha."""
        places = np.arange(max(sizes, default=0), dtype=np.int64)
        stops = self._stops(x, y, pool, 0, places, sizes, alpha, always, watch, greatest=True)
        return max((stop.p_value for stop in stops), default=0.0)

    def _stops(
        self,
        x: int,
        y: int,
        pool: Sequence[int],
        tried: int,
        places: NDArray[np.int64],
        sizes: range,
        alpha: float,
        always: int,
        watch: Callable[[], None] | None,
        *,
        greatest: bool,
    ) -> Iterator[Stop]:
        """The stops of a walk from the subset at the first places to one with a p-value above alpha, or the last."""
        if not sizes or sizes.start > len(pool):
            return
        variables, fixed = np.array(pool, dtype=np.int64), np.array(members(always), dtype=np.int64)
        known = np.array([tried >> v & 1 for v in pool], dtype=np.bool_)
        why, size = PAUSED, sizes.start
        while why == PAUSED:
            stop = self._walk(x, y, variables, known, fixed, places, size, MOST_AT_ONCE, alpha, greatest=greatest)
            why, size = stop.why, stop.size
            self.performed += stop.tests
            yield stop
            if watch is not None:
                watch()
