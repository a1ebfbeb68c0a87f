"""Counting with bits: a level of a variable is the set of its rows, and cells are sizes of intersections.

A word holds 64 rows, and one AND with a population count looks at all of them: for tables of few
cells this beats a histogram by far. The counts are the same integers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from stablebn.kernels.counting import sum_over_cells

WORD = 64
_BLOCK = 512


@intrinsic
def _population(typing_context, word):
    """Number of bits set, by the processor's own instruction where it has one."""
    signature = types.uint64(types.uint64)

    def generate(context, builder, signature, arguments):
        function = builder.module.declare_intrinsic("llvm.ctpop", [ir.IntType(WORD)])
        return builder.call(function, arguments)

    return signature, generate


@njit(cache=True, nogil=True)
def _common(a, b):
    """Number of rows in both of two sets."""
    total = np.uint64(0)
    for w in range(a.size):
        total += _population(a[w] & b[w])  # type: ignore[call-arg]
    return np.int64(total)


def packed_levels(codes: NDArray[Any], levels: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Rows of each level of each variable as bits, one set after the other: uint64 [levels in all, words]."""
    rows = codes.shape[1]
    sets = np.zeros((int(levels.sum()), -(-rows // WORD) * 8), dtype=np.uint8)
    row = 0
    for own, size in zip(codes, levels, strict=True):
        for level in range(size):
            # Which bit stands for which row does not matter, as long as it is the same in all sets.
            sets[row, : -(-rows // 8)] = np.packbits(own == level)
            row += 1
    return sets.view(np.uint64)


@njit(cache=True, nogil=True)
def set_sizes(sets):  # IN uint64 [K, W]
    """Number of rows in each set: int64 [K]."""
    sizes = np.empty(sets.shape[0], dtype=np.int64)
    for k in range(sets.shape[0]):
        sizes[k] = _common(sets[k], sets[k])
    return sizes


@njit(cache=True, nogil=True)
def intersect_levels(sets, levels):  # IN uint64 [K, W], IN uint64 [r, W]
    """The non-empty intersections of some sets with the levels of one more variable, and their sizes."""
    found = np.empty((sets.shape[0] * levels.shape[0], sets.shape[1]), dtype=np.uint64)
    sizes = np.empty(found.shape[0], dtype=np.int64)
    k = 0
    for s in range(sets.shape[0]):
        for r in range(levels.shape[0]):
            size = _common(sets[s], levels[r])
            if size:
                sizes[k] = size
                for w in range(sets.shape[1]):
                    found[k, w] = sets[s, w] & levels[r, w]
                k += 1
    return found[:k], sizes[:k]


@njit(cache=True, nogil=True)
def _intersection_sizes(sets, packed, which, out):  # IN uint64 [K, W], [L, W], IN int64 [M], OUT int64 [M, K]
    """Number of rows that each set has in common with each chosen level.

    Block by block of rows, so that the sets stay in the fast caches, and four sets at a time, so that a word of
    the level is loaded once for the four.
    """
    fours = sets.shape[0] // 4 * 4
    out[:] = 0
    for start in range(0, sets.shape[1], _BLOCK):
        stop = min(sets.shape[1], start + _BLOCK)
        for m in range(which.size):
            level = packed[which[m], start:stop]
            for k in range(0, fours, 4):
                a, b, c, d = (
                    sets[k, start:stop],
                    sets[k + 1, start:stop],
                    sets[k + 2, start:stop],
                    sets[k + 3, start:stop],
                )
                in_a = in_b = in_c = in_d = np.uint64(0)
                for w in range(level.size):
                    word = level[w]
                    in_a += _population(a[w] & word)  # type: ignore[call-arg]
                    in_b += _population(b[w] & word)
                    in_c += _population(c[w] & word)
                    in_d += _population(d[w] & word)
                out[m, k] += in_a
                out[m, k + 1] += in_b
                out[m, k + 2] += in_c
                out[m, k + 3] += in_d
            for k in range(fours, sets.shape[0]):
                out[m, k] += _common(sets[k, start:stop], level)


@njit(cache=True, nogil=True)
def extension_sums(sets, sizes, packed, first, levels, candidates, table, priors, out):
    """Sum over the cells of base + u for each candidate u: limbs in out[u].

    Parameters
    ----------
    sets, sizes : uint64 [K, W], int64 [K]
        Rows of each configuration of the base that occurs, and their numbers.
    packed, first, levels : uint64 [L, W], int64 [n], int64 [n]
        Rows of each level of each variable.
    candidates : int64 [any]
    table, priors : int64 [T, 2], float64 [candidates or 0]
        As in `counting.extension_sums`.
    out : int64 [n, 2]
        Written in the rows of the candidates only.
    """
    # The last level of a variable has the rows that no other one has: it need not be counted.
    counted = 0
    widest = 0
    for u in candidates:
        counted += levels[u] - 1
        widest = max(widest, levels[u])
    which = np.empty(counted, dtype=np.int64)
    m = 0
    for u in candidates:
        for level in range(levels[u] - 1):
            which[m] = first[u] + level
            m += 1
    common = np.empty((counted, sizes.size), dtype=np.int64)
    _intersection_sizes(sets, packed, which, common)
    cells = np.empty((widest, sizes.size), dtype=np.int64)
    m = 0
    for at in range(candidates.size):
        u = candidates[at]
        cells[0] = sizes
        for level in range(1, levels[u]):
            for k in range(sizes.size):
                cells[level, k] = common[m, k]
                cells[0, k] -= common[m, k]
            m += 1
        out[u, 0], out[u, 1] = sum_over_cells(cells[: levels[u]].reshape(-1), table, priors, at)
