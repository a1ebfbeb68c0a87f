"""Exact moments of continuous variables.

Every column is written as integers times a power of two and cut into slices of few bits, whose
products are added as integers. So the sums are the exact ones, and no order of rows, split into
chunks or number of threads can change a bit.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from stablebn import _core
from stablebn._core import CARRY, SLICE_WIDTH
from stablebn.data.table import ContinuousTable
from stablebn.stats.distinct import rows_of
from stablebn.stats.sources import RowSource, TableSource
from stablebn.stats.standard_units import standard_of
from stablebn.stats.statistics import Blocks, Statistics
from stablebn.stats.symmetry import Structure

# Values are exact to 2**-120 of the column's largest: nothing that can be told from it in a double is lost.
_DEEPEST_BITS = 121

_BITS_OF_DOUBLE = 53
# How many powers of the values are added up, for skewness and kurtosis.
_POWERS = 4

# Another unit rounds every value anew, and moves a correlation by some 2**-53: far less than these steps, so that what
# is equal stays equal. They in turn are far finer than what any number of rows could tell.
BITS_OF_CORRELATIONS = 34
# A double that is so near to a half, in steps, does not tell how to round. Its error is less: of correlations
# 5 * 2**-53 in units of 2**-34; of values 2**-51 of at most 2**30, as no distance is beyond the root of 2**28 rows.
_NEAR_A_HALF = 2.0**-15


@dataclass(frozen=True)
class ScaledMatrix:
    """A symmetric positive matrix, rows and columns scaled to a diagonal in [1, 4).

    The entry (u, v) of the matrix is `entries[u, v] * 2.0**(exponents[u] + exponents[v])`, times the root of
    `squares[u] * squares[v]` where there are squares.
    """

    entries: NDArray[np.float64]
    exponents: NDArray[np.int64]
    squares: Sequence[Fraction] = ()


class Moments(Statistics):
    """Sums of centred cross-products of a table's columns, as exact rationals.

    Parameters
    ----------
    table : ContinuousTable, or RowSource of such tables
        No column is constant.
    threads : int
        How many threads add up at once.

    Attributes
    ----------
    source : RowSource
        Who has the rows.
    """

    kind = "continuous"

    def __init__(self, table: ContinuousTable | RowSource, *, threads: int = 1) -> None:
        self.source = table if isinstance(table, RowSource) else TableSource(table, threads=threads)
        self.names = self.source.like.names
        self._columns: Sequence[int] = range(len(self.names))
        self.total = self.source.total
        self.n = len(self.names)
        self.threads = threads
        _, self._numerators, self._sums, self._exponents = _exact_sums(self.source, range(self.n))

    def reordered(self, order: Sequence[int]) -> Moments:
        """The moments of the same variables renumbered so that new i is old order[i]."""
        moments = copy(self)
        moments._columns = [self._columns[v] for v in order]
        moments.names = tuple(self.names[v] for v in order)
        moments._numerators = self._numerators[np.ix_(order, order)]
        moments._sums = self._sums[list(order)]
        moments._exponents = [self._exponents[v] for v in order]
        return moments

    def sort_key(self, v: int) -> Hashable:
        """Skewness and kurtosis, in steps of 2**-30, which know no units.

        `math.fsum` rounds the exact sum once, so the order of rows cannot matter, and a power of two as unit
        changes no bit; the steps are far coarser than what the rounding of other units can do.
        """
        return skewness_and_kurtosis(self.source, self._columns[v])

    def structures(self) -> list[Structure]:
        """The rows, by the bits of their values; there is only one zero."""
        return [rows_of(self.source, bits_of_values, list(self._columns))]

    def correlation(self, u: int, v: int, bits: int) -> int:
        """The correlation of two columns in units of 2**-bits, rounded to the nearest."""
        covariance = int(self._numerators[u, v])
        size = (covariance * covariance << 2 * bits + 2) // int(self._numerators[u, u] * self._numerators[v, v])
        rounded = (math.isqrt(size) + 1) >> 1
        return rounded if covariance >= 0 else -rounded

    def rounded_correlations(self, bits: int = BITS_OF_CORRELATIONS) -> NDArray[np.int64]:
        """All correlations in units of 2**-bits, to the nearest; by integers where doubles do not tell which it is."""
        if bits > BITS_OF_CORRELATIONS:
            unclear = np.argwhere(np.ones((self.n, self.n), dtype=np.bool_))
            rounded = np.empty((self.n, self.n), dtype=np.int64)
        else:
            products = self.cross_products().entries
            root = np.sqrt(np.diagonal(products))
            steps = np.ldexp(products / np.outer(root, root), bits)
            rounded = np.rint(steps).astype(np.int64)
            unclear = np.argwhere(are_near_a_half(steps))
        for u, v in unclear.tolist():
            if u > v:
                rounded[u, v] = rounded[v, u] = self.correlation(u, v, bits)
        np.fill_diagonal(rounded, 1 << bits)
        return rounded

    def blocks(self) -> Blocks:
        """Products of the columns in standard units: each variable is one column."""
        # Here and not above: what makes the columns asks for moments.
        from stablebn.stats.indicators import Number, blocks_of

        largest_of = [max(self.source.each(largest, column)) for column in self._columns]
        standards = [standard_of(self, v, own) for v, own in enumerate(largest_of)]
        return blocks_of(
            self.source,
            [Number(column, standard) for column, standard in zip(self._columns, standards, strict=True)],
        )

    def mean(self, v: int) -> Fraction:
        """The exact mean of a column."""
        return Fraction(int(self._sums[v]), self.total) * power_of_two(self._exponents[v])

    def cross_product(self, u: int, v: int) -> Fraction:
        """The exact sum over rows of (x - mean x)(y - mean y)."""
        scale = power_of_two(self._exponents[u] + self._exponents[v])
        return Fraction(int(self._numerators[u, v]), self.total) * scale

    def cross_products(self, *, ridge: Fraction = Fraction(0)) -> ScaledMatrix:
        """Sums over rows of (x - mean x)(y - mean y), `ridge` added on the diagonal, each rounded once."""
        diagonal = [self.cross_product(v, v) + ridge for v in range(self.n)]
        scale = [exponent_of_root(value) for value in diagonal]
        entries = np.empty((self.n, self.n), dtype=np.float64)
        unit = [exponent - e for exponent, e in zip(self._exponents, scale, strict=True)]
        numerators = self._numerators.tolist()
        for u in range(self.n):
            entries[u, u] = float(diagonal[u] * power_of_two(-2 * scale[u]))
            for v in range(u):
                # Division of integers rounds once, and is much faster than that of fractions.
                shift = unit[u] + unit[v]
                numerator = numerators[u][v] << max(shift, 0)
                entries[u, v] = entries[v, u] = numerator / (self.total << max(-shift, 0))
        return ScaledMatrix(entries, np.array(scale, dtype=np.int64))


def skewness_and_kurtosis(source: RowSource, column: int) -> tuple[int, int]:
    """Both in steps of 2**-30, of the values that are known; see `Moments.sort_key`."""
    # A power of two near the largest value keeps the fourth powers in the range of a double.
    power = int(np.frexp(max(source.each(largest, column)))[1])

    def means(centre: float) -> tuple[int, list[float]]:
        total, sums = 0, [Fraction(0)] * _POWERS
        for rows, own in source.each(_sums_of_powers, column, power, centre):
            total += rows
            sums = [one + more for one, more in zip(sums, own, strict=True)]
        # Each sum is rounded once.
        return total, [float(one) / total for one in sums]

    _, [mean, *_] = means(0.0)
    _, [_, variance, third, fourth] = means(mean)
    skewness, kurtosis = third / variance / math.sqrt(variance), fourth / variance / variance
    return round(skewness * 2**30), round(kurtosis * 2**30)


def known_values(block: ContinuousTable, column: int) -> tuple[NDArray[np.float64], NDArray[np.int64] | None]:
    """The values of a column that are known, and their weights."""
    values = block.values[column]
    if column not in block.holes:
        return values, block.weights
    known = ~np.isnan(values)
    return values[known], None if block.weights is None else block.weights[known]


def largest(block: ContinuousTable, column: int) -> float:
    """The largest value of a column, whatever its sign."""
    return float(np.abs(known_values(block, column)[0]).max(initial=0.0))


def _sums_of_powers(block: ContinuousTable, column: int, power: int, centre: float) -> tuple[int, list[Fraction]]:
    """How many values are known, and the exact sums of their first powers, each a double, from a centre."""
    values, weights = known_values(block, column)
    centred = np.ldexp(values, -power) - centre
    square = centred * centred
    rows = values.size if weights is None else int(weights.sum())
    return rows, [exact_sum(own, weights) for own in (centred, square, square * centred, square * square)]


def exact_sum(values: NDArray[np.float64], weights: NDArray[np.int64] | None) -> Fraction:
    """The sum of doubles, none of its bits lost."""
    mantissas, exponents = np.frexp(values)
    whole = np.ldexp(mantissas, _BITS_OF_DOUBLE).astype(np.int64)
    # Two halves, as sums of so many bits over many rows, or times weights, would leave 64 bits.
    half = _BITS_OF_DOUBLE // 2 + 1
    upper, lower = whole >> half, whole & ((1 << half) - 1)
    total = Fraction(0)
    for exponent in np.unique(exponents).tolist():
        there = exponents == exponent
        if weights is None:
            sums = [int(part[there].sum()) for part in (upper, lower)]
        else:
            sums = [sum((part[there].astype(object) * weights[there]).tolist()) for part in (upper, lower)]
        total += ((sums[0] << half) + sums[1]) * power_of_two(exponent - _BITS_OF_DOUBLE)
    return total


def bits_of_values(block: ContinuousTable, columns: list[int]) -> tuple[NDArray[np.uint64], NDArray[np.int64] | None]:
    """The bits of the values of some columns, of which there is only one zero; and the weights."""
    values = block.values[columns] + 0.0
    return values.view(np.uint64), block.weights


def are_near_a_half(steps: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether numbers are so near to a half that their errors may decide to which integer they are rounded."""
    near: NDArray[np.bool_] = np.abs(np.abs(steps - np.rint(steps)) - 0.5) < _NEAR_A_HALF
    return near


