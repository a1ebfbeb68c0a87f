"""Exact moments of continuous variables, computed from exact sums."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from stablebn import _core
from stablebn.stats.base import ColumnProducts, Statistics
from stablebn.stats.basis_columns import BasisColumns, basis_of
from stablebn.stats.engines.memory import TableSource
from stablebn.stats.exact_sums import Number, Values, known_values
from stablebn.stats.indicators import column_products_of
from stablebn.stats.row_source import RowSource
from stablebn.stats.standard_units import standard_of
from stablebn.stats.symmetries.signs import ColumnsInUnits
from stablebn.stats.symmetries.symmetry import Structure
from stablebn.table.table import ContinuousTable

_BITS_OF_DOUBLE = 53
# Pairs of columns whose correlations are computed between two checks of the time limit.
_PAIRS_AT_ONCE = 1 << 14

# Number of powers of the values that are added up, for skewness and kurtosis.
_POWERS = 4

# A change of unit rounds every value again and moves a correlation by about 2**-53: far less than these steps, so that
# equal correlations stay equal. The steps are much finer than any number of rows can estimate.
BITS_OF_CORRELATIONS = 34
# A double that is this close to a half, in steps, does not determine how to round. Its error is smaller: 5 * 2**-53 in
# units of 2**-34 for correlations; 2**-51 of at most 2**30 for values, as no distance exceeds the root of the rows.
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
        Number of threads that add up at once.

    Attributes
    ----------
    source : RowSource
        The source of the rows.
    """

    kind = "continuous"

    def __init__(self, table: ContinuousTable | RowSource, *, threads: int = 1) -> None:
        self.source = table if isinstance(table, RowSource) else TableSource(table, threads=threads)
        self.names = self.source.like.names
        self._columns: Sequence[int] = range(len(self.names))
        self.total = self.source.total
        self.n = len(self.names)
        self.threads = threads
        self._in_units = ColumnsInUnits(self.source)
        found = self.source.sums([Values(column) for column in self._columns])
        self._numerators, self._sums, self._exponents = found.numerators, found.plain, found.exponents
        self._powers = found.powers

    def reordered(self, order: Sequence[int]) -> Moments:
        """Return the moments with the variables renumbered: new variable i is old variable order[i]."""
        moments = copy(self)
        moments._columns = [self._columns[v] for v in order]
        moments.names = tuple(self.names[v] for v in order)
        moments._numerators = self._numerators[np.ix_(order, order)]
        moments._sums = self._sums[list(order)]
        moments._exponents = [self._exponents[v] for v in order]
        moments._powers = [self._powers[v] for v in order]
        return moments

    def sort_key(self, v: int) -> Hashable:
        """Return the size of the skewness, and the kurtosis, in steps of 2**-30; they have no units.

        Exact sums are rounded once, so the order of rows cannot matter, and a power of two as unit changes no bit. The
        steps are much coarser than the rounding of other units.
        """
        return skewness_and_kurtosis(self.source, self._columns[v])

    def points(self) -> list[int]:
        """Return every variable, then those without a canonical sign a second time."""
        return self._in_units.points(self._columns)

    def structures(self) -> list[Structure]:
        """Return the rows by the bits of their values, up to signs."""
        return [self._in_units.rows(self._columns)]

    def correlation(self, u: int, v: int, bits: int) -> int:
        """Return the correlation of two columns in units of 2**-bits, rounded to the nearest."""
        return _correlation(self._numerators[u, v], self._numerators[u, u] * self._numerators[v, v], bits)

    def rounded_correlations(self, bits: int = BITS_OF_CORRELATIONS) -> NDArray[np.int64]:
        """Return all correlations in units of 2**-bits, rounded; by integers if doubles are too close to a half."""
        if bits > BITS_OF_CORRELATIONS:
            unclear = np.ones((self.n, self.n), dtype=np.bool_)
            rounded = np.empty((self.n, self.n), dtype=np.int64)
        else:
            products = self.cross_products().entries
            root = np.sqrt(np.diagonal(products))
            steps = np.ldexp(products / np.outer(root, root), bits)
            rounded = np.rint(steps).astype(np.int64)
            unclear = are_near_a_half(steps)
        u, v = np.nonzero(np.tril(unclear, -1))
        variance = np.diagonal(self._numerators)
        for start in range(0, len(u), _PAIRS_AT_ONCE):
            _core.check_time()
            i, j = u[start : start + _PAIRS_AT_ONCE], v[start : start + _PAIRS_AT_ONCE]
            exact = map(_correlation, self._numerators[i, j], variance[i] * variance[j], repeat(bits))
            rounded[i, j] = rounded[j, i] = [*exact]
        np.fill_diagonal(rounded, 1 << bits)
        return rounded

    def column_products(self) -> ColumnProducts:
        """Return the products of the columns in standard units; each variable has one column."""
        return column_products_of(self.source, self._standardised_columns())

    def basis(self, *, degree: int, transform: str) -> BasisColumns:
        """Return the basis columns of every variable."""
        return basis_of(
            self.source, self._standardised_columns(), degree=degree, transform=transform, threads=self.threads
        )

    def _standardised_columns(self) -> list[Number]:
        return [Number(column, standard_of(self, v, self.total)) for v, column in enumerate(self._columns)]

    def power(self, v: int) -> int:
        """Return the least e such that every value of a column is below 2**e in size."""
        return self._powers[v]

    def mean(self, v: int) -> Fraction:
        """Return the exact mean of a column."""
        return Fraction(int(self._sums[v]), self.total) * power_of_two(self._exponents[v])

    def cross_product(self, u: int, v: int) -> Fraction:
        """Return the exact sum over rows of (x - mean x)(y - mean y)."""
        numerator, shift = int(self._numerators[u, v]), self._exponents[u] + self._exponents[v]
        return Fraction(numerator << max(shift, 0), self.total << max(-shift, 0))

    def cross_products(self, *, ridge: Fraction = Fraction(0)) -> ScaledMatrix:
        """Return the sums over rows of (x - mean x)(y - mean y), plus `ridge` on the diagonal, each rounded once."""
        diagonal = [self.cross_product(v, v) + ridge for v in range(self.n)]
        scale = [exponent_of_root(value) for value in diagonal]
        entries = np.empty((self.n, self.n), dtype=np.float64)
        unit = np.array(self._exponents, dtype=np.int64) - scale
        for u in range(self.n):
            _core.check_time()
            # Division of integers rounds once; scaling by a power of two does not round.
            quotients = (self._numerators[u, :u] / self.total).astype(np.float64)
            entries[u, :u] = entries[:u, u] = np.ldexp(quotients, (unit[u] + unit[:u]).astype(np.intc))
            entries[u, u] = _quotient(diagonal[u].numerator, diagonal[u].denominator, -2 * scale[u])
        return ScaledMatrix(entries, np.array(scale, dtype=np.int64))


