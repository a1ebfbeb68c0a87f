"""Counting with bits: a level of a variable is the set of its rows, and cells are sizes of intersections.

A word holds 64 rows, and one AND with a population count looks at all of them: for tables of few
cells this beats a histogram by far. The counts are the same integers.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

WORD = 64
# Words of all the sets under way, so many that they stay in the second cache.
_WORDS_AT_ONCE = 1 << 16
_LONGEST_BLOCK = 1024


@intrinsic
def population(typing_context, word):
    """Number of bits set, by the processor's own instruction where it has one."""
    signature = types.uint64(types.uint64)

    def generate(context, builder, signature, arguments):
        function = builder.module.declare_intrinsic("llvm.ctpop", [ir.IntType(WORD)])
        return builder.call(function, arguments)

    return signature, generate


@njit(cache=True, nogil=True)
def pack_levels(codes, first, levels, variables, packed):
    """Write the rows of each level of some variables as bits.

    Parameters
    ----------
    codes : codes [n, N]
    first, levels : int64 [n]
        Where the levels of each variable start, and how many they are.
    variables : int64 [any]
    packed : uint64 [levels in all, ceil(N / 64)], written
        Row i is bit i % 64 of word i // 64.
    """
    rows = codes.shape[1]
    whole = rows // WORD
    for v in variables:
        own = codes[v]
        # The last level has the rows that no other one has.
        rest = packed[first[v] + levels[v] - 1]
        rest[:whole] = ~np.uint64(0)
        if whole < rest.size:
            rest[whole] = (np.uint64(1) << np.uint64(rows - whole * WORD)) - np.uint64(1)
        for level in range(levels[v] - 1):
            row = packed[first[v] + level]
            for w in range(whole):
                block = own[w * WORD : (w + 1) * WORD]
                word = np.uint64(0)
                for j in range(WORD):
                    word |= np.uint64(block[j] == level) << np.uint64(j)
                row[w] = word
            if whole < row.size:
                row[whole] = 0
                for i in range(whole * WORD, rows):
                    row[whole] |= np.uint64(own[i] == level) << np.uint64(i - whole * WORD)
            for w in range(row.size):
                rest[w] &= ~row[w]


@njit(cache=True, nogil=True)
def _one_by_four(x, a, b, c, d):  # IN uint64 [W], five times
    """Sizes of the intersections of one set with four."""
    xa = xb = xc = xd = np.uint64(0)
    for w in range(x.size):
        word = x[w]
        xa += population(word & a[w])  # type: ignore[call-arg]
        xb += population(word & b[w])
        xc += population(word & c[w])
        xd += population(word & d[w])
    return xa, xb, xc, xd


@njit(cache=True, nogil=True)
def _two_by_four(x, y, a, b, c, d):  # IN uint64 [W], six times
    """Sizes of the intersections of two sets with four: each word is loaded once for all of its pairs."""
    xa = xb = xc = xd = ya = yb = yc = yd = np.uint64(0)
    for w in range(x.size):
        first = x[w]
        second = y[w]
        xa += population(first & a[w])  # type: ignore[call-arg]
        xb += population(first & b[w])
        xc += population(first & c[w])
        xd += population(first & d[w])
        ya += population(second & a[w])
        yb += population(second & b[w])
        yc += population(second & c[w])
        yd += population(second & d[w])
    return xa, xb, xc, xd, ya, yb, yc, yd


@njit(cache=True, nogil=True)
def common(x, a):  # IN uint64 [W], twice
    """Number of rows in both of two sets."""
    both = np.uint64(0)
    for w in range(x.size):
        both += population(x[w] & a[w])  # type: ignore[call-arg]
    return np.int64(both)


@njit(cache=True, nogil=True)
def set_sizes(sets):  # IN uint64 [K, W]
    """Number of rows in each set: int64 [K]."""
    sizes = np.empty(sets.shape[0], dtype=np.int64)
    for k in range(sets.shape[0]):
        sizes[k] = common(sets[k], sets[k])
    return sizes


