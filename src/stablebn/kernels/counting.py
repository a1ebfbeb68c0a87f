"""Counting: how many rows (by weight) fall in each cell of a joint table, and sums over its cells.

The rows are partitioned by a *base* set of variables: `group[i]` numbers the configuration of row
i, 0 <= group < groups. A table of the base with one more variable is counted densely when it has
no more cells than the data has rows, and otherwise group by group over rows sorted by group, so
that memory never exceeds the data. Group numbers may depend on the order of rows; the multiset
of counts, which is all that leaves this module, does not.

`weights` has length 0 where every row counts once.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stablebn.kernels.logarithm import (
    LO_BITS,
    LO_MASK,
    ln,
    ln_of_integer,
    pair_product,
    pair_quotient,
    pair_sum,
    to_fixed,
    two_sum,
)

_STIRLING_FROM = 16
# B(2k) / (2k (2k - 1)), the coefficients of z**(1 - 2k) in Stirling's series, k = 1 .. 10.
_STIRLING = np.array(
    [
        1 / 12,
        -1 / 360,
        1 / 1260,
        -1 / 1680,
        1 / 1188,
        -691 / 360360,
        1 / 156,
        -3617 / 122400,
        43867 / 244188,
        -174611 / 125400,
    ]
)
_LN_SQRT_2PI_HI = 0.9189385332046728
_LN_SQRT_2PI_LO = -3.878294158067242e-17
_TWELFTH_LO = 4.625929269271486e-18  # 1/12 as a double lacks this much
_MEMO = 256


@njit(cache=True, nogil=True)
def rows_by_group(group, groups):  # IN int32 [N]
    """Rows sorted by group (stable), and where each group starts: int32 [N], int64 [groups + 1]."""
    starts = np.zeros(groups + 1, dtype=np.int64)
    for g in group:
        starts[g + 1] += 1
    for g in range(groups):
        starts[g + 1] += starts[g]
    following = starts[:-1].copy()
    rows = np.empty(group.size, dtype=np.int32)
    for i in range(group.size):
        g = group[i]
        rows[following[g]] = i
        following[g] += 1
    return rows, starts


@njit(cache=True, nogil=True)
def split_groups(group, groups, column, levels):  # IN int32 [N], IN codes [N]
    """The partition by the base and one more variable: new groups int32 [N] and their number.

    Groups keep the number group * levels + code while there are no more of those than rows; beyond
    that only the ones that occur are numbered.
    """
    split = np.empty(group.size, dtype=np.int32)
    if groups * levels <= group.size:
        for i in range(group.size):
            split[i] = group[i] * levels + column[i]
        return split, groups * levels
    rows, starts = rows_by_group(group, groups)
    number = np.full(levels, -1, dtype=np.int32)
    found = 0
    for g in range(groups):
        for at in range(starts[g], starts[g + 1]):
            i = rows[at]
            if number[column[i]] < 0:
                number[column[i]] = found
                found += 1
            split[i] = number[column[i]]
        for at in range(starts[g], starts[g + 1]):
            number[column[rows[at]]] = -1
    return split, found


@njit(cache=True, nogil=True)
def group_counts(group, groups, weights):  # IN int32 [N], IN int64 [N or 0]
    """Rows in each group: int64 [groups]."""
    counts = np.zeros(groups, dtype=np.int64)
    if weights.size:
        for i in range(group.size):
            counts[group[i]] += weights[i]
    else:
        for g in group:
            counts[g] += 1
    return counts


@njit(cache=True, nogil=True)
def _count_dense(group, column, levels, weights, cells):  # OUT cells int64 [>= groups * levels], zero at the start
    if weights.size:
        for i in range(group.size):
            cells[group[i] * levels + column[i]] += weights[i]
    else:
        for i in range(group.size):
            cells[group[i] * levels + column[i]] += 1


@njit(cache=True, nogil=True)
def _count_grouped(rows, starts, column, weights, scratch, cells):
    """Counts of the cells that occur, in `cells`; returns how many. `scratch` [levels] is zero before and after."""
    found = 0
    for g in range(starts.size - 1):
        for at in range(starts[g], starts[g + 1]):
            i = rows[at]
            scratch[column[i]] += weights[i] if weights.size else 1
        for at in range(starts[g], starts[g + 1]):
            code = column[rows[at]]
            if scratch[code]:
                cells[found] = scratch[code]
                found += 1
                scratch[code] = 0
    return found


@njit(cache=True, nogil=True)
def limbs_of_m_ln_m(m, table):  # IN int64 [T, 2]
    """Limbs of m ln m; a count beyond the table is factored."""
    # Unsigned: an index that may be negative takes longer.
    place = np.uint64(m)
    if place < np.uint64(table.shape[0]):
        return table[place, 0], table[place, 1]
    hi, lo = ln_of_integer(m)
    lo *= m
    return hi * m + (lo >> LO_BITS), lo & LO_MASK


@njit(cache=True, nogil=True)
def sum_m_ln_m(cells, table):  # IN int64 [K], IN int64 [T, 2]
    """Limbs of the sum of m ln m over cells."""
    hi = np.int64(0)
    lo = np.int64(0)
    for m in cells:
        m_hi, m_lo = limbs_of_m_ln_m(m, table)
        hi += m_hi
        lo += m_lo
    return hi + (lo >> LO_BITS), lo & LO_MASK


@njit(cache=True, nogil=True)
def _stirling(z_hi, z_lo):
    """Logarithm of the gamma function for z >= 16, absolute error below 2**-66."""
    l_hi, l_lo = ln(z_hi, z_lo)
    a_hi, a_lo = pair_sum(z_hi, z_lo, -0.5, 0.0)
    t_hi, t_lo = pair_product(a_hi, a_lo, l_hi, l_lo)
    t_hi, t_lo = pair_sum(t_hi, t_lo, -z_hi, -z_lo)
    t_hi, t_lo = pair_sum(t_hi, t_lo, _LN_SQRT_2PI_HI, _LN_SQRT_2PI_LO)
    r_hi, r_lo = pair_quotient(1.0, 0.0, z_hi, z_lo)
    square = r_hi * r_hi
    tail = 0.0
    for k in range(_STIRLING.size - 1, 0, -1):
        tail = (tail + _STIRLING[k]) * square
    s_hi, s_lo = pair_sum(_STIRLING[0], _TWELFTH_LO, tail, 0.0)
    s_hi, s_lo = pair_product(s_hi, s_lo, r_hi, r_lo)
    return pair_sum(t_hi, t_lo, s_hi, s_lo)


@njit(cache=True, nogil=True)
def _ln_first_factors(a, count):
    """ln(a (a + 1) ... (a + count - 1)), as a double-double."""
    hi, lo = 0.0, 0.0
    for i in range(count):
        x_hi, x_lo = two_sum(a, float(i))
        l_hi, l_lo = ln(x_hi, x_lo)
        hi, lo = pair_sum(hi, lo, l_hi, l_lo)
    return hi, lo


@njit(cache=True, nogil=True)
def sum_ln_rising(cells, a):  # IN int64 [K]
    """Limbs of the sum over cells of ln(Gamma(m + a) / Gamma(a)), the Dirichlet term of a count m.

    Beyond 16 factors: Stirling's series at m + a, less the same at 16 + a, plus the first 16 factors.
    """
    memo = np.full((_MEMO, 2), -1, dtype=np.int64)
    first_hi, first_lo = _ln_first_factors(a, _STIRLING_FROM)
    z_hi, z_lo = two_sum(a, float(_STIRLING_FROM))
    z_hi, z_lo = _stirling(z_hi, z_lo)
    first_hi, first_lo = pair_sum(first_hi, first_lo, -z_hi, -z_lo)
    hi = np.int64(0)
    lo = np.int64(0)
    for m in cells:
        if m < _MEMO and memo[m, 1] >= 0:
            hi += memo[m, 0]
            lo += memo[m, 1]
            continue
        if m <= _STIRLING_FROM:
            t_hi, t_lo = _ln_first_factors(a, m)
        else:
            z_hi, z_lo = two_sum(float(m), a)
            z_hi, z_lo = _stirling(z_hi, z_lo)
            t_hi, t_lo = pair_sum(z_hi, z_lo, first_hi, first_lo)
        f_hi, f_lo = to_fixed(t_hi, t_lo)
        if m < _MEMO:
            memo[m, 0] = f_hi
            memo[m, 1] = f_lo
        hi += f_hi
        lo += f_lo
    return hi + (lo >> LO_BITS), lo & LO_MASK


@njit(cache=True, nogil=True)
def sum_over_cells(cells, table, priors, at):
    """Limbs of the sum over cells: of m ln m, or where there are priors of the Dirichlet term with priors[at]."""
    if priors.size:
        return sum_ln_rising(cells, priors[at])
    return sum_m_ln_m(cells, table)


@njit(cache=True, nogil=True)
def extension_sums(group, groups, codes, levels, candidates, weights, table, priors, out):
    """Sum over the cells of base + u for each candidate u: limbs in out[u].

    Parameters
    ----------
    group, groups : int32 [N], int
        The partition of the rows by the base.
    codes : uint8, uint16 or int32 [n, N]
    levels, candidates : int64 [n], int64 [any]
    weights : int64 [N or 0]
    table : int64 [T, 2]
        Limbs of m ln m; empty where there are priors.
    priors : float64 [candidates or 0]
        Prior count of a cell for each candidate: then Dirichlet terms are summed, else m ln m.
    out : int64 [n, 2]
        Written in the rows of the candidates only.
    """
    widest = 0
    most = 0
    for u in candidates:
        widest = max(widest, levels[u])
        most = max(most, min(groups * levels[u], group.size))
    cells = np.zeros(most, dtype=np.int64)
    scratch = np.zeros(widest, dtype=np.int64)
    rows = np.empty(0, dtype=np.int32)
    starts = np.empty(0, dtype=np.int64)
    for at in range(candidates.size):
        u = candidates[at]
        if groups * levels[u] <= group.size:
            used = groups * levels[u]
            _count_dense(group, codes[u], levels[u], weights, cells)
        else:
            if not starts.size:
                rows, starts = rows_by_group(group, groups)
            used = _count_grouped(rows, starts, codes[u], weights, scratch, cells)
        out[u, 0], out[u, 1] = sum_over_cells(cells[:used], table, priors, at)
        cells[:used] = 0
