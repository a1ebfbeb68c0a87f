"""Exact sums of products of columns, in integers.

A column is cut into slices: integers of few bits, so that products of slices can be added over many rows
in 64 bits without overflow. Integer sums know no order.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stablebn.kernels.bitsets import population

WIDTH = 25
"""Bits of a slice: |slice| <= 2**24, so 2**14 products stay below 2**62."""
# Numbers sliced at a time, so many that they stay in the second cache.
_NUMBERS_AT_ONCE = 1 << 17
_SHORTEST_BLOCK, _LONGEST_BLOCK = 128, 1024
# Rows after which sums are carried over, and the bits that are.
_ROWS_AT_ONCE = 1 << 13
CARRY = 32
_SMALLEST_EXPONENT, _LARGEST_EXPONENT = -1074, 1024


@njit(cache=True, nogil=True)
def sum_products(values, tops, slices, digits, first, last, hi, lo):
    """Add the products of all pairs of slices over some rows; of slices with 1 too, for plain sums.

    Parameters
    ----------
    values : float64 [n, N]
    tops : int64 [n]
        Every |x| of a column is below 2**(top - 1).
    slices : int
        Slices of a column; row s * n + v of the sums is slice s of column v, and the last row is 1.
    digits : int32 [N or 0]
        Multiplies each row; below 2**4.
    first, last : int
        The rows to sum over.
    hi, lo : int64 [n * slices + 1, n * slices + 1], added to in the lower triangles
        The sums are hi * 2**CARRY + lo.
    """
    rows = hi.shape[0]
    block = max(_SHORTEST_BLOCK, min(_LONGEST_BLOCK, _NUMBERS_AT_ONCE // rows))
    sliced = np.empty((rows, block), dtype=np.int32)
    weighted = np.empty((rows, block), dtype=np.int32) if digits.size else sliced
    sums = np.zeros((rows, rows), dtype=np.int64)
    done = 0
    for start in range(first, last, block):
        size = min(last - start, block)
        _slice(values, tops, slices, start, size, sliced)
        if digits.size:
            for row in range(rows):
                for i in range(size):
                    weighted[row, i] = sliced[row, i] * digits[start + i]
        _add_products(weighted, sliced, size, sums)
        done += size
        # Digits of 4 bits leave room for that many fewer rows.
        if done >= _ROWS_AT_ONCE or digits.size:
            _carry(sums, hi, lo)
            done = 0
    _carry(sums, hi, lo)


@njit(cache=True, nogil=True)
def bit_range(column):  # IN float64 [N]
    """The e for which every |x| < 2**e, and that of the lowest bit set in any value: all are multiples of it."""
    patterns = column.view(np.uint64)
    top = np.int64(_SMALLEST_EXPONENT)
    lowest = np.int64(_LARGEST_EXPONENT)
    for pattern in patterns:
        written = np.int64(pattern >> np.uint64(52) & np.uint64(0x7FF))
        # A subnormal number has the smallest exponent and no leading bit.
        exponent = max(written, 1)
        mantissa = np.int64(pattern & np.uint64((1 << 52) - 1)) | np.int64(written > 0) << 52
        if mantissa:
            trailing = np.int64(population(np.uint64((mantissa & -mantissa) - 1)))  # type: ignore[call-arg]
            length = np.int64(53)
            while mantissa >> (length - 1) == 0:
                length -= 1
            top = max(top, exponent - 1075 + length)
            lowest = min(lowest, exponent - 1075 + trailing)
    return top, lowest


@njit(cache=True, nogil=True)
def _slice(values, tops, slices, start, size, out):
    """Write the slices of all columns, most significant first, and a row of ones."""
    n = values.shape[0]
    scale = 2.0**WIDTH
    rest = np.empty(size)
    for v in range(n):
        # Two steps of scaling: one power of two may lie beyond the range of a double.
        half = -tops[v] // 2
        once = 2.0**half
        twice = 2.0 ** (-tops[v] - half)
        for i in range(size):
            rest[i] = values[v, start + i] * once * twice
        for s in range(slices):
            row = out[s * n + v]
            for i in range(size):
                scaled = rest[i] * scale
                part = np.rint(scaled)
                rest[i] = scaled - part
                row[i] = np.int32(part)
    out[n * slices, :size] = 1


@njit(cache=True, nogil=True)
def _add_products(left, right, size, sums):  # IN int32 [R, >= size], twice, OUT int64 [R, R]
    """Add the inner products of all rows, at least those of the lower triangle."""
    rows = left.shape[0]
    fours = rows // 4 * 4
    pairs = rows // 2 * 2
    for j in range(0, fours, 4):
        a, b, c, d = right[j, :size], right[j + 1, :size], right[j + 2, :size], right[j + 3, :size]
        for i in range(j // 2 * 2, pairs, 2):
            x, y = left[i, :size], left[i + 1, :size]
            xa = xb = xc = xd = ya = yb = yc = yd = np.int64(0)
            for k in range(x.size):
                one = np.int64(x[k])
                two = np.int64(y[k])
                xa += one * a[k]
                xb += one * b[k]
                xc += one * c[k]
                xd += one * d[k]
                ya += two * a[k]
                yb += two * b[k]
                yc += two * c[k]
                yd += two * d[k]
            sums[i, j] += xa
            sums[i, j + 1] += xb
            sums[i, j + 2] += xc
            sums[i, j + 3] += xd
            sums[i + 1, j] += ya
            sums[i + 1, j + 1] += yb
            sums[i + 1, j + 2] += yc
            sums[i + 1, j + 3] += yd
    for i in range(rows):
        for j in range(fours if i < pairs else 0, i + 1):
            total = np.int64(0)
            for k in range(size):
                total += np.int64(left[i, k]) * right[j, k]
            sums[i, j] += total


@njit(cache=True, nogil=True)
def _carry(sums, hi, lo):
    """Add sums to two halves, and clear them."""
    mask = (np.int64(1) << CARRY) - 1
    for i in range(sums.shape[0]):
        for j in range(sums.shape[1]):
            hi[i, j] += sums[i, j] >> CARRY
            lo[i, j] += sums[i, j] & mask
            sums[i, j] = 0
