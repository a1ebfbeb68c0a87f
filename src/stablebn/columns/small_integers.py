"""Integers that lie close together: told apart by a table of all of them, without hashing or sorting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

_WIDEST_RANGE = 1 << 16


@dataclass(frozen=True)
class CloseIntegers:
    """A column of integers that lie close together.

    Attributes
    ----------
    least, greatest : int
    chunks : list of integer arrays
        The integers as they are.
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
        """The least of the integers as an int64 with the same bits."""
        return self.least - 2**64 if self.least >= 2**63 else self.least

    @property
    def occurring(self) -> NDArray[np.int64]:
        """How far those that occur are above the least, ascending."""
        # Here and not above: errors in the data are told without the core.
        from stablebn import _core

        count = len(self.chunks)
        found = _core.occurring(self.chunks, [self.least_bits] * count, [len(self.values)] * count, 1)
        return np.array(sorted(set().union(*found)), dtype=np.int64)


def close_integers(column: pa.ChunkedArray) -> CloseIntegers | None:
    """A column of integers without nulls, if its range is small enough for a table of it."""
    if not pa.types.is_integer(column.type) or column.null_count or not len(column):
        return None
    # `to_numpy` would import pandas, which takes longer than all the rest.
    chunks: list[NDArray[Any]] = [np.from_dlpack(chunk) for chunk in column.chunks if len(chunk)]
    least, greatest = min(int(own.min()) for own in chunks), max(int(own.max()) for own in chunks)
    return CloseIntegers(least, greatest, chunks) if greatest - least < _WIDEST_RANGE else None
