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
def half_ln_determinants_extended(matrix, exponents, members, factor, out):
    """Write what `half_ln_determinant` gives for the members and u, for each other variable u.

    Parameters
    ----------
    matrix, exponents, members, factor
        As there, the members ascending; u takes its place among them.
    out : int64 [n, 2], written but for the members

    Notes
    -----
    All u with the same place p share the elimination of the members before it. `work` is the matrix of the members
    after that: columns before p are as they were when they were eliminated, `ratios` what they were divided to.
    """
    k = members.size
    if k == 1:
        pair = np.empty(2, dtype=np.int64)
        for u in range(matrix.shape[0]):
            if u != members[0]:
                pair[0], pair[1] = members[0], u
                out[u] = half_ln_determinant(matrix, exponents, pair, factor, matrix)
        return
    work, ratios, rest = np.empty((k, k)), np.empty((k, k)), np.empty((k, k))
    pivots, row, column = np.empty(k), np.empty(k), np.empty(k)
    base = np.int64(0)
    for i in range(k):
        base += 2 * exponents[members[i]]
        for j in range(i + 1):
            work[i, j] = matrix[members[i], members[j]]
    mantissa = 1.0
    p = 0
    for u in range(matrix.shape[0]):
        if p < k and u == members[p]:
            pivots[p] = max(work[p, p], SMALLEST_RESIDUAL * matrix[u, u])
            mantissa, shift = math.frexp(mantissa * pivots[p])
            base += shift
            for i in range(p + 1, k):
                ratios[i, p] = work[i, p] / pivots[p]
                for other in range(p + 1, i + 1):
                    work[i, other] -= ratios[i, p] * work[other, p]
            p += 1
            continue
        own = matrix[u, u]
        for j in range(p):
            row[j] = matrix[u, members[j]]
        for i in range(p, k):
            column[i] = matrix[members[i], u]
        for j in range(p):
            ratio = row[j] / pivots[j]
            for other in range(j + 1, p):
                row[other] -= ratio * work[other, j]
            own -= ratio * row[j]
            for i in range(p, k):
                column[i] -= ratios[i, j] * row[j]
        pivot = max(own, SMALLEST_RESIDUAL * matrix[u, u])
        product, exponent = math.frexp(mantissa * pivot)
        exponent += base + 2 * exponents[u]
        for i in range(p, k):
            ratio = column[i] / pivot
            for other in range(p, i + 1):
                rest[i, other] = work[i, other] - ratio * column[other]
        for j in range(p, k):
            pivot = max(rest[j, j], SMALLEST_RESIDUAL * matrix[members[j], members[j]])
            product, shift = math.frexp(product * pivot)
            exponent += shift
            for i in range(j + 1, k):
                ratio = rest[i, j] / pivot
                for other in range(j + 1, i + 1):
                    rest[i, other] -= ratio * rest[other, j]
        out[u] = _fixed_multiple_of_half_ln(product, exponent, factor)


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
    out : int64 [n, 3], 0 at first
        Written for all variables but the child: limbs of the change when u becomes a parent, where there may be one
        more, or ceases to be one.

    Returns
    -------
    hi, lo : int64
        Limbs of the family's score.
    """
    s = parents.size
    family = np.sort(np.append(parents, child))
    work = np.empty((s + 1, s + 1))
    own_hi, own_lo = _difference(matrix, exponents, family, parents, factors, offsets, work)
    if s + 1 < offsets.shape[0]:
        larger, smaller = np.empty((2, out.shape[0], 2), dtype=np.int64)
        half_ln_determinants_extended(matrix, exponents, family, factors[s + 2], larger)
        half_ln_determinants_extended(matrix, exponents, parents, factors[s + 1], smaller)
        for u in range(out.shape[0]):
            out[u, 0] = larger[u, 0] - smaller[u, 0] + offsets[s + 1, 0] - own_hi
            out[u, 1] = larger[u, 1] - smaller[u, 1] + offsets[s + 1, 1] - own_lo
        out[child] = 0
    for u in parents:
        hi, lo = _difference(matrix, exponents, family[family != u], parents[parents != u], factors, offsets, work)
        out[u, 0] = hi - own_hi
        out[u, 1] = lo - own_lo
    return own_hi, own_lo


@njit(cache=True, nogil=True)
def _difference(matrix, exponents, family, parents, factors, offsets, work):
    """Limbs of the score of a family."""
    hi, lo = half_ln_determinant(matrix, exponents, family, factors[family.size], work)
    less_hi, less_lo = half_ln_determinant(matrix, exponents, parents, factors[parents.size], work)
    return hi - less_hi + offsets[parents.size, 0], lo - less_lo + offsets[parents.size, 1]
