"""A first column without a name that only counts the rows, as pandas and R write it: it is no data."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from stablebn.data.table import Name
from stablebn.data.wording import Caution

# The second is what pandas calls a column without a name that it has read.
INDEX_NAMES = ("", "Unnamed: 0")


def is_index(name: Name, column: pa.ChunkedArray) -> bool:
    """Whether a first column of this name is no more than the index of the rows."""
    return (
        name in INDEX_NAMES and column.type == pa.int64() and not column.null_count and counts_rows(column.to_numpy())
    )


def counts_rows(values: NDArray[Any]) -> bool:
    """Whether integers are 0 to N - 1 or 1 to N, in any order."""
    ascending = np.sort(values)
    return ascending.size > 0 and ascending[0] in (0, 1) and bool((np.diff(ascending) == 1).all())


def index_caution(path: str, name: Name) -> Caution:
    """Say that the index is left out."""
    return Caution(
        "index",
        (name,),
        f"the first column of {os.path.basename(path)!r}, {name!r}, only counts the rows and is left out: "
        "give it a name to keep it.",
    )
