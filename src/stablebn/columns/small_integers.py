"""Integers within a small range, whose distinct values are found by a lookup table, without hashing or sorting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

_WIDEST_RANGE = 1 << 16


@dataclass(frozen=True)
class CloseIntegers:
    """Column of integers within a small range.

    Attributes
    ----------
    least, greatest : int
    chunks : list of integer arrays
    """

    least: int
    greatest: int
    chunks: list[NDArray[Any]]

    @property
    def values(self) -> range:
        """All integers from the least to the greatest."""
        return range(self.least, self.greatest + 1)

    @property
    def least_bits(self) -> int:
        """The least integer, as the int64 with the same bits."""
        return self.least - 2**64 if self.least >= 2**63 else self.least

    @property
    def occurring(self) -> NDArray[np.int64]:
        """Differences of the integers that occur from the least one, ascending."""
        # Imported here so that errors in the data are reported without loading the core.
        from stablebn import _core

        count = len(self.chunks)
        found = _core.occurring(self.chunks, [self.least_bits] * count, [len(self.values)] * count, 1)
        return np.array(sorted(set().union(*found)), dtype=np.int64)


def close_integers(column: pa.ChunkedArray) -> CloseIntegers | None:
    """Return a column of integers without nulls if its range is small enough for a lookup table, otherwise None."""
    if not pa.types.is_integer(column.type) or column.null_count or not len(column):
        return None
    # `to_numpy` would import pandas, which takes longer than all the rest.
    chunks: list[NDArray[Any]] = [np.from_dlpack(chunk) for chunk in column.chunks if len(chunk)]
    least, greatest = min(int(chunk.min()) for chunk in chunks), max(int(chunk.max()) for chunk in chunks)
    return CloseIntegers(least, greatest, chunks) if greatest - least < _WIDEST_RANGE else None
