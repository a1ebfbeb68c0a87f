"""Walking over the subsets of a pool of variables, in search of one that separates x and y.

The rule, the rows and `critical` are those of `kernels/contingency.py`.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stablebn.kernels.cells import MOST_PLACES, SHARE_OF_CELLS, cells_by_bits, count_all, joint_cells, joint_sets
from stablebn.kernels.contingency import associate
from stablebn.kernels.counting import limbs_of_m_ln_m, sum_m_ln_m
from stablebn.kernels.joint import group_rows, without_variable
from stablebn.kernels.judging import HI, LO, P_VALUE, judge

ENDED, FOUND, PAUSED = 0, 1, 2
"""Why a walk over subsets came back: none is left, one was found, or it had made as many tests as it may."""


@njit(cache=True, nogil=True)
def next_subset(places, n):  # IN, OUT int64 [k], ascending places below n
    """Step to the next subset in lexicographic order; False after the last."""
    k = places.size
    at = k - 1
    while at >= 0 and places[at] == n - k + at:
        at -= 1
    if at < 0:
        return False
    places[at] += 1
    for following in range(at + 1, k):
        places[following] = places[following - 1] + 1
    return True


@njit(cache=True, nogil=True)
def search_subsets(
    x,
    y,
    pool,
    tried,
    always,
    places,
    size,
    most,
    alpha,
    critical,
    pearson,
    adjust,
    largest,
    table,
    alone,
    tail,
    codes,
    packed,
    first,
    levels,
    weights,
    most_cells,
):
    """Walk over subsets of a pool, of growing size, until one separates x and y.

    Parameters
    ----------
    x, y, pool, always : int, int, int64 [p], int64 [q]
        The variables of `always` are given besides the subset.
    tried : bool [p]
        A subset of such members is known not to separate: it counts as a test, and none is made.
    places, size : int64 [largest size], int
        The first are the places in the pool of the subset to begin with, of this size; of the one found, at the end.
    most : int
        Return after so many tests.
    alpha : float
        Independent means a p-value above it.
    critical, the rule, the rows

    Returns
    -------
    why : int
        ENDED, FOUND or PAUSED (then `places` is the subset to go on with).
    tests : int
        How many were made; the last is the one found.
    greatest : float
        Of the p-values; of the one found, if one is.
    size : int
        Of the subset at `places`.
    """
    q = always.size
    # What is always given, then the subset; of these all but the last stay for some tests, and x and y as well.
    given = np.append(always, pool[places[:size]])
    family = np.append(given[: q + size - 1], np.array([x, y])) if size else given
    candidates = np.array([y])
    outcome = np.empty((1, 3), dtype=np.float64)
    sets, sizes = packed[:0], levels[:0]
    by_place = np.empty(0, dtype=np.uint16)
    greatest = 0.0
    tests = 0
    while True:
        new = size == 0
        for at in range(size):
            v = pool[places[at]]
            if at < size - 1 and family[q + at] != v:
                family[q + at] = v
                sizes, by_place = sizes[:0], by_place[:0]
            given[q + at] = v
            new |= not tried[places[at]]
        tests += 1
        if new:
            configurations = 1.0
            for v in given:
                configurations *= levels[v]
            cells = configurations * levels[x] * levels[y]
            if not (size and alone.size and cells <= min(codes.shape[1], MOST_PLACES)):
                associate(
                    x,
                    given,
                    candidates,
                    -1.0,
                    critical,
                    pearson,
                    adjust,
                    largest,
                    table,
                    alone,
                    tail,
                    codes,
                    packed,
                    first,
                    levels,
                    weights,
                    most_cells,
                    outcome,
                )
            else:
                w = given[-1]
                if packed.size and cells <= SHARE_OF_CELLS * most_cells:
                    if not sizes.size:
                        sets, sizes = joint_sets(family, packed, first, levels)
                    counts = cells_by_bits(sets, sizes, w, packed, first, levels)
                else:
                    if not by_place.size:
                        by_place = group_rows(codes, family, levels)
                    counts = np.zeros(int(cells), dtype=np.int64)
                    count_all(by_place, codes[w], levels[w], weights, counts)
                sums = _information(counts, levels[x], levels[y], levels[w], table)
                judge(sums, x, y, configurations, critical, pearson, adjust, largest, tail, levels, outcome[0])
            greatest = max(greatest, outcome[0, P_VALUE])
            if greatest > alpha:
                return FOUND, tests, greatest, size
        if not next_subset(places[:size], pool.size):
            size += 1
            if size > min(places.size, pool.size):
                return ENDED, tests, greatest, size
            places[:size] = np.arange(size)
            given = np.append(always, pool[:size])
            family = np.append(given[:-1], np.array([x, y]))
            sizes, by_place = sizes[:0], by_place[:0]
        if tests == most:
            return PAUSED, tests, greatest, size


@njit(cache=True, nogil=True)
def _information(cells, r, c, last, table):  # IN int64 [K * r * c * last]
    """The sums of G2 / 2 of x and y, of r and c levels, given a last variable and others that come before them."""
    sums = np.zeros(3, dtype=np.int64)
    columns = np.empty(c, dtype=np.int64)
    hi = np.int64(0)
    lo = np.int64(0)
    block = r * c * last
    for corner in range(0, cells.size, block):
        for start in range(corner, corner + last):
            columns[:] = 0
            size = np.int64(0)
            for i in range(r):
                row = np.int64(0)
                for j in range(c):
                    m = cells[start + (i * c + j) * last]
                    row += m
                    columns[j] += m
                    if m > 1:
                        term_hi, term_lo = limbs_of_m_ln_m(m, table)
                        hi += term_hi
                        lo += term_lo
                size += row
                term_hi, term_lo = limbs_of_m_ln_m(row, table)
                hi -= term_hi
                lo -= term_lo
            for m in columns:
                term_hi, term_lo = limbs_of_m_ln_m(m, table)
                hi -= term_hi
                lo -= term_lo
            term_hi, term_lo = limbs_of_m_ln_m(size, table)
            hi += term_hi
            lo += term_lo
    sums[HI], sums[LO] = hi, lo
    return sums


@njit(cache=True, nogil=True)
def inseparable(
    x,
    among,
    most_given,
    alpha,
    critical,
    pearson,
    adjust,
    largest,
    table,
    alone,
    tail,
    codes,
    packed,
    first,
    levels,
    weights,
    most_cells,
):
    """Which of some variables no subset of the others separates from x; by G2, all from one joint table.

    Parameters
    ----------
    x, among : int, int64 [m]
        Subsets are tried by growing size, those of one size in lexicographic order of places.
    most_given : int
        The largest subsets have so many members.
    alpha : float
        Separated means a p-value above it.
    critical, the rule, the rows
        Of the rule, neither Pearson's statistic nor adjusted degrees of freedom.

    Returns
    -------
    kept : bool [m]
    tests : int
        How many were made.
    """
    m = among.size
    own = 1 << m
    sums_of_sets = _sums_of_all_sets(np.append(among, x), table, codes, packed, first, levels, weights, most_cells)
    sums = np.zeros(3, dtype=np.int64)
    outcome = np.empty(3, dtype=np.float64)
    kept = np.ones(m, dtype=np.bool_)
    others = np.empty(m - 1, dtype=np.int64)
    tests = 0
    for at in range(m):
        others[:at] = np.arange(at)
        others[at:] = np.arange(at + 1, m)
        y = 1 << at
        for size in range(min(m - 1, most_given) + 1):
            places = np.arange(size)
            while kept[at]:
                given = 0
                configurations = 1.0
                for place in places:
                    given |= 1 << others[place]
                    configurations *= levels[among[others[place]]]
                for limb in (HI, LO):
                    sums[limb] = (
                        sums_of_sets[given | own | y, limb]
                        - sums_of_sets[given | own, limb]
                        - sums_of_sets[given | y, limb]
                        + sums_of_sets[given, limb]
                    )
                judge(sums, x, among[at], configurations, critical, pearson, adjust, largest, tail, levels, outcome)
                tests += 1
                kept[at] = outcome[P_VALUE] <= alpha
                if not next_subset(places, m - 1):
                    break
    return kept, tests


@njit(cache=True, nogil=True)
def _sums_of_all_sets(variables, table, codes, packed, first, levels, weights, most_cells):
    """Limbs of the sum of m ln m over the joint table of every set of some variables: int64 [2**m, 2], by bits."""
    m = variables.size
    sums = np.empty((1 << m, 2), dtype=np.int64)
    # The sets without some of the first variables come from tables that have them; those still needed are kept.
    tables = [joint_cells(variables, codes, packed, first, levels, weights, most_cells)]
    whole = (1 << m) - 1
    sums[whole, HI], sums[whole, LO] = sum_m_ln_m(tables[0], table)
    sets = [whole]
    for at in range(m):
        for known in range(len(sets)):
            stride = 1
            for later in range(at + 1, m):
                stride *= levels[variables[later]]
            fewer = without_variable(tables[known], stride, levels[variables[at]])
            smaller = sets[known] & ~(1 << at)
            sums[smaller, HI], sums[smaller, LO] = sum_m_ln_m(fewer, table)
            tables.append(fewer)
            sets.append(smaller)
    return sums
