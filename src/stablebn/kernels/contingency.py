"""Counting for tests of independence: x against y in every configuration of the conditioning set z.

Both statistics are sums over the configurations of z of a function of the table of x and y there: so
the tables are made one configuration after the other, from bits or from rows, and never kept.
Sums are fixed-point integers, so it does not matter in which order configurations or cells come.

Twice the mutual information, G2, is 2 (H(xyz) - H(xz) - H(yz) + H(z)); Pearson's X2 is the sum over
configurations of n (sum of n_ij n_ij / (n_i n_j) - 1). What is returned is G2 / 2, or X2.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stablebn.kernels.bitsets import common, intersection_sizes
from stablebn.kernels.counting import group_counts, limbs_of_m_ln_m, rows_by_group, split_groups, sum_m_ln_m
from stablebn.kernels.joint import group_rows, likelihood, without_variable
from stablebn.kernels.logarithm import HI_BITS, LO_BITS, LO_MASK, pair_quotient, to_fixed, two_product

HI, LO, DF = 0, 1, 2
ENDED, FOUND, PAUSED = 0, 1, 2
"""Why a walk over subsets came back: none is left, one was found, or it had made as many tests as it may."""

_UNIT_HI = 2.0**-HI_BITS
_UNIT_LO = 2.0 ** -(HI_BITS + LO_BITS)
# A table with this many cells is made whole even if the rows are fewer.
_FEW_CELLS = 4096
# Measured: a set and its part in each level of x take as long to make as so many cells for each level take to count.
_MAKING_CELLS = 10
# Picking the rows that matter pays for more candidates than these, if it leaves out more than the rest of this share.
_FEW_CANDIDATES = 8
_LARGE_SHARE = 0.5
# Places are 16 bits wide.
_MOST_PLACES = 1 << 16


@njit(cache=True, nogil=True)
def _pearson_term(cell, row, column, size):
    """Limbs of size * cell**2 / (row * column), to 2**-62."""
    hi, lo = two_product(float(cell * cell), float(size))
    hi, lo = pair_quotient(hi, lo, float(row * column), 0.0)
    return to_fixed(hi, lo)


@njit(cache=True, nogil=True)
def _add_tables(cells, in_x, c, pearson, table, sums):  # IN int64 [K * r * c], int64 [K, r]
    """Add what the cells of all configurations, and their sums by level of y, bring.

    The sums by level of x, `in_x`, are those of every candidate: `_add_margins` has their part of G2.
    """
    r = in_x.shape[1]
    columns = np.empty(c, dtype=np.int64)
    hi = np.int64(0)
    lo = np.int64(0)
    df = 0
    for k in range(in_x.shape[0]):
        start = k * r * c
        seen_rows = 0
        for i in range(r):
            seen_rows += int(in_x[k, i] > 0)
        seen_columns = 0
        for j in range(c):
            column = np.int64(0)
            for i in range(r):
                m = cells[start + i * c + j]
                column += m
                # Most cells of a large table hold no row or one, and 1 ln 1 is nothing.
                if m > 1 and not pearson:
                    term_hi, term_lo = limbs_of_m_ln_m(m, table)
                    hi += term_hi
                    lo += term_lo
            columns[j] = column
            seen_columns += int(column > 0)
            if column > 1 and not pearson:
                term_hi, term_lo = limbs_of_m_ln_m(column, table)
                hi -= term_hi
                lo -= term_lo
        df += max(seen_rows - 1, 0) * (seen_columns - 1)
        if pearson:
            size = columns.sum()
            hi -= size << HI_BITS
            for i in range(r):
                for j in range(c):
                    if cells[start + i * c + j]:
                        term_hi, term_lo = _pearson_term(cells[start + i * c + j], in_x[k, i], columns[j], size)
                        hi += term_hi
                        lo += term_lo
    sums[HI] += hi
    sums[LO] += lo
    sums[DF] += df


@njit(cache=True, nogil=True)
def _add_margins(in_x, pearson, table, out):  # IN int64 [K, r]
    """Add the part of G2 that every candidate shares: H(z) - H(xz)."""
    if pearson:
        return
    hi, lo = sum_m_ln_m(in_x.sum(axis=1), table)
    in_x_hi, in_x_lo = sum_m_ln_m(in_x.reshape(-1), table)
    for at in range(out.shape[0]):
        out[at, HI] += hi - in_x_hi
        out[at, LO] += lo - in_x_lo


@njit(cache=True, nogil=True)
def _by_bits(x, sets, sizes, candidates, packed, first, levels, pearson, table, out):
    """Each configuration's table is made of sizes of intersections: of z and x, each with the levels of y."""
    r = levels[x]
    # Slot 0 of a configuration is the whole of it, slot i its part in level i of x; level 0 is what the others leave.
    parts = np.empty((sizes.size * r, packed.shape[1]), dtype=np.uint64)
    in_x = np.empty((sizes.size, r), dtype=np.int64)
    for k in range(sizes.size):
        in_x[k, 0] = sizes[k]
        parts[k * r] = sets[k]
        for i in range(1, r):
            level = packed[first[x] + i]
            for w in range(level.size):
                parts[k * r + i, w] = sets[k, w] & level[w]
            in_x[k, i] = common(parts[k * r + i], parts[k * r + i])
            in_x[k, 0] -= in_x[k, i]

    counted = 0
    for y in candidates:
        counted += levels[y] - 1
    which = np.empty(counted, dtype=np.int64)
    m = 0
    for y in candidates:
        for level in range(1, levels[y]):
            which[m] = first[y] + level
            m += 1
    met = np.empty((counted, parts.shape[0]), dtype=np.int64)
    intersection_sizes(parts, packed, which, met)

    start = 0
    for at in range(candidates.size):
        c = levels[candidates[at]]
        cells = np.empty((sizes.size, r, c), dtype=np.int64)
        for k in range(sizes.size):
            own = cells[k]
            for i in range(r):
                own[i, 0] = in_x[k, i]
            for j in range(1, c):
                own[0, j] = met[start + j - 1, k * r]
                for i in range(1, r):
                    own[i, j] = met[start + j - 1, k * r + i]
                    own[0, j] -= own[i, j]
                    own[i, 0] -= own[i, j]
                own[0, 0] -= own[0, j]
        _add_tables(cells.reshape(-1), in_x, c, pearson, table, out[at])
        start += c - 1
    _add_margins(in_x, pearson, table, out)


