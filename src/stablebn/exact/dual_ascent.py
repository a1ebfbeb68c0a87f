"""Solve large components without a solver: bounds from the numbers of clusters, and branches.

The numbers come from `src/core/exact/dual_ascent.cpp`. Work is counted, not timed, and all numbers are integers, so the
result does not depend on the machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from stablebn import _core
from stablebn.exact.components import NEVER, Alive, Component, parts_of
from stablebn.exact.proof import apply, split
from stablebn.exact.proof_tree import Multipliers, Tree
from stablebn.exact.subset_search import MOST_PLACES, best_of_part
from stablebn.fixed_point import limbs
from stablebn.stats.variable_sets import members

# Clusters that are raised at most, at the root and in a branch.
_STEPS_AT_ROOT = 2000
_STEPS = 300
# Branches at most.
_MOST_BRANCHES = 40


class AscentSearch:
    """Finds the best DAG of a component and the tree that proves it, if few branches are enough.

    Parameters
    ----------
    component : Component
        Of at most `_core.MOST_IN_ASCENT` variables.
    start : sequence of int
        The choices of a DAG.
    time_is_up : callable
        Asked before each branch whether to stop.

    Attributes
    ----------
    choices : tuple of int
        Of the best DAG found.
    loss : int
        What it loses.
    finished : bool
        Whether no branch was left open.
    """

    def __init__(self, component: Component, start: Sequence[int], time_is_up: Callable[[], bool]) -> None:
        self.component = component
        self.choices = tuple(start)
        self.loss = self._loss_of(start)
        self.finished = True
        self._time_is_up = time_is_up
        self._branches = 0

    def search(self) -> Tree:
        """Bound the loss of all DAGs, as far as few branches lead."""
        return self._explore(self.component.everything, _STEPS_AT_ROOT)

    def _explore(self, alive: Alive, steps: int) -> Tree:
        component = self.component
        own = ascended(component, alive, self.loss, steps)
        _, left = apply(component, alive, own, self.loss)
        if not all(left):
            return Tree((own,))
        parts = parts_of(component, left)
        if all(len(part) <= MOST_PLACES for part in parts):
            self._finish(left, parts)
            return Tree((own,))
        self._branches += 1
        if self._branches > _MOST_BRANCHES or self._time_is_up():
            self.finished = False
            return Tree((own,))
        arc = self._arc(left, max(parts, key=len))
        branches = {}
        for has in (True, False):
            part = split(component, left, arc, has=has)
            branches[has] = self._explore(part, _STEPS) if all(part) else Tree()
            if not self.finished:
                return Tree((own,))
        return Tree((own,), arc, branches[True], branches[False])

    def _loss_of(self, choices: Sequence[int]) -> int:
        return sum(self.component.losses[place][at] for place, at in enumerate(choices))

    def _finish(self, alive: Alive, parts: Sequence[tuple[int, ...]]) -> None:
        """Solve what is left exactly, and keep the DAG if it is better."""
        choices = list(self.choices)
        for part in parts:
            best = best_of_part(self.component, alive, part, most_dags=1)
            if best.loss >= NEVER:
                return
            for place, choice in zip(part, best.choices, strict=True):
                choices[place] = choice
        loss = self._loss_of(choices)
        if loss < self.loss:
            self.loss, self.choices = loss, tuple(choices)

    def _arc(self, alive: Alive, part: Sequence[int]) -> tuple[int, int]:
        """The arc that as nearly as possible half of the choices have of the variable with the most of them."""
        inside = self.component.inside
        child = max(part, key=lambda v: (len(alive[v]), -v))
        own = sum(1 << u for u in part)
        sets = [inside[child][at] for at in alive[child]]
        some = 0
        for parents in sets:
            some |= parents
        counted = [(abs(2 * sum(of >> u & 1 for of in sets) - len(sets)), u) for u in members(some & own)]
        return min(counted)[1], child


def ascended(
    component: Component, alive: Alive, most: int, steps: int, work: int = 0, start: Multipliers | None = None
) -> Multipliers:
    """Return clusters and numbers that bound the loss of DAGs made of some choices.

    Parameters
    ----------
    component : Component
    alive : Alive
        The choices.
    most : int
        The loss of a DAG: a bound above it is good enough.
    steps, work : int
        Clusters to raise one by one, and choices to look at while all numbers are changed at once, at most.
    start : Multipliers, optional
        The numbers to begin with: those of its clusters.
    """
    found = _core.ascend(
        [np.array([component.inside[place][at] for at in own], dtype=np.uint64) for place, own in enumerate(alive)],
        [
            np.array([limbs(component.losses[place][at]) for at in own], dtype=np.int64)
            for place, own in enumerate(alive)
        ],
        [] if start is None else [(cluster, limbs(value)) for cluster, value in start.clusters],
        limbs(most),
        steps,
        work,
    )
    return Multipliers(tuple(found))
