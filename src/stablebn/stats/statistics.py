"""What scores, orders, searches and tests of independence ask of the data; nobody else reads rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from typing_extensions import Self

Codes = NDArray[np.integer]
_Hashes = NDArray[np.uint64]


class Statistics(ABC):
    """The statistics of a table.

    Attributes
    ----------
    kind : {"categorical", "continuous"}
    names : tuple of names
        Of the variables, which are 0 .. n - 1.
    n, total : int
        Number of variables, and of rows by weight.
    threads : int
        How many threads count at once. The statistics are the same integers for any number.
    """

    kind: ClassVar[str]

    names: tuple[Hashable, ...]
    n: int
    total: int
    threads: int

    @abstractmethod
    def reordered(self, order: Sequence[int]) -> Self:
        """The statistics of the same variables renumbered so that new i is old order[i]."""

    @abstractmethod
    def sort_key(self, v: int) -> Hashable:
        """A key of a variable's own values, by which orders tell apart what scores cannot (SPEC 4, key 3)."""

    @abstractmethod
    def _value_codes(self) -> Sequence[Codes]:
        """Values of each variable as integers that keep their order."""

    @abstractmethod
    def _row_weights(self) -> NDArray[np.int64] | None:
        """How many rows each row stands for; None: one each."""

    def identical(self) -> list[list[int]]:
        """All variables, in groups of those that have the same codes in every row."""
        groups: dict[bytes, list[int]] = {}
        for v, codes in enumerate(self._value_codes()):
            groups.setdefault(codes.tobytes(), []).append(v)
        return list(groups.values())

    def colours(self, classes: Sequence[int]) -> list[int]:
        """One step of refinement: a colour for each variable from the classes of all.

        A row is coloured by the multiset of (class of the variable, value) in it, a variable by the multiset of (colour
        of row, value) in it. No layout enters: a multiset is hashed as a sum.
        """
        values, weights = self._value_codes(), self._row_weights()
        times = np.uint64(1) if weights is None else weights.astype(np.uint64)
        rows: _Hashes = np.zeros(values[0].size, dtype=np.uint64)
        for colour, column in zip(_mix(np.array(classes).astype(np.uint64)), values, strict=True):
            rows += _mix(column.astype(np.uint64) * _STEP + colour)
        rows = _mix(rows)
        return [int((_mix(column.astype(np.uint64) * _STEP + rows) * times).sum(dtype=np.uint64)) for column in values]


_STEP = np.uint64(0x9E3779B97F4A7C15)


def _mix(x: _Hashes) -> _Hashes:
    """Scatter 64-bit integers (xor-shift and multiply, all modulo 2**64)."""
    x = (x ^ (x >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    x = (x ^ (x >> np.uint64(29))) * np.uint64(0xC2B2AE3D27D4EB4F)
    return x ^ (x >> np.uint64(32))
