"""From sums to verdicts: statistic, degrees of freedom and p-value of one test of independence.

The rule and `out` are those of `kernels/contingency.py`.
"""

from __future__ import annotations

from numba import njit

from stablebn.kernels.logarithm import HI_BITS, LO_BITS, LO_MASK
from stablebn.kernels.tails import upper_tail

HI, LO, DF = 0, 1, 2
"""Of sums, int64 [3]: the limbs of G2 / 2 or X2, and the adjusted degrees of freedom."""
STATISTIC, DEGREES, P_VALUE = 0, 1, 2
"""Of an outcome, float64 [3]."""

_UNIT_HI = 2.0**-HI_BITS
_UNIT_LO = 2.0 ** -(HI_BITS + LO_BITS)


@njit(cache=True, nogil=True)
def judge(
    sums, x, y, configurations, critical, pearson, adjust, largest, tail, levels, out
):  # IN int64 [3], OUT float64 [3]
    """Write statistic, degrees of freedom and p-value of x and y, from what was summed up."""
    out[STATISTIC] = statistic_of(sums, pearson) if configurations * levels[x] * levels[y] <= largest else 0.0
    out[DEGREES] = float(sums[DF]) if adjust else (levels[y] - 1) * (configurations * (levels[x] - 1))
    judge_statistic(out, critical, tail)


@njit(cache=True, nogil=True)
def judge_statistic(out, critical, tail):  # IN, OUT float64 [3]
    """Write the p-value."""
    statistic, df = out[STATISTIC], out[DEGREES]
    if df < critical.size and statistic > critical[int(df)]:
        out[P_VALUE] = 0.0
    else:
        # Adjusted degrees of freedom can be 0: then the statistic is too, and there is nothing to reject.
        out[P_VALUE] = upper_tail(statistic, max(df, 1.0), tail)


@njit(cache=True, nogil=True)
def statistic_of(sums, pearson):
    """The statistic as a double."""
    value = (sums[HI] + (sums[LO] >> LO_BITS)) * _UNIT_HI + (sums[LO] & LO_MASK) * _UNIT_LO
    return max(value if pearson else 2.0 * value, 0.0)
