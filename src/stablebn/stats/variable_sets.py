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


def words(n: int) -> int:
    """Number of 64-bit words that hold a set of n variables."""
    return -(-n // 64)


def to_words(variables: int, n: int) -> list[int]:
    """A set of n variables in 64-bit words, lowest first."""
    return [variables >> 64 * w & 0xFFFF_FFFF_FFFF_FFFF for w in range(words(n))]


def from_words(parts: list[int]) -> int:
    """The set that `to_words` has written."""
    return sum(part << 64 * w for w, part in enumerate(parts))
