"""Standard units: distances from the mean of a continuous column, as integers in small steps of its deviation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from stablebn import _core

if TYPE_CHECKING:
    from stablebn.stats.moments import Moments

_BITS_OF_DEVIATION = 120


def bits_of_root(rows: int) -> int:
    """Return the b with every value in standard units within 2**b: no value exceeds the root of the number of rows."""
    return ((rows - 1).bit_length() + 1) // 2


def standard_bits(rows: int) -> int:
    """Return the bits after the point of standardised values: as many as fit into 63 bits, at most 48."""
    return min(48, 62 - bits_of_root(rows))


def bits_of_steps(rows: int) -> int:
    """Return the bits after the point of `whole_steps`: as many as keep N sum(x x) below 2**125, at most 24.

    A change of unit rounds every value again and moves it by about 2**-52 deviations, far less than a step.
    """
    return min(24, 42 - bits_of_root(rows))


@dataclass(frozen=True)
class Standard:
    """The mean and the deviation that define the standard units of a column.

    Attributes
    ----------
    power : int
        Values are scaled to units of 2**power, so that no value and no square leaves the range of a double.
    mean, deviation, inverse : pair of float
        Mean, deviation and 1 / deviation in these units, each as the sum of two doubles.
    rows : int
        Number of rows of the table by weight, which determines the number of bits.
    """

    power: int
    mean: tuple[float, float]
    deviation: tuple[float, float]
    inverse: tuple[float, float]
    rows: int

    @property
    def bits(self) -> int:
        """Return the number of bits after the point of standardised values."""
        return standard_bits(self.rows)


def standard_of(moments: Moments, v: int, rows: int) -> Standard:
    """Return the standard units of a column from exact moments; `rows` is the number of rows of the table."""
    power = moments.power(v)
    unit = Fraction(2) ** -power
    variance = moments.cross_product(v, v) / moments.total * unit**2
    root = math.isqrt((variance.numerator << 2 * _BITS_OF_DEVIATION) // variance.denominator)
    deviation = Fraction(root, 1 << _BITS_OF_DEVIATION)
    mean = moments.mean(v) * unit
    return Standard(power, _two_doubles(mean), _two_doubles(deviation), _two_doubles(1 / deviation), rows)


def _two_doubles(value: Fraction) -> tuple[float, float]:
    hi = float(value)
    return hi, float(value - Fraction(hi))


def standardised_by(standards: Sequence[Standard], values: NDArray[np.float64], threads: int) -> NDArray[np.int64]:
    """Return columns in their standard units, as integers in steps of 2**-bits."""
    return _core.standardised(
        values,
        [standard.power for standard in standards],
        np.array([standard.mean for standard in standards]),
        np.array([standard.inverse for standard in standards]),
        [standard.bits for standard in standards],
        threads,
    )


def whole_steps(standardised: NDArray[np.int64], rows: int) -> NDArray[np.float64]:
    """Round standardised columns to larger steps, symmetrically in sign, so that other units give the same integers."""
    shift = standard_bits(rows) - bits_of_steps(rows)
    steps = np.abs(standardised) + (1 << shift - 1) >> shift
    return np.copysign(steps.astype(np.float64), standardised)
