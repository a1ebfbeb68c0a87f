"""List the best DAGs of a component, as far as possible, and find the first of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from stablebn.exact.components import Component, RemainingChoices, parts_of
from stablebn.exact.proof import apply, split, with_one_source, without_cycles
from stablebn.exact.proof_tree import Multipliers, Tree
from stablebn.exact.subset_search import MOST_IN_PART, best_of_part
from stablebn.stats.variable_sets import bit, members

MOST_DAGS = 1000
"""Most best DAGs that are listed."""

MOST_BRANCHES = 200
"""Most arcs that split a leaf of a proof whose best DAGs are too many to list at once."""


@dataclass(frozen=True)
class BestOfComponent:
    """The best DAGs of a component.

    Attributes
    ----------
    first : tuple of int or None
        By position, the choices of the first of them: parent sets are compared from the lowest number on, smaller sets
        first, sets of equal size by their bits. None if it could not be determined.
    dags : tuple of tuples of int
        The choices of each DAG that was listed.
    are_all : bool
        Whether these are all of them.
    """

    first: tuple[int, ...] | None
    dags: tuple[tuple[int, ...], ...]
    are_all: bool


def best_of_component(component: Component, tree: Tree, loss: int, time_is_up: Callable[[], bool]) -> BestOfComponent:
    """List the DAGs of a component with loss at most `loss`, the least possible, along the branches of a proof."""
    leaves = _leaves(component, tree, loss, component.everything, time_is_up)
    dags = tuple(dag for leaf in leaves for dag in leaf.dags)
    firsts = [leaf.first for leaf in leaves if leaf.first is not None]
    return BestOfComponent(
        first=min(firsts, key=lambda choices: _key(component, choices)) if firsts else None,
        dags=dags[:MOST_DAGS],
        are_all=all(leaf.are_all for leaf in leaves) and len(dags) <= MOST_DAGS,
    )


def _key(component: Component, choices: Sequence[int]) -> list[tuple[int, int]]:
    sets = [component.sets[position][at] for position, at in enumerate(choices)]
    return [(parents.bit_count(), parents) for parents in sets]


def _leaves(
    component: Component, tree: Tree, loss: int, remaining: RemainingChoices, time_is_up: Callable[[], bool]
) -> list[BestOfComponent]:
    """Return the best DAGs of every leaf of a proof."""
    for step in tree.steps:
        _, remaining = apply(component, remaining, step, loss)
        if not all(remaining):
            return []
    if tree.arc is not None and tree.having is not None and tree.lacking is not None:
        having, lacking = (split(component, remaining, tree.arc, has=has) for has in (True, False))
        return [
            *(_leaves(component, tree.having, loss, having, time_is_up) if all(having) else ()),
            *(_leaves(component, tree.lacking, loss, lacking, time_is_up) if all(lacking) else ()),
        ]
    budget = [MOST_BRANCHES]
    multipliers = tree.steps[-1] if tree.steps else Multipliers()
    return _resolved(component, multipliers, loss, remaining, budget, time_is_up)


def _resolved(
    component: Component,
    multipliers: Multipliers,
    loss: int,
    remaining: RemainingChoices,
    budget: list[int],
    time_is_up: Callable[[], bool],
) -> list[BestOfComponent]:
    """Return the best DAGs made of remaining choices: split by arcs until the parts are small, while there is time."""
    while True:
        kept = without_cycles(component, with_one_source(component, remaining, multipliers, loss))
        if not all(kept):
            return []
        if kept == remaining:
            break
        remaining = kept
    parts = parts_of(component, remaining)
    if any(len(part) > MOST_IN_PART for part in parts):
        budget[0] -= 1
        if budget[0] < 0 or time_is_up():
            return [BestOfComponent(None, (), are_all=False)]
        arc = _arc(component, remaining, max(parts, key=len))
        branches = [split(component, remaining, arc, has=has) for has in (True, False)]
        return [
            leaf
            for part in branches
            if all(part)
            for leaf in _resolved(component, multipliers, loss, part, budget, time_is_up)
        ]
    best = [best_of_part(component, remaining, part, most_dags=MOST_DAGS) for part in parts]
    if sum(multipliers.loss for multipliers in best) > loss:
        return []
    first = _joined(component, parts, [multipliers.choices for multipliers in best])
    if prod(len(multipliers.dags) for multipliers in best) > MOST_DAGS:
        return [BestOfComponent(first, (first,), are_all=False)]
    dags = tuple(
        _joined(component, parts, multipliers) for multipliers in product(*(multipliers.dags for multipliers in best))
    )
    return [BestOfComponent(first, dags, are_all=all(multipliers.are_all for multipliers in best))]


def _arc(component: Component, remaining: RemainingChoices, part: Sequence[int]) -> tuple[int, int]:
    """Return the arc inside a part that is nearest to being in half of the choices of its child."""
    arcs = []
    for v in part:
        sets = [component.inside[v][at] for at in remaining[v]]
        for u in part:
            having = sum(parents >> u & 1 for parents in sets)
            if 0 < having < len(sets):
                arcs.append((abs(2 * having - len(sets)) / len(sets), v, u))
    _, v, u = min(arcs)
    return u, v


def _joined(component: Component, parts: Sequence[Sequence[int]], chosen: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Combine the choices of parts to those of the component."""
    choices = [0] * component.n
    for part, choices_of_part in zip(parts, chosen, strict=True):
        for position, choice in zip(part, choices_of_part, strict=True):
            choices[position] = choice
    return tuple(choices)


def class_of(parents: Sequence[int]) -> tuple[tuple[int, ...], tuple[tuple[int, int, int], ...]]:
    """Return the adjacencies and v-structures of a DAG, which identify its Markov equivalence class."""
    adjacent = list(parents)
    for v, family in enumerate(parents):
        for u in members(family):
            adjacent[u] |= bit(v)
    structures = [
        (a, v, b)
        for v, family in enumerate(parents)
        for a in members(family)
        for b in members(family & ~adjacent[a])
        if a < b
    ]
    return tuple(adjacent), tuple(structures)
