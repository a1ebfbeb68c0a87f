"""Search among orders with grown and shrunk parents, slow and obvious (`src/core/order_search/grow_shrink.cpp`)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from stablebn.fixed_point import NOT_A_CANDIDATE, UNIT, joined
from stablebn.learners import Problem
from stablebn.search import Constraints
from stablebn.stats.variable_sets import bit

# A smaller gain may be a matter of rounding.
LEAST = UNIT >> 20


@dataclass(frozen=True)
class State:
    """An order, and the parents of each variable in it."""

    order: list[int]
    parents: list[frozenset[int]]


class Naive:
    """The search of one problem."""

    def __init__(self, problem: Problem, constraints: Constraints) -> None:
        self.n = problem.scores.n
        self.scores = problem.scores
        self.constraints = constraints

    def change(self, child: int, parents: Collection[int], u: int) -> int | None:
        """Return the change of score when u becomes a parent, or ceases to be one; None if it cannot."""
        hi, lo = self.scores.changes(child, sum(map(bit, parents)))[u].tolist()
        return None if hi == NOT_A_CANDIDATE else joined(hi, lo)

    def value(self, parents: Sequence[Collection[int]]) -> int:
        """Return the score of a DAG."""
        return self.scores.dag([sum(map(bit, own)) for own in parents])

    def must(self, child: int) -> frozenset[int]:
        """Return the required parents of a variable."""
        return frozenset(u for u in range(self.n) if self.constraints.required[child] >> u & 1)

    def may_grow(self, child: int, parents: Collection[int]) -> bool:
        """Return whether a variable may have one more parent."""
        return len(parents) < min(self.constraints.limits(None)[child], self.scores.most_parents)

    def best_change(self, child: int, parents: Collection[int], some: Collection[int]) -> int | None:
        """Return the variable whose change of the parents gains most, of equals the first; None if none gains."""
        best, most = None, LEAST
        for u in sorted(some):
            change = self.change(child, parents, u)
            if change is not None and change > most:
                best, most = u, change
        return best

    def grow_shrink(self, child: int, parents: Collection[int], prefix: Collection[int]) -> frozenset[int]:
        """Grow and shrink parents within a prefix until no single change gains."""
        own = frozenset(parents)
        while True:
            while self.may_grow(child, own):
                allowed = [u for u in prefix if u not in own and self.constraints.allowed[child] >> u & 1]
                u = self.best_change(child, own, allowed)
                if u is None:
                    break
                own |= {u}
            shrunk = False
            while (u := self.best_change(child, own, own - self.must(child))) is not None:
                own -= {u}
                shrunk = True
            if not shrunk:
                return own

    def begin(self, order: Sequence[int]) -> State:
        """Grow the parents of every variable within its prefix."""
        parents = [self.grow_shrink(v, self.must(v), order[: order.index(v)]) for v in range(self.n)]
        return State(list(order), parents)

    def begin_greedily(self) -> State:
        """Append the variable that the placed ones explain best, again and again."""
        order: list[int] = []
        parents = [self.must(v) for v in range(self.n)]
        while len(order) < self.n:
            free = [v for v in range(self.n) if v not in order and self.must(v) <= set(order)]
            v = max(free, key=self.gain_of(parents, first=not order))
            order.append(v)
            for y in set(range(self.n)) - set(order):
                if self.gains(y, parents[y], v):
                    parents[y] = self.grow_shrink(y, parents[y], order)
        return State(order, parents)

    def gain_of(self, parents: Sequence[frozenset[int]], *, first: bool) -> Callable[[int], int]:
        """Return by what the next variable is chosen: what its parents gain, or for the first a single one."""

        def most(v: int) -> int:
            changes = (self.change(v, parents[v], u) for u in range(self.n))
            return max(change for change in changes if change is not None)

        def explained(v: int) -> int:
            own, must = (sum(map(bit, some)) for some in (parents[v], self.must(v)))
            return self.scores.family(v, own) - self.scores.family(v, must) if own != must else 0

        return most if first else explained

    def gains(self, child: int, parents: frozenset[int], u: int) -> bool:
        """Return whether one more parent gains, and may be added."""
        if u in parents or not self.constraints.allowed[child] >> u & 1 or not self.may_grow(child, parents):
            return False
        change = self.change(child, parents, u)
        return change is not None and change > LEAST

    def passed(self, state: State, x: int, step: int) -> State | None:
        """Exchange x with its neighbour on the left (-1) or right (+1); only these two adapt their parents."""
        place = state.order.index(x)
        if not 0 <= place + step < self.n:
            return None
        y = state.order[place + step]
        first, second = (y, x) if step < 0 else (x, y)
        if first in self.must(second):
            return None
        prefix = state.order[: min(place, place + step)]
        order = [*prefix, second, first, *state.order[max(place, place + step) + 1 :]]
        parents = list(state.parents)
        if first in parents[second]:
            parents[second] = self.grow_shrink(second, parents[second] - {first}, prefix)
        if self.gains(first, parents[first], second):
            parents[first] = self.grow_shrink(first, parents[first], [*prefix, second])
        return replace(state, order=order, parents=parents)

    def climb(self, state: State) -> State:
        """Move every variable to its best place, in turns, until none moves."""
        turns, at, still = list(state.order), 0, 0
        while still < self.n:
            x, at = turns[at], (at + 1) % self.n
            best = now = state
            most = self.value(now.parents)
            for step in (-1, 1):
                moved = self.passed(now, x, step)
                while moved is not None:
                    if (value := self.value(moved.parents)) > most + LEAST:
                        best, most = moved, value
                    moved = self.passed(moved, x, step)
            still = still + 1 if best is now else 1
            state = best
        return state
