"""Weights: how many rows each row stands for."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from stablebn.data.encoding import plain
from stablebn.data.kinds import family
from stablebn.data.reading import Columns, arrow_column, is_column
from stablebn.data.table import Weights
from stablebn.errors import DataError, OptionError, listed


def set_weights_apart(columns: Columns, weights: object) -> tuple[Columns, pa.ChunkedArray | None]:
    """Split a table into variables and weights, which are the name of a column or a column themselves."""
    if weights is None:
        return columns, None
    if isinstance(weights, Hashable) and weights in columns:
        return {name: column for name, column in columns.items() if name != weights}, columns[weights]
    if not is_column(weights):
        raise OptionError(f"weights={weights!r} is not a column. Columns: {listed(tuple(columns))}.")
    return columns, arrow_column("weights=", weights)


def rows_with_weight(columns: Columns, weights: pa.ChunkedArray | None) -> tuple[Columns, Weights | None]:
    """Leave out the rows of weight 0.

    Parameters
    ----------
    columns : dict of name to pyarrow.ChunkedArray
    weights : pyarrow.ChunkedArray or None

    Returns
    -------
    columns : dict of name to pyarrow.ChunkedArray
    weights : int64 array [rows left], all positive, or None
    """
    if weights is None:
        return columns, None
    counts = _counts(weights, rows=len(next(iter(columns.values()))))
    used = counts > 0
    if not used.all():
        columns = {name: column.filter(pa.array(used)) for name, column in columns.items()}
    return columns, counts[used]


def _counts(weights: pa.ChunkedArray, rows: int) -> Weights:
    if len(weights) != rows:
        raise DataError(f"there are {len(weights)} weights for {rows} rows: give one for each row.")
    if family(weights.type) not in ("integer", "float"):
        raise DataError(f"weights must be whole numbers, not {weights.type}: they say how many rows each stands for.")
    weights = plain(weights)
    if weights.null_count:
        raise DataError(
            f"weights are missing in {weights.null_count} of {rows} rows: give each one, 0 to leave it out."
        )
    numbers = weights.to_numpy()
    _check_whole(numbers)
    if not numbers.any():
        raise DataError("all weights are 0, which leaves no rows: give some row a weight.")
    return np.asarray(numbers, dtype=np.int64)


def _check_whole(weights: NDArray[np.int64] | NDArray[np.uint64] | NDArray[np.float64]) -> None:
    # A single weight of 2**62 is far more than all may be together, and still fits int64.
    whole = (weights >= 0) & (weights == np.floor(weights)) & (weights <= 2**62)
    if not whole.all():
        row = int(np.argmin(whole))
        raise DataError(f"weights must be whole numbers, 0 or more: the weight of row {row + 1} is {weights[row]}.")
