"""Determinants of the matrices of sums of cross-products, by elimination in a fixed order.

Only basic operations, in the order written: the same bits on every machine. Each entry receives the
same updates whatever other variables are eliminated with it.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from stablebn.kernels.logarithm import LO_BITS, LO_MASK, ln, to_fixed

# Relative residual variance below which columns count as collinear: the factor is noise there (SPEC 2).
SMALLEST_RESIDUAL = 2.0**-40


@njit(cache=True, nogil=True)
def _fixed_multiple_of_half_ln(mantissa, exponent, factor):
    """Limbs of factor * ln(mantissa * 2**exponent) / 2, an exact multiple of the limbs of the half logarithms."""
    l_hi, l_lo = ln(2.0, 0.0)
    e_hi, e_lo = to_fixed(0.5 * l_hi, 0.5 * l_lo)
    l_hi, l_lo = ln(mantissa, 0.0)
    m_hi, m_lo = to_fixed(0.5 * l_hi, 0.5 * l_lo)
    lo = m_lo + e_lo * exponent
    hi = m_hi + e_hi * exponent + (lo >> LO_BITS)
    lo = (lo & LO_MASK) * factor
    return hi * factor + (lo >> LO_BITS), lo & LO_MASK


@njit(cache=True, nogil=True)
def half_ln_determinant(matrix, exponents, members, factor, work):  # OUT work float64 [>= k, >= k]
    """Limbs of factor * ln(det M) / 2, M the matrix of `members`, eliminated in their order.

    Parameters
    ----------
    matrix, exponents : float64 [n, n], int64 [n]
        M[u, v] = matrix[u, v] * 2**(exponents[u] + exponents[v]); the diagonal of `matrix` lies in [1, 4).
    members : int64 [k]
    factor : int64

    Notes
    -----
    A pivot below 2**-40 of its variable's own diagonal counts as that. A pair has a formula of its
    own, symmetric in its members to the last bit, so that it can serve before any order is known.
    """
    k = members.size
    exponent = np.int64(0)
    for m in members:
        exponent += 2 * exponents[m]
    if k == 2:
        a = matrix[members[0], members[0]]
        b = matrix[members[1], members[1]]
        c = matrix[members[0], members[1]]
        determinant = max(a * b - c * c, SMALLEST_RESIDUAL * (a * b))
        return _fixed_multiple_of_half_ln(determinant, exponent, factor)
    for i in range(k):
        for j in range(i + 1):
            work[i, j] = matrix[members[i], members[j]]
    mantissa = 1.0
    for j in range(k):
        pivot = max(work[j, j], SMALLEST_RESIDUAL * matrix[members[j], members[j]])
        mantissa, shift = math.frexp(mantissa * pivot)
        exponent += shift
        for i in range(j + 1, k):
            ratio = work[i, j] / pivot
            for other in range(j + 1, i + 1):
                work[i, other] -= ratio * work[other, j]
    return _fixed_multiple_of_half_ln(mantissa, exponent, factor)


@njit(cache=True, nogil=True)
def half_ln_determinants_extended(matrix, exponents, members, candidates, factor, out):
    """The same of members + u for each candidate u: limbs in out[u], int64 [n, 2].

    `members` is sorted ascending, and u takes its sorted place.
    """
    k = members.size + 1
    work = np.empty((k, k), dtype=np.float64)
    extended = np.empty(k, dtype=np.int64)
    for u in candidates:
        place = 0
        while place < k - 1 and members[place] < u:
            extended[place] = members[place]
            place += 1
        extended[place] = u
        for rest in range(place, k - 1):
            extended[rest + 1] = members[rest]
        out[u, 0], out[u, 1] = half_ln_determinant(matrix, exponents, extended, factor, work)
