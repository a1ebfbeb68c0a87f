"""Sets of variables as the bits of an integer: hashable, ordered, and without a hash order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


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


def matrix_of(sets: Sequence[int]) -> NDArray[np.uint8]:
    """Row v has a 1 for each member of set v, one of n sets of n variables: uint8 array [n, n]."""
    n = len(sets)
    width = n // 8 + 1
    rows = np.frombuffer(b"".join(own.to_bytes(width, "little") for own in sets), dtype=np.uint8)
    return np.unpackbits(rows.reshape(n, width), axis=1, count=n, bitorder="little")


def sets_of(matrix: NDArray[Any]) -> list[int]:
    """The sets that `matrix_of` has written as rows."""
    rows = np.packbits(matrix, axis=1, bitorder="little")
    return [int.from_bytes(row.tobytes(), "little") for row in rows]