@njit(cache=True, nogil=True)
def _count(rows, places, y_codes, c, weights, cells):  # OUT cells int64 [any], zero at the start
    """Add every row to its cell."""
    # Unsigned: an index that may be negative takes longer.
    width = np.uint32(c)
    if weights.size:
        for i in range(rows.size):
            cells[np.uint32(places[i]) * width + np.uint32(y_codes[rows[i]])] += weights[rows[i]]
    else:
        for i in range(rows.size):
            cells[np.uint32(places[i]) * width + np.uint32(y_codes[np.uint32(rows[i])])] += 1


@njit(cache=True, nogil=True)
def _count_all(places, y_codes, c, weights, cells):  # OUT cells int64 [any], zero at the start
    """Add every row to its cell, where all rows have a place."""
    width = np.uint32(c)
    if weights.size:
        for i in range(places.size):
            cells[np.uint32(places[i]) * width + np.uint32(y_codes[i])] += weights[i]
    else:
        for i in range(places.size):
            cells[np.uint32(places[i]) * width + np.uint32(y_codes[i])] += 1


@njit(cache=True, nogil=True)
def _sparse(order, starts, in_x, x_codes, y_codes, r, c, weights, pearson, table, out):
    """Configuration by configuration over rows sorted by them: only cells that occur are looked at."""
    cells = np.zeros((r, c), dtype=np.int64)
    columns = np.zeros(c, dtype=np.int64)
    for g in range(starts.size - 1):
        rows = order[starts[g] : starts[g + 1]]
        for i in rows:
            weight = weights[i] if weights.size else 1
            cells[x_codes[i], y_codes[i]] += weight
            columns[y_codes[i]] += weight
        size = in_x[g].sum()
        hi, lo = (-(size << HI_BITS), np.int64(0)) if pearson else (np.int64(0), np.int64(0))
        for row in rows:
            i, j = x_codes[row], y_codes[row]
            if cells[i, j]:
                if pearson:
                    term_hi, term_lo = _pearson_term(cells[i, j], in_x[g, i], columns[j], size)
                else:
                    term_hi, term_lo = limbs_of_m_ln_m(cells[i, j], table)
                hi += term_hi
                lo += term_lo
                cells[i, j] = 0
        seen_columns = 0
        for row in rows:
            j = y_codes[row]
            if columns[j]:
                if not pearson:
                    term_hi, term_lo = limbs_of_m_ln_m(columns[j], table)
                    hi -= term_hi
                    lo -= term_lo
                columns[j] = 0
                seen_columns += 1
        out[HI] += hi
        out[LO] += lo
        out[DF] += ((in_x[g] > 0).sum() - 1) * (seen_columns - 1)


