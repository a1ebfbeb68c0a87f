"""Check lower bounds of the loss of every DAG: in integers, without a solver.

In a DAG every cluster C of variables has a member without a parent in C. So for any multipliers l(C) >= 0 the loss of a
DAG is at least

    sum over v of min over P of [loss(v, P) - sum of l(C) over C with v in C and no parent in C]  +  sum of all l(C).

A local cut generalises this. Let w(v, S) be any weights of a few variables C, by a variable v and its parents S in C.
Restricted to C, a DAG is a DAG, so the sum of its weights is at least the least such sum over all DAGs of C, which
dynamic programming over subsets computes. So w may be subtracted from the losses and the least sum added. Local cuts
express everything that holds among a few variables.

A choice whose reduced loss lifts the bound above the loss of the known DAG is in no better DAG. What remains is small
and solved by dynamic programming over subsets, or split by an arc into DAGs with it and DAGs without it.
"""

from __future__ import annotations

from collections.abc import Sequence

from stablebn.exact.components import Component, RemainingChoices, parts_of
from stablebn.exact.proof_tree import Multipliers, Tree
from stablebn.exact.subset_search import MOST_AT_ONCE, MOST_IN_PART, best_of_part
from stablebn.stats.variable_sets import bit, members


def reduced_losses(component: Component, remaining: RemainingChoices, multipliers: Multipliers) -> list[list[int]]:
    """Return the losses of the remaining choices less the credit of the multipliers, times the denominator."""
    result = []
    for position, choices in enumerate(remaining):
        credit = multipliers.credit(position)
        inside, losses = component.inside[position], component.losses[position]
        result.append([multipliers.denominator * losses[at] - credit(inside[at]) for at in choices])
    return result


def apply(
    component: Component, remaining: RemainingChoices, multipliers: Multipliers, most: int
) -> tuple[int, RemainingChoices]:
    """Return a lower bound of the loss of DAGs, and the choices of DAGs with a loss of at most `most`.

    If no choice of some variable is left, no DAG made of the remaining choices has such a loss.
    """
    reduced = reduced_losses(component, remaining, multipliers)
    smallest = [min(losses) for losses in reduced]
    bound = sum(smallest) + multipliers.total
    slack = multipliers.denominator * most - bound
    kept = tuple(
        tuple(at for at, loss in zip(choices, losses, strict=True) if loss - lowest <= slack)
        for choices, losses, lowest in zip(remaining, reduced, smallest, strict=True)
    )
    # Losses are integers, so the bound is rounded up.
    return -(-bound // multipliers.denominator), without_cycles(component, kept)


def with_one_source(
    component: Component, remaining: RemainingChoices, multipliers: Multipliers, most: int
) -> RemainingChoices:
    """Exclude choices with which a cluster has two members without a parent in it, or none.

    A second such member costs the multiplier of the cluster. If a DAG with loss at most `most` cannot afford this,
    there is exactly one.
    """
    slack = (
        multipliers.denominator * most
        - sum(map(min, reduced_losses(component, remaining, multipliers)))
        - multipliers.total
    )
    kept = [list(choices) for choices in remaining]
    for cluster, value in multipliers.clusters:
        if value <= slack:
            continue
        inside = members(cluster)
        free = {v: [at for at in kept[v] if not component.inside[v][at] & cluster] for v in inside}
        possible = [v for v in inside if free[v]]
        certain = [v for v in possible if len(free[v]) == len(kept[v])]
        if len(possible) == 1:
            kept[possible[0]] = free[possible[0]]
        elif certain:
            for v in inside:
                if v != certain[0]:
                    kept[v] = [at for at in kept[v] if at not in free[v]]
    return tuple(map(tuple, kept))


def without_cycles(component: Component, remaining: RemainingChoices) -> RemainingChoices:
    """Exclude choices that form a cycle with arcs that all choices of some variables have; possibly none is left."""
    while all(remaining):
        above = []
        for position, choices in enumerate(remaining):
            forced = component.inside[position][choices[0]]
            for at in choices[1:]:
                forced &= component.inside[position][at]
            above.append(forced | bit(position))
        for middle in range(component.n):
            for position in range(component.n):
                if above[position] >> middle & 1:
                    above[position] |= above[middle]
        below = [0] * component.n
        for position, ancestors in enumerate(above):
            for u in members(ancestors & ~bit(position)):
                below[u] |= bit(position)
        kept = tuple(
            tuple(at for at in choices if not component.inside[position][at] & below[position])
            for position, choices in enumerate(remaining)
        )
        if kept == remaining:
            break
        remaining = kept
    return remaining


def split(component: Component, remaining: RemainingChoices, arc: tuple[int, int], *, has: bool) -> RemainingChoices:
    """Return the remaining choices of DAGs that have an arc (`has`), or do not have it."""
    u, v = arc
    kept = tuple(
        tuple(at for at in choices if position != v or bool(component.inside[v][at] >> u & 1) is has)
        for position, choices in enumerate(remaining)
    )
    return without_cycles(component, kept)


def least_loss(component: Component, tree: Tree, most: int, remaining: RemainingChoices | None = None) -> int | None:
    """Return a lower bound of the loss of every DAG made of remaining choices; None if none loses as little as `most`.

    Parameters
    ----------
    component : Component
    tree : Tree
    most : int
        The loss of the known DAG: DAGs that lose more are not considered.
    remaining : RemainingChoices, optional
        All choices by default.
    """
    if remaining is None and tree == Tree() and component.n <= MOST_AT_ONCE:
        exact = best_of_part(component, component.everything, range(component.n)).loss
        return None if exact > most else exact
    remaining = component.everything if remaining is None else remaining
    bound = 0
    for step in tree.steps:
        step.check(component.n)
        step_bound, remaining = apply(component, remaining, step, most)
        bound = max(bound, step_bound)
        if not all(remaining):
            return None
    if bound == most:
        return bound
    if tree.arc is not None:
        if tree.having is None or tree.lacking is None:
            raise ValueError("a branch of a split is missing")
        u, v = tree.arc
        if not (0 <= u < component.n and 0 <= v < component.n):
            raise ValueError("an arc of a split has unknown variables")
        branches = [
            least_loss(component, branch, most, part)
            for branch, part in (
                (tree.having, split(component, remaining, tree.arc, has=True)),
                (tree.lacking, split(component, remaining, tree.arc, has=False)),
            )
            if all(part)
        ]
        open_bounds = [step_bound for step_bound in branches if step_bound is not None]
        return max(bound, min(open_bounds)) if open_bounds else None
    parts = parts_of(component, remaining)
    if all(len(part) <= MOST_IN_PART for part in parts):
        exact = sum(best_of_part(component, remaining, part).loss for part in parts)
        return None if exact > most else exact
    return bound


def smallest_sum(component: Component, multipliers: Multipliers, beyond: Sequence[int]) -> int:
    """Return the bound of `apply` if variables may also choose unlisted parent sets with loss at least `beyond`."""
    total = multipliers.total
    for position, reduced in enumerate(reduced_losses(component, component.everything, multipliers)):
        total += min(*reduced, multipliers.denominator * beyond[position] - multipliers.most_credit(position))
    return -(-total // multipliers.denominator)
