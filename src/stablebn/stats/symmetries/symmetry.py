"""What must stay as it is when variables are exchanged, so that the exchange is a symmetry."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from stablebn import _core

MOST_WORK = 1 << 29
"""Numbers to look at, some nanoseconds each, before names decide. No limit of time: the answer never depends on the
machine."""

_STEP = np.uint64(0x9E3779B97F4A7C15)


class Structure(Protocol):
    """Something that variables have: the rows of their table, or a relation between each two of them.

    Where signs mean nothing, a variable may be there twice, the second time mirrored: an exchange of such points is one
    of variables together with a change of signs.

    Hashes may only tell things apart; that something is the same is seen in the things themselves.
    """

    @property
    def cells(self) -> int:
        """How many numbers a look at all of it takes."""

    def colours(self, classes: Sequence[int], wanted: Sequence[int]) -> list[int]:
        """A colour for each wanted variable (0 for the others), from the classes of all."""

    def exchangeable(self, u: int, v: int) -> bool:
        """Whether it stays the same if two variables change places."""

    def certificate(self, order: Sequence[int]) -> int:
        """A hash of it with the variables in this order."""

    def same(self, order: Sequence[int], other: Sequence[int]) -> bool:
        """Whether it is the same with the variables in either order."""


class TableRows:
    """The rows of a table, each as often as it occurs; where a row stands means nothing.

    Parameters
    ----------
    codes : uint8, uint16, int32 or uint64 array [n, rows]
        Equal codes of two variables are the same value.
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
    """A number for each ordered pair of variables: marks of a graph, or correlations.

    Parameters
    ----------
    numbers : int64 array [n, n]
    """

    def __init__(self, numbers: NDArray[np.int64]) -> None:
        self._numbers = numbers
        self.cells = numbers.size

    def colours(self, classes: Sequence[int], wanted: Sequence[int]) -> list[int]:
        """A colour for each wanted variable: the multiset of (class, number there, number back) of all variables."""
        found = [0] * len(classes)
        of_class = _mixed(np.array(classes, dtype=np.uint64))
        for v in wanted:
            there, back = (numbers.astype(np.uint64) for numbers in (self._numbers[v], self._numbers[:, v]))
            found[v] = int(_mixed(_mixed(there * _STEP + of_class) + back * _STEP).sum(dtype=np.uint64))
        return found

    def exchangeable(self, u: int, v: int) -> bool:
        """Whether it stays the same if two variables change places."""
        order = np.arange(len(self._numbers))
        order[[u, v]] = v, u
        rows, columns = self._numbers[[u, v]], self._numbers[:, [u, v]]
        return np.array_equal(rows[:, order], rows[::-1]) and np.array_equal(columns[order], columns[:, ::-1])

    def certificate(self, order: Sequence[int]) -> int:
        """A hash of it with the variables in this order."""
        return int.from_bytes(blake2b(self._ordered(order).tobytes(), digest_size=8).digest(), "big")

    def same(self, order: Sequence[int], other: Sequence[int]) -> bool:
        """Whether it is the same with the variables in either order."""
        return np.array_equal(self._ordered(order), self._ordered(other))

    def of_points(self, points: Sequence[int]) -> Relation:
        """The relation between points, each of which stands for a variable."""
        return Relation(self._ordered(points))

    def _ordered(self, order: Sequence[int]) -> NDArray[np.int64]:
        return self._numbers[np.ix_(order, order)]


def _mixed(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Scatter 64-bit integers (xor-shift and multiply, all modulo 2**64)."""
    x = (x ^ (x >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    x = (x ^ (x >> np.uint64(29))) * np.uint64(0xC2B2AE3D27D4EB4F)
    return x ^ (x >> np.uint64(32))
