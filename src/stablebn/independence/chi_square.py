"""The chi-square distribution of test statistics: SciPy's, called by the core without Python."""

from __future__ import annotations

from functools import cache, lru_cache

import numpy as np

from stablebn import _core
from stablebn.independence.base import Numbers

CLEARLY = 1 + 1e-9
"""Statistics that exceed the critical one by no more than this factor are left to the p-value."""

# Tests with more degrees of freedom than this are rare, and decided one by one.
_CRITICAL_VALUES = 4096


@cache
def chi_square_tail() -> _core.ChiSquareTail:
    """The upper tail, for the core. Here and not when the module is loaded: SciPy takes long to import."""
    from scipy.special import cython_special

    return _core.ChiSquareTail(cython_special.__pyx_capi__["chdtrc"])


def chi_square_p_values(statistic: Numbers | float, df: Numbers | float) -> Numbers:
    """The upper tail, as far down as doubles go: the strongest associations are compared."""
    statistics, degrees = np.broadcast_arrays(np.asarray(statistic, dtype=np.float64), np.asarray(df, dtype=np.float64))
    flat = np.ascontiguousarray(statistics.ravel()), np.ascontiguousarray(degrees.ravel())
    return chi_square_tail().p_values(*flat).reshape(statistics.shape)


@lru_cache(maxsize=8)
def critical_values(alpha: float) -> _core.CriticalValues:
    """By degrees of freedom, a statistic above which the p-value is clearly below alpha."""
    from scipy.special import chdtri

    values: Numbers = chdtri(np.arange(_CRITICAL_VALUES), alpha) * CLEARLY
    values[0] = np.inf
    return _core.CriticalValues(values)
