"""Weights: how many rows each row stands for.

They are counts, and never rounded: the number of rows that a table stands for decides what is significant, and how much
an arc must gain. What to do with the weights of a survey, which are no counts, is in docs/weights.md.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from stablebn.data.checks import MOST_ROWS
from stablebn.data.encoding import plain
from stablebn.data.kinds import family
from stablebn.data.reading import Columns, arrow_column, is_column
from stablebn.data.table import Weights
from stablebn.errors import DataError, OptionError, listed

_SURVEY = (
    "Weights of a survey are no counts, and rounded or multiplied they would change the number of rows, and with it "
    "every score and test: draw rows in proportion to them, with replacement, and learn from each draw, or do so for "
    "each set of replicate weights (docs/weights.md shows how)."
)


def set_weights_apart(columns: Columns, weights: object) -> tuple[Columns, pa.ChunkedArray | None]:
    """Split a table into variables and weights.

    Parameters
    ----------
    columns : dict of name to pyarrow.ChunkedArray
    weights : name of a column, or column of whole numbers, or None

    Returns
    -------
    columns : dict of name to pyarrow.ChunkedArray
    weights : pyarrow.ChunkedArray of int64, or None
        None of them is negative or missing, and not all are 0.
    """
    if weights is None:
        return columns, None
    if isinstance(weights, Hashable) and weights in columns:
        rest = {name: column for name, column in columns.items() if name != weights}
        return rest, _counts(f"column {weights!r}, the weights,", columns[weights])
    if not is_column(weights):
        raise OptionError(f"weights={weights!r} is not a column. Columns: {listed(tuple(columns))}.")
    own = arrow_column("weights=", weights)
    rows = len(next(iter(columns.values()))) if columns else len(own)
    if len(own) != rows:
        raise DataError(f"there are {len(own)} weights for {rows} rows: give one for each row.")
    return columns, _counts("weights=", own)


def rows_with_weight(columns: Columns, weights: pa.ChunkedArray | None) -> tuple[Columns, Weights | None]:
    """Leave out the rows of weight 0.

    Parameters
    ----------
    columns : dict of name to pyarrow.ChunkedArray
    weights : pyarrow.ChunkedArray of int64, or None
        As `set_weights_apart` gives them.

    Returns
    -------
    columns : dict of name to pyarrow.ChunkedArray
    weights : int64 array [rows left], all positive, or None
    """
    if weights is None:
        return columns, None
    counts = weights.to_numpy()
    used = counts > 0
    if not used.all():
        columns = {name: column.filter(pa.array(used)) for name, column in columns.items()}
    return columns, counts[used]


def _counts(label: str, weights: pa.ChunkedArray) -> pa.ChunkedArray:
    """The weights as int64; `label` says in errors what they are."""
    if family(weights.type) not in ("integer", "float"):
        raise DataError(
            f"{label} must be whole numbers, not {weights.type}: they say how many rows each row stands for."
        )
    # Not a number, and so neither of what is looked for but missing.
    numbers = plain(weights).to_numpy()
    _check_counts(label, numbers)
    counts = numbers.astype(np.int64)
    if len(counts) and not counts.any():
        raise DataError(f"{label} are all 0, which leaves no rows: give some row a weight.")
    return pa.chunked_array([counts])


def _check_counts(label: str, weights: NDArray[np.int64] | NDArray[np.uint64] | NDArray[np.float64]) -> None:
    """Raise if some are no counts, and say how many, which rows are the first, and what to do."""
    infinite = np.isinf(weights)
    finite = ~infinite
    faults = {
        "missing": (np.isnan(weights), "Give every row a weight, 0 to leave it out."),
        "negative": (finite & (weights < 0), "Give a row that is to be left out the weight 0."),
        "infinite": (infinite, "Correct them."),
        "too large": (finite & (weights > MOST_ROWS), f"A table stands for {MOST_ROWS:,} rows at most."),
        "not whole": (finite & (weights >= 0) & (weights != np.floor(weights)), _SURVEY),
    }
    found = {what: (wrong, remedy) for what, (wrong, remedy) in faults.items() if wrong.any()}
    if found:
        told = ", ".join(
            f"{int(wrong.sum())} {what} (the first in row {row + 1}{'' if what == 'missing' else f': {weights[row]}'})"
            for what, (wrong, _) in found.items()
            for row in [int(np.argmax(wrong))]
        )
        raise DataError(
            f"{label} must be whole numbers, 0 or more, that say how many rows each row stands for. Of {len(weights)}, "
            f"these are not: {told}. {' '.join(remedy for _, remedy in found.values())}"
        )
