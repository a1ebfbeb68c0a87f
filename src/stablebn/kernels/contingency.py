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

from stablebn.kernels.bitsets import WORD, common, intersection_sizes, population
from stablebn.kernels.counting import limbs_of_m_ln_m, rows_by_group, split_groups, sum_m_ln_m
from stablebn.kernels.logarithm import HI_BITS, LO_BITS, LO_MASK, pair_quotient, to_fixed, two_product

HI, LO, DF = 0, 1, 2
ENDED, FOUND, PAUSED = 0, 1, 2
"""Why a walk over subsets came back: none is left, one was found, or it had made as many tests as it may."""

_UNIT_HI = 2.0**-HI_BITS
_UNIT_LO = 2.0 ** -(HI_BITS + LO_BITS)
# A table with this many cells is made whole even if the rows are fewer.
_FEW_CELLS = 4096
# More sets of rows than this take longer to make than a partition row by row, and more words than this much memory.
_MOST_SETS = 2048
_MOST_WORDS = 1 << 23
# Measured: a row that was picked takes some five times as long to count as one in a run through all.
_DEARER_ROWS = 5


@njit(cache=True, nogil=True)
def _pearson_term(cell, row, column, size):
    """Limbs of size * cell**2 / (row * column), to 2**-62."""
    hi, lo = two_product(float(cell * cell), float(size))
    hi, lo = pair_quotient(hi, lo, float(row * column), 0.0)
    return to_fixed(hi, lo)


@njit(cache=True, nogil=True)
def _add_table(cells, in_x, columns, pearson, table, sums):
    """Add what one configuration's cells, int64 [r, c], and their sums by level of y bring; `columns` is scratch.

    The sums by level of x, `in_x`, are those of every candidate: `_add_margins` has their part of G2.
    """
    hi = np.int64(0)
    lo = np.int64(0)
    seen_columns = 0
    for j in range(cells.shape[1]):
        column = np.int64(0)
        for i in range(cells.shape[0]):
            column += cells[i, j]
            if not pearson:
                term_hi, term_lo = limbs_of_m_ln_m(cells[i, j], table)
                hi += term_hi
                lo += term_lo
        columns[j] = column
        seen_columns += int(column > 0)
        if not pearson:
            term_hi, term_lo = limbs_of_m_ln_m(column, table)
            hi -= term_hi
            lo -= term_lo
    size = np.int64(0)
    seen_rows = 0
    for i in range(in_x.size):
        size += in_x[i]
        seen_rows += int(in_x[i] > 0)
    if pearson:
        hi -= size << HI_BITS
        for i in range(in_x.size):
            for j in range(cells.shape[1]):
                if cells[i, j]:
                    term_hi, term_lo = _pearson_term(cells[i, j], in_x[i], columns[j], size)
                    hi += term_hi
                    lo += term_lo
    sums[HI] += hi
    sums[LO] += lo
    sums[DF] += (seen_rows - 1) * (seen_columns - 1)


@njit(cache=True, nogil=True)
def _add_margins(in_x, chosen, pearson, table, out):  # IN int64 [K, r]
    """Add the part of G2 that every candidate shares: H(z) - H(xz)."""
    if pearson:
        return
    hi, lo = sum_m_ln_m(in_x.sum(axis=1), table)
    in_x_hi, in_x_lo = sum_m_ln_m(in_x.reshape(-1), table)
    for at in chosen:
        out[at, HI] += hi - in_x_hi
        out[at, LO] += lo - in_x_lo


@njit(cache=True, nogil=True)
def _by_bits(x, sets, sizes, candidates, chosen, packed, first, levels, pearson, table, out):
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
    for y in candidates[chosen]:
        counted += levels[y] - 1
    which = np.empty(counted, dtype=np.int64)
    m = 0
    for y in candidates[chosen]:
        for level in range(1, levels[y]):
            which[m] = first[y] + level
            m += 1
    met = np.empty((counted, parts.shape[0]), dtype=np.int64)
    intersection_sizes(parts, packed, which, met)

    start = 0
    for at in chosen:
        c = levels[candidates[at]]
        cells = np.empty((r, c), dtype=np.int64)
        columns = np.empty(c, dtype=np.int64)
        for k in range(sizes.size):
            for i in range(r):
                cells[i, 0] = in_x[k, i]
            for j in range(1, c):
                cells[0, j] = met[start + j - 1, k * r]
                for i in range(1, r):
                    cells[i, j] = met[start + j - 1, k * r + i]
                    cells[0, j] -= cells[i, j]
                    cells[i, 0] -= cells[i, j]
                cells[0, 0] -= cells[0, j]
            _add_table(cells, in_x[k], columns, pearson, table, out[at])
        start += c - 1
    _add_margins(in_x, chosen, pearson, table, out)


