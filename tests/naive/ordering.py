"""The climb among orders, slowly: every order that one variable's move can make is valued whole."""

from __future__ import annotations

from collections.abc import Sequence

Families = Sequence[Sequence[tuple[int, Sequence[int]]]]
"""By variable its families: what each is worth, and its parents."""

NOTHING = -(1 << 110)
"""What a variable is worth of which no family fits."""


def best_family(families: Families, v: int, before: Sequence[int]) -> tuple[int, list[int]] | None:
    """The best family of a variable with parents among those before it; of equals the smallest, then by numbers."""
    fitting = [(-score, len(parents), sorted(parents)) for score, parents in families[v] if set(parents) <= set(before)]
    if not fitting:
        return None
    score, _, parents = min(fitting)
    return -score, parents


def value(families: Families, order: Sequence[int]) -> int:
    """What an order is worth: the sum of the best families."""
    total = 0
    for place, v in enumerate(order):
        found = best_family(families, v, order[:place])
        total += NOTHING if found is None else found[0]
    return total


def with_move(order: Sequence[int], v: int, place: int) -> list[int]:
    """The order in which a variable stands elsewhere."""
    others = [u for u in order if u != v]
    return [*others[:place], v, *others[place:]]


def places_by_distance(order: Sequence[int], v: int) -> list[int]:
    """Where a variable can be put: to the left, the nearest first, then to the right."""
    at = list(order).index(v)
    return [*reversed(range(at)), *range(at + 1, len(order))]


def climb(families: Families, order: Sequence[int]) -> list[int]:
    """Take turns in the order of the beginning: each is put where the order is worth most, until none moves."""
    turns, own = list(order), list(order)
    while True:
        before = own
        for v in turns:
            # `max` keeps the first of equals: where it stands, then to the left, then to the right.
            moves = [own, *(with_move(own, v, place) for place in places_by_distance(own, v))]
            own = max(moves, key=lambda other: value(families, other))
        if own == before:
            return own
