"""Small parts of a problem by dynamic programming over subsets (`src/core/exact/subset_search.cpp`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stablebn import _core
from stablebn.exact.components import NEVER, Alive, Component
from stablebn.fixed_point import limbs
from stablebn.stats.variable_sets import bit, members

MOST_PLACES = 18
"""Variables of a part that is solved in this way: 16 bytes are kept for each subset of them."""

MOST_PLACES_AT_ONCE: int = _core.MOST_IN_LATTICE
"""The same of a component that is solved at once, without programmes or branches: 512 MiB."""


@dataclass(frozen=True)
class BestOfPart:
    """The best DAGs of a part.

    Attributes
    ----------
    loss : int
        NEVER if there is no DAG; then there are no choices either.
    choices : tuple of int
        By variable of the part, its choice in the first of the best DAGs: parents are compared from the lowest number
        on, a smaller set before a larger one, equally large ones by their bits.
    dags : tuple of tuples of int
        The choices of best DAGs; the empty tuple if they were not asked for.
    are_all : bool
        Whether no other DAG is as good.
    """

    loss: int
    choices: tuple[int, ...] = ()
    dags: tuple[tuple[int, ...], ...] = ()
    are_all: bool = False


def best_of_part(
    component: Component, alive: Alive, part: Sequence[int], *, most_dags: int = 0, most_steps: int = 1_000_000
) -> BestOfPart:
    """Solve a strongly connected part of what is left of a component.

    Parameters
    ----------
    component : Component
    alive : Alive
        The choices that are left.
    part : sequence of int
        Places; parents outside it make no cycle.
    most_dags, most_steps : int
        How many best DAGs to list, and how much work it may be; 0: only the loss is wanted.
    """
    if len(part) == 1 and not most_dags:
        [place] = part
        return BestOfPart(component.losses[place][alive[place][0]])
    lists = _lists(component, alive, part)
    ranks: list[list[int]] = [[] for _ in part]
    if most_dags:
        for at, place in enumerate(part):
            keys = [_rank(component.sets[place][choice]) for _, _, choice in lists[at]]
            ranks[at] = [0] * len(keys)
            for rank, choice in enumerate(sorted(range(len(keys)), key=keys.__getitem__)):
                ranks[at][choice] = rank
    loss, first, dags, are_all = _core.best_dags(
        [[parents for parents, _, _ in own] for own in lists],
        [np.array([limbs(loss) for _, loss, _ in own], dtype=np.int64) for own in lists],
        ranks,
        most_dags,
        most_steps,
    )
    if not most_dags or loss >= NEVER:
        return BestOfPart(loss)
    found = tuple(tuple(lists[at][choice][2] for at, choice in enumerate(dag)) for dag in dags)
    own = tuple(lists[at][choice][2] for at, choice in enumerate(first)) if first else found[0]
    return BestOfPart(loss, own, found, are_all)


def _rank(parents: int) -> tuple[int, int]:
    return parents.bit_count(), parents


def _lists(component: Component, alive: Alive, part: Sequence[int]) -> list[list[tuple[int, int, int]]]:
    """Parents inside the part, loss and place in the list of each choice of each variable."""
    number = {place: at for at, place in enumerate(part)}
    own = sum(map(bit, part))
    return [
        [
            (
                sum(bit(number[u]) for u in members(component.inside[place][at] & own)),
                component.losses[place][at],
                at,
            )
            for at in alive[place]
        ]
        for place in part
    ]
