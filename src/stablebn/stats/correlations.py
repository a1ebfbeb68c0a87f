"""Continuous variables without units: nothing is known of them but their correlations, rounded; nor are signs."""

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

# With these nothing is lost that a double could tell.
_ALL_BITS = 60
# Bits after the point of standardised values by which rows are compared; and those of all: with very many rows a value
# may be so great that fewer are left after the point.
_BITS_OF_VALUES = 16
_MOST_BITS = 30
# Standardised values that differ by less may differ by the rounding of their units alone; and this much more than the
# last bit of the largest value, where zero is far away.
_BITS_OF_UNITS = 45
_BITS_OF_ROUNDING = 50


class StandardisedMoments(Moments):
    """The moments of columns of variance 1: a function of the rounded correlations, and so free of units.

    Parameters
    ----------
    moments : Moments

    Attributes
    ----------
    with_units : Moments
        The moments of the columns as they are.
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
        """The moments of the same variables renumbered so that new i is old order[i]."""
        moments = type(self).__new__(type(self))
        correlations = self._correlations[np.ix_(order, order)]
        moments._take(self.with_units.reordered(order), correlations, self._standardised)
        return moments

    def sort_key(self, v: int) -> Hashable:
        """Skewness, whichever way, and kurtosis."""
        return self._standardised.shape(self._columns[v])

    def points(self) -> list[int]:
        """Every variable, and those that have no sign of their own a second time."""
        return points_of(self._signs())[0]

    def structures(self) -> list[Structure]:
        """The correlations; and the rows of standardised values, rounded, which may tell apart what these cannot."""
        points, signs = points_of(self._signs())
        correlations = self._correlations[np.ix_(points, points)] * np.outer(signs, signs)
        columns = [self._columns[v] for v in points]
        return [Relation(correlations), self._standardised.rows(columns, signs.tolist())]

    def finer_rows(self, groups: Sequence[Sequence[int]]) -> FinerRows | None:
        """The rows of standardised values, as exact as another unit permits."""
        points, signs = points_of(self._signs())
        columns = [self._columns[v] for v in points]
        own = [self._standardised.point(column, sign) for column, sign in zip(columns, signs.tolist(), strict=True)]
        return finer_rows(self.source, own, groups)

    def measured(self) -> MeasuredMoments:
        """The moments of the columns as they are."""
        return self._measured(self.with_units.rounded_correlations(MeasuredMoments._bits))

    def measured_within(self, sets: Iterable[Sequence[int]]) -> MeasuredMoments:
        """The same with the correlations inside some sets of variables alone: all others are 0."""
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
        """All correlations in units of 2**-bits."""
        return self._correlations if bits == self._bits else self.with_units.rounded_correlations(bits)

    def cross_products(self, *, ridge: Fraction = Fraction(0)) -> ScaledMatrix:
        """The correlations as cross-products."""
        if ridge:
            raise ValueError("a ridge has units, and these variables have none")
        return ScaledMatrix(np.ldexp(self._correlations, -self._bits), np.zeros(self.n, dtype=np.int64))


class MeasuredMoments(StandardisedMoments):
    """The moments of columns as they are, in two parts: correlations with all their bits, and sizes.

    What depends on units is in the sizes alone. So a score made of them is a function of the data and the graph to the
    last bit: signs change nothing, and another unit that rounds no value changes only what its size adds.
    """

    _bits = _ALL_BITS

    def cross_products(self, *, ridge: Fraction = Fraction(0)) -> ScaledMatrix:
        """The correlations, and the sums of squares that make them cross-products."""
        squares = [self.with_units.cross_product(v, v) for v in range(self.n)]
        return replace(super().cross_products(ridge=ridge), squares=squares)


@dataclass(frozen=True)
class Steps:
    """How the values of a column become distances from the mean in steps of 2**-bits standard deviations.

    Attributes
    ----------
    bits : int
        16 up to 2**28 rows.
    power : int
        Values are seen in units of 2**power: so no square leaves the range of a double.
    mean, variance : Fraction
        In these units.
    """

    bits: int
    power: int
    mean: Fraction
    variance: Fraction

    @property
    def tolerance(self) -> float:
        """What the rounding of another unit can do to a standardised value is less; it grows with the distance of 0."""
        # In these units no value is greater than 1.
        return max(2.0**-_BITS_OF_UNITS, 2.0**-_BITS_OF_ROUNDING / math.sqrt(self.variance))

    def standardised(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Distances from the mean in standard deviations, exact but for their last bits, wherever zero may be."""
        # The mean as two doubles.
        mean = float(self.mean)
        distances = (np.ldexp(values, -self.power) - mean) - float(self.mean - Fraction(mean))
        found: NDArray[np.float64] = distances / math.sqrt(self.variance)
        return found

    def of(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        """Values in steps, rounded to the nearest as the exact moments say."""
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
    """A column in standard deviations, mirrored with the sign -1, or a categorical column (`steps` is None)."""

    column: int
    steps: Steps | None = None
    sign: int = 1

    @property
    def tolerance(self) -> float:
        """As of `finer_rows.ComparedPoint`."""
        return 0.0 if self.steps is None else self.steps.tolerance

    def of(self, block: Table) -> NDArray[np.number[Any]]:
        """The standardised values, or codes, of a block."""
        if self.steps is None:
            categorical = categorical_part(block)
            assert categorical is not None
            codes: NDArray[np.number[Any]] = categorical.codes[self.column]
            return codes
        part = continuous_part(block)
        assert part is not None
        # There is only one zero.
        values: NDArray[np.float64] = self.sign * self.steps.standardised(part.values[self.column]) + 0.0
        return values


def finer_rows(source: RowSource, points: Sequence[StandardPoint], groups: Sequence[Sequence[int]]) -> FinerRows | None:
    """The rows of some points, of which these groups may be exchanged; None if there are too many values."""
    found = FinerRows(source, points, groups, _values_of_point)
    return None if found.is_too_large else found


def _values_of_point(block: Table, point: StandardPoint) -> NDArray[np.number[Any]]:
    return point.of(block)


class StandardisedColumns:
    """Values as distances from the mean in small steps of standard deviations, of the columns that are asked for.

    Parameters
    ----------
    source : RowSource
        Of continuous tables. Mean and deviation of a column with holes are those of its values that are known.
    """

    HOLE = int(np.iinfo(np.int32).min)
    """What stands for a missing value: no distance is so great."""

    def __init__(self, source: RowSource) -> None:
        self._source = source
        self._steps: dict[int, Steps] = {}
        self._distributions: dict[int, tuple[NDArray[np.int64], NDArray[np.int64]]] = {}

    def steps(self, column: int) -> Steps:
        """How the values of a column become steps."""
        if column not in self._steps:
            power = int(np.frexp(max(self._source.map_blocks(largest, column)))[1])
            unit = power_of_two(-power)
            mean, variance = mean_and_variance(self._source, column)
            bits = min(_BITS_OF_VALUES, _MOST_BITS - bits_of_root(self._source.total))
            self._steps[column] = Steps(bits, power, mean * unit, variance * unit**2)
        return self._steps[column]

    def values(self, column: int, sign: int = 1) -> NDArray[np.int64]:
        """The value in every row, mirrored with the sign -1."""
        own = [values for values, _ in self._source.map_blocks(steps_of_block, [(column, self.steps(column), sign)])]
        values: NDArray[np.int64] = np.concatenate(own, axis=1)[0].astype(np.int64)
        return values

    def point(self, column: int, sign: int) -> StandardPoint:
        """A column, mirrored with the sign -1, by values that are not rounded."""
        return StandardPoint(column, self.steps(column), sign)

    def rows(self, columns: Sequence[int], signs: Sequence[int]) -> Structure:
        """The rows of some columns, some of them mirrored, as a structure."""
        own = [(column, self.steps(column), sign) for column, sign in zip(columns, signs, strict=True)]
        return rows_of(self._source, steps_of_block, own)

    def distribution(self, column: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The distinct values, ascending, and in how many rows each is."""
        if column not in self._distributions:
            found = [*self._source.map_blocks(_distribution_of_block, column, self.steps(column))]
            self._distributions[column] = distinct_counts(
                *(np.concatenate(parts) for parts in zip(*found, strict=True))
            )
        return self._distributions[column]

    def shape(self, column: int) -> tuple[int, int]:
        """Skewness, whichever way, and kurtosis: sums of powers."""
        values, times = (own.astype(object) for own in self.distribution(column))
        return abs(int((times * values**3).sum())), int((times * values**4).sum())

    def sign(self, column: int) -> int:
        """Which of the two mirror images comes first: 1 the column as it is, -1 the other, 0 neither."""
        return first_image(*self.distribution(column))


def steps_of_block(
    block: ContinuousTable, columns: list[tuple[int, Steps, int]]
) -> tuple[NDArray[np.int32], NDArray[np.int64] | None]:
    """Some columns of a block in steps, mirrored with the sign -1; and its weights."""
    found = np.full((len(columns), block.rows), StandardisedColumns.HOLE, dtype=np.int32)
    for own, (column, steps, sign) in zip(found, columns, strict=True):
        values = block.values[column]
        known = ~np.isnan(values)
        own[known] = sign * steps.of(values[known])
    return found, block.weights


def _distribution_of_block(
    block: ContinuousTable, column: int, steps: Steps
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    own, weights = known_values(block, column)
    return distinct_counts(steps.of(own), weights)
