"""Counting with bits: a level of a variable is the set of its rows, and cells are sizes of intersections.

A word holds 64 rows, and one AND with a population count looks at all of them: for tables of few
cells this beats a histogram by far. The counts are the same integers.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from stablebn.kernels.counting import sum_over_cells

WORD = 64


@intrinsic
def _population(typing_context, word):
    """Number of bits set, by the processor's own instruction where it has one."""
    signature = types.uint64(types.uint64)

    def generate(context, builder, signature, arguments):
        function = builder.module.declare_intrinsic("llvm.ctpop", [ir.IntType(WORD)])
        return builder.call(function, arguments)

    return signature, generate


@njit(cache=True, nogil=True)
def pack_levels(codes, first, out):  # IN codes [n, N], IN int64 [n], OUT uint64 [levels in all, words], zero
    """Rows of each level of each variable; level l of v is row first[v] + l."""
    for v in range(codes.shape[0]):
        at = first[v]
        for i in range(codes.shape[1]):
            out[at + codes[v, i], i >> 6] |= np.uint64(1) << np.uint64(i & 63)


@njit(cache=True, nogil=True)
def _common(a, b):
    """Number of rows in both of two sets."""
    total = np.uint64(0)
    for w in range(a.size):
        total += _population(a[w] & b[w])  # type: ignore[call-arg]
    return np.int64(total)


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
    widest = 0
    for u in candidates:
        widest = max(widest, levels[u])
    cells = np.empty(widest * sizes.size, dtype=np.int64)
    for at in range(candidates.size):
        u = candidates[at]
        filled = 0
        for k in range(sizes.size):
            # The last level has the rows that no other one has.
            rest = sizes[k]
            for level in range(first[u], first[u] + levels[u] - 1):
                if rest == 0:
                    break
                count = _common(sets[k], packed[level])
                rest -= count
                cells[filled] = count
                filled += 1
            cells[filled] = rest
            filled += 1
        out[u, 0], out[u, 1] = sum_over_cells(cells[:filled], table, priors, at)
