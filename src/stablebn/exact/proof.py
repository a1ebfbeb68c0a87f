"""What shows that no DAG is better, and how it is checked: in integers, without a solver.

In a DAG every cluster of variables has a member without a parent in it. So for any numbers l >= 0, one for each cluster
C, the loss of a DAG is at least

    sum over v of min over P of [loss(v, P) - sum of l(C) over C with v in C and no parent in C]  +  sum of all l(C).

Much else is of this kind. Let w(v, S) be any numbers, by a variable v of a few variables C and its parents S in C. The
least sum of w over all DAGs of C can be worked out, by dynamic programming over subsets; and what is left of a DAG when
only C is looked at is a DAG. So w may be taken away from the losses, and that least sum added. Such tables say all that
holds among a few variables.

Choices whose part of it lifts the sum above the loss of the DAG that was found are in no better one. What is left after
that is small, and solved by dynamic programming over subsets, or split by an arc into DAGs with it and DAGs without it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from stablebn.exact.components import Alive, Component, parts_of
from stablebn.exact.subset_search import MOST_PLACES, MOST_PLACES_AT_ONCE, best_of_part
from stablebn.stats.variable_sets import bit, members

MOST_IN_TABLE = 7
"""Variables of a table."""


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


def squeezed(subset: int, at: int) -> int:
    """A subset as bits without the place of one bit."""
    return (subset & (bit(at) - 1)) | (subset >> (at + 1) << at)


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


def reduced_losses(component: Component, alive: Alive, own: Multipliers) -> list[list[int]]:
    """The losses of all choices that are left, each less what the numbers take away from it; over the denominator."""
    found = []
    for place, choices in enumerate(alive):
        credit = own.credit(place)
        inside, losses = component.inside[place], component.losses[place]
        found.append([own.denominator * losses[at] - credit(inside[at]) for at in choices])
    return found


def apply(component: Component, alive: Alive, own: Multipliers, most: int) -> tuple[int, Alive]:
    """A lower bound of what DAGs made of some choices lose, and the choices of those that lose no more than `most`.

    Where some variable has none of these left, no DAG loses so little.
    """
    reduced = reduced_losses(component, alive, own)
    least = [min(of) for of in reduced]
    bound = sum(least) + own.total
    room = own.denominator * most - bound
    left = tuple(
        tuple(at for at, loss in zip(choices, of, strict=True) if loss - low <= room)
        for choices, of, low in zip(alive, reduced, least, strict=True)
    )
    # Losses are integers: so is the least of them.
    return -(-bound // own.denominator), without_cycles(component, left)


def with_one_source(component: Component, alive: Alive, own: Multipliers, most: int) -> Alive:
    """Leave out choices with which some cluster has two members without a parent in it, or none.

    A second one costs the number of the cluster: where that is more than a DAG that loses no more than `most` can
    afford, there is exactly one.
    """
    room = own.denominator * most - sum(map(min, reduced_losses(component, alive, own))) - own.total
    left = [list(choices) for choices in alive]
    for cluster, value in own.clusters:
        if value <= room:
            continue
        inside = members(cluster)
        free = {v: [at for at in left[v] if not component.inside[v][at] & cluster] for v in inside}
        possible = [v for v in inside if free[v]]
        certain = [v for v in possible if len(free[v]) == len(left[v])]
        if len(possible) == 1:
            left[possible[0]] = free[possible[0]]
        elif certain:
            for v in inside:
                if v != certain[0]:
                    left[v] = [at for at in left[v] if at not in free[v]]
    return tuple(map(tuple, left))


def without_cycles(component: Component, alive: Alive) -> Alive:
    """Leave out choices that make a cycle with arcs that all choices of some variables have; perhaps none is left."""
    while all(alive):
        above = []
        for place, choices in enumerate(alive):
            forced = component.inside[place][choices[0]]
            for at in choices[1:]:
                forced &= component.inside[place][at]
            above.append(forced | bit(place))
        for middle in range(component.n):
            for place in range(component.n):
                if above[place] >> middle & 1:
                    above[place] |= above[middle]
        below = [0] * component.n
        for place, own in enumerate(above):
            for u in members(own & ~bit(place)):
                below[u] |= bit(place)
        left = tuple(
            tuple(at for at in choices if not component.inside[place][at] & below[place])
            for place, choices in enumerate(alive)
        )
        if left == alive:
            break
        alive = left
    return alive


def split(component: Component, alive: Alive, arc: tuple[int, int], *, has: bool) -> Alive:
    """The choices of DAGs that have an arc, or have it not."""
    u, v = arc
    left = tuple(
        tuple(at for at in choices if place != v or bool(component.inside[v][at] >> u & 1) is has)
        for place, choices in enumerate(alive)
    )
    return without_cycles(component, left)


def least_loss(component: Component, tree: Tree, most: int, alive: Alive | None = None) -> int | None:
    """A lower bound of the loss of every DAG made of some choices; None: none loses as little as `most`.

    Parameters
    ----------
    component : Component
    tree : Tree
    most : int
        The loss of the DAG that was found: nothing is said of DAGs that lose more.
    alive : Alive, optional
        The choices; all by default.
    """
    if alive is None and tree == Tree() and component.n <= MOST_PLACES_AT_ONCE:
        exact = best_of_part(component, component.everything, range(component.n)).loss
        return None if exact > most else exact
    alive = component.everything if alive is None else alive
    bound = 0
    for step in tree.steps:
        step.check(component.n)
        own, alive = apply(component, alive, step, most)
        bound = max(bound, own)
        if not all(alive):
            return None
    if bound == most:
        return bound
    if tree.arc is not None:
        if tree.having is None or tree.lacking is None:
            raise ValueError("an arc splits DAGs, and one of the two parts is missing")
        u, v = tree.arc
        if not (0 <= u < component.n and 0 <= v < component.n):
            raise ValueError("an arc of unknown variables splits DAGs")
        branches = [
            least_loss(component, branch, most, part)
            for branch, part in (
                (tree.having, split(component, alive, tree.arc, has=True)),
                (tree.lacking, split(component, alive, tree.arc, has=False)),
            )
            if all(part)
        ]
        found = [own for own in branches if own is not None]
        return max(bound, min(found)) if found else None
    own_parts = parts_of(component, alive)
    if all(len(part) <= MOST_PLACES for part in own_parts):
        exact = sum(best_of_part(component, alive, part).loss for part in own_parts)
        return None if exact > most else exact
    return bound


def smallest_sum(component: Component, own: Multipliers, beyond: Sequence[int]) -> int:
    """The bound of `apply` where every variable may besides choose something unknown of some loss, without parents."""
    total = own.total
    for place, reduced in enumerate(reduced_losses(component, component.everything, own)):
        total += min(*reduced, own.denominator * beyond[place] - own.most_credit(place))
    return -(-total // own.denominator)
