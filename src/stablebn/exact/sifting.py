"""Bound components with more choices than a linear program can have: start with some, and add others (sifting)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from stablebn import _core
from stablebn.exact.components import Component, RemainingChoices
from stablebn.exact.dual_ascent import ascended
from stablebn.exact.lp import LinearProgram
from stablebn.exact.proof import apply, reduced_losses
from stablebn.exact.proof_tree import Multipliers

# Limits of the dual ascent before the first linear program: clusters raised, and choices scanned.
_STEPS = 3000
_WORK = 300_000_000
# Choices per variable in the first linear program, and those added after each round.
_FIRST = 150
_MORE = 60
# Linear programs per round, and rounds.
_SOLVED = 40
_LOOKS = 12
# Stop after more than this many rounds that each close less than 1/50 of the gap.
_IN_VAIN = 3
_LEAST_PROGRESS = 50
_MOST_CUTS = 80
_LEAST_LACK = 1e-6


def sifted(component: Component, most: int, time_is_up: Callable[[], bool]) -> Multipliers:
    """Return multipliers that bound the loss of all DAGs.

    A linear program with some choices gives multipliers. They are applied to all choices, which gives the bound.
    Choices with the least reduced loss join the program. Whatever the solver returns, the bound holds for all choices.

    Parameters
    ----------
    component : Component
        At most `_core.MOST_IN_ASCENT` variables.
    most : int
        The loss of the known DAG.
    time_is_up : callable
        Called before each linear program; returns whether to stop.
    """
    best = start = ascended(component, component.everything, most, _STEPS, _WORK)
    bound, left = apply(component, component.everything, best, most)
    inside: list[set[int]] = [set() for _ in range(component.n)]
    rounds_in_vain = 0
    for look in range(_LOOKS):
        if time_is_up() or not all(left) or rounds_in_vain > _IN_VAIN:
            break
        for position, losses in enumerate(reduced_losses(component, left, start)):
            ranked = sorted(range(len(losses)), key=losses.__getitem__)[: _MORE if look else _FIRST]
            inside[position] |= {left[position][at] for at in ranked}
        part = _part(component, tuple(tuple(sorted(chosen)) for chosen in inside))
        start = _solved(part, most, start, time_is_up)
        new_bound, new_left = apply(component, component.everything, start, most)
        rounds_in_vain = rounds_in_vain + 1 if new_bound < bound + (most - bound) // _LEAST_PROGRESS else 0
        if new_bound > bound:
            best, bound, left = start, new_bound, new_left
    return best


def _part(component: Component, remaining: RemainingChoices) -> Component:
    """Return the component with some of its choices."""
    return replace(
        component,
        sets=tuple(tuple(component.sets[position][at] for at in kept) for position, kept in enumerate(remaining)),
        inside=tuple(tuple(component.inside[position][at] for at in kept) for position, kept in enumerate(remaining)),
        losses=tuple(tuple(component.losses[position][at] for at in kept) for position, kept in enumerate(remaining)),
    )


def _solved(component: Component, most: int, start: Multipliers, time_is_up: Callable[[], bool]) -> Multipliers:
    """Return the multipliers of a linear program after several rounds of adding violated clusters."""
    program = LinearProgram(component)
    program.restrict(component.everything, most / component.unit + 1.0)
    program.add([cluster for cluster, _ in start.clusters])
    for _ in range(_SOLVED):
        values, duals, _ = program.solve()
        shares = program.shares(values)
        children = [position for position, values_of in enumerate(shares) for _ in values_of]
        parents = [component.inside[position][at] for position, values_of in enumerate(shares) for at, _ in values_of]
        weights = [x for values_of in shares for _, x in values_of]
        violated = _core.violated_clusters(component.n, children, parents, weights, _LEAST_LACK, _MOST_CUTS)
        cuts = [cluster for cluster in violated if cluster not in program.known]
        if not cuts or time_is_up():
            break
        program.add(list(cuts))
    return program.multipliers(duals)
