"""Natural logarithms as fixed-point integers, the same bits on every machine.

A logarithm is a pair of limbs (hi, lo) that stands for (hi * 2**32 + lo) / 2**62, with
0 <= lo < 2**32. Logarithms of integers are sums of those of their prime factors, so identities
between real numbers survive rounding: 4 ln 4 and 4 * (2 ln 2) are the same integers. As the
logarithms of the primes are linearly independent over the rationals, sums of m ln m are equal
here when, and for any practical purpose only when, they are equal as real numbers.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numba import njit
from numpy.typing import NDArray

LO_BITS = 32
HI_BITS = 30
UNIT = 1 << (HI_BITS + LO_BITS)
"""One nat in fixed point."""

LO_MASK = (1 << LO_BITS) - 1
_HI_SCALE = float(1 << HI_BITS)
_LO_SCALE = float(1 << LO_BITS)
_SPLITTER = float((1 << 27) + 1)

_SEGMENTS = 128
_SERIES_BITS = 160


def _ln_of_ratio(numerator: int, denominator: int) -> Fraction:
    """ln(numerator / denominator) to about 2**-150, in integers: 2 artanh((a - b) / (a + b))."""
    z = ((numerator - denominator) << _SERIES_BITS) // (numerator + denominator)
    square = z * z >> _SERIES_BITS
    power, total, k = z, 0, 1
    while power:
        total += power // k
        power = power * square >> _SERIES_BITS
        k += 2
    return Fraction(2 * total, 1 << _SERIES_BITS)


def _as_pair(value: Fraction) -> tuple[float, float]:
    """The unevaluated sum of two doubles nearest to a value."""
    hi = float(value)
    return hi, float(value - Fraction(hi))


_LN2_HI, _LN2_LO = _as_pair(_ln_of_ratio(2, 1))
# Logarithm of the middle of each of the 128 segments of [1, 2).
_LN_MIDDLE = np.array(
    [_as_pair(_ln_of_ratio(2 * _SEGMENTS + 2 * j + 1, 2 * _SEGMENTS)) for j in range(_SEGMENTS)],
    dtype=np.float64,
)
_THIRD_HI, _THIRD_LO = _as_pair(Fraction(1, 3))


@njit(cache=True, nogil=True)
def two_sum(a, b):
    """The sum of two doubles and its rounding error, both exact (Knuth)."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


@njit(cache=True, nogil=True)
def two_product(a, b):
    """The product of two doubles and its rounding error, both exact (Dekker)."""
    p = a * b
    t = _SPLITTER * a
    a_hi = t - (t - a)
    a_lo = a - a_hi
    t = _SPLITTER * b
    b_hi = t - (t - b)
    b_lo = b - b_hi
    return p, ((a_hi * b_hi - p) + a_hi * b_lo + a_lo * b_hi) + a_lo * b_lo


@njit(cache=True, nogil=True)
def pair_sum(a_hi, a_lo, b_hi, b_lo):
    """Sum of two double-doubles."""
    s, e = two_sum(a_hi, b_hi)
    return two_sum(s, e + (a_lo + b_lo))


@njit(cache=True, nogil=True)
def pair_product(a_hi, a_lo, b_hi, b_lo):
    """Product of two double-doubles."""
    p, e = two_product(a_hi, b_hi)
    return two_sum(p, e + (a_hi * b_lo + a_lo * b_hi))


@njit(cache=True, nogil=True)
def pair_quotient(a_hi, a_lo, b_hi, b_lo):
    """Quotient of two double-doubles."""
    q = a_hi / b_hi
    p_hi, p_lo = pair_product(q, 0.0, b_hi, b_lo)
    r_hi, r_lo = pair_sum(a_hi, a_lo, -p_hi, -p_lo)
    return two_sum(q, (r_hi + r_lo) / b_hi)


@njit(cache=True, nogil=True)
def ln(x_hi, x_lo):
    """Natural logarithm of a positive double-double, absolute error below 2**-90.

    x = 2**e * m with m in [1, 2); with c the middle of m's segment and s = (m - c) / (m + c),
    ln x = e ln 2 + ln c + 2 (s + s**3/3 + s**5/5 + ...), and |s| < 2**-9.
    """
    m_hi, e = math.frexp(x_hi)
    m_hi *= 2.0
    e -= 1
    m_lo = math.ldexp(x_lo, -e)
    j = min(max(int((m_hi - 1.0) * _SEGMENTS), 0), _SEGMENTS - 1)
    c = 1.0 + (2 * j + 1) / (2.0 * _SEGMENTS)
    top_hi, top_lo = pair_sum(m_hi, m_lo, -c, 0.0)
    bottom_hi, bottom_lo = pair_sum(m_hi, m_lo, c, 0.0)
    s_hi, s_lo = pair_quotient(top_hi, top_lo, bottom_hi, bottom_lo)
    q_hi, q_lo = pair_product(s_hi, s_lo, s_hi, s_lo)
    tail = 0.2 + q_hi * (1.0 / 7.0 + q_hi * (1.0 / 9.0 + q_hi * (1.0 / 11.0)))
    t_hi, t_lo = pair_sum(_THIRD_HI, _THIRD_LO, q_hi * tail, 0.0)
    t_hi, t_lo = pair_product(t_hi, t_lo, q_hi, q_lo)
    t_hi, t_lo = pair_product(t_hi, t_lo, s_hi, s_lo)
    s_hi, s_lo = pair_sum(s_hi, s_lo, t_hi, t_lo)
    s_hi, s_lo = pair_sum(2.0 * s_hi, 2.0 * s_lo, _LN_MIDDLE[j, 0], _LN_MIDDLE[j, 1])
    p_hi, p_lo = pair_product(float(e), 0.0, _LN2_HI, _LN2_LO)
    return pair_sum(p_hi, p_lo, s_hi, s_lo)