@njit(cache=True, nogil=True)
def intersection_sizes(sets, packed, which, out):  # IN uint64 [K, W], [L, W], IN int64 [M], OUT integers [M, K]
    """Number of rows that each set has in common with each chosen level."""
    out[:] = 0
    _meet_block(sets, sets.shape[1], packed, 0, which, out)


@njit(cache=True, nogil=True)
def meet(packed, configurations, which, out):
    """Number of rows that each configuration has in common with each of some levels.

    Parameters
    ----------
    packed : uint64 [L, W]
        Rows of each level.
    configurations : int64 [K, k]
        The levels of which each configuration is the intersection.
    which : int64 [M]
        Levels to count.
    out : int32 [M, K], written
    """
    count = configurations.shape[0]
    words = packed.shape[1]
    block = max(64, min(_LONGEST_BLOCK, _WORDS_AT_ONCE // max(count, 1), words))
    sets = np.empty((count, block), dtype=np.uint64)
    out[:] = 0
    for start in range(0, words, block):
        size = min(words - start, block)
        for k in range(count):
            row = sets[k, :size]
            row[:] = packed[configurations[k, 0], start : start + size]
            for p in range(1, configurations.shape[1]):
                level = packed[configurations[k, p], start : start + size]
                for w in range(size):
                    row[w] &= level[w]
        _meet_block(sets, size, packed, start, which, out)


@njit(cache=True, nogil=True)
def _meet_block(sets, size, packed, start, which, out):
    """Add the intersections of sets and levels in one block of rows, two by four where there are as many."""
    count = sets.shape[0]
    stop = start + size
    fours = count // 4 * 4
    pairs = which.size // 2 * 2
    for m in range(0, pairs, 2):
        x, y = packed[which[m], start:stop], packed[which[m + 1], start:stop]
        for k in range(0, fours, 4):
            a, b, c, d = sets[k, :size], sets[k + 1, :size], sets[k + 2, :size], sets[k + 3, :size]
            xa, xb, xc, xd, ya, yb, yc, yd = _two_by_four(x, y, a, b, c, d)
            out[m, k] += xa
            out[m, k + 1] += xb
            out[m, k + 2] += xc
            out[m, k + 3] += xd
            out[m + 1, k] += ya
            out[m + 1, k + 1] += yb
            out[m + 1, k + 2] += yc
            out[m + 1, k + 3] += yd
    for m in range(pairs, which.size):
        x = packed[which[m], start:stop]
        for k in range(0, fours, 4):
            xa, xb, xc, xd = _one_by_four(x, sets[k, :size], sets[k + 1, :size], sets[k + 2, :size], sets[k + 3, :size])
            out[m, k] += xa
            out[m, k + 1] += xb
            out[m, k + 2] += xc
            out[m, k + 3] += xd
    # What is left of the sets, by four levels.
    quads = which.size // 4 * 4
    k = fours
    while k < count:
        x = sets[k, :size]
        y = sets[min(k + 1, count - 1), :size]
        for m in range(0, quads, 4):
            a, b = packed[which[m], start:stop], packed[which[m + 1], start:stop]
            c, d = packed[which[m + 2], start:stop], packed[which[m + 3], start:stop]
            if k + 1 < count:
                xa, xb, xc, xd, ya, yb, yc, yd = _two_by_four(x, y, a, b, c, d)
                out[m, k + 1] += ya
                out[m + 1, k + 1] += yb
                out[m + 2, k + 1] += yc
                out[m + 3, k + 1] += yd
            else:
                xa, xb, xc, xd = _one_by_four(x, a, b, c, d)
            out[m, k] += xa
            out[m + 1, k] += xb
            out[m + 2, k] += xc
            out[m + 3, k] += xd
        for m in range(quads, which.size):
            level = packed[which[m], start:stop]
            out[m, k] += common(x, level)
            if k + 1 < count:
                out[m, k + 1] += common(y, level)
        k += 2
