"""Integers that lie close together: told apart by a table of all of them, without hashing or sorting."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

_WIDEST_RANGE = 1 << 16


class CloseIntegers(NamedTuple):
    """A column of integers that lie close together.

    Attributes
    ----------
    least : int
    offsets : uint16 array [rows]
        How far each is above the least.
    occurring : int64 array
        The offsets that occur, ascending.
    """

    least: int
    offsets: NDArray[np.uint16]
    occurring: NDArray[np.int64]


def close_integers(column: pa.ChunkedArray) -> CloseIntegers | None:
    """A column of integers without nulls, if its range is small enough for a table of it."""
    if not pa.types.is_integer(column.type) or column.null_count or not len(column):
        return None
    # `to_numpy` would import pandas, which takes longer than all the rest.
    values = np.concatenate([np.from_dlpack(chunk) for chunk in column.chunks])
    least, greatest = int(values.min()), int(values.max())
    if greatest - least >= _WIDEST_RANGE:
        return None
    wide = values if values.dtype == np.uint64 else values.astype(np.int64, copy=False)
    offsets = (wide - wide.dtype.type(least)).astype(np.uint16)
    return CloseIntegers(least, offsets, np.flatnonzero(np.bincount(offsets)))
