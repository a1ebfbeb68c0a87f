"""Which rows are held out when: folds that belong to the rows of a table, never to where these stand."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stablebn.canonical.row_draws import check_drawn

# Bootstrap replicates have the same generator, and lower numbers.
_PURPOSE = 1 << 63


def held_out_counts(counts: NDArray[np.int64], folds: int, seed: int) -> NDArray[np.int64]:
    """How many of the rows equal to each distinct one are in each fold.

    Rows in canonical order, equal ones next to each other, get random numbers: the raw output of Philox, a
    counter-based generator, under a key made of the seed. In the order of these numbers they are dealt out to the folds
    one by one, so that the sizes of folds differ by one at most.

    Parameters
    ----------
    counts : int64 array [distinct]
        How many rows are equal to each, in canonical order.
    folds : int
        At most the number of rows.
    seed : int
        Below 2**63.

    Returns
    -------
    int64 array [folds, distinct]
    """
    total = int(counts.sum())
    check_drawn(total)
    numbers = np.random.Philox(key=np.array([seed, _PURPOSE], dtype=np.uint64)).random_raw(total)
    fold = np.empty(total, dtype=np.int64)
    fold[np.argsort(numbers, kind="stable")] = np.arange(total) % folds
    row = np.repeat(np.arange(counts.size), counts)
    return np.bincount(fold * counts.size + row, minlength=folds * counts.size).reshape(folds, counts.size)
