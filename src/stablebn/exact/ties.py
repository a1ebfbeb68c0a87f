"""All best DAGs of a component, as far as they can be listed, and the first of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from stablebn.exact.components import Alive, Component, parts_of
from stablebn.exact.proof import apply, split, with_one_source, without_cycles
from stablebn.exact.proof_tree import Multipliers, Tree
from stablebn.exact.subset_search import MOST_PLACES, best_of_part
from stablebn.stats.variable_sets import bit, members

MOST_DAGS = 1000
"""Best DAGs that are listed."""

MOST_BRANCHES = 200
"""Arcs by which what is left of a branch of a proof is split, where it is too large to list its best DAGs at once."""


@dataclass(frozen=True)
class BestOfComponent:
    """The best DAGs of a component.

    Attributes
    ----------
    first : tuple of int or None
        By place, the choices of the first of them: parents are compared from the lowest number on, a smaller set before
        a larger one, equally large ones by their bits. None if no branch holds one that could be worked out.
    dags : tuple of tuples of int
        The choices of each that was listed.
    are_all : bool
        Whether these are all of them.
    """

    first: tuple[int, ...] | None
    dags: tuple[tuple[int, ...], ...]
    are_all: bool


def best_of_component(component: Component, tree: Tree, loss: int, time_is_up: Callable[[], bool]) -> BestOfComponent:
    """List the DAGs of a component that lose no more than `loss`, the least there is, along the branches of a proof."""
    found = _leaves(component, tree, loss, component.everything, time_is_up)
    dags = tuple(dag for own in found for dag in own.dags)
    firsts = [own.first for own in found if own.first is not None]
    return BestOfComponent(
        first=min(firsts, key=lambda choices: _key(component, choices)) if firsts else None,
        dags=dags[:MOST_DAGS],
        are_all=all(own.are_all for own in found) and len(dags) <= MOST_DAGS,
    )


def _key(component: Component, choices: Sequence[int]) -> list[tuple[int, int]]:
    sets = [component.sets[place][at] for place, at in enumerate(choices)]
    return [(parents.bit_count(), parents) for parents in sets]


def _leaves(
    component: Component, tree: Tree, loss: int, alive: Alive, time_is_up: Callable[[], bool]
) -> list[BestOfComponent]:
    for step in tree.steps:
        _, alive = apply(component, alive, step, loss)
        if not all(alive):
            return []
    if tree.arc is not None and tree.having is not None and tree.lacking is not None:
        having, lacking = (split(component, alive, tree.arc, has=has) for has in (True, False))
        return [
            *(_leaves(component, tree.having, loss, having, time_is_up) if all(having) else ()),
            *(_leaves(component, tree.lacking, loss, lacking, time_is_up) if all(lacking) else ()),
        ]
    budget = [MOST_BRANCHES]
    own = tree.steps[-1] if tree.steps else Multipliers()
    return _resolved(component, own, loss, alive, budget, time_is_up)


def _resolved(
    component: Component, own: Multipliers, loss: int, alive: Alive, budget: list[int], time_is_up: Callable[[], bool]
) -> list[BestOfComponent]:
    """The best DAGs made of some choices: split by arcs until the parts are small, as long as there is time."""
    while True:
        left = without_cycles(component, with_one_source(component, alive, own, loss))
        if not all(left):
            return []
        if left == alive:
            break
        alive = left
    parts = parts_of(component, alive)
    if any(len(part) > MOST_PLACES for part in parts):
        budget[0] -= 1
        if budget[0] < 0 or time_is_up():
            return [BestOfComponent(None, (), are_all=False)]
        arc = _arc(component, alive, max(parts, key=len))
        branches = [split(component, alive, arc, has=has) for has in (True, False)]
        return [
            of for part in branches if all(part) for of in _resolved(component, own, loss, part, budget, time_is_up)
        ]
    best = [best_of_part(component, alive, part, most_dags=MOST_DAGS) for part in parts]
    if sum(own.loss for own in best) > loss:
        return []
    first = _joined(component, parts, [own.choices for own in best])
    if prod(len(own.dags) for own in best) > MOST_DAGS:
        return [BestOfComponent(first, (first,), are_all=False)]
    dags = tuple(_joined(component, parts, own) for own in product(*(own.dags for own in best)))
    return [BestOfComponent(first, dags, are_all=all(own.are_all for own in best))]


def _arc(component: Component, alive: Alive, part: Sequence[int]) -> tuple[int, int]:
    """The arc between members of a part that as nearly as possible half of the choices of its child have."""
    arcs = []
    for v in part:
        sets = [component.inside[v][at] for at in alive[v]]
        for u in part:
            having = sum(parents >> u & 1 for parents in sets)
            if 0 < having < len(sets):
                arcs.append((abs(2 * having - len(sets)) / len(sets), v, u))
    _, v, u = min(arcs)
    return u, v


def _joined(component: Component, parts: Sequence[Sequence[int]], own: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """The choices of a component from those of its parts."""
    choices = [0] * component.n
    for part, of in zip(parts, own, strict=True):
        for place, choice in zip(part, of, strict=True):
            choices[place] = choice
    return tuple(choices)


def class_of(parents: Sequence[int]) -> tuple[tuple[int, ...], tuple[tuple[int, int, int], ...]]:
    """What all DAGs of an equivalence class share and no other has: adjacencies and v-structures."""
    adjacent = list(parents)
    for v, own in enumerate(parents):
        for u in members(own):
            adjacent[u] |= bit(v)
    structures = [
        (a, v, b) for v, own in enumerate(parents) for a in members(own) for b in members(own & ~adjacent[a]) if a < b
    ]
    return tuple(adjacent), tuple(structures)
