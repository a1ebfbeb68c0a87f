"""Good DAGs from orders of the variables: each takes its best choice among those before it."""

from __future__ import annotations

from collections.abc import Sequence

from stablebn.exact.components import Component
from stablebn.stats.variable_sets import bit


def choices_in(component: Component, order: Sequence[int]) -> tuple[int, ...]:
    """The best choices of all places in an order of them."""
    choices, placed = [0] * component.n, 0
    for place in order:
        choices[place] = component.first_fitting(place, placed)
        placed |= bit(place)
    return tuple(choices)


def climbed(component: Component, order: Sequence[int]) -> list[int]:
    """An order from which no move of a single variable leads to a better one.

    A variable slides by swaps of neighbours, each of which concerns only these two.

    References
    ----------
    Teyssier and Koller, "Ordering-based search", 2005.
    """
    order = list(order)
    improved = True
    while improved:
        improved = False
        for place in range(component.n):
            for step in (-1, 1):
                order, gained = _slid(component, order, place, step)
                improved |= gained
    return order


def _slid(component: Component, order: list[int], place: int, step: int) -> tuple[list[int], bool]:
    """The order with one place moved one way to where the loss is least, and whether that is less than before."""
    at = order.index(place)
    before = sum(map(bit, order[:at]))
    change = least = 0
    best = at
    now = component.loss_among(place, before)
    while 0 <= at + step < len(order):
        other = order[at + step]
        if step < 0:
            before ^= bit(other)
            change += component.loss_among(other, before | bit(place)) - component.loss_among(other, before)
        else:
            change += component.loss_among(other, before) - component.loss_among(other, before | bit(place))
            before |= bit(other)
        own = component.loss_among(place, before)
        change += own - now
        now = own
        at += step
        if change < least:
            least, best = change, at
    if not least:
        return order, False
    rest = [other for other in order if other != place]
    return [*rest[:best], place, *rest[best:]], True
