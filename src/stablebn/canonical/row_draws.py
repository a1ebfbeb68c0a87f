"""How often each row is drawn: numbers that belong to the rows of a table, never to where these stand.

Rows are drawn with replacement, as many as there are, each with the same chance. Who is drawn is a place among the rows
in canonical order, so that every layout of a table has the same replicates. The numbers are the raw output of Philox, a
counter-based generator, under the key (seed, replicate): a replicate is the same whichever were drawn before it, on
every machine and for ever.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stablebn.columns.requirements import MOST_ROWS_IN_MEMORY
from stablebn.errors import DataError

# So many at once, that a table of many rows takes no more memory than it has anyway.
_BLOCK = 1 << 20


def drawn_counts(counts: NDArray[np.int64], seed: int, replicate: int) -> NDArray[np.int64]:
    """How often each of some distinct rows is drawn.

    Parameters
    ----------
    counts : int64 array [distinct]
        How many rows are equal to each, in canonical order.
    seed, replicate : int
        Below 2**64.

    Returns
    -------
    int64 array [distinct]
        With the sum of `counts`: a multinomial draw, in proportion to them.
    """
    ends = np.cumsum(counts)
    total = int(ends[-1]) if ends.size else 0
    check_drawn(total)
    drawn = np.zeros(counts.size, dtype=np.int64)
    # Equal rows stand next to each other.
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
    """Raise if rows are too many to be drawn one by one."""
    if total > MOST_ROWS_IN_MEMORY:
        raise DataError(
            f"the table stands for {total} rows, and more than 2**28 are not drawn one by one, as a bootstrap or "
            "cross-validation would have to: scale the weights down, or take a sample."
        )


def _below(total: int, raw: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Integers below a number, each with exactly the same chance; those that would spoil that are left out."""
    most = (1 << 64) // total * total
    if most < 1 << 64:
        raw = raw[raw < np.uint64(most)]
    return (raw % np.uint64(total)).astype(np.int64)
