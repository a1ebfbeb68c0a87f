"""The records of a proof: bounds of the loss (multipliers, branches), and what follows from them for a DAG."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from stablebn.stats.variable_sets import bit, members

MOST_IN_TABLE = 7
"""Most variables of a local cut."""


@dataclass(frozen=True)
class Table:
    """Numbers of a few variables, by each of them and its parents among the others.

    Attributes
    ----------
    places : tuple of int
        The variables, ascending.
    numbers : tuple of tuples of int
        By variable; then by its parents among the others, as bits, where the first of the others is the lowest.
    """

    places: tuple[int, ...]
    numbers: tuple[tuple[int, ...], ...]

    @cached_property
    def least(self) -> int:
        """The least sum of numbers of a DAG of these variables: L(S) is the least of L(S - v) + w(v, within S - v)."""
        size = len(self.places)
        sums = [0] * bit(size)
        of = [self._least_inside(at) for at in range(size)]
        for subset in range(1, bit(size)):
            inside = members(subset)
            sums[subset] = min(sums[subset & ~bit(at)] + of[at][squeezed(subset, at)] for at in inside)
        return sums[-1]

    def _least_inside(self, at: int) -> list[int]:
        """Of a variable, the least number with parents inside each subset of the others."""
        least = list(self.numbers[at])
        for u in range(len(self.places) - 1):
            for subset in range(len(least)):
                if subset >> u & 1:
                    least[subset] = min(least[subset], least[subset & ~bit(u)])
        return least

    def by_parents(self, place: int) -> tuple[int, dict[int, int]]:
        """The others, as bits of places, and the number of each set of parents among them."""
        return self._by_parents[place]

    @cached_property
    def _by_parents(self) -> dict[int, tuple[int, dict[int, int]]]:
        found = {}
        for place, own in zip(self.places, self.numbers, strict=True):
            others = [u for u in self.places if u != place]
            sets = [0]
            for u in others:
                sets += [parents | bit(u) for parents in sets]
            found[place] = sets[-1], dict(zip(sets, own, strict=True))
        return found

    def check(self, n: int) -> None:
        """Raise `ValueError` unless it is a table of some of n variables."""
        size = len(self.places)
        if not 2 <= size <= MOST_IN_TABLE or list(self.places) != sorted(set(self.places)):
            raise ValueError(f"a table is not of two to {MOST_IN_TABLE} variables")
        if self.places[0] < 0 or self.places[-1] >= n:
            raise ValueError("a table has unknown variables")
        if len(self.numbers) != size or any(len(own) != bit(size - 1) for own in self.numbers):
            raise ValueError("a table has not a number for each variable and its parents")


@dataclass(frozen=True)
class Multipliers:
    """Numbers of clusters and of tables, none negative.

    Attributes
    ----------
    clusters : tuple of (int, int)
        Variables as bits of places, and the number.
    tables : tuple of (Table, int)
    denominator : int
        So many of them are 2**-62 nats.
    """

    clusters: tuple[tuple[int, int], ...] = ()
    tables: tuple[tuple[Table, int], ...] = ()
    denominator: int = 1

    def credit(self, place: int) -> Callable[[int], int]:
        """What the parents of a variable take away from its loss, as a function of those inside the component."""
        clusters = [(own, value) for own, value in self.clusters if own >> place & 1]
        tables = []
        for table, value in self.tables:
            if place in table.places:
                others, numbers = table.by_parents(place)
                tables.append((others, {parents: number * value for parents, number in numbers.items()}))

        def of(parents: int) -> int:
            found = 0
            for own, value in clusters:
                if not parents & own:
                    found += value
            for others, numbers in tables:
                found += numbers[parents & others]
            return found

        return of

    def most_credit(self, place: int) -> int:
        """No parents of a variable take away more from its loss."""
        found = sum(value for own, value in self.clusters if own >> place & 1)
        for table, value in self.tables:
            if place in table.places:
                found += value * max(table.numbers[table.places.index(place)])
        return found

    @cached_property
    def total(self) -> int:
        """What is added for all variables together."""
        return sum(value for _, value in self.clusters) + sum(value * table.least for table, value in self.tables)

    def check(self, n: int) -> None:
        """Raise `ValueError` unless the numbers prove something of n variables."""
        for own, value in self.clusters:
            if value < 0 or own >> n or own <= 0:
                raise ValueError("a multiplier is negative, or a cluster has unknown variables")
        if self.denominator < 1:
            raise ValueError("the denominator of multipliers is not positive")
        for table, value in self.tables:
            table.check(n)
            if value < 0:
                raise ValueError("a multiplier is negative")


@dataclass(frozen=True)
class Tree:
    """How the loss of all DAGs is bounded.

    Attributes
    ----------
    steps : tuple of Multipliers
        Applied one after the other: each bounds the loss, and leaves choices out for those that follow.
    arc : (from, to) or None
        Places of an arc that splits the DAGs; then `having` bounds those that have it, and `lacking` the others.
    """

    steps: tuple[Multipliers, ...] = ()
    arc: tuple[int, int] | None = None
    having: Tree | None = None
    lacking: Tree | None = None


@dataclass(frozen=True)
class Ties:
    """How many classes of DAGs are equally good, that of the DAG itself included.

    Classes are counted among DAGs without superfluous parents: no parent can be left out without a loss.

    Attributes
    ----------
    count : int
        Those that were found.
    are_all : bool
        Whether there are no others.
    """

    count: int
    are_all: bool

    def __str__(self) -> str:
        return f"{self.count:,}" if self.are_all else f"at least {self.count:,}"


@dataclass(frozen=True)
class Proof:
    """What is proven of a DAG.

    Attributes
    ----------
    score, bound : int, int or None
        The score of the DAG, and what no DAG exceeds, in units of 2**-62; None where no bound is known.
    ties : Ties
    trees : tuple of Tree
        For each component of the problem.
    candidates : int
        Number of candidate parent sets.
    most_parents : int or None
        Larger parent sets were not looked at, as the limit on sets or the time was met; None: they cannot be better.
    limits : tuple of str
        The limits other than time that ended the proof, in words.
    """

    score: int
    bound: int | None
    ties: Ties
    trees: tuple[Tree, ...]
    candidates: int
    most_parents: int | None
    limits: tuple[str, ...] = ()

    @property
    def optimal(self) -> bool:
        """Whether it is proven that no DAG is better."""
        return self.bound == self.score

    @property
    def gap(self) -> int | None:
        """How much better a DAG can be at most."""
        return None if self.bound is None else self.bound - self.score


def squeezed(subset: int, at: int) -> int:
    """A subset as bits without the place of one bit."""
    return (subset & (bit(at) - 1)) | (subset >> (at + 1) << at)
