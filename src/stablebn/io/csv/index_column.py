"""Recognise a first column without a name that only numbers the rows, as pandas and R write it."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from stablebn.messages import Caution
from stablebn.table.table import Name

# The second is the name that pandas gives to a column without a name.
INDEX_NAMES = ("", "Unnamed: 0")


def counts_rows(values: NDArray[Any]) -> bool:
    """Return whether integers are 0 to N - 1 or 1 to N, in any order."""
    ascending = np.sort(values)
    return ascending.size > 0 and ascending[0] in (0, 1) and bool((np.diff(ascending) == 1).all())


class RowNumberCheck:
    """Checks whether a column that is read in parts has the integers 0 to N - 1 or 1 to N, in any order.

    No value is kept: the sums of two 64-bit hashes are compared with those of these integers. Other integers have the
    same sums with a probability of 2**-128.
    """

    def __init__(self) -> None:
        self._count = 0
        self._least, self._greatest = 2**63, -1
        self._sums = [0, 0]
        self._may = True

    def add(self, column: pa.ChunkedArray | pa.Array) -> None:
        """Add some rows of dictionary-encoded texts."""
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
        """Return whether all rows have been numbered so."""
        if not self._may or self._least not in (0, 1) or self._greatest - self._least + 1 != self._count:
            return False
        expected = [0, 0]
        for first in range(self._least, self._greatest + 1, _AT_ONCE):
            numbers = np.arange(first, min(first + _AT_ONCE, self._greatest + 1), dtype=np.int64)
            expected = _added(expected, _sums_of_hashes(numbers))
        return expected == self._sums


_AT_ONCE = 1 << 16
_SALTS = (0x9E3779B97F4A7C15, 0xD1B54A32D192ED03)


def _added(sums: list[int], more: list[int]) -> list[int]:
    return [(a + b) % 2**64 for a, b in zip(sums, more, strict=True)]


def _sums_of_hashes(values: NDArray[np.int64]) -> list[int]:
    """Return the sum of each of two hashes over the values, modulo 2**64."""
    sums = []
    for salt in _SALTS:
        # The finisher of SplitMix64: each output bit depends on every input bit.
        mixed = values.view(np.uint64) * np.uint64(salt) + np.uint64(salt)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        sums.append(int(np.add.reduce(mixed ^ (mixed >> np.uint64(31)))))
    return sums


def index_caution(path: str, name: Name) -> Caution:
    """Warn that the index column is left out."""
    return Caution(
        "index",
        (name,),
        f"the first column of {os.path.basename(path)!r}, {name!r}, only counts the rows and is left out: "
        "give it a name to keep it.",
    )
