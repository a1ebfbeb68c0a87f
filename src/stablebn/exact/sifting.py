"""Bound components with more choices than a programme takes: some are chosen, and others join (sifting)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from stablebn import _core
from stablebn.exact.components import Alive, Component
from stablebn.exact.dual_ascent import ascended
from stablebn.exact.lp import Programme
from stablebn.exact.proof import apply, reduced_losses
from stablebn.exact.proof_tree import Multipliers

# Clusters that are raised one by one, and choices that are looked at, before the first programme.
_STEPS = 3000
_WORK = 300_000_000
# Choices of a variable in the first programme, and that join after each.
_FIRST = 150
_MORE = 60
# Programmes between two looks at all choices, and looks.
_SOLVED = 40
_LOOKS = 12
# It ends after more than so many looks that have closed less than one part in so many of the gap.
_IN_VAIN = 3
_LEAST_PROGRESS = 50
_MOST_CUTS = 80
_LEAST_LACK = 1e-6


def sifted(component: Component, most: int, time_is_up: Callable[[], bool]) -> Multipliers:
    """Return multipliers that bound the loss of all DAGs.

    A programme of some choices gives multipliers. They are applied to all choices: that is the bound. Choices that lose
    least after what the multipliers take away join it. Whatever the solver answers, the bound holds for all choices.

    Parameters
    ----------
    component : Component
        Of at most `_core.MOST_IN_ASCENT` variables.
    most : int
        The loss of the DAG that was found.
    time_is_up : callable
        Asked before each programme whether to stop.
    """
    best = start = ascended(component, component.everything, most, _STEPS, _WORK)
    bound, left = apply(component, component.everything, best, most)
    inside: list[set[int]] = [set() for _ in range(component.n)]
    in_vain = 0
    for look in range(_LOOKS):
        if time_is_up() or not all(left) or in_vain > _IN_VAIN:
            break
        for place, losses in enumerate(reduced_losses(component, left, start)):
            ranked = sorted(range(len(losses)), key=losses.__getitem__)[: _MORE if look else _FIRST]
            inside[place] |= {left[place][at] for at in ranked}
        part = _part(component, tuple(tuple(sorted(own)) for own in inside))
        start = _solved(part, most, start, time_is_up)
        own, remaining = apply(component, component.everything, start, most)
        in_vain = in_vain + 1 if own < bound + (most - bound) // _LEAST_PROGRESS else 0
        if own > bound:
            best, bound, left = start, own, remaining
    return best


def _part(component: Component, alive: Alive) -> Component:
    """The component with some of its choices."""
    return replace(
        component,
        sets=tuple(tuple(component.sets[place][at] for at in own) for place, own in enumerate(alive)),
        inside=tuple(tuple(component.inside[place][at] for at in own) for place, own in enumerate(alive)),
        losses=tuple(tuple(component.losses[place][at] for at in own) for place, own in enumerate(alive)),
    )


def _solved(component: Component, most: int, start: Multipliers, time_is_up: Callable[[], bool]) -> Multipliers:
    """The multipliers of a programme with all clusters that its solutions violate, as far as some programmes lead."""
    programme = Programme(component)
    programme.restrict(component.everything, most / component.unit + 1.0)
    programme.add([cluster for cluster, _ in start.clusters])
    for _ in range(_SOLVED):
        values, duals, _ = programme.solve()
        shares = programme.shares(values)
        children = [place for place, own in enumerate(shares) for _ in own]
        parents = [component.inside[place][at] for place, own in enumerate(shares) for at, _ in own]
        weights = [x for own in shares for _, x in own]
        found = _core.violated_clusters(component.n, children, parents, weights, _LEAST_LACK, _MOST_CUTS)
        cuts = [cluster for cluster in found if cluster not in programme.known]
        if not cuts or time_is_up():
            break
        programme.add(list(cuts))
    return programme.multipliers(duals)
