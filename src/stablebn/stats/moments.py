"""Exact moments of continuous variables.

Every column is written as integers times a power of two and cut into slices of few bits. Products
of slices, summed over a block of rows, stay below 2**53: a float64 matrix product computes them
without any rounding, in whatever order it likes. Blocks are added as integers. So the sums are
the exact ones, and no order of rows, split into chunks or number of threads can change a bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from stablebn.data.table import ContinuousTable

_WEIGHT_BITS = 8
_EXACT_BITS = 53
# Blocks are added in int64 this many at a time: 2**53 * 2**9 is far from overflow.
_BLOCKS_AT_ONCE = 512
# Values are exact to 2**-120 of the column's largest: nothing that can be told from it in a double is lost.
_DEEPEST_BITS = 120


@dataclass(frozen=True)
class ScaledMatrix:
    """A symmetric positive matrix, rows and columns scaled by powers of two to a diagonal in [1, 4).

    The entry (u, v) of the matrix is `entries[u, v] * 2.0**(exponents[u] + exponents[v])`.
    """

    entries: NDArray[np.float64]
    exponents: NDArray[np.int64]

    def select(self, columns: list[int]) -> ScaledMatrix:
        """The matrix of these variables, in this order."""
        return ScaledMatrix(np.ascontiguousarray(self.entries[np.ix_(columns, columns)]), self.exponents[columns])


class Moments:
    """Sums of centred cross-products of a table's columns, as exact rationals.

    Parameters
    ----------
    table : ContinuousTable
        No column is constant.
    """

    def __init__(self, table: ContinuousTable) -> None:
        self.table = table
        self.total = table.total
        self.n = len(table.names)
        self._numerators, self._sums, self._exponents = _exact_sums(table.values, table.weights, self.total)

    def reordered(self, order: Sequence[int]) -> Moments:
        """The moments of the same variables renumbered so that new i is old order[i]."""
        moments = copy(self)
        moments.table = self.table.select(order)
        moments._numerators = self._numerators[np.ix_(order, order)]
        moments._sums = self._sums[list(order)]
        moments._exponents = [self._exponents[v] for v in order]
        return moments

    def mean(self, v: int) -> Fraction:
        """The exact mean of a column."""
        return Fraction(int(self._sums[v]), self.total) * _power_of_two(self._exponents[v])

    def cross_product(self, u: int, v: int) -> Fraction:
        """The exact sum over rows of (x - mean x)(y - mean y)."""
        scale = _power_of_two(self._exponents[u] + self._exponents[v])
        return Fraction(int(self._numerators[u, v]), self.total) * scale

    def cross_products(self, *, ridge: Fraction = Fraction(0)) -> ScaledMatrix:
        """Sums over rows of (x - mean x)(y - mean y), `ridge` added on the diagonal, each rounded once."""
        diagonal = [self.cross_product(v, v) + ridge for v in range(self.n)]
        scale = [_exponent_of_root(value) for value in diagonal]
        entries = np.empty((self.n, self.n), dtype=np.float64)
        unit = [exponent - e for exponent, e in zip(self._exponents, scale, strict=True)]
        numerators = self._numerators.tolist()
        for u in range(self.n):
            entries[u, u] = float(diagonal[u] * _power_of_two(-2 * scale[u]))
            for v in range(u):
                # Division of integers rounds once, and is much faster than that of fractions.
                shift = unit[u] + unit[v]
                numerator = numerators[u][v] << max(shift, 0)
                entries[u, v] = entries[v, u] = numerator / (self.total << max(-shift, 0))
        return ScaledMatrix(entries, np.array(scale, dtype=np.int64))


def _power_of_two(exponent: int) -> Fraction:
    return Fraction(1 << exponent) if exponent >= 0 else Fraction(1, 1 << -exponent)


def _exponent_of_root(value: Fraction) -> int:
    """The e for which value / 4**e lies in [1, 4)."""
    e = (value.numerator.bit_length() - value.denominator.bit_length()) // 2
    while value >= _power_of_two(2 * e + 2):
        e += 1
    while value < _power_of_two(2 * e):
        e -= 1
    return e


def _exact_sums(
    values: NDArray[np.float64], weights: NDArray[np.int64] | None, total: int
) -> tuple[NDArray[np.object_], NDArray[np.object_], list[int]]:
    """N sum(w x y) - sum(w x) sum(w y) and sum(w x) of columns as integers, and the power of two of each one's unit."""
    n = values.shape[0]
    # Few columns: blocks that stay in the cache. Many: the sums of a block are as large as the block.
    block_bits = 10 if n <= 200 else 13
    # |slice| <= 2**width: block * (2**width)**2 * largest weight digit must not exceed 2**53.
    width = (_EXACT_BITS - block_bits - (_WEIGHT_BITS if weights is not None else 0)) // 2
    top = np.array([_top_bit(column) for column in values], dtype=np.int64)
    depth = max((int(t) - _lowest_bit(column) for t, column in zip(top, values, strict=True)), default=1)
    slices = -(-min(depth, _DEEPEST_BITS) // width)

    rows = n * slices + 1  # the slices of all columns, and a row of ones that yields the plain sums
    sums = np.zeros((rows, rows), dtype=object)
    pending = np.zeros((rows, rows), dtype=np.int64)
    buffer = np.ones((rows, 1 << block_bits), dtype=np.float64)
    for number, (block, digit, shift) in enumerate(_blocks(values, weights, 1 << block_bits)):
        sliced = buffer[:, : block.shape[1]]
        _slice(block, top, width, slices, sliced)
        product = sliced @ sliced.T if digit is None else (sliced * digit) @ sliced.T
        if shift:
            sums += product.astype(np.int64).astype(object) << shift
        else:
            pending += product.astype(np.int64)
        if number % _BLOCKS_AT_ONCE == _BLOCKS_AT_ONCE - 1:
            sums += pending.astype(object)
            pending[:] = 0
    sums += pending.astype(object)

    # Slice s of a column counts units of 2**(top - (s + 1) * width): join them into units of the last slice.
    place = [1 << (width * (slices - 1 - s)) for s in range(slices)]
    plain = sum((sums[-1, s * n : (s + 1) * n] * place[s] for s in range(slices)), np.zeros(n, dtype=object))
    cross = np.zeros((n, n), dtype=object)
    for s in range(slices):
        for t in range(slices):
            cross += sums[s * n : (s + 1) * n, t * n : (t + 1) * n] * (place[s] * place[t])
    return cross * total - np.outer(plain, plain), plain, [int(t) - slices * width for t in top]


def _blocks(
    values: NDArray[np.float64], weights: NDArray[np.int64] | None, size: int
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64] | None, int]]:
    """Blocks of rows; with weights, one for each base-256 digit of the weights: (values, digit, its shift)."""
    for start in range(0, values.shape[1], size):
        block = values[:, start : start + size]
        if weights is None:
            yield block, None, 0
            continue
        rest, shift = weights[start : start + size], 0
        while rest.any():
            yield block, (rest & ((1 << _WEIGHT_BITS) - 1)).astype(np.float64), shift
            rest, shift = rest >> _WEIGHT_BITS, shift + _WEIGHT_BITS


def _slice(
    block: NDArray[np.float64], top: NDArray[np.int64], width: int, slices: int, out: NDArray[np.float64]
) -> None:
    """Write the slices of all columns, most significant first, as integers into the first rows of `out`."""
    n = block.shape[0]
    # Two steps of scaling: one power of two may lie beyond the range of a double.
    half = -top // 2
    rest = block * np.ldexp(1.0, half)[:, None]
    rest *= np.ldexp(1.0, -top - half)[:, None]
    for s in range(slices):
        part = out[s * n : (s + 1) * n]
        rest *= 2.0**width
        np.rint(rest, out=part)
        rest -= part


def _top_bit(column: NDArray[np.float64]) -> int:
    """The e for which every |x| < 2**e."""
    return int(np.frexp(np.abs(column).max())[1])


def _lowest_bit(column: NDArray[np.float64]) -> int:
    """The e of the lowest bit set in any value: all values are multiples of 2**e."""
    mantissa, exponent = np.frexp(column[column != 0])
    integers = np.ldexp(mantissa, _EXACT_BITS).astype(np.int64)
    trailing = np.frexp((integers & -integers).astype(np.float64))[1] - 1
    return int((exponent + trailing).min()) - _EXACT_BITS
