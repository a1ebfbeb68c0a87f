"""Structures that an exchange of variables must leave unchanged to be a symmetry of the data."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from stablebn import _core

MOST_WORK = 1 << 29
"""Number of values that may be read, some nanoseconds each, before names decide. There is no time limit, because the
answer must not depend on the machine."""

_STEP = np.uint64(0x9E3779B97F4A7C15)


class Structure(Protocol):
    """The rows of a table, or a relation between each two of its variables.

    If signs do not matter, a variable may be present twice, the second time mirrored: an exchange of such points is an
    exchange of variables together with a change of signs.

    Hashes may only distinguish; equality is decided by comparing the structures themselves.
    """

    @property
    def cells(self) -> int:
        """Return the number of values that a full pass reads."""

    def colours(self, classes: Sequence[int], wanted: Sequence[int]) -> list[int]:
        """Return a colour for each wanted variable (0 for the others), made from the classes of all."""

    def exchangeable(self, u: int, v: int) -> bool:
        """Return whether the structure stays the same if two variables are exchanged."""

    def certificate(self, order: Sequence[int]) -> int:
        """Return a hash of the structure with the variables in this order."""

    def same(self, order: Sequence[int], other: Sequence[int]) -> bool:
        """Return whether the structure is the same with the variables in either order."""


class TableRows:
    """The rows of a table with their frequencies, in no particular order.

    Parameters
    ----------
    codes : uint8, uint16, int32 or uint64 array [n, rows]
        Equal codes of two variables mean the same value.
    weights : int64 array [rows] or None
    """

    def __init__(self, codes: NDArray[np.integer], weights: NDArray[np.int64] | None) -> None:
        self._distinct = _core.DistinctRows(np.ascontiguousarray(codes), weights)
        self.cells = self._distinct.columns * self._distinct.rows
        self.colours = self._distinct.colours
        self.exchangeable = self._distinct.exchangeable
        self.certificate = self._distinct.certificate
        self.same = self._distinct.same


class Relation:
    """A number for each ordered pair of variables, such as marks of a graph or correlations.

    Parameters
    ----------
    numbers : int64 array [n, n]
    """

    def __init__(self, numbers: NDArray[np.int64]) -> None:
        self._numbers = numbers
        self.cells = numbers.size

    def colours(self, classes: Sequence[int], wanted: Sequence[int]) -> list[int]:
        """Return a colour for each wanted variable: a hash of the multiset of (class, number to, number from)."""
        found = [0] * len(classes)
        of_class = _mixed(np.array(classes, dtype=np.uint64))
        for v in wanted:
            there, back = (numbers.astype(np.uint64) for numbers in (self._numbers[v], self._numbers[:, v]))
            found[v] = int(_mixed(_mixed(there * _STEP + of_class) + back * _STEP).sum(dtype=np.uint64))
        return found

    def exchangeable(self, u: int, v: int) -> bool:
        """Return whether the structure stays the same if two variables are exchanged."""
        order = np.arange(len(self._numbers))
        order[[u, v]] = v, u
        rows, columns = self._numbers[[u, v]], self._numbers[:, [u, v]]
        return np.array_equal(rows[:, order], rows[::-1]) and np.array_equal(columns[order], columns[:, ::-1])

    def certificate(self, order: Sequence[int]) -> int:
        """Return a hash of the structure with the variables in this order."""
        return int.from_bytes(blake2b(self._ordered(order).tobytes(), digest_size=8).digest(), "big")

    def same(self, order: Sequence[int], other: Sequence[int]) -> bool:
        """Return whether the structure is the same with the variables in either order."""
        return np.array_equal(self._ordered(order), self._ordered(other))

    def of_points(self, points: Sequence[int]) -> Relation:
        """Return the relation between points, each of which stands for a variable."""
        return Relation(self._ordered(points))

    def _ordered(self, order: Sequence[int]) -> NDArray[np.int64]:
        return self._numbers[np.ix_(order, order)]


def _mixed(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Scatter 64-bit integers (xor-shift and multiply, all modulo 2**64)."""
    x = (x ^ (x >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    x = (x ^ (x >> np.uint64(29))) * np.uint64(0xC2B2AE3D27D4EB4F)
    return x ^ (x >> np.uint64(32))
