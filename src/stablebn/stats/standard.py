"""Standard units of continuous columns: distances from the mean in steps of 2**-48 standard deviations, as integers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stablebn import _core

STANDARD_BITS = 48
"""Bits after the point of standardised values: `src/core/strata.hpp`."""


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


def standardised_by(standards: Sequence[Standard], values: NDArray[np.float64], threads: int) -> NDArray[np.int64]:
    """Columns in their standard units, as integers in steps of 2**-48."""
    return _core.standardised(
        values,
        [standard.power for standard in standards],
        np.array([standard.mean for standard in standards]),
        np.array([standard.inverse for standard in standards]),
        threads,
    )