@njit(cache=True, nogil=True)
def to_fixed(x_hi, x_lo):
    """Limbs of a double-double, rounded to an even multiple of 2**-62 so that its half is exact too."""
    scaled = x_hi * _HI_SCALE
    whole = math.floor(scaled)
    rest = ((scaled - whole) + x_lo * _HI_SCALE) * (0.5 * _LO_SCALE)
    lo = 2 * np.int64(math.floor(rest + 0.5))
    return np.int64(whole) + (lo >> LO_BITS), lo & LO_MASK


@njit(cache=True, nogil=True)
def ln_of_prime(p):
    """Limbs of ln p."""
    hi, lo = ln(float(p), 0.0)
    return to_fixed(hi, lo)


@njit(cache=True, nogil=True)
def ln_of_integer(m):
    """Limbs of ln m, m >= 1: the sum over its prime factors, found by trial division."""
    hi = np.int64(0)
    lo = np.int64(0)
    rest = m
    p = np.int64(2)
    while p * p <= rest:
        if rest % p == 0:
            p_hi, p_lo = ln_of_prime(p)
            while rest % p == 0:
                hi += p_hi
                lo += p_lo
                rest //= p
        p += 1 if p == 2 else 2
    if rest > 1:
        p_hi, p_lo = ln_of_prime(rest)
        hi += p_hi
        lo += p_lo
    return hi + (lo >> LO_BITS), lo & LO_MASK


@njit(cache=True, nogil=True)
def m_ln_m_table(size):
    """Limbs of m ln m for m = 0 .. size - 1, by a sieve of smallest prime factors.

    Returns
    -------
    int64 array [size, 2]
        One row of limbs (hi, lo) a count: both of a look-up lie in one cache line.
    """
    factor = np.zeros(size, dtype=np.int32)
    p = 2
    while p * p < size:
        if factor[p] == 0:
            for multiple in range(p * p, size, p):
                if factor[multiple] == 0:
                    factor[multiple] = p
        p += 1
    table = np.zeros((size, 2), dtype=np.int64)
    for m in range(2, size):
        if factor[m] == 0:
            hi, lo = ln_of_prime(m)
        else:
            a = factor[m]
            b = m // a
            lo = table[a, 1] + table[b, 1]
            hi = table[a, 0] + table[b, 0] + (lo >> LO_BITS)
            lo &= LO_MASK
        table[m, 0] = hi
        table[m, 1] = lo
    for m in range(2, size):
        lo = table[m, 1] * m
        table[m, 0] = table[m, 0] * m + (lo >> LO_BITS)
        table[m, 1] = lo & LO_MASK
    return table


@njit(cache=True, nogil=True)
def ln_limbs(values):  # IN float64 [K]
    """Limbs of ln x for each positive x: int64 [K, 2]."""
    out = np.empty((values.size, 2), dtype=np.int64)
    for i in range(values.size):
        hi, lo = ln(values[i], 0.0)
        out[i, 0], out[i, 1] = to_fixed(hi, lo)
    return out


def fixed_ln(m: int) -> int:
    """The logarithm of a positive integer in units of 2**-62."""
    hi, lo = ln_of_integer(np.int64(m))
    return joined(hi, lo)


def joined(hi: int, lo: int) -> int:
    """The integer that two limbs stand for."""
    return (int(hi) << LO_BITS) + int(lo)


def sums_of_limbs(terms: NDArray[np.int64]) -> list[int]:
    """The integers that rows of limbs [m, n, 2] sum to; the halves of hi apart, as their sum may need more bits."""
    upper, lower = (terms[:, :, 0] >> 32).sum(axis=1), (terms[:, :, 0] & 0xFFFFFFFF).sum(axis=1)
    low = terms[:, :, 1].sum(axis=1)
    return [
        (((h << 32) + m) << LO_BITS) + lo for h, m, lo in zip(*map(np.ndarray.tolist, (upper, lower, low)), strict=True)
    ]


def limbs(value: int) -> tuple[int, int]:
    """The limbs of an integer, lo in [0, 2**32)."""
    return value >> LO_BITS, value & LO_MASK


def to_floats(terms: NDArray[np.int64]) -> NDArray[np.float64]:
    """Numbers given by limbs [m, 2] as doubles, each rounded once."""
    carried = terms[:, 0] + (terms[:, 1] >> LO_BITS)
    floats: NDArray[np.float64] = carried * 2.0**-HI_BITS + (terms[:, 1] & LO_MASK) * 2.0 ** -(HI_BITS + LO_BITS)
    return floats


def to_float(value: int) -> float:
    """A fixed-point number as the nearest double."""
    return value / UNIT
