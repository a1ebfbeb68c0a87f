"""Tails of the chi-square distribution that are smaller than SciPy can tell."""

from __future__ import annotations

import math

from numba import njit

_LN_OF_LEAST = -745.2
"""Below this, the exponential is 0 as a double."""
_MOST_TERMS = 10_000


@njit(cache=True, nogil=True)
def write_tails(statistics, df, p_values):  # IN float64 [k], IN float64 [k], OUT float64 [k]
    """Write the p-values that are 0 and need not be: doubles reach down to 5e-324, SciPy only to some 1e-310.

    Q(a, x), with a = df / 2 and x = statistic / 2, is x**a exp(-x) / Gamma(a) times a continued fraction, which is
    found by Lentz's method.
    """
    for i in range(p_values.size):
        if p_values[i] > 0:
            continue
        a, x = df[i] / 2, statistics[i] / 2
        if not (0 < a < x < math.inf):
            continue
        scale = a * math.log(x) - x - math.lgamma(a)
        # The fraction is less than 1 / (x - a).
        if scale - math.log(x - a) < _LN_OF_LEAST:
            continue
        b = x + 1 - a
        c, d = math.inf, 1 / b
        fraction = d
        for k in range(1, _MOST_TERMS):
            term = k * (a - k)
            b += 2
            c = b + term / c
            d = 1 / (b + term * d)
            fraction *= c * d
            if abs(c * d - 1) < 1e-15:
                break
        p_values[i] = math.exp(scale + math.log(fraction))
