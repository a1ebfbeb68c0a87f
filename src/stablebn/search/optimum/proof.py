"""What shows that no DAG is better, and how it is checked: in integers, without a solver.

In a DAG every cluster of variables has a member without a parent in it. So for any numbers l >= 0, one for each cluster
C, the loss of a DAG is at least

    sum over v of min over P of [loss(v, P) - sum of l(C) over C with v in C and no parent in C]  +  sum of all l(C).

Choices whose part of it lifts the sum above the loss of the DAG that was found are in no better one. What is left after
that is small, and solved by dynamic programming over subsets, or split by an arc into DAGs with it and DAGs without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stablebn.search.optimum.components import Alive, Component, parts_of
from stablebn.search.optimum.subsets import MOST_PLACES, best_of_part
from stablebn.stats.variable_sets import bit, members


@dataclass(frozen=True)
class Multipliers:
    """Numbers of clusters.

    Attributes
    ----------
    clusters : tuple of int
        As bits of places.
    values : tuple of int
        One for each, none negative, in units of 2**-62.
    """

    clusters: tuple[int, ...]
    values: tuple[int, ...]


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
    """The losses of all choices that are left, each less the numbers of the clusters in which it has no parent."""
    found = []
    for place, choices in enumerate(alive):
        concerned = [
            (cluster, value) for cluster, value in zip(own.clusters, own.values, strict=True) if cluster >> place & 1
        ]
        inside, losses = component.inside[place], component.losses[place]
        found.append(
            [losses[at] - sum(value for cluster, value in concerned if not inside[at] & cluster) for at in choices]
        )
    return found


def apply(component: Component, alive: Alive, own: Multipliers, most: int) -> tuple[int, Alive]:
    """A lower bound of what DAGs made of some choices lose, and the choices of those that lose no more than `most`."""
    reduced = reduced_losses(component, alive, own)
    least = [min(of) for of in reduced]
    bound = sum(least) + sum(own.values)
    room = most - bound
    left = tuple(
        tuple(at for at, loss in zip(choices, of, strict=True) if loss - low <= room)
        for choices, of, low in zip(alive, reduced, least, strict=True)
    )
    return bound, left


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
    return tuple(
        tuple(at for at in choices if place != v or bool(component.inside[v][at] >> u & 1) is has)
        for place, choices in enumerate(alive)
    )


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
    alive = component.everything if alive is None else alive
    bound = 0
    for step in tree.steps:
        if any(value < 0 for value in step.values) or any(cluster >> component.n for cluster in step.clusters):
            raise ValueError("a multiplier is negative, or a cluster has unknown variables")
        own, alive = apply(component, alive, step, most)
        bound = max(bound, own)
        if not all(alive):
            return None
    alive = without_cycles(component, alive)
    if not all(alive):
        return None
    if tree.arc is not None:
        if tree.having is None or tree.lacking is None:
            raise ValueError("an arc splits DAGs, and one of the two parts is missing")
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
    total = sum(own.values)
    for place, reduced in enumerate(reduced_losses(component, component.everything, own)):
        concerned = sum(value for cluster, value in zip(own.clusters, own.values, strict=True) if cluster >> place & 1)
        total += min(*reduced, beyond[place] - concerned)
    return total
