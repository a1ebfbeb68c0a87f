"""Solve large components without a solver, by dual ascent on cluster multipliers and branching.

The multipliers come from `src/core/exact/dual_ascent.cpp`. Work is counted, not timed, and all numbers are integers, so
the result does not depend on the machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from stablebn import _core
from stablebn.exact.components import Component, RemainingChoices, parts_of
from stablebn.exact.proof import apply, split
from stablebn.exact.proof_tree import Multipliers, Tree
from stablebn.exact.subset_search import MOST_IN_PART, with_best_parts
from stablebn.fixed_point import limbs
from stablebn.stats.variable_sets import members

# Most clusters whose multipliers are raised, at the root and in a branch.
_STEPS_AT_ROOT = 2000
_STEPS = 300
# Most branches.
_MOST_BRANCHES = 40


class AscentSearch:
    """Finds the best DAG of a component and the tree that proves it, if few branches are enough.

    Parameters
    ----------
    component : Component
        At most `_core.MOST_IN_ASCENT` variables.
    start : sequence of int
        The choices of a DAG.
    time_is_up : callable
        Called before each branch; returns whether to stop.

    Attributes
    ----------
    choices : tuple of int
        Choices of the best DAG found.
    loss : int
        Its loss.
    finished : bool
        Whether no branch was left open.
    """

    def __init__(self, component: Component, start: Sequence[int], time_is_up: Callable[[], bool]) -> None:
        self.component = component
        self.choices = tuple(start)
        self.loss = self.component.loss_of(start)
        self.finished = True
        self._time_is_up = time_is_up
        self._branches = 0

    def search(self) -> Tree:
        """Bound the loss of all DAGs, within the limit on branches."""
        return self._explore(self.component.everything, _STEPS_AT_ROOT)

    def _explore(self, remaining: RemainingChoices, steps: int) -> Tree:
        component = self.component
        multipliers = ascended(component, remaining, self.loss, steps)
        _, left = apply(component, remaining, multipliers, self.loss)
        if not all(left):
            return Tree((multipliers,))
        parts = parts_of(component, left)
        if all(len(part) <= MOST_IN_PART for part in parts):
            self._finish(left, parts)
            return Tree((multipliers,))
        self._branches += 1
        if self._branches > _MOST_BRANCHES or self._time_is_up():
            self.finished = False
            return Tree((multipliers,))
        arc = self._arc(left, max(parts, key=len))
        branches = {}
        for has in (True, False):
            part = split(component, left, arc, has=has)
            branches[has] = self._explore(part, _STEPS) if all(part) else Tree()
            if not self.finished:
                return Tree((multipliers,))
        return Tree((multipliers,), arc, branches[True], branches[False])

    def _finish(self, remaining: RemainingChoices, parts: Sequence[tuple[int, ...]]) -> None:
        """Solve the remaining parts exactly, and keep the DAG if it is better."""
        choices = with_best_parts(self.component, remaining, parts, self.choices)
        if choices is not None:
            loss = self.component.loss_of(choices)
            if loss < self.loss:
                self.loss, self.choices = loss, tuple(choices)

    def _arc(self, remaining: RemainingChoices, part: Sequence[int]) -> tuple[int, int]:
        """Return the arc to branch on: into the variable with most choices, from the parent nearest to half of them."""
        inside = self.component.inside
        child = max(part, key=lambda v: (len(remaining[v]), -v))
        part_bits = sum(1 << u for u in part)
        sets = [inside[child][at] for at in remaining[child]]
        possible = 0
        for parents in sets:
            possible |= parents
        imbalances = [
            (abs(2 * sum(parents >> u & 1 for parents in sets) - len(sets)), u) for u in members(possible & part_bits)
        ]
        return min(imbalances)[1], child


def ascended(
    component: Component,
    remaining: RemainingChoices,
    most: int,
    steps: int,
    work: int = 0,
    start: Multipliers | None = None,
) -> Multipliers:
    """Return clusters and multipliers that bound the loss of DAGs made of the remaining choices.

    Parameters
    ----------
    component : Component
    remaining : RemainingChoices
    most : int
        The loss of a known DAG: a bound above it is sufficient.
    steps, work : int
        Most clusters to raise one by one, and most choices to scan while all multipliers change together.
    start : Multipliers, optional
        Multipliers to start from; only its clusters are used.
    """
    multipliers = _core.ascend(
        [
            np.array([component.inside[position][at] for at in choices], dtype=np.uint64)
            for position, choices in enumerate(remaining)
        ],
        [
            np.array([limbs(component.losses[position][at]) for at in choices], dtype=np.int64)
            for position, choices in enumerate(remaining)
        ],
        [] if start is None else [(cluster, limbs(value)) for cluster, value in start.clusters],
        limbs(most),
        steps,
        work,
    )
    return Multipliers(tuple(multipliers))
