"""The records of a proof: multipliers and branches that bound the loss, and what they prove about a DAG."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from stablebn.stats.variable_sets import bit, members

MOST_IN_LOCAL_CUT = 7
"""Most variables of a local cut."""


@dataclass(frozen=True)
class LocalCut:
    """Weights of a few variables, by variable and its parents among the others (see `proof`).

    Attributes
    ----------
    positions : tuple of int
        The variables, ascending.
    weights : tuple of tuples of int
        By variable, then by its parents among the others, as bits; the first of the others is the lowest bit.
    """

    positions: tuple[int, ...]
    weights: tuple[tuple[int, ...], ...]

    @cached_property
    def least(self) -> int:
        """The least sum of weights of a DAG of these variables: L(S) = min over v of L(S - v) + w(v, within S - v)."""
        size = len(self.positions)
        sums = [0] * bit(size)
        least_inside = [self._least_inside(at) for at in range(size)]
        for subset in range(1, bit(size)):
            inside = members(subset)
            sums[subset] = min(sums[subset & ~bit(at)] + least_inside[at][squeezed(subset, at)] for at in inside)
        return sums[-1]

    def _least_inside(self, at: int) -> list[int]:
        """Return the least weight of a variable with parents inside each subset of the others."""
        least = list(self.weights[at])
        for u in range(len(self.positions) - 1):
            for subset in range(len(least)):
                if subset >> u & 1:
                    least[subset] = min(least[subset], least[subset & ~bit(u)])
        return least

    def by_parents(self, position: int) -> tuple[int, dict[int, int]]:
        """Return the other variables as bits of positions, and the weight of each parent set among them."""
        return self._by_parents[position]

    @cached_property
    def _by_parents(self) -> dict[int, tuple[int, dict[int, int]]]:
        result = {}
        for position, weights_of in zip(self.positions, self.weights, strict=True):
            others = [u for u in self.positions if u != position]
            sets = [0]
            for u in others:
                sets += [parents | bit(u) for parents in sets]
            result[position] = sets[-1], dict(zip(sets, weights_of, strict=True))
        return result

    def check(self, n: int) -> None:
        """Raise `ValueError` unless it is a local cut of some of n variables."""
        size = len(self.positions)
        if not 2 <= size <= MOST_IN_LOCAL_CUT or list(self.positions) != sorted(set(self.positions)):
            raise ValueError(f"a local cut is not of two to {MOST_IN_LOCAL_CUT} variables")
        if self.positions[0] < 0 or self.positions[-1] >= n:
            raise ValueError("a local cut has unknown variables")
        if len(self.weights) != size or any(len(weights_of) != bit(size - 1) for weights_of in self.weights):
            raise ValueError("a local cut lacks a weight of some variable and parents")


@dataclass(frozen=True)
class Multipliers:
    """Nonnegative multipliers of clusters and local cuts.

    Attributes
    ----------
    clusters : tuple of (int, int)
        Variables as bits of positions, and the multiplier.
    local_cuts : tuple of (LocalCut, int)
    denominator : int
        Multipliers are in units of 2**-62 nats / denominator.
    """

    clusters: tuple[tuple[int, int], ...] = ()
    local_cuts: tuple[tuple[LocalCut, int], ...] = ()
    denominator: int = 1

    def credit(self, position: int) -> Callable[[int], int]:
        """Return what is subtracted from the loss of a variable, as a function of its parents inside the component."""
        clusters = [(cluster, value) for cluster, value in self.clusters if cluster >> position & 1]
        local_cuts = []
        for cut, value in self.local_cuts:
            if position in cut.positions:
                others, weights = cut.by_parents(position)
                local_cuts.append((others, {parents: number * value for parents, number in weights.items()}))

        def of(parents: int) -> int:
            sum_of_credits = 0
            for cluster, value in clusters:
                if not parents & cluster:
                    sum_of_credits += value
            for others, weights in local_cuts:
                sum_of_credits += weights[parents & others]
            return sum_of_credits

        return of

    def most_credit(self, position: int) -> int:
        """Return the most that is subtracted from the loss of a variable for any parents."""
        most = sum(value for cluster, value in self.clusters if cluster >> position & 1)
        for cut, value in self.local_cuts:
            if position in cut.positions:
                most += value * max(cut.weights[cut.positions.index(position)])
        return most

    @cached_property
    def total(self) -> int:
        """The constant that is added to the bound."""
        return sum(value for _, value in self.clusters) + sum(value * cut.least for cut, value in self.local_cuts)

    def check(self, n: int) -> None:
        """Raise `ValueError` unless the multipliers prove a bound for n variables."""
        for cluster, value in self.clusters:
            if value < 0 or cluster >> n or cluster <= 0:
                raise ValueError("a multiplier is negative, or a cluster has unknown variables")
        if self.denominator < 1:
            raise ValueError("the denominator of multipliers is not positive")
        for cut, value in self.local_cuts:
            cut.check(n)
            if value < 0:
                raise ValueError("a multiplier is negative")


@dataclass(frozen=True)
class Tree:
    """A proof of a lower bound of the loss of all DAGs.

    Attributes
    ----------
    steps : tuple of Multipliers
        Applied in sequence: each bounds the loss and excludes choices for those that follow.
    arc : (from, to) or None
        Positions of an arc that splits the DAGs: `having` bounds those that have it, `lacking` the others.
    """

    steps: tuple[Multipliers, ...] = ()
    arc: tuple[int, int] | None = None
    having: Tree | None = None
    lacking: Tree | None = None


@dataclass(frozen=True)
class Ties:
    """Number of Markov equivalence classes with the best score, including that of the proven DAG.

    Only DAGs without superfluous parents count: no parent can be removed without a loss.

    Attributes
    ----------
    count : int
        Number of classes found.
    are_all : bool
        Whether there are no others.
    """

    count: int
    are_all: bool

    def __str__(self) -> str:
        return f"{self.count:,}" if self.are_all else f"at least {self.count:,}"


@dataclass(frozen=True)
class Proof:
    """What is proven about a DAG.

    Attributes
    ----------
    score, bound : int, int or None
        The score of the DAG and an upper bound of that of every DAG, in units of 2**-62; None if no bound is known.
    ties : Ties
    trees : tuple of Tree
        For each component of the problem.
    candidates : int
        Number of candidate parent sets.
    most_parents : int or None
        Larger parent sets were not scored because of a limit on sets or the time; None: they cannot be better.
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
        """Whether it is proven that no DAG scores more."""
        return self.bound == self.score

    @property
    def gap(self) -> int | None:
        """Upper bound of how much more a DAG can score."""
        return None if self.bound is None else self.bound - self.score


def squeezed(subset: int, at: int) -> int:
    """Remove one bit position from a subset and close the gap."""
    return (subset & (bit(at) - 1)) | (subset >> (at + 1) << at)
