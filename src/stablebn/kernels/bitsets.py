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

from stablebn.kernels.counting import sum_m_ln_m, sum_over_cells

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


@njit(cache=True, nogil=True)
def _row_sets(variables, packed, first, levels):  # IN int64 [k >= 1]
    """Rows of each configuration of some variables that occurs, and their numbers."""
    start = first[variables[0]]
    sets = packed[start : start + levels[variables[0]]]
    sizes = set_sizes(sets)
    for v in variables[1:]:
        sets, sizes = intersect_levels(sets, packed[first[v] : first[v] + levels[v]])
    return sets, sizes


@njit(cache=True, nogil=True)
def _likelihood(child, parents, rows, packed, first, levels, table):
    """Limbs of H(parents + child) - H(parents)."""
    if parents.size:
        sets, sizes = _row_sets(parents, packed, first, levels)
        hi, lo = sum_m_ln_m(sizes, table)
        _, sizes = intersect_levels(sets, packed[first[child] : first[child] + levels[child]])
    else:
        hi, lo = sum_m_ln_m(np.array([rows]), table)
        sizes = set_sizes(packed[first[child] : first[child] + levels[child]])
    joint_hi, joint_lo = sum_m_ln_m(sizes, table)
    return joint_hi - hi, joint_lo - lo


@njit(cache=True, nogil=True)
def likelihood_changes(child, parents, rows, packed, first, levels, table, most_sets, out):
    """Change of a child's log-likelihood when each other variable becomes a parent, or ceases to be one.

    One pass over the rows gives the tables of parents, child and u for all u; those of parents and u are their sums.

    Parameters
    ----------
    child, parents : int, int64 [k >= 1]
    rows : int
    packed, first, levels : uint64 [L, W], int64 [n], int64 [n]
    table : int64 [T, 2]
    most_sets : int
        If more configurations of parents and child occur, nothing is computed.
    out : int64 [n, 2]
        Limbs for each variable; the child's own row is left as it is.

    Returns
    -------
    computed : bool
    hi, lo : int64
        Limbs of the log-likelihood with the parents as they are.
    """
    family, family_sizes = _row_sets(parents, packed, first, levels)
    # Sets of parents and child, and of which set of the parents each is a part.
    configurations = family.shape[0]
    most = min(configurations * levels[child], most_sets)
    sets = np.empty((most, family.shape[1]), dtype=np.uint64)
    sizes = np.empty(most, dtype=np.int64)
    part_of = np.empty(most, dtype=np.int64)
    k = 0
    for s in range(configurations):
        for level in range(first[child], first[child] + levels[child]):
            size = _common(family[s], packed[level])
            if size:
                if k == most:
                    return False, np.int64(0), np.int64(0)
                for w in range(family.shape[1]):
                    sets[k, w] = family[s, w] & packed[level, w]
                sizes[k] = size
                part_of[k] = s
                k += 1
    sets = sets[:k]
    sizes = sizes[:k]

    joint_hi, joint_lo = sum_m_ln_m(sizes, table)
    family_hi, family_lo = sum_m_ln_m(family_sizes, table)
    own_hi, own_lo = joint_hi - family_hi, joint_lo - family_lo

    inside = np.zeros(levels.size, dtype=np.bool_)
    inside[child] = True
    for u in parents:
        inside[u] = True
    counted = 0
    widest = 0
    for u in range(levels.size):
        if not inside[u]:
            counted += levels[u] - 1
            widest = max(widest, levels[u])
    which = np.empty(counted, dtype=np.int64)
    m = 0
    for u in range(levels.size):
        if not inside[u]:
            for level in range(levels[u] - 1):
                which[m] = first[u] + level
                m += 1
    common = np.empty((counted, k), dtype=np.int64)
    _intersection_sizes(sets, packed, which, common)

    cells = np.empty((widest, k), dtype=np.int64)
    margin = np.empty((widest, configurations), dtype=np.int64)
    m = 0
    for u in range(levels.size):
        if inside[u]:
            continue
        margin[: levels[u]] = 0
        cells[0] = sizes
        margin[0] = family_sizes
        for level in range(1, levels[u]):
            for j in range(k):
                count = common[m, j]
                cells[level, j] = count
                cells[0, j] -= count
                margin[level, part_of[j]] += count
                margin[0, part_of[j]] -= count
            m += 1
        hi, lo = sum_m_ln_m(cells[: levels[u]].reshape(-1), table)
        margin_hi, margin_lo = sum_m_ln_m(margin[: levels[u]].reshape(-1), table)
        out[u, 0] = hi - margin_hi - own_hi
        out[u, 1] = lo - margin_lo - own_lo

    fewer = np.empty(parents.size - 1, dtype=np.int64)
    for gone in range(parents.size):
        for i in range(parents.size - 1):
            fewer[i] = parents[i + (i >= gone)]
        hi, lo = _likelihood(child, fewer, rows, packed, first, levels, table)
        out[parents[gone], 0] = hi - own_hi
        out[parents[gone], 1] = lo - own_lo
    return True, own_hi, own_lo
