"""Partial correlations by elimination in the order of the variables' numbers.

Only basic operations, in the order written, and no formula that tells x from y: the same bits on
every machine and for both.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from stablebn.kernels.cholesky import SMALLEST_RESIDUAL
from stablebn.kernels.subsets import ENDED, FOUND, PAUSED, next_subset


@njit(cache=True, nogil=True)
def _factor(matrix, given, factor):  # IN int64 [k], ascending; OUT float64 [>= k, >= k]
    """Cholesky factor of the matrix of some variables; a pivot below 2**-40 of its diagonal counts as that."""
    for i in range(given.size):
        _solve(matrix, given, i, given[i], factor, factor[i])
        rest = matrix[given[i], given[i]]
        for j in range(i):
            rest -= factor[i, j] * factor[i, j]
        factor[i, i] = math.sqrt(max(rest, SMALLEST_RESIDUAL * matrix[given[i], given[i]]))


@njit(cache=True, nogil=True)
def _solve(matrix, given, k, v, factor, out):  # OUT float64 [>= k]
    """The row of variable v below the factor of the first k of the given ones."""
    for i in range(k):
        value = matrix[v, given[i]]
        for j in range(i):
            value -= out[j] * factor[i, j]
        out[i] = value / factor[i, i]


@njit(cache=True, nogil=True)
def _residual(matrix, k, u, v, row_u, row_v):
    """What the first k variables leave of the cross-product of u and v."""
    value = matrix[u, v]
    for j in range(k):
        value -= row_u[j] * row_v[j]
    return value


@njit(cache=True, nogil=True)
def _correlation(matrix, k, x, y, row_x, row_y):
    in_x = max(_residual(matrix, k, x, x, row_x, row_x), SMALLEST_RESIDUAL * matrix[x, x])
    in_y = max(_residual(matrix, k, y, y, row_y, row_y), SMALLEST_RESIDUAL * matrix[y, y])
    value = _residual(matrix, k, x, y, row_x, row_y) / math.sqrt(in_x * in_y)
    return min(max(value, -1.0), 1.0)


@njit(cache=True, nogil=True)
def partial_correlations(matrix, x, given, candidates):
    """Correlation of x and each candidate given some variables: float64 [candidates].

    Parameters
    ----------
    matrix : float64 [n, n]
        Sums of cross-products.
    x, given, candidates : int, int64 [k] ascending, int64 [m]
    """
    k = given.size
    factor = np.empty((k, k), dtype=np.float64)
    _factor(matrix, given, factor)
    row_x = np.empty(k, dtype=np.float64)
    row_y = np.empty(k, dtype=np.float64)
    _solve(matrix, given, k, x, factor, row_x)
    out = np.empty(candidates.size, dtype=np.float64)
    for at in range(candidates.size):
        _solve(matrix, given, k, candidates[at], factor, row_y)
        out[at] = _correlation(matrix, k, x, candidates[at], row_x, row_y)
    return out


@njit(cache=True, nogil=True)
def search_subsets(matrix, x, y, pool, always, places, most, critical):
    """Walk over subsets of a pool until one does not clearly show x and y dependent.

    Parameters
    ----------
    matrix : float64 [n, n]
    x, y, pool, always : int, int, int64 [p], int64 [q]
        The variables of `always` are given besides the subset.
    places : int64 [k]
        Places in the pool of the subset to begin with; of the one found, at the end.
    most : int
        Return after so many tests.
    critical : float
        The absolute correlation above which dependence is clear.

    Returns
    -------
    why : int
        ENDED, FOUND or PAUSED (then `places` is the subset to go on with).
    tests : int
        How many were made; the last is the one found.
    correlation : float
        Of the last.
    weakest : float
        The least absolute correlation of those that are clear; infinite where there is none.
    """
    k = places.size + always.size
    given = np.empty(k, dtype=np.int64)
    factor = np.empty((k, k), dtype=np.float64)
    row_x = np.empty(k, dtype=np.float64)
    row_y = np.empty(k, dtype=np.float64)
    tests = 0
    weakest = np.inf
    while True:
        for at in range(places.size):
            given[at] = pool[places[at]]
        given[places.size :] = always
        given.sort()
        _factor(matrix, given, factor)
        _solve(matrix, given, k, x, factor, row_x)
        _solve(matrix, given, k, y, factor, row_y)
        value = _correlation(matrix, k, x, y, row_x, row_y)
        tests += 1
        if abs(value) <= critical:
            return FOUND, tests, value, weakest
        weakest = min(weakest, abs(value))
        if not next_subset(places, pool.size):
            return ENDED, tests, value, weakest
        if tests == most:
            return PAUSED, tests, value, weakest