@njit(cache=True, nogil=True)
def _varies(rows, size, x_levels):  # IN uint64 [W], IN uint64 [r, W]
    """Whether x has more than one level in some rows."""
    for i in range(x_levels.shape[0]):
        here = common(rows, x_levels[i])
        if here:
            return here < size
    return False


@njit(cache=True, nogil=True)
def _configurations_by_bits(x, given, rows, packed, first, levels, most):
    """Rows of each configuration of z in which x varies, as bits, and their numbers; not made if more than `most`.

    Where x does not vary, no y can add to any sum: with many variables in z few configurations are left.

    Returns
    -------
    made : bool
    sets, sizes : uint64 [K, W], int64 [K]
    """
    x_levels = packed[first[x] : first[x] + levels[x]]
    # The levels of x make up all rows, and no bit beyond them.
    sets = np.zeros((1, packed.shape[1]), dtype=np.uint64)
    for i in range(levels[x]):
        sets[0] |= x_levels[i]
    sizes = np.array([rows])
    for v in given:
        found = np.empty((min(sets.shape[0] * levels[v], most + 1), packed.shape[1]), dtype=np.uint64)
        found_sizes = np.empty(found.shape[0], dtype=np.int64)
        k = 0
        for s in range(sets.shape[0]):
            for level in range(first[v], first[v] + levels[v]):
                size = common(sets[s], packed[level])
                if size > 1:
                    for w in range(packed.shape[1]):
                        found[k, w] = sets[s, w] & packed[level, w]
                    if _varies(found[k], size, x_levels):
                        if k == most:
                            return False, sets, sizes
                        found_sizes[k] = size
                        k += 1
        sets, sizes = found[:k], found_sizes[:k]
    return True, sets, sizes


@njit(cache=True, nogil=True)
def _configurations_by_rows(x, given, codes, levels, weights):
    """The rows in whose configuration of z x varies, the number of it for each, and how many there are."""
    rows = np.arange(codes.shape[1]).astype(np.int32)
    group = np.zeros(codes.shape[1], dtype=np.int32)
    groups = 1
    for place in range(given.size):
        v = given[place]
        group, groups = split_groups(group, groups, codes[v][rows], levels[v])
        if place == given.size - 1 or groups * levels[given[place + 1]] > rows.size:
            rows, group, groups = _where_varies(rows, group, groups, codes[x], levels[x], weights)
    return rows, group, groups


@njit(cache=True, nogil=True)
def _where_varies(rows, group, groups, x_codes, r, weights):
    """The same partition without the groups in which x does not vary."""
    in_x = np.zeros(groups * r, dtype=np.int64)
    _count(rows, group, x_codes, r, weights, in_x)
    number = np.full(groups, -1, dtype=np.int32)
    found = 0
    for g in range(groups):
        seen = 0
        for i in range(g * r, (g + 1) * r):
            seen += in_x[i] > 0
        if seen > 1:
            number[g] = found
            found += 1
    m = 0
    for i in range(rows.size):
        # Written in any case, and written over where it should not be.
        rows[m] = rows[i]
        group[m] = number[group[i]]
        m += group[m] >= 0
    return rows[:m], group[:m], found


