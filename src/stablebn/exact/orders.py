"""Good DAGs from orders of the variables: each variable takes its best choice among its predecessors."""

from __future__ import annotations

from collections.abc import Sequence

from stablebn.exact.components import Component
from stablebn.stats.variable_sets import bit


def choices_in(component: Component, order: Sequence[int]) -> tuple[int, ...]:
    """Return the best choice of every position for an order."""
    choices, placed = [0] * component.n, 0
    for position in order:
        choices[position] = component.first_fitting(position, placed)
        placed |= bit(position)
    return tuple(choices)


def climbed(component: Component, order: Sequence[int]) -> list[int]:
    """Improve an order until no move of a single variable improves its DAG.

    A variable moves by swaps of adjacent variables; a swap changes the losses of these two only.

    References
    ----------
    Teyssier and Koller, "Ordering-based search: a simple and effective algorithm for learning Bayesian networks", 2005.
    """
    order = list(order)
    improved = True
    while improved:
        improved = False
        for position in range(component.n):
            for step in (-1, 1):
                order, gained = _slid(component, order, position, step)
                improved |= gained
    return order


def _slid(component: Component, order: list[int], position: int, step: int) -> tuple[list[int], bool]:
    """Move one position in one direction to where the loss is least; return the order and whether it improved."""
    at = order.index(position)
    before = sum(map(bit, order[:at]))
    change = least = 0
    best = at
    current = component.loss_among(position, before)
    while 0 <= at + step < len(order):
        other = order[at + step]
        if step < 0:
            before ^= bit(other)
            change += component.loss_among(other, before | bit(position)) - component.loss_among(other, before)
        else:
            change += component.loss_among(other, before) - component.loss_among(other, before | bit(position))
            before |= bit(other)
        loss = component.loss_among(position, before)
        change += loss - current
        current = loss
        at += step
        if change < least:
            least, best = change, at
    if not least:
        return order, False
    rest = [other for other in order if other != position]
    return [*rest[:best], position, *rest[best:]], True
