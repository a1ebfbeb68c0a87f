"""Random draws of rows for the bootstrap, by index in canonical order.

N rows are drawn with replacement and equal probability. An index refers to the rows in canonical order, so that every
layout of a table has the same replicates. Random numbers are the raw output of Philox, a counter-based generator, with
the key (seed, replicate): a replicate does not depend on the replicates drawn before it, nor on the machine.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stablebn.columns.requirements import MOST_ROWS_IN_MEMORY
from stablebn.errors import DataError

# Number of draws at once, which limits the memory for tables of many rows.
_BLOCK = 1 << 20


def drawn_counts(counts: NDArray[np.int64], seed: int, replicate: int) -> NDArray[np.int64]:
    """Return how often each distinct row is drawn.

    Parameters
    ----------
    counts : int64 array [distinct]
        Number of rows equal to each distinct row, in canonical order.
    seed, replicate : int
        Key of the generator, each below 2**64.

    Returns
    -------
    int64 array [distinct]
        A multinomial draw in proportion to `counts`, with the same sum.
    """
    ends = np.cumsum(counts)
    total = int(ends[-1]) if ends.size else 0
    check_drawn(total)
    drawn = np.zeros(counts.size, dtype=np.int64)
    # Equal rows are next to each other.
    row_at = np.repeat(np.arange(counts.size), counts) if counts.size < total <= _BLOCK else None
    generator = np.random.Philox(key=np.array([seed, replicate], dtype=np.uint64))
    left = total
    while left:
        places = _below(total, generator.random_raw(min(left, _BLOCK)))
        left -= places.size
        if row_at is not None:
            places = row_at[places]
        elif counts.size < total:
            places = np.searchsorted(ends, places, side="right")
        drawn += np.bincount(places, minlength=counts.size)
    return drawn


def check_drawn(total: int) -> None:
    """Raise `DataError` if there are too many rows to be drawn one by one."""
    if total > MOST_ROWS_IN_MEMORY:
        raise DataError(
            f"the table stands for {total} rows, and more than 2**28 are not drawn one by one, as a bootstrap or "
            "cross-validation would have to: scale the weights down, or take a sample."
        )


def _below(total: int, raw: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Reduce random 64-bit integers to uniform integers below `total`, by rejection sampling."""
    most = (1 << 64) // total * total
    if most < 1 << 64:
        raw = raw[raw < np.uint64(most)]
    return (raw % np.uint64(total)).astype(np.int64)
