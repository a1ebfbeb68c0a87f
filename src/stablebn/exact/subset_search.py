"""Solve small parts of a problem by dynamic programming over subsets (`src/core/exact/subset_search.cpp`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stablebn import _core
from stablebn.exact.components import NEVER, Component, RemainingChoices
from stablebn.fixed_point import limbs
from stablebn.stats.variable_sets import bit, members

MOST_IN_PART = 18
"""Most variables of a part that is solved in this way: 16 bytes per subset of them."""

MOST_AT_ONCE: int = _core.MOST_IN_LATTICE
"""Most variables of a whole component that is solved at once, without linear programs or branches: 512 MiB."""


@dataclass(frozen=True)
class BestOfPart:
    """The best DAGs of a part.

    Attributes
    ----------
    loss : int
        NEVER if there is no DAG; then there are no choices either.
    choices : tuple of int
        By variable of the part, its choice in the first of the best DAGs: parent sets are compared from the lowest
        number on, smaller sets first, sets of equal size by their bits.
    dags : tuple of tuples of int
        The choices of the best DAGs; empty if they were not requested.
    are_all : bool
        Whether no other DAG is as good.
    """

    loss: int
    choices: tuple[int, ...] = ()
    dags: tuple[tuple[int, ...], ...] = ()
    are_all: bool = False


def best_of_part(
    component: Component,
    remaining: RemainingChoices,
    part: Sequence[int],
    *,
    most_dags: int = 0,
    most_steps: int = 1_000_000,
) -> BestOfPart:
    """Solve a strongly connected part of the remaining choices of a component.

    Parameters
    ----------
    component : Component
    remaining : RemainingChoices
    part : sequence of int
        Positions; parents outside the part form no cycle.
    most_dags, most_steps : int
        Most best DAGs to list, and most work for this; 0: return only the loss.
    """
    if len(part) == 1 and not most_dags:
        [position] = part
        return BestOfPart(component.losses[position][remaining[position][0]])
    lists = _lists(component, remaining, part)
    ranks: list[list[int]] = [[] for _ in part]
    if most_dags:
        for at, position in enumerate(part):
            keys = [_rank(component.sets[position][choice]) for _, _, choice in lists[at]]
            ranks[at] = [0] * len(keys)
            for rank, choice in enumerate(sorted(range(len(keys)), key=keys.__getitem__)):
                ranks[at][choice] = rank
    loss, first, dags, are_all = _core.best_dags(
        [[parents for parents, _, _ in choices_of] for choices_of in lists],
        [np.array([limbs(loss) for _, loss, _ in choices_of], dtype=np.int64) for choices_of in lists],
        ranks,
        most_dags,
        most_steps,
    )
    if not most_dags or loss >= NEVER:
        return BestOfPart(loss)
    all_best = tuple(tuple(lists[at][choice][2] for at, choice in enumerate(dag)) for dag in dags)
    choices_of = tuple(lists[at][choice][2] for at, choice in enumerate(first)) if first else all_best[0]
    return BestOfPart(loss, choices_of, all_best, are_all)


def with_best_parts(
    component: Component, remaining: RemainingChoices, parts: Sequence[Sequence[int]], choices: Sequence[int]
) -> list[int] | None:
    """Replace the choices of all parts by those of their best DAGs; None if a part has no DAG."""
    replaced = list(choices)
    for part in parts:
        best = best_of_part(component, remaining, part, most_dags=1)
        if best.loss >= NEVER:
            return None
        for position, choice in zip(part, best.choices, strict=True):
            replaced[position] = choice
    return replaced


def _rank(parents: int) -> tuple[int, int]:
    return parents.bit_count(), parents


def _lists(component: Component, remaining: RemainingChoices, part: Sequence[int]) -> list[list[tuple[int, int, int]]]:
    """Return, for each choice of each variable, its parents inside the part, its loss and its index."""
    number = {position: at for at, position in enumerate(part)}
    part_bits = sum(map(bit, part))
    return [
        [
            (
                sum(bit(number[u]) for u in members(component.inside[position][at] & part_bits)),
                component.losses[position][at],
                at,
            )
            for at in remaining[position]
        ]
        for position in part
    ]
