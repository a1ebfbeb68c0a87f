"""Sets of variables as the bits of an integer: hashable, ordered, and without a hash order."""

from __future__ import annotations


def bit(v: int) -> int:
    """The set {v}."""
    return 1 << v


def members(variables: int) -> list[int]:
    """The variables of a set, ascending."""
    found = []
    while variables:
        low = variables & -variables
        found.append(low.bit_length() - 1)
        variables ^= low
    return found
