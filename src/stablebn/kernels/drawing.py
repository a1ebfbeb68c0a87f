"""Drawing from distributions: raw 64-bit integers in, levels and normal deviates out, the same on every machine."""

from __future__ import annotations

import numpy as np
from numba import njit

from stablebn.kernels.logarithm import ln

_TO_UNIT = 2.0**-53


@njit(cache=True, nogil=True)
def _unit(raw):
    """A number in [0, 1) from the upper 53 bits."""
    return float(raw >> np.uint64(11)) * _TO_UNIT


@njit(cache=True, nogil=True)
def draw_levels(raw, configurations, cumulative, out):  # IN uint64 [N], IN int64 [N], IN float64 [Q, R], OUT int [N]
    """Level of each row, by the cumulative probabilities of its parent configuration.

    The last column of `cumulative` is the sum, which need not be quite 1. A level without probability is never drawn.
    """
    last = cumulative.shape[1] - 1
    for i in range(raw.size):
        row = cumulative[configurations[i]]
        point = _unit(raw[i]) * row[last]
        level = 0
        while level < last and point >= row[level]:
            level += 1
        while level > 0 and row[level] == row[level - 1]:
            level -= 1
        out[i] = level


@njit(cache=True, nogil=True)
def add_parent(configurations, codes, levels):  # OUT int64 [N], IN int [N]
    """Number the configurations of the parents so far and one more, the last changing fastest."""
    for i in range(configurations.size):
        configurations[i] = configurations[i] * levels + codes[i]


@njit(cache=True, nogil=True)
def normal_deviates(raw, out):  # IN uint64 [2 M], OUT float64 [2 M]
    """Standard normal deviates by Marsaglia's polar method; returns how many of `out` were filled."""
    filled = 0
    for i in range(0, raw.size - 1, 2):
        x = 2.0 * _unit(raw[i]) - 1.0
        y = 2.0 * _unit(raw[i + 1]) - 1.0
        s = x * x + y * y
        if s >= 1.0 or s == 0.0:
            continue
        factor = np.sqrt(-2.0 * ln(s, 0.0)[0] / s)
        out[filled] = x * factor
        out[filled + 1] = y * factor
        filled += 2
    return filled


@njit(cache=True, nogil=True)
def exponential_deviates(raw, out):  # IN uint64 [M], OUT float64 [M]
    """Standard exponential deviates, -ln(1 - u)."""
    for i in range(raw.size):
        out[i] = -ln(1.0 - _unit(raw[i]), 0.0)[0]