@njit(cache=True, nogil=True)
def _by_rows(x, given, candidates, codes, levels, weights, pearson, table, out):
    """Each table is a histogram over the rows that matter: dense, or where it would be mostly empty sparse."""
    rows, group, groups = _configurations_by_rows(x, given, codes, levels, weights)
    r = levels[x]
    in_x = np.zeros((groups, r), dtype=np.int64)
    _count(rows, group, codes[x], r, weights, in_x.reshape(-1))
    # Configuration and level of x in one number.
    places = group * np.int32(r) + codes[x][rows]
    order = np.empty(0, dtype=np.int32)
    starts = np.empty(0, dtype=np.int64)
    most = max(4 * rows.size, _FEW_CELLS)
    scratch = np.empty(min(most, groups * r * levels[candidates].max()), dtype=np.int64)
    for at in range(candidates.size):
        y = candidates[at]
        c = levels[y]
        if groups * r * c <= most:
            cells = scratch[: groups * r * c]
            cells[:] = 0
            _count(rows, places, codes[y], c, weights, cells)
            _add_tables(cells, in_x, c, pearson, table, out[at])
        else:
            if not starts.size:
                order, starts = rows_by_group(group, groups)
                order = rows[order]
            _sparse(order, starts, in_x, codes[x], codes[y], r, c, weights, pearson, table, out[at])
    _add_margins(in_x, pearson, table, out)


