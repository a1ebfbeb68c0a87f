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

from collections.abc import Sequence

from stablebn.exact.components import Alive, Component, parts_of
from stablebn.exact.proof_tree import Multipliers, Tree
from stablebn.exact.subset_search import MOST_PLACES, MOST_PLACES_AT_ONCE, best_of_part
from stablebn.stats.variable_sets import bit, members


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