def power_of_two(exponent: int) -> Fraction:
    """2**exponent, exactly."""
    return Fraction(1 << exponent) if exponent >= 0 else Fraction(1, 1 << -exponent)


def exponent_of_root(value: Fraction) -> int:
    """The e for which value / 4**e lies in [1, 4)."""
    e = (value.numerator.bit_length() - value.denominator.bit_length()) // 2
    while value >= power_of_two(2 * e + 2):
        e += 1
    while value < power_of_two(2 * e):
        e -= 1
    return e


def integer_products(source: RowSource) -> NDArray[np.object_]:
    """N sum(w x y) - sum(w x) sum(w y) of columns whose values are integers."""
    _, numerators, _, exponents = _exact_sums(source, range(len(source.like.names)))
    shifts = np.add.outer(exponents, exponents).astype(object)
    products: NDArray[np.object_] = (numerators << np.maximum(shifts, 0)) >> np.maximum(-shifts, 0)
    return products


def _exact_sums(
    source: RowSource, columns: Sequence[int]
) -> tuple[int, NDArray[np.object_], NDArray[np.object_], list[int]]:
    """N; N sum(w x y) - sum(w x) sum(w y) and sum(w x) of columns as integers, and the power of two of each one's unit.

    Where there are holes, of one column alone: over the values that are known.
    """
    n = len(columns)
    total = 0
    ranges = np.tile(np.array([[-(1 << 62), 1 << 62]]), (n, 1))
    for rows, own in source.each(_bit_ranges, list(columns), source.threads_a_block):
        total += rows
        ranges = np.stack([np.maximum(ranges[:, 0], own[:, 0]), np.minimum(ranges[:, 1], own[:, 1])], axis=1)
    # One bit above the largest value: so no slice, the first included, is beyond half its range.
    tops = ranges[:, 0] + 1
    depth = int((tops - ranges[:, 1]).max(initial=1))
    slices = -(-min(depth, _DEEPEST_BITS) // SLICE_WIDTH)
    halves: dict[int, NDArray[np.int64]] = {}
    for found in source.each(_sums_of_products, list(columns), tops, slices, source.threads_a_block):
        for shift, own in found.items():
            halves[shift] = halves[shift] + own if shift in halves else own
    u, v = np.tril_indices(n)
    plain = np.zeros(n, dtype=object)
    cross = np.zeros(u.size, dtype=object)
    for shift, both in halves.items():
        # Slice s of a column counts units of 2**(top - (s + 1) * SLICE_WIDTH): all become units of the last slice.
        for half, carry in zip(both, (CARRY, 0), strict=True):
            blocks = half[:-1, :-1].reshape(slices, n, slices, n)
            for place in range(2 * slices - 1):
                alike = range(max(0, place - slices + 1), min(slices, place + 1))
                part = sum(blocks[s, u, place - s, v] for s in alike)
                cross += np.asarray(part).astype(object) << shift + carry + SLICE_WIDTH * (2 * slices - 2 - place)
            for s, row in enumerate(half[-1, :-1].reshape(slices, n)):
                plain += row.astype(object) << shift + carry + SLICE_WIDTH * (slices - 1 - s)
    numerators = np.empty((n, n), dtype=object)
    numerators[u, v] = numerators[v, u] = cross * total - plain[u] * plain[v]
    return total, numerators, plain, [int(top) - slices * SLICE_WIDTH for top in tops]


def mean_and_variance(source: RowSource, column: int) -> tuple[Fraction, Fraction]:
    """Both exactly, of the values of a column that are known."""
    total, numerators, sums, [exponent] = _exact_sums(source, [column])
    unit = power_of_two(exponent)
    return Fraction(int(sums[0]), total) * unit, Fraction(int(numerators[0, 0]), total**2) * unit**2


def _bit_ranges(block: ContinuousTable, columns: list[int], threads: int) -> tuple[int, NDArray[np.int64]]:
    """How many rows there are by weight, and the range of bits of each column."""
    values, weights = _values(block, columns)
    rows = values.shape[1] if weights is None else int(weights.sum())
    return rows, _core.bit_ranges(values, threads)


def _values(block: ContinuousTable, columns: list[int]) -> tuple[NDArray[np.float64], NDArray[np.int64] | None]:
    """Columns, of one with holes the values that are known; and the weights."""
    if block.holes.isdisjoint(columns):
        return (block.values if columns == [*range(len(block.names))] else block.values[columns]), block.weights
    [column] = columns
    values, weights = known_values(block, column)
    return values[np.newaxis], weights


def _digits(weights: NDArray[np.int64] | None) -> Iterator[tuple[NDArray[np.int32], int]]:
    """The base-16 digits of the weights, each with its shift; one without digits where every weight is 1."""
    if weights is None:
        yield np.empty(0, dtype=np.int32), 0
        return
    shift = 0
    while (weights >> shift).any():
        yield (weights >> shift & 0xF).astype(np.int32), shift
        shift += 4


def _sums_of_products(
    block: ContinuousTable, columns: list[int], tops: NDArray[np.int64], slices: int, threads: int
) -> dict[int, NDArray[np.int64]]:
    """By shift, high and low halves of the sums of products of all slices."""
    values, weights = _values(block, columns)
    found = {}
    for digits, shift in _digits(weights):
        halves = _core.sums_of_products(values, tops, slices, digits, threads)
        lower = np.tril(halves)
        found[shift] = lower + np.tril(halves, -1).transpose(0, 2, 1)
    return found
