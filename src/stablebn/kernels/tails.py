"""Tails of the chi-square distribution: SciPy's own, called from compiled code, and those smaller than it can tell."""

from __future__ import annotations

import math
from functools import cache

from llvmlite import ir
from numba import njit, types
from numba.extending import get_cython_function_address, intrinsic

_LN_OF_LEAST = -745.2
"""Below this, the exponential is 0 as a double."""
_MOST_TERMS = 10_000


@cache
def address_of_tail() -> int:
    """Where SciPy's upper tail of the chi-square distribution, chdtrc, is in this process.

    Kernels get it as an argument, as they are kept on disk and the next process has it elsewhere.
    """
    address: int = get_cython_function_address("scipy.special.cython_special", "chdtrc")
    return address


@intrinsic
def _call_tail(typing_context, address, df, statistic):
    """Call SciPy's function at an address."""
    signature = types.float64(types.int64, types.float64, types.float64)

    def generate(context, builder, signature, arguments):
        # The last argument is Cython's: whether to skip a look for Python methods of the same name.
        flag = ir.IntType(32)
        function = ir.FunctionType(ir.DoubleType(), [ir.DoubleType(), ir.DoubleType(), flag])
        pointer = builder.inttoptr(arguments[0], function.as_pointer())
        return builder.call(pointer, [arguments[1], arguments[2], flag(0)])

    return signature, generate


@njit(cache=True, nogil=True)
def upper_tail(statistic, df, address):
    """How likely a chi-square statistic is at least so great: down to 5e-324, where SciPy stops at some 1e-310."""
    p_value = _call_tail(address, float(df), float(statistic))  # type: ignore[call-arg, var-annotated]
    return _far_tail(statistic, df) if p_value == 0 else p_value


@njit(cache=True, nogil=True)
def upper_tails(statistics, df, address):  # IN float64 [k], IN float64 [k]
    """The same of many: float64 [k]."""
    p_values = statistics.copy()
    for i in range(p_values.size):
        p_values[i] = upper_tail(statistics[i], df[i], address)
    return p_values


@njit(cache=True, nogil=True)
def _far_tail(statistic, df):
    """The p-values that SciPy has for 0, and that need not be.

    Q(a, x), with a = df / 2 and x = statistic / 2, is x**a exp(-x) / Gamma(a) times a continued fraction, which is
    found by Lentz's method.
    """
    a, x = df / 2, statistic / 2
    if not (0 < a < x < math.inf):
        return 0.0
    scale = a * math.log(x) - x - math.lgamma(a)
    # The fraction is less than 1 / (x - a).
    if scale - math.log(x - a) < _LN_OF_LEAST:
        return 0.0
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
    return math.exp(scale + math.log(fraction))
