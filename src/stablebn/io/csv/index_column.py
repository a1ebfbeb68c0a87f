"""A first column without a name that only counts the rows, as pandas and R write it: it is no data."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from stablebn.messages import Caution
from stablebn.table.table import Name

# The second is what pandas calls a column without a name that it has read.
INDEX_NAMES = ("", "Unnamed: 0")


def counts_rows(values: NDArray[Any]) -> bool:
    """Whether integers are 0 to N - 1 or 1 to N, in any order."""
    ascending = np.sort(values)
    return ascending.size > 0 and ascending[0] in (0, 1) and bool((np.diff(ascending) == 1).all())


class RowNumberCheck:
    """Whether the texts of a column that comes in parts are the integers 0 to N - 1 or 1 to N, in any order.

    None is kept: sums of two hashes of 64 bits are compared with those that the integers would have. That others have
    the same has a chance of 2**-128.
    """

    def __init__(self) -> None:
        self._count = 0
        self._least, self._greatest = 2**63, -1
        self._sums = [0, 0]
        self._may = True

    def add(self, column: pa.ChunkedArray | pa.Array) -> None:
        """Look at some rows, texts by distinct values."""
        for chunk in column.chunks if isinstance(column, pa.ChunkedArray) else (column,):
            self._may = self._may and not chunk.null_count
            if self._may and len(chunk):
                try:
                    integers = [int(text) for text in chunk.dictionary.to_pylist()]
                    self._add(np.array(integers, dtype=np.int64)[np.from_dlpack(chunk.indices)])
                except (ValueError, OverflowError):
                    self._may = False

    def _add(self, values: NDArray[np.int64]) -> None:
        self._count += len(values)
        self._least, self._greatest = min(self._least, int(values.min())), max(self._greatest, int(values.max()))
        self._sums = _added(self._sums, _sums_of_hashes(values))

    def counts_rows(self) -> bool:
        """Whether that is so of all rows."""
        if not self._may or self._least not in (0, 1) or self._greatest - self._least + 1 != self._count:
            return False
        expected = [0, 0]
        for first in range(self._least, self._greatest + 1, _AT_ONCE):
            own = np.arange(first, min(first + _AT_ONCE, self._greatest + 1), dtype=np.int64)
            expected = _added(expected, _sums_of_hashes(own))
        return expected == self._sums


_AT_ONCE = 1 << 16
_SALTS = (0x9E3779B97F4A7C15, 0xD1B54A32D192ED03)


def _added(sums: list[int], more: list[int]) -> list[int]:
    return [(own + another) % 2**64 for own, another in zip(sums, more, strict=True)]


def _sums_of_hashes(values: NDArray[np.int64]) -> list[int]:
    """Of each of two hashes, the sum over integers, modulo 2**64."""
    sums = []
    for salt in _SALTS:
        # The mixing of SplitMix64: multiplications and shifts by which every bit depends on every other.
        mixed = values.view(np.uint64) * np.uint64(salt) + np.uint64(salt)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        sums.append(int(np.add.reduce(mixed ^ (mixed >> np.uint64(31)))))
    return sums


def index_caution(path: str, name: Name) -> Caution:
    """Say that the index is left out."""
    return Caution(
        "index",
        (name,),
        f"the first column of {os.path.basename(path)!r}, {name!r}, only counts the rows and is left out: "
        "give it a name to keep it.",
    )
