"""The interface of tests of conditional independence."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from copy import copy
from itertools import chain, combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stablebn.stats.variable_sets import bit

if TYPE_CHECKING:
    from typing_extensions import Self

Numbers = NDArray[np.float64]

_FIRST_AT_ONCE = 8


class Outcome(NamedTuple):
    """The result of one test.

    Attributes
    ----------
    statistic, df : float
    p_value : float
        Probability of a statistic at least this large if x and y are independent.
    """

    statistic: float
    df: float
    p_value: float


class IndependenceTest(ABC):
    """Test whether x and y are independent given a set of variables.

    Variables are 0 .. n - 1, sets of them the bits of an int. Every test is symmetric in x and y, bit for bit.

    Attributes
    ----------
    n : int
    performed : int
        Number of tests so far, as counted by an algorithm that makes one test after the other.
    """

    n: int

    def __init__(self) -> None:
        self.performed = 0
        self._known: dict[tuple[int, int, int], Outcome] = {}

    def fork(self) -> Self:
        """Return the same test with its own count, for another thread; the cache is shared."""
        test = copy(self)
        test.performed = 0
        return test

    @abstractmethod
    def outcomes(self, x: int, candidates: Sequence[int], given: int) -> tuple[Numbers, Numbers, Numbers]:
        """Return statistics, degrees of freedom and p-values of x with each candidate, without counting the tests."""

    def test(self, x: int, y: int, given: int) -> Outcome:
        """Test one pair; a repeated test is looked up in the cache and counted again."""
        self.performed += 1
        key = (x, y, given) if x < y else (y, x, given)
        if key not in self._known:
            self._known[key] = Outcome(*(float(values[0]) for values in self.outcomes(x, [y], given)))
        return self._known[key]

    def p_values(self, x: int, candidates: Sequence[int], given: int, alpha: float = 1.0) -> list[float]:
        """Return the p-value of x with each candidate, in one pass, without counting the tests.

        A p-value above alpha may be returned as 1, so that the test can be skipped if it is clearly above.
        """
        found: list[float] = self.outcomes(x, candidates, given)[2].tolist()
        return found

    def first_dependent(self, x: int, candidates: Sequence[int], given: int, alpha: float) -> int | None:
        """Return the first candidate whose p-value is not above alpha."""
        # Several tests at once are faster than one by one, but those after the first dependent candidate are wasted.
        start, stop = 0, _FIRST_AT_ONCE
        while start < len(candidates):
            some = candidates[start:stop]
            for y, p_value in zip(some, self.p_values(x, some, given, alpha), strict=True):
                self.performed += 1
                if p_value <= alpha:
                    return y
            start, stop = stop, 3 * stop
        return None

    def p_values_given_rest(self, x: int, among: Sequence[int], blanket: int, stop_above: float = 1.0) -> list[float]:
        """Return the p-value of x with some members of a set, each given all other members, without counting the tests.

        The list ends at the first p-value above `stop_above`.
        """
        found: list[float] = []
        for y in among:
            found.append(float(self.outcomes(x, [y], blanket & ~bit(y))[2][0]))
            if found[-1] > stop_above:
                break
        return found

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
        """Return the first subset of a pool given which x and y are independent, and its p-value; None if none is.

        Parameters
        ----------
        x, y : int
        pool : sequence of int
            Subsets are tried by increasing size, those of one size in lexicographic order of indices in the pool.
        sizes : range
            Sizes of the subsets, in steps of one.
        alpha : float
            Variables are independent if the p-value is above alpha.
        always : int
            A set that is conditioned on in addition to the subset; it is part of the returned set.
        tried : int
            A set without a separating subset of these sizes: its subsets are counted again, but not tested.
        watch : callable, optional
            Called from time to time; an exception that it raises ends the search.
        """
        for subset in chain.from_iterable(combinations(pool, size) for size in sizes):
            given = always | sum(map(bit, subset))
            outcome = self.test(x, y, given)
            if outcome.p_value > alpha:
                return given, outcome.p_value
            if watch is not None:
                watch()
        return None

    def inseparable(
        self, x: int, among: Sequence[int], most: int, alpha: float, *, watch: Callable[[], None] | None = None
    ) -> list[int]:
        """Return the variables that no subset of the others separates from x.

        Parameters
        ----------
        x, among, alpha, watch
            As in `separating_set`.
        most : int
            Size of the largest subsets.
        """
        kept = []
        for y in among:
            others = [z for z in among if z != y]
            sizes = range(min(len(others), most) + 1)
            if self.separating_set(x, y, others, sizes, alpha, watch=watch) is None:
                kept.append(y)
        return kept

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
        """Return the greatest p-value of x and y given any subset of a pool; or the first above alpha.

        Parameters
        ----------
        x, y, pool, sizes, alpha, always, watch
            As in `separating_set`.
        """
        greatest = 0.0
        for subset in chain.from_iterable(combinations(pool, size) for size in sizes):
            greatest = max(greatest, self.test(x, y, always | sum(map(bit, subset))).p_value)
            if greatest > alpha:
                break
            if watch is not None:
                watch()
        return greatest