@njit(cache=True, nogil=True)
def _count(rows, places, y_codes, c, weights, cells):  # OUT cells int64 [any, c], zero at the start
    """Add every row to its cell."""
    flat = cells.reshape(-1)
    if weights.size:
        for i in range(rows.size):
            flat[places[i] * c + y_codes[rows[i]]] += weights[rows[i]]
    else:
        for i in range(rows.size):
            flat[places[i] * c + y_codes[rows[i]]] += 1


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
def _configurations_by_bits(x, given, rows, packed, first, levels):
    """Rows of each configuration of z in which x varies, as bits, and their numbers; not made if there are many.

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
        most = sets.shape[0] * levels[v]
        if most > _MOST_SETS or most * packed.shape[1] > _MOST_WORDS:
            return False, sets, sizes
        found = np.empty((most, packed.shape[1]), dtype=np.uint64)
        found_sizes = np.empty(most, dtype=np.int64)
        k = 0
        for s in range(sets.shape[0]):
            for level in range(first[v], first[v] + levels[v]):
                size = common(sets[s], packed[level])
                if size > 1:
                    for w in range(packed.shape[1]):
                        found[k, w] = sets[s, w] & packed[level, w]
                    if _varies(found[k], size, x_levels):
                        found_sizes[k] = size
                        k += 1
        sets, sizes = found[:k], found_sizes[:k]
    return True, sets, sizes


@njit(cache=True, nogil=True)
def _rows_of_sets(sets, sizes):  # IN uint64 [K, W], IN int64 [K]
    """The rows of each set, one set after the other, and the set of each: int32 [m], int32 [m]."""
    rows = np.empty(sizes.sum(), dtype=np.int32)
    group = np.empty(rows.size, dtype=np.int32)
    m = 0
    for k in range(sizes.size):
        for w in range(sets.shape[1]):
            word = sets[k, w]
            while word:
                # The lowest bit, and the word without it.
                rows[m] = w * WORD + np.int64(population((word & (~word + np.uint64(1))) - np.uint64(1)))  # type: ignore[call-arg]
                group[m] = k
                m += 1
                word &= word - np.uint64(1)
    return rows[:m], group[:m]


@njit(cache=True, nogil=True)
def _configurations_by_rows(x, given, codes, levels):
    """The rows in whose configuration of z x varies, the number of it for each, and how many there are."""
    rows = np.arange(codes.shape[1]).astype(np.int32)
    group = np.zeros(codes.shape[1], dtype=np.int32)
    groups = 1
    for v in given:
        group, groups = split_groups(group, groups, codes[v][rows], levels[v])
        first_code = np.full(groups, -1, dtype=np.int32)
        number = np.full(groups, -1, dtype=np.int32)
        found = 0
        for i in range(group.size):
            g, code = group[i], codes[x, rows[i]]
            if first_code[g] < 0:
                first_code[g] = code
            elif first_code[g] != code and number[g] < 0:
                number[g] = found
                found += 1
        m = 0
        for i in range(group.size):
            if number[group[i]] >= 0:
                rows[m] = rows[i]
                group[m] = number[group[i]]
                m += 1
        rows, group, groups = rows[:m], group[:m], found
    return rows, group, groups


@njit(cache=True, nogil=True)
def _by_rows(x, rows, group, groups, candidates, chosen, codes, levels, weights, pearson, table, out):
    """Each table is a histogram over the rows that matter: dense, or where it would be mostly empty sparse."""
    r = levels[x]
    in_x = np.zeros((groups, r), dtype=np.int64)
    _count(rows, group, codes[x], r, weights, in_x)
    # Configuration and level of x in one number.
    places = group * np.int32(r) + codes[x][rows]
    order = np.empty(0, dtype=np.int32)
    starts = np.empty(0, dtype=np.int64)
    for at in chosen:
        y = candidates[at]
        c = levels[y]
        if groups * r * c <= max(4 * rows.size, _FEW_CELLS):
            cells = np.zeros((groups * r, c), dtype=np.int64)
            columns = np.empty(c, dtype=np.int64)
            _count(rows, places, codes[y], c, weights, cells)
            for g in range(groups):
                _add_table(cells[g * r : (g + 1) * r], in_x[g], columns, pearson, table, out[at])
        else:
            if not starts.size:
                order, starts = rows_by_group(group, groups)
                order = rows[order]
            _sparse(order, starts, in_x, codes[x], codes[y], r, c, weights, pearson, table, out[at])
    _add_margins(in_x, chosen, pearson, table, out)


@njit(cache=True, nogil=True)
def _associations(x, given, candidates, codes, packed, first, levels, weights, most_cells, pearson, table, out):
    """Sums of each candidate in its row of out, int64 [m, 3]: small tables by bits, which know no weights."""
    out[:] = 0
    everyone = np.arange(candidates.size)
    made = False
    if packed.size:
        made, sets, sizes = _configurations_by_bits(x, given, codes.shape[1], packed, first, levels)
    if not made:
        rows, group, groups = _configurations_by_rows(x, given, codes, levels)
        _by_rows(x, rows, group, groups, candidates, everyone, codes, levels, weights, pearson, table, out)
        return
    # Bits look at all rows, a histogram only at those that matter, each at some cost for picking it.
    most = _DEARER_ROWS * most_cells * sizes.sum() / codes.shape[1]
    few = np.array([sizes.size * levels[x] * (levels[y] - 1) <= most for y in candidates])
    if few.any():
        _by_bits(x, sets, sizes, candidates, everyone[few], packed, first, levels, pearson, table, out)
    if not few.all():
        rows, group = _rows_of_sets(sets, sizes)
        _by_rows(x, rows, group, sizes.size, candidates, everyone[~few], codes, levels, weights, pearson, table, out)


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
