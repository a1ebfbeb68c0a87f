"""Walks over the subsets of a pool in the core, in steps that allow a time limit and Ctrl-C."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Protocol

from stablebn import _core
from stablebn.ci_tests.base import IndependenceTest
from stablebn.stats.variable_sets import bit, members

# A walk returns after at most this many tests, so that the time limit is checked and Ctrl-C is handled; after fewer if
# they take longer than `_SECONDS_AT_ONCE`.
MOST_AT_ONCE = 256
_FIRST_AT_ONCE = 16
_SECONDS_AT_ONCE = 0.05


class Walk(Protocol):
    """A walk over subsets until one separates x and y; it can be continued.

    Attributes
    ----------
    found : bool
        Whether a separating subset was found, which ends the walk.
    tests : int
        Number of tests so far.
    p_value : float
        The greatest p-value so far; that of the subset found, if there is one.
    subset : list of int
        The separating subset.
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
        """Make at most `most` tests; return whether there are more to make."""
        ...


class WalkingTest(IndependenceTest):
    """A test with a compiled walk over subsets."""

    @abstractmethod
    def _walk(
        self, x: int, y: int, always: list[int], subsets: _core.SubsetCursor, alpha: float, *, greatest: bool
    ) -> Walk:
        """Return a walk over subsets, conditioned on together with `always`, until a p-value is above alpha.

        Without `greatest` a p-value that is clearly not above alpha need not be computed.
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
        """Return the first subset of a pool given which x and y are independent, and its p-value; None if none is."""
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
        """Return the greatest p-value of x and y given any subset of a pool; or the first above alpha."""
        subsets = _core.SubsetCursor(list(pool), sizes.start, sizes.stop - 1)
        walk = self._walk(x, y, members(always), subsets, alpha, greatest=True)
        self._finish(walk, watch)
        return walk.p_value

    def _finish(self, walk: Walk, watch: Callable[[], None] | None) -> None:
        """Run a walk to its end and count the tests."""
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
