"""Sets of variables as the bits of an integer: hashable, ordered, and without a hash order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def bit(v: int) -> int:
    """Return the set {v}."""
    return 1 << v


def members(variables: int) -> list[int]:
    """Return the variables of a set, ascending."""
    found = []
    while variables:
        low = variables & -variables
        found.append(low.bit_length() - 1)
        variables ^= low
    return found


def words(n: int) -> int:
    """Return the number of 64-bit words that hold a set of n variables."""
    return -(-n // 64)


def to_words(variables: int, n: int) -> list[int]:
    """Convert a set of n variables to 64-bit words, lowest first."""
    return [variables >> 64 * w & 0xFFFF_FFFF_FFFF_FFFF for w in range(words(n))]


def from_words(parts: list[int]) -> int:
    """Convert words of `to_words` back to a set."""
    return sum(part << 64 * w for w, part in enumerate(parts))


def matrix_of(sets: Sequence[int]) -> NDArray[np.uint8]:
    """Convert n sets of n variables to a uint8 matrix [n, n]: row v has a 1 for each member of set v."""
    n = len(sets)
    width = n // 8 + 1
    rows = np.frombuffer(b"".join(variables.to_bytes(width, "little") for variables in sets), dtype=np.uint8)
    return np.unpackbits(rows.reshape(n, width), axis=1, count=n, bitorder="little")


def sets_of(matrix: NDArray[Any]) -> list[int]:
    """Convert the rows of a matrix of `matrix_of` back to sets."""
    rows = np.packbits(matrix, axis=1, bitorder="little")
    return [int.from_bytes(row.tobytes(), "little") for row in rows]
