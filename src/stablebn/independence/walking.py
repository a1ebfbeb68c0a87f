"""Walking over the subsets of a pool in a kernel, which comes back where a p-value must decide."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stablebn.independence.base import IndependenceTest
from stablebn.kernels.contingency import ENDED, FOUND, next_subset
from stablebn.stats.variable_sets import bit, members

# A kernel comes back after so many tests, so that a limit of time can be kept.
MOST_AT_ONCE = 256
# Statistics this close to the critical one are left to the p-value.
CLEAR = 1 + 1e-9


class Stop(NamedTuple):
    """Where a kernel came back: why, after how many tests, and the p-value of the last if it matters."""

    why: int
    tests: int
    p_value: float


class WalkingTest(IndependenceTest):
    """A test whose walk over subsets is compiled.

    The kernel compares with critical values, a little above the true ones; the p-value has the last word.
    """

    @abstractmethod
    def _walk(
        self,
        x: int,
        y: int,
        pool: NDArray[np.int64],
        always: NDArray[np.int64],
        places: NDArray[np.int64],
        most: int,
        alpha: float,
    ) -> Stop:
        """Walk on from the subset at these places until x and y may be independent."""

    def separating_set(
        self,
        x: int,
        y: int,
        pool: Sequence[int],
        size: int,
        alpha: float,
        *,
        always: int = 0,
        watch: Callable[[], None] | None = None,
    ) -> tuple[int, float] | None:
        """The first subset of a pool given which x and y are independent, and the p-value there."""
        if size > len(pool):
            return None
        variables = np.array(pool, dtype=np.int64)
        fixed = np.array(members(always), dtype=np.int64)
        places = np.arange(size, dtype=np.int64)
        more = True
        while more:
            why, tests, p_value = self._walk(x, y, variables, fixed, places, MOST_AT_ONCE, alpha)
            self.performed += tests
            if why == FOUND and p_value > alpha:
                return always | sum(bit(pool[place]) for place in places.tolist()), p_value
            if why == FOUND:
                more = next_subset(places, len(pool))
            elif why == ENDED:
                more = False
            if watch is not None:
                watch()
        return None