@njit(cache=True, nogil=True)
def _by_all_rows(x, places, candidates, codes, levels, weights, pearson, table, out):
    """Each table is a histogram over all rows, by their places: configuration and level of x in one number."""
    r = levels[x]
    in_x = np.zeros((1, r), dtype=np.int64)
    used = (places.max() // r + 1) * r
    # One piece of memory serves all candidates.
    scratch = np.empty(used * levels[candidates].max(), dtype=np.int64)
    for at in range(candidates.size):
        y = candidates[at]
        cells = scratch[: used * levels[y]]
        cells[:] = 0
        _count_all(places, codes[y], levels[y], weights, cells)
        if not at:
            in_x = cells.reshape((-1, levels[y])).sum(axis=1).reshape((-1, r))
        _add_tables(cells, in_x, levels[y], pearson, table, out[at])
    _add_margins(in_x, pearson, table, out)


@njit(cache=True, nogil=True)
def _share_where_varies(places, r):  # IN uint16 [N]
    """The share of the rows in whose configuration x varies."""
    in_x = np.zeros((places.max() // r + 1) * r, dtype=np.int64)
    for place in places:
        in_x[place] += 1
    found = 0
    for start in range(0, in_x.size, r):
        size = in_x[start : start + r].sum()
        found += size if in_x[start : start + r].max() < size else 0
    return found / places.size


@njit(cache=True, nogil=True)
def _associations(x, given, candidates, codes, packed, first, levels, weights, most_cells, pearson, table, out):
    """Sums of each candidate in its row of out, int64 [m, 3]: small tables by bits, which know no weights."""
    out[:] = 0
    columns = levels[candidates].sum()
    # Sets have to be made, and counted for each candidate; else rows have to be placed, and counted for each.
    most = (1 + candidates.size) * most_cells // (levels[x] * (_MAKING_CELLS + columns - candidates.size))
    if packed.size and most > 0:
        made, sets, sizes = _configurations_by_bits(x, given, codes.shape[1], packed, first, levels, most)
        if made:
            _by_bits(x, sets, sizes, candidates, packed, first, levels, pearson, table, out)
            return
    places = float(levels[x])
    for v in given:
        places *= levels[v]
    if places <= _MOST_PLACES and places * columns <= candidates.size * max(codes.shape[1], _FEW_CELLS):
        by_place = group_rows(codes, np.append(given, x), levels)
        if candidates.size <= _FEW_CANDIDATES or _share_where_varies(by_place, levels[x]) > _LARGE_SHARE:
            _by_all_rows(x, by_place, candidates, codes, levels, weights, pearson, table, out)
            return
    _by_rows(x, given, candidates, codes, levels, weights, pearson, table, out)


@njit(cache=True, nogil=True)
def associations(x, given, candidates, pearson, table, codes, packed, first, levels, weights, most_cells):
    """The statistic of x and each candidate given some variables.

    Parameters
    ----------
    x, given, candidates : int, int64 [k], int64 [m]
    pearson : bool
        X2, else G2.
    table : int64 [T, 2]
        Limbs of m ln m.
    codes, packed, first, levels : codes [n, N], uint64 [L, W], int64 [n], int64 [n]
        The rows as codes, and those of each level as bits.
    weights : int64 [N or 0]
    most_cells : int
        Tables of more cells are counted by rows.

    Returns
    -------
    statistics : float64 [m]
    adjusted : int64 [m]
        Sum over the configurations that occur of (levels of x there - 1) (levels of y there - 1).
    """
    out = np.empty((candidates.size, 3), dtype=np.int64)
    _associations(x, given, candidates, codes, packed, first, levels, weights, most_cells, pearson, table, out)
    statistics = np.empty(candidates.size, dtype=np.float64)
    for at in range(candidates.size):
        statistics[at] = _statistic(out[at], pearson)
    return statistics, out[:, DF].copy()


@njit(cache=True, nogil=True)
def associations_given_rest(family, table, codes, levels, weights):
    """G2 of the last variable of a family and each other one, given all the rest: float64 [x - 1].

    Parameters
    ----------
    family : int64 [x]
        Their joint table should be small: it is made whole.
    table, codes, levels, weights
        As in `associations`.
    """
    r = levels[family[-1]]
    cells = group_counts(group_rows(codes, family, levels), levels[family].prod(), weights)
    own_hi, own_lo = likelihood(cells, r, 1, table)
    statistics = np.empty(family.size - 1, dtype=np.float64)
    sums = np.zeros(3, dtype=np.int64)
    stride = r
    for at in range(family.size - 2, -1, -1):
        y = family[at]
        hi, lo = likelihood(without_variable(cells, stride, levels[y]), r, 1, table)
        sums[HI], sums[LO] = own_hi - hi, own_lo - lo
        statistics[at] = _statistic(sums, False)
        stride *= levels[y]
    return statistics


@njit(cache=True, nogil=True)
def _statistic(sums, pearson):
    """The statistic as a double."""
    value = (sums[HI] + (sums[LO] >> LO_BITS)) * _UNIT_HI + (sums[LO] & LO_MASK) * _UNIT_LO
    return max(value if pearson else 2.0 * value, 0.0)


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
    always,
    places,
    most,
    critical,
    adjust,
    largest,
    pearson,
    table,
    codes,
    packed,
    first,
    levels,
    weights,
    most_cells,
):
    """Walk over subsets of a pool until one does not clearly show x and y dependent.

    Parameters
    ----------
    x, y, pool, always : int, int, int64 [p], int64 [q]
        The variables of `always` are given besides the subset.
    places : int64 [k]
        Places in the pool of the subset to begin with; of the one found, at the end.
    most : int
        Return after so many tests.
    critical : float64 [d]
        By degrees of freedom, the statistic above which dependence is clear; beyond d nothing is.
    adjust : bool
        Whether the degrees of freedom are the adjusted ones.
    largest : float
        A table with more cells says nothing: its statistic counts as 0.
    pearson, table, codes, packed, first, levels, weights, most_cells
        As in `associations`.

    Returns
    -------
    why : int
        ENDED, FOUND or PAUSED (then `places` is the subset to go on with).
    tests : int
        How many were made; the last is the one found.
    statistic, df : float
        Of the last.
    """
    k = places.size
    given = np.empty(k + always.size, dtype=np.int64)
    given[k:] = always
    candidates = np.array([y])
    out = np.empty((1, 3), dtype=np.int64)
    tests = 0
    while True:
        for at in range(k):
            given[at] = pool[places[at]]
        configurations = 1.0
        for v in given:
            configurations *= levels[v]
        _associations(x, given, candidates, codes, packed, first, levels, weights, most_cells, pearson, table, out)
        tests += 1
        statistic = _statistic(out[0], pearson) if configurations * levels[x] * levels[y] <= largest else 0.0
        df = float(out[0, DF]) if adjust else configurations * (levels[x] - 1) * (levels[y] - 1)
        if df >= critical.size or statistic <= critical[int(df)]:
            return FOUND, tests, statistic, df
        if not next_subset(places, pool.size):
            return ENDED, tests, statistic, df
        if tests == most:
            return PAUSED, tests, statistic, df
