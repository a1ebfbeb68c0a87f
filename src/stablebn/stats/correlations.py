"""Continuous variables without units and signs: their rounded correlations and standardised values."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from stablebn.columns.joint_values import first_image
from stablebn.columns.kinds import distinct_counts
from stablebn.stats.exact_sums import known_values
from stablebn.stats.moments import (
    BITS_OF_CORRELATIONS,
    Moments,
    ScaledMatrix,
    are_near_a_half,
    largest,
    mean_and_variance,
    power_of_two,
)
from stablebn.stats.row_source import RowSource
from stablebn.stats.standard_units import bits_of_root
from stablebn.stats.symmetries.distinct_rows import rows_of
from stablebn.stats.symmetries.finer_rows import FinerRows
from stablebn.stats.symmetries.signs import points_of
from stablebn.stats.symmetries.symmetry import Relation, Structure
from stablebn.table.data_kinds import categorical_part, continuous_part
from stablebn.table.table import ContinuousTable, Table

if TYPE_CHECKING:
    from typing_extensions import Self

# With this many bits correlations lose nothing that a double could represent.
_ALL_BITS = 60
# Bits after the point of standardised values by which rows are compared, and all their bits: with very many rows a
# value may be so large that fewer bits are left after the point.
_BITS_OF_VALUES = 16
_MOST_BITS = 30
# Standardised values that differ by less may differ by the rounding of a change of units alone. The second limit is
# relative to the largest value, for columns far from zero.
_BITS_OF_UNITS = 45
_BITS_OF_ROUNDING = 50


class StandardisedMoments(Moments):
    """Moments of columns of variance 1: a function of the rounded correlations, and so free of units.

    Parameters
    ----------
    moments : Moments

    Attributes
    ----------
    with_units : Moments
        The moments of the columns in their own units.
    """

    unit_free = True
    has_units = False
    _bits: ClassVar[int] = BITS_OF_CORRELATIONS

    def __init__(self, moments: Moments) -> None:
        self._take(moments, moments.rounded_correlations(self._bits), StandardisedColumns(moments.source))

    def _take(self, moments: Moments, correlations: NDArray[np.int64], standardised: StandardisedColumns) -> None:
        vars(self).update(vars(moments))
        self.with_units = moments
        self._correlations = correlations
        self._standardised = standardised

    def reordered(self, order: Sequence[int]) -> Self:
        """Return the moments with the variables renumbered: new variable i is old variable order[i]."""
        moments = type(self).__new__(type(self))
        correlations = self._correlations[np.ix_(order, order)]
        moments._take(self.with_units.reordered(order), correlations, self._standardised)
        return moments

    def sort_key(self, v: int) -> Hashable:
        """Return the size of the skewness, and the kurtosis."""
        return self._standardised.shape(self._columns[v])

    def points(self) -> list[int]:
        """Return every variable, then those without a canonical sign a second time."""
        return points_of(self._signs())[0]

    def structures(self) -> list[Structure]:
        """Return the correlations, and the rows of rounded standardised values, which may distinguish more."""
        points, signs = points_of(self._signs())
        correlations = self._correlations[np.ix_(points, points)] * np.outer(signs, signs)
        columns = [self._columns[v] for v in points]
        return [Relation(correlations), self._standardised.rows(columns, signs.tolist())]

    def finer_rows(self, groups: Sequence[Sequence[int]]) -> FinerRows | None:
        """Return the rows of unrounded standardised values."""
        points, signs = points_of(self._signs())
        columns = [self._columns[v] for v in points]
        signed_points = [
            self._standardised.point(column, sign) for column, sign in zip(columns, signs.tolist(), strict=True)
        ]
        return finer_rows(self.source, signed_points, groups)

    def measured(self) -> MeasuredMoments:
        """Return the moments of the columns in their own units."""
        return self._measured(self.with_units.rounded_correlations(MeasuredMoments._bits))

    def measured_within(self, sets: Iterable[Sequence[int]]) -> MeasuredMoments:
        """Return the moments in their own units, with correlations 0 outside some sets of variables."""
        correlations = np.zeros((self.n, self.n), dtype=np.int64)
        np.fill_diagonal(correlations, 1 << MeasuredMoments._bits)
        for u, v in {(u, v) for variables in sets for u in variables for v in variables if u < v}:
            correlations[u, v] = correlations[v, u] = self.with_units.correlation(u, v, MeasuredMoments._bits)
        return self._measured(correlations)

    def _measured(self, correlations: NDArray[np.int64]) -> MeasuredMoments:
        moments = MeasuredMoments.__new__(MeasuredMoments)
        moments._take(self.with_units, correlations, self._standardised)
        return moments

    def _signs(self) -> list[int]:
        return [self._standardised.sign(column) for column in self._columns]

    def rounded_correlations(self, bits: int = BITS_OF_CORRELATIONS) -> NDArray[np.int64]:
        """Return all correlations in units of 2**-bits."""
        return self._correlations if bits == self._bits else self.with_units.rounded_correlations(bits)

    def cross_products(self, *, ridge: Fraction = Fraction(0)) -> ScaledMatrix:
        """Return the correlations as cross-products."""
        if ridge:
            raise ValueError("a ridge has units, and these variables have none")
        return ScaledMatrix(np.ldexp(self._correlations, -self._bits), np.zeros(self.n, dtype=np.int64))


class MeasuredMoments(StandardisedMoments):
    """Moments of the columns in their own units, in two parts: correlations with all their bits, and sizes.

    Only the sizes depend on units. So a score is a function of the data and the graph to the last bit: signs change
    nothing, and a change of unit that rounds no value changes only the term of its size.
    """

    _bits = _ALL_BITS

    def cross_products(self, *, ridge: Fraction = Fraction(0)) -> ScaledMatrix:
        """Return the correlations with the sums of squares that make them cross-products."""
        squares = [self.with_units.cross_product(v, v) for v in range(self.n)]
        return replace(super().cross_products(ridge=ridge), squares=squares)


@dataclass(frozen=True)
class Steps:
    """Convert the values of a column to distances from the mean in steps of 2**-bits standard deviations.

    Attributes
    ----------
    bits : int
        Number of bits after the point: 16 up to 2**28 rows.
    power : int
        Values are scaled to units of 2**power, so that no square leaves the range of a double.
    mean, variance : Fraction
        Exact mean and variance in these units.
    """

    bits: int
    power: int
    mean: Fraction
    variance: Fraction

    @property
    def tolerance(self) -> float:
        """Return a bound of the rounding error of a change of units; it is larger for columns far from 0."""
        # In these units no value is larger than 1.
        return max(2.0**-_BITS_OF_UNITS, 2.0**-_BITS_OF_ROUNDING / math.sqrt(self.variance))

    def standardised(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return distances from the mean in standard deviations, exact except for their last bits."""
        # The mean as two doubles.
        mean = float(self.mean)
        distances = (np.ldexp(values, -self.power) - mean) - float(self.mean - Fraction(mean))
        found: NDArray[np.float64] = distances / math.sqrt(self.variance)
        return found

    def of(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return values in steps, correctly rounded to the nearest."""
        steps = np.ldexp(self.standardised(values), self.bits)
        rounded: NDArray[np.int64] = np.rint(steps).astype(np.int64)
        for row in np.flatnonzero(are_near_a_half(steps)).tolist():
            distance = Fraction(float(values[row])) * power_of_two(-self.power) - self.mean
            size = distance**2 / self.variance * 4 ** (self.bits + 1)
            nearest = (math.isqrt(size.numerator // size.denominator) + 1) >> 1
            rounded[row] = nearest if distance > 0 else -nearest
        return rounded


@dataclass(frozen=True)
class StandardPoint:
    """A standardised column, mirrored if the sign is -1; or a categorical column (`steps` is None)."""

    column: int
    steps: Steps | None = None
    sign: int = 1

    @property
    def tolerance(self) -> float:
        """Return the largest gap between equal values, as in `finer_rows.ComparedPoint`."""
        return 0.0 if self.steps is None else self.steps.tolerance

    def of(self, block: Table) -> NDArray[np.number[Any]]:
        """Return the standardised values, or the codes, of a block."""
        if self.steps is None:
            categorical = categorical_part(block)
            assert categorical is not None
            codes: NDArray[np.number[Any]] = categorical.codes[self.column]
            return codes
        part = continuous_part(block)
        assert part is not None
        # Adding 0.0 makes -0.0 equal to 0.0 in its bits.
        values: NDArray[np.float64] = self.sign * self.steps.standardised(part.values[self.column]) + 0.0
        return values


def finer_rows(source: RowSource, points: Sequence[StandardPoint], groups: Sequence[Sequence[int]]) -> FinerRows | None:
    """Return the rows of some points, with groups that may be exchanged; None if there are too many values."""
    found = FinerRows(source, points, groups, _values_of_point)
    return None if found.is_too_large else found


def _values_of_point(block: Table, point: StandardPoint) -> NDArray[np.number[Any]]:
    return point.of(block)


class StandardisedColumns:
    """Columns as distances from the mean in small steps of standard deviations, computed when they are first used.

    Parameters
    ----------
    source : RowSource
        A source of continuous tables. Mean and deviation of an incomplete column are those of its known values.
    """

    MISSING = int(np.iinfo(np.int32).min)
    """The code of a missing value, larger than any distance."""

    def __init__(self, source: RowSource) -> None:
        self._source = source
        self._steps: dict[int, Steps] = {}
        self._distributions: dict[int, tuple[NDArray[np.int64], NDArray[np.int64]]] = {}

    def steps(self, column: int) -> Steps:
        """Return the conversion of the values of a column to steps."""
        if column not in self._steps:
            power = int(np.frexp(max(self._source.map_blocks(largest, column)))[1])
            unit = power_of_two(-power)
            mean, variance = mean_and_variance(self._source, column)
            bits = min(_BITS_OF_VALUES, _MOST_BITS - bits_of_root(self._source.total))
            self._steps[column] = Steps(bits, power, mean * unit, variance * unit**2)
        return self._steps[column]

    def values(self, column: int, sign: int = 1) -> NDArray[np.int64]:
        """Return the value in every row, mirrored if the sign is -1."""
        blocks = [values for values, _ in self._source.map_blocks(steps_of_block, [(column, self.steps(column), sign)])]
        values: NDArray[np.int64] = np.concatenate(blocks, axis=1)[0].astype(np.int64)
        return values

    def point(self, column: int, sign: int) -> StandardPoint:
        """Return a column with unrounded values, mirrored if the sign is -1."""
        return StandardPoint(column, self.steps(column), sign)

    def rows(self, columns: Sequence[int], signs: Sequence[int]) -> Structure:
        """Return the rows of some columns, mirrored by their signs, as a structure."""
        signed_columns = [(column, self.steps(column), sign) for column, sign in zip(columns, signs, strict=True)]
        return rows_of(self._source, steps_of_block, signed_columns)

    def distribution(self, column: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the distinct values, ascending, and the number of rows of each."""
        if column not in self._distributions:
            found = [*self._source.map_blocks(_distribution_of_block, column, self.steps(column))]
            self._distributions[column] = distinct_counts(
                *(np.concatenate(parts) for parts in zip(*found, strict=True))
            )
        return self._distributions[column]

    def shape(self, column: int) -> tuple[int, int]:
        """Return the size of the skewness, and the kurtosis, as sums of powers of steps."""
        values, times = (array.astype(object) for array in self.distribution(column))
        return abs(int((times * values**3).sum())), int((times * values**4).sum())

    def sign(self, column: int) -> int:
        """Return the canonical sign of a column: 1 or -1; 0 if its distribution is symmetric."""
        return first_image(*self.distribution(column))


def steps_of_block(
    block: ContinuousTable, columns: list[tuple[int, Steps, int]]
) -> tuple[NDArray[np.int32], NDArray[np.int64] | None]:
    """Return some columns of a block in steps, mirrored if the sign is -1, and its weights."""
    found = np.full((len(columns), block.rows), StandardisedColumns.MISSING, dtype=np.int32)
    for row, (column, steps, sign) in zip(found, columns, strict=True):
        values = block.values[column]
        known = ~np.isnan(values)
        row[known] = sign * steps.of(values[known])
    return found, block.weights


def _distribution_of_block(
    block: ContinuousTable, column: int, steps: Steps
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    values, weights = known_values(block, column)
    return distinct_counts(steps.of(values), weights)
