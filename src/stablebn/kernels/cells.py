"""Joint tables of a few variables, whole: counted from bits or from rows, the last variable fastest.

The rows are those of `kernels/contingency.py`.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stablebn.kernels.bitsets import intersection_sizes, set_sizes
from stablebn.kernels.counting import group_counts
from stablebn.kernels.joint import group_rows

MOST_PLACES = 1 << 16
"""Places are 16 bits wide."""
SHARE_OF_CELLS = 0.5
"""Of the most cells that bits are for, the share for a table of which all cells are met."""


@njit(cache=True, nogil=True)
def joint_cells(family, codes, packed, first, levels, weights, most_cells):  # IN int64 [k], k > 0
    """The joint table of some variables, the last one fastest, with no more cells than places: int64 [cells]."""
    size = levels[family].prod()
    if packed.size and size <= SHARE_OF_CELLS * most_cells:
        sets, sizes = joint_sets(family[: max(1, family.size - 1)], packed, first, levels)
        return sizes if family.size == 1 else cells_by_bits(sets, sizes, family[-1], packed, first, levels)
    return group_counts(group_rows(codes, family, levels), size, weights)


@njit(cache=True, nogil=True)
def joint_sets(family, packed, first, levels):  # IN int64 [k], k > 0
    """Rows of every configuration of some variables, the last one fastest, as bits, and their numbers."""
    sets = packed[first[family[0]] : first[family[0]] + levels[family[0]]]
    for v in family[1:]:
        finer = np.empty((sets.shape[0] * levels[v], packed.shape[1]), dtype=np.uint64)
        for k in range(finer.shape[0]):
            coarse, level = sets[k // levels[v]], packed[first[v] + k % levels[v]]
            for w in range(level.size):
                finer[k, w] = coarse[w] & level[w]
        sets = finer
    return sets, set_sizes(sets)


@njit(cache=True, nogil=True)
def cells_by_bits(sets, sizes, v, packed, first, levels):
    """The table of some sets and the levels of a variable, these fastest: int64 [cells]."""
    met = met_levels(sets, packed, np.array([v]), first, levels)
    cells = np.empty((sizes.size, levels[v]), dtype=np.int64)
    for k in range(sizes.size):
        cells[k, 0] = sizes[k]
        for level in range(1, levels[v]):
            cells[k, level] = met[level - 1, k]
            cells[k, 0] -= met[level - 1, k]
    return cells.reshape(-1)


@njit(cache=True, nogil=True)
def met_levels(parts, packed, candidates, first, levels):
    """Rows that each part has in common with the levels of the candidates, without the first of each: int64 [M, K]."""
    which = np.empty(levels[candidates].sum() - candidates.size, dtype=np.int64)
    m = 0
    for y in candidates:
        for level in range(1, levels[y]):
            which[m] = first[y] + level
            m += 1
    met = np.empty((which.size, parts.shape[0]), dtype=np.int64)
    intersection_sizes(parts, packed, which, met)
    return met


@njit(cache=True, nogil=True)
def count_all(places, y_codes, c, weights, cells):  # OUT cells int64 [any], zero at the start
    """Add every row to its cell, where all rows have a place."""
    width = np.uint32(c)
    if weights.size:
        for i in range(places.size):
            cells[np.uint32(places[i]) * width + np.uint32(y_codes[i])] += weights[i]
    else:
        for i in range(places.size):
            cells[np.uint32(places[i]) * width + np.uint32(y_codes[i])] += 1
