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
# Limbs of ln(2) / 2, as `ln` and `to_fixed` give them.
HALF_LN_2 = (372130558, 4198100790)


@njit(cache=True, nogil=True)
def _fixed_multiple_of_half_ln(mantissa, exponent, factor):
    """Limbs of factor * ln(mantissa * 2**exponent) / 2, an exact multiple of the limbs of the half logarithms."""
    l_hi, l_lo = ln(mantissa, 0.0)
    m_hi, m_lo = to_fixed(0.5 * l_hi, 0.5 * l_lo)
    lo = m_lo + HALF_LN_2[1] * exponent
    hi = m_hi + HALF_LN_2[0] * exponent + (lo >> LO_BITS)
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
def with_variable(members, u):  # IN int64 [k], ascending
    """The members and u, ascending: int64 [k + 1]."""
    place = np.searchsorted(members, u)
    extended = np.empty(members.size + 1, dtype=np.int64)
    extended[:place] = members[:place]
    extended[place] = u
    extended[place + 1 :] = members[place:]
    return extended


@njit(cache=True, nogil=True)
def determinant_changes(matrix, exponents, child, parents, factors, offsets, out):
    """Score of a family and its changes, where a score is a difference of log-determinants and an offset.

    Parameters
    ----------
    matrix, exponents
        As in `half_ln_determinant`.
    child, parents : int, int64 [s]
        The parents ascending.
    factors : int64 [n + 1]
        Of the half log-determinant of a set, by its size.
    offsets : int64 [P + 1, 2]
        Limbs of the offset by number of parents, of which there may be P.
    out : int64 [n, 3]
        Written for all variables but the child: limbs of the change when u becomes a parent, where there may be one
        more, or ceases to be one.

    Returns
    -------
    hi, lo : int64
        Limbs of the family's score.
    """
    s = parents.size
    work = np.empty((s + 2, s + 2))
    family = with_variable(parents, child)
    own_hi, own_lo = _difference(matrix, exponents, family, parents, factors, offsets, work)
    is_parent = np.zeros(factors.size, dtype=np.bool_)
    is_parent[parents] = True
    for u in range(out.shape[0]):
        if u == child:
            continue
        if is_parent[u]:
            larger, smaller = family[family != u], parents[parents != u]
        elif s + 1 < offsets.shape[0]:
            larger, smaller = with_variable(family, u), with_variable(parents, u)
        else:
            continue
        hi, lo = _difference(matrix, exponents, larger, smaller, factors, offsets, work)
        out[u, 0] = hi - own_hi
        out[u, 1] = lo - own_lo
    return own_hi, own_lo


@njit(cache=True, nogil=True)
def _difference(matrix, exponents, family, parents, factors, offsets, work):
    """Limbs of the score of a family."""
    hi, lo = half_ln_determinant(matrix, exponents, family, factors[family.size], work)
    less_hi, less_lo = half_ln_determinant(matrix, exponents, parents, factors[parents.size], work)
    return hi - less_hi + offsets[parents.size, 0], lo - less_lo + offsets[parents.size, 1]
