"""Standard units: continuous columns as integers, counted in small steps of their own deviation from their mean."""

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
    """The b for which no value in standard units is beyond 2**b: the root of the number of rows is not."""
    return ((rows - 1).bit_length() + 1) // 2


def standard_bits(rows: int) -> int:
    """Bits after the point of standardised values: so many that they fit 63 bits, and 48 at most."""
    return min(48, 62 - bits_of_root(rows))


def bits_of_steps(rows: int) -> int:
    """Bits after the point of `whole_steps`: so many that N sum(x x) is below 2**125, and 24 at most.

    Another unit rounds every value anew, and moves it by some 2**-52 deviations: far less than a step.
    """
    return min(24, 42 - bits_of_root(rows))


@dataclass(frozen=True)
class Standard:
    """Where the standard units of a column are.

    Attributes
    ----------
    power : int
        Values are seen in units of 2**power, so that none of them, nor a square, leaves the range of a double.
    mean, deviation, inverse : pair of float
        In these units, each as the sum of two doubles; the last is that of 1 / deviation.
    rows : int
        Of the table, by weight: how many bits values have is a matter of these.
    """

    power: int
    mean: tuple[float, float]
    deviation: tuple[float, float]
    inverse: tuple[float, float]
    rows: int

    @property
    def bits(self) -> int:
        """Bits after the point of standardised values."""
        return standard_bits(self.rows)


def standard_of(moments: Moments, v: int, rows: int) -> Standard:
    """The standard units of a column of a table with so many rows, of which the moments are exact."""
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
    """Columns in their standard units, as integers in steps of 2**-bits."""
    return _core.standardised(
        values,
        [standard.power for standard in standards],
        np.array([standard.mean for standard in standards]),
        np.array([standard.inverse for standard in standards]),
        [standard.bits for standard in standards],
        threads,
    )


def whole_steps(standardised: NDArray[np.int64], rows: int) -> NDArray[np.float64]:
    """Standardised columns in larger steps, minus x being as many as x: so other units make the same integers."""
    shift = standard_bits(rows) - bits_of_steps(rows)
    steps = np.abs(standardised) + (1 << shift - 1) >> shift
    return np.copysign(steps.astype(np.float64), standardised)