def _correlation(covariance: int, variances: int, bits: int) -> int:
    """Return a correlation in units of 2**-bits, rounded to the nearest, given covariance and product of variances."""
    rounded = (math.isqrt((covariance * covariance << 2 * bits + 2) // variances) + 1) >> 1
    return rounded if covariance >= 0 else -rounded


def _quotient(numerator: int, denominator: int, shift: int) -> float:
    """Return the double nearest to a quotient times 2**shift."""
    return numerator / (denominator << -shift) if shift <= 0 else (numerator << shift) / denominator


def skewness_and_kurtosis(source: RowSource, column: int) -> tuple[int, int]:
    """Return the size of the skewness, and the kurtosis, of known values in steps of 2**-30 (`Moments.sort_key`)."""
    # A power of two near the largest value keeps the fourth powers in the range of a double.
    power = int(np.frexp(max(source.map_blocks(largest, column)))[1])

    def means(centre: float) -> tuple[int, list[float]]:
        total, sums = 0, [Fraction(0)] * _POWERS
        for rows, block_sums in source.map_blocks(_sums_of_powers, column, power, centre):
            total += rows
            sums = [one + more for one, more in zip(sums, block_sums, strict=True)]
        # Each sum is rounded once.
        return total, [float(one) / total for one in sums]

    _, [mean, *_] = means(0.0)
    _, [_, variance, third, fourth] = means(mean)
    skewness, kurtosis = third / variance / math.sqrt(variance), fourth / variance / variance
    return round(abs(skewness) * 2**30), round(kurtosis * 2**30)


def largest(block: ContinuousTable, column: int) -> float:
    """Return the largest size of a value of a column."""
    return float(np.abs(known_values(block, column)[0]).max(initial=0.0))


def _sums_of_powers(block: ContinuousTable, column: int, power: int, centre: float) -> tuple[int, list[Fraction]]:
    """Return the number of known values, and the exact sums of the first powers of their distances from a centre."""
    values, weights = known_values(block, column)
    centred = np.ldexp(values, -power) - centre
    square = centred * centred
    rows = values.size if weights is None else int(weights.sum())
    return rows, [exact_sum(powers, weights) for powers in (centred, square, square * centred, square * square)]


def exact_sum(values: NDArray[np.float64], weights: NDArray[np.int64] | None) -> Fraction:
    """Return the exact sum of doubles."""
    mantissas, exponents = np.frexp(values)
    whole = np.ldexp(mantissas, _BITS_OF_DOUBLE).astype(np.int64)
    # Add two halves: sums of all bits over many rows, or times weights, would overflow 64 bits.
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


def are_near_a_half(steps: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which numbers are so close to a half that their error may decide to which integer they are rounded."""
    near: NDArray[np.bool_] = np.abs(np.abs(steps - np.rint(steps)) - 0.5) < _NEAR_A_HALF
    return near


def power_of_two(exponent: int) -> Fraction:
    """Return 2**exponent exactly."""
    return Fraction(1 << exponent) if exponent >= 0 else Fraction(1, 1 << -exponent)


def exponent_of_root(value: Fraction) -> int:
    """Return the e with value / 4**e in [1, 4)."""
    numerator, denominator = value.numerator, value.denominator

    def is_at_least(power: int) -> bool:
        return numerator << max(-power, 0) >= denominator << max(power, 0)

    e = (numerator.bit_length() - denominator.bit_length()) // 2
    while is_at_least(2 * e + 2):
        e += 1
    while not is_at_least(2 * e):
        e -= 1
    return e


def mean_and_variance(source: RowSource, column: int) -> tuple[Fraction, Fraction]:
    """Return the exact mean and variance of the known values of a column."""
    sums = source.sums([Values(column)])
    unit = power_of_two(sums.exponents[0])
    mean = Fraction(int(sums.plain[0]), sums.total) * unit
    return mean, Fraction(int(sums.numerators[0, 0]), sums.total**2) * unit**2
