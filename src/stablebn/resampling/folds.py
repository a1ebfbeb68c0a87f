"""Split the rows of a table into folds that depend on the content of the rows, not on their order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stablebn.canonical.row_draws import check_drawn

# Separates the random numbers of folds from those of bootstrap replicates, whose numbers are lower.
_PURPOSE = 1 << 63


def held_out_counts(counts: NDArray[np.int64], folds: int, seed: int) -> NDArray[np.int64]:
    """Return how many copies of each distinct row are in each fold.

    Every row, in canonical order, gets a random number: the raw output of Philox, a counter-based generator, with the
    seed in its key. In the order of these numbers the rows are dealt out to the folds one by one, so the sizes of the
    folds differ by at most one.

    Parameters
    ----------
    counts : int64 array [distinct]
        How many copies of each distinct row there are, in canonical order.
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
