"""Walking over the subsets of a pool in the core, which comes back now and then."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Protocol

from stablebn import _core
from stablebn.ci_tests.base import IndependenceTest
from stablebn.stats.variable_sets import bit, members

# A walk comes back after so many tests, so that a limit of time can be kept and Ctrl-C is heard; after fewer where
# they take longer than so many seconds.
MOST_AT_ONCE = 256
_FIRST_AT_ONCE = 16
_SECONDS_AT_ONCE = 0.05


class Walk(Protocol):
    """A walk over subsets until one separates x and y; it keeps its place.

    Attributes
    ----------
    found : bool
        Whether a subset was found: then the walk is at its end.
    tests : int
        Made so far.
    p_value : float
        The greatest so far; of the subset found, if one is.
    subset : list of int
        The one found.
    """

    @property
    def found(self) -> bool: ...  # noqa: D102
    @property
    def tests(self) -> int: ...  # noqa: D102
    @property
    def p_value(self) -> float: ...  # noqa: D102
    @property
    def subset(self) -> list[int]: ...  # noqa: D102

    def advance(self, most: int) -> bool:
        """Make at most so many tests; whether there are more to make."""
        ...


class WalkingTest(IndependenceTest):
    """A test whose walk over subsets is compiled."""

    @abstractmethod
    def _walk(
        self, x: int, y: int, always: list[int], subsets: _core.SubsetCursor, alpha: float, *, greatest: bool
    ) -> Walk:
        """A walk over subsets, given besides the variables of `always`, until a p-value is above alpha.

        Unless the greatest is asked for, a p-value that is clearly not above alpha need not be known.
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
        subsets = _core.SubsetCursor(list(pool), sizes.start, sizes.stop - 1, [bool(tried >> v & 1) for v in pool])
        walk = self._walk(x, y, members(always), subsets, alpha, greatest=False)
        self._finish(walk, watch)
        return (always | sum(map(bit, walk.subset)), walk.p_value) if walk.found else None

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
        subsets = _core.SubsetCursor(list(pool), sizes.start, sizes.stop - 1)
        walk = self._walk(x, y, members(always), subsets, alpha, greatest=True)
        self._finish(walk, watch)
        return walk.p_value

    def _finish(self, walk: Walk, watch: Callable[[], None] | None) -> None:
        """Walk to the end, counting the tests."""
        there_are_more = True
        most = _FIRST_AT_ONCE
        while there_are_more:
            before, began = walk.tests, time.monotonic()
            there_are_more = walk.advance(most)
            self.performed += walk.tests - before
            quick = time.monotonic() - began < _SECONDS_AT_ONCE / 2
            most = min(2 * most, MOST_AT_ONCE) if quick else max(most // 2, 1)
            if watch is not None and not walk.found:
                watch()
