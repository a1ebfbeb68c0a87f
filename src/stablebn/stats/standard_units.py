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

STANDARD_BITS = 48
"""Bits after the point of standardised values: `src/core/strata.hpp`."""

_BITS_OF_DEVIATION = 120
# Another unit rounds every value anew, and moves it by some 2**-52 deviations: far less than a step.
_BITS_OF_STEPS = 24


@dataclass(frozen=True)
class Standard:
    """Where the standard units of a column are.

    Attributes
    ----------
    power : int
        Values are seen in units of 2**power, so that none of them, nor a square, leaves the range of a double.
    mean, deviation, inverse : pair of float
        In these units, each as the sum of two doubles; the last is that of 1 / deviation.
    """

    power: int
    mean: tuple[float, float]
    deviation: tuple[float, float]
    inverse: tuple[float, float]


def standard_of(moments: Moments, v: int) -> Standard:
    """The standard units of a column, of which the moments are exact."""
    power = moments.power(v)
    unit = Fraction(2) ** -power
    variance = moments.cross_product(v, v) / moments.total * unit**2
    root = math.isqrt((variance.numerator << 2 * _BITS_OF_DEVIATION) // variance.denominator)
    deviation = Fraction(root, 1 << _BITS_OF_DEVIATION)
    return Standard(power, *map(_two_doubles, (moments.mean(v) * unit, deviation, 1 / deviation)))


def _two_doubles(value: Fraction) -> tuple[float, float]:
    hi = float(value)
    return hi, float(value - Fraction(hi))


def standardised_by(standards: Sequence[Standard], values: NDArray[np.float64], threads: int) -> NDArray[np.int64]:
    """Columns in their standard units, as integers in steps of 2**-48."""
    return _core.standardised(
        values,
        [standard.power for standard in standards],
        np.array([standard.mean for standard in standards]),
        np.array([standard.inverse for standard in standards]),
        threads,
    )


def whole_steps(standardised: NDArray[np.int64]) -> NDArray[np.float64]:
    """Standardised columns in steps of 2**-24, minus x being as many as x: so other units make the same integers."""
    shift = STANDARD_BITS - _BITS_OF_STEPS
    steps = np.abs(standardised) + (1 << shift - 1) >> shift
    return np.copysign(steps.astype(np.float64), standardised)
