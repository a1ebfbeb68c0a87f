"""Counting for tests of independence: x against y in every configuration of the conditioning set z.

Both statistics are sums over the configurations of z of a function of the table of x and y there: so
the tables are made one configuration after the other, from bits or from rows, and never kept.
Sums are fixed-point integers, so it does not matter in which order configurations or cells come.

Twice the mutual information, G2, is 2 (H(xyz) - H(xz) - H(yz) + H(z)); Pearson's X2 is the sum over
configurations of n (sum of n_ij n_ij / (n_i n_j) - 1). What is summed is G2 / 2, or X2.

Arguments of most functions:

- the rows: `codes` [n, N]; `packed`, uint64 [L, W], those of each level as bits, or none; `first`, int64 [n], where the
  levels of each variable start among them; `levels`, int64 [n], how many they are; `weights`, int64 [N or 0];
  `most_cells`, int, tables of more cells are counted by rows.
- the rule: `pearson`, bool, X2, else G2; `adjust`, bool, whether the degrees of freedom are the adjusted ones;
  `largest`, float, a table with more cells says nothing, and its statistic counts as 0; `table`, int64 [T, 2], limbs of
  m ln m; `alone`, float64 [n, n], statistics where nothing is given, or none; `tail`, int, the address of SciPy's tail.
- `critical`, float64 [d]: by degrees of freedom, a statistic above which the p-value need not be known; it is then 0.
- `out`, float64 [m, 3], written: statistic, degrees of freedom and p-value of x and each candidate.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stablebn.kernels.bitsets import common
from stablebn.kernels.cells import MOST_PLACES, count_all, joint_cells, met_levels
from stablebn.kernels.counting import limbs_of_m_ln_m, rows_by_group, split_groups
from stablebn.kernels.joint import group_rows, likelihood, without_variable
from stablebn.kernels.judging import DEGREES, DF, HI, LO, P_VALUE, STATISTIC, judge, judge_statistic, statistic_of
from stablebn.kernels.logarithm import HI_BITS, pair_quotient, to_fixed, two_product
from stablebn.kernels.tails import upper_tail

# A table with this many cells is made whole even if the rows are fewer.
_FEW_CELLS = 4096
# Nor is one with so many cells a row of those that matter counted sparsely.
_CELLS_A_ROW = 4
# Measured: a set and its part in each level of x take as long to make as so many cells for each level take to count.
_MAKING_CELLS = 10
# Picking the rows that matter pays for more candidates than these, if it leaves out more than the rest of this share.
_FEW_CANDIDATES = 8
_LARGE_SHARE = 0.5
# So many levels at a time are met with sets, where those that come first may be enough.
_LEVELS_AT_ONCE = 8


@njit(cache=True, nogil=True)
def _pearson_term(cell, row, column, size):
    """Limbs of size * cell**2 / (row * column), to 2**-62."""
    hi, lo = two_product(float(cell * cell), float(size))
    hi, lo = pair_quotient(hi, lo, float(row * column), 0.0)
    return to_fixed(hi, lo)


@njit(cache=True, nogil=True)
def _add_tables(cells, in_x, c, pearson, table, sums):  # IN int64 [K * r * c], int64 [K, r]
    """Add what the cells of all configurations, and their sums by level of y, bring.

    The sums by level of x, `in_x`, are those of every candidate: `_shared_sums` has their part of G2. A configuration
    in which x does not vary brings nothing.
    """
    r = in_x.shape[1]
    columns = np.empty(c, dtype=np.int64)
    hi = np.int64(0)
    lo = np.int64(0)
    df = 0
    for k in range(in_x.shape[0]):
        seen_rows = 0
        for i in range(r):
            seen_rows += int(in_x[k, i] > 0)
        if seen_rows < 2:
            continue
        start = k * r * c
        if pearson:
            _add_pearson(cells[start : start + r * c], in_x[k], c, sums)
        columns[:] = 0
        at = np.uint64(start)
        for _ in range(r):
            for j in range(c):
                m = cells[at]
                at += np.uint64(1)
                columns[j] += m
                # 0 ln 0 and 1 ln 1 are looked up too: to guess which cells are larger takes longer.
                if not pearson:
                    term_hi, term_lo = limbs_of_m_ln_m(m, table)
                    hi += term_hi
                    lo += term_lo
        seen_columns = 0
        for column in columns:
            if not pearson:
                term_hi, term_lo = limbs_of_m_ln_m(column, table)
                hi -= term_hi
                lo -= term_lo
            seen_columns += int(column > 0)
        df += (seen_rows - 1) * (seen_columns - 1)
    sums[HI] += hi
    sums[LO] += lo
    sums[DF] += df


@njit(cache=True, nogil=True)
def _add_pearson(cells, in_x, c, sums):  # IN int64 [r * c], IN int64 [r]
    """Add one configuration's part of X2."""
    size = in_x.sum()
    sums[HI] -= size << HI_BITS
    for j in range(c):
        column = cells[j::c].sum()
        for i in range(in_x.size):
            if cells[i * c + j]:
                term_hi, term_lo = _pearson_term(cells[i * c + j], in_x[i], column, size)
                sums[HI] += term_hi
                sums[LO] += term_lo


@njit(cache=True, nogil=True)
def _shared_sums(in_x, pearson, table):  # IN int64 [K, r]
    """What the sums of every candidate begin with: the limbs of H(z) - H(xz), of G2, and no degree of freedom."""
    sums = np.zeros(3, dtype=np.int64)
    if not pearson:
        for k in range(in_x.shape[0]):
            size = np.int64(0)
            for m in in_x[k]:
                size += m
                term_hi, term_lo = limbs_of_m_ln_m(m, table)
                sums[HI] -= term_hi
                sums[LO] -= term_lo
            term_hi, term_lo = limbs_of_m_ln_m(size, table)
            sums[HI] += term_hi
            sums[LO] += term_lo
    return sums


@njit(cache=True, nogil=True)
def _by_bits(
    x,
    sets,
    sizes,
    candidates,
    stop_at,
    configurations,
    critical,
    pearson,
    adjust,
    largest,
    table,
    tail,
    packed,
    first,
    levels,
    out,
):
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

    shared = _shared_sums(in_x, pearson, table)
    sums = np.empty(3, dtype=np.int64)
    begin = 0
    while begin < candidates.size:
        end = _end_of_some(begin, candidates, levels) if stop_at >= 0 else candidates.size
        met = met_levels(parts, packed, candidates[begin:end], first, levels)
        start = 0
        for at in range(begin, end):
            y = candidates[at]
            c = levels[y]
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
            sums[:] = shared
            _add_tables(cells.reshape(-1), in_x, c, pearson, table, sums)
            judge(sums, x, y, configurations, critical, pearson, adjust, largest, tail, levels, out[at])
            if out[at, P_VALUE] <= stop_at:
                return at + 1
            start += c - 1
        begin = end
    return candidates.size


@njit(cache=True, nogil=True)
def _end_of_some(begin, candidates, levels):
    """The end of the next candidates with some levels together."""
    end, counted = begin, 0
    while end < candidates.size and counted < _LEVELS_AT_ONCE:
        counted += levels[candidates[end]] - 1
        end += 1
    return end


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
def _by_rows(
    x,
    given,
    candidates,
    stop_at,
    configurations,
    critical,
    pearson,
    adjust,
    largest,
    table,
    tail,
    codes,
    levels,
    weights,
    out,
):
    """Each table is a histogram over the rows that matter: dense, or where it would be mostly empty sparse."""
    mattering, group, groups = _configurations_by_rows(x, given, codes, levels, weights)
    r = levels[x]
    in_x = np.zeros((groups, r), dtype=np.int64)
    _count(mattering, group, codes[x], r, weights, in_x.reshape(-1))
    # Configuration and level of x in one number.
    places = group * np.int32(r) + codes[x][mattering]
    order = np.empty(0, dtype=np.int32)
    starts = np.empty(0, dtype=np.int64)
    most = max(_CELLS_A_ROW * mattering.size, _FEW_CELLS)
    scratch = np.empty(min(most, groups * r * levels[candidates].max()), dtype=np.int64)
    shared = _shared_sums(in_x, pearson, table)
    sums = np.empty(3, dtype=np.int64)
    for at in range(candidates.size):
        y = candidates[at]
        c = levels[y]
        sums[:] = shared
        if groups * r * c <= most:
            cells = scratch[: groups * r * c]
            cells[:] = 0
            _count(mattering, places, codes[y], c, weights, cells)
            _add_tables(cells, in_x, c, pearson, table, sums)
        else:
            if not starts.size:
                order, starts = rows_by_group(group, groups)
                order = mattering[order]
            _sparse(order, starts, in_x, codes[x], codes[y], r, c, weights, pearson, table, sums)
        judge(sums, x, y, configurations, critical, pearson, adjust, largest, tail, levels, out[at])
        if out[at, P_VALUE] <= stop_at:
            return at + 1
    return candidates.size


@njit(cache=True, nogil=True)
def _by_all_rows(
    x,
    places,
    used,
    candidates,
    stop_at,
    configurations,
    critical,
    pearson,
    adjust,
    largest,
    table,
    tail,
    codes,
    levels,
    weights,
    out,
):
    """Each table is a histogram over all rows, by their places: configuration and level of x in one number < `used`."""
    r = levels[x]
    in_x = np.zeros((1, r), dtype=np.int64)
    # One piece of memory serves all candidates.
    scratch = np.empty(used * levels[candidates].max(), dtype=np.int64)
    shared = np.zeros(3, dtype=np.int64)
    sums = np.empty(3, dtype=np.int64)
    for at in range(candidates.size):
        y = candidates[at]
        cells = scratch[: used * levels[y]]
        cells[:] = 0
        count_all(places, codes[y], levels[y], weights, cells)
        if not at:
            in_x = _sums_of_blocks(cells, levels[y]).reshape((-1, r))
            shared = _shared_sums(in_x, pearson, table)
        sums[:] = shared
        _add_tables(cells, in_x, levels[y], pearson, table, sums)
        judge(sums, x, y, configurations, critical, pearson, adjust, largest, tail, levels, out[at])
        if out[at, P_VALUE] <= stop_at:
            return at + 1
    return candidates.size


@njit(cache=True, nogil=True)
def _sums_of_blocks(cells, c):
    """The sum of every c cells: int64 [cells / c]."""
    sums = np.empty(cells.size // c, dtype=np.int64)
    for block in range(sums.size):
        size = np.int64(0)
        for at in range(block * c, (block + 1) * c):
            size += cells[at]
        sums[block] = size
    return sums


@njit(cache=True, nogil=True)
def _places_where_varies(places, count, r):  # IN uint16 [N]
    """The places numbered without the configurations in which x does not vary, and how many there are: uint16 [N], int.

    The rows of those are put together by level of x: in such a configuration x does not vary either.
    """
    in_x = _sizes_of_places(places, count)
    number = np.empty(count, dtype=np.uint16)
    found = r * r
    for start in range(0, count, r):
        _, varies = _size_and_variation(in_x, start, r)
        for i in range(r):
            number[start + i] = found + i if varies else i * r + i
        found += r if varies else 0
    numbered = np.empty_like(places)
    for i in range(places.size):
        numbered[i] = number[places[i]]
    return numbered, found


@njit(cache=True, nogil=True)
def _share_where_varies(places, count, r):  # IN uint16 [N]
    """The share of the rows in whose configuration x varies."""
    in_x = _sizes_of_places(places, count)
    found = 0
    for start in range(0, count, r):
        size, varies = _size_and_variation(in_x, start, r)
        found += size if varies else 0
    return found / places.size


@njit(cache=True, nogil=True)
def _sizes_of_places(places, count):  # IN uint16 [N]
    """Rows in each place: int64 [count]."""
    sizes = np.zeros(count, dtype=np.int64)
    for place in places:
        sizes[place] += 1
    return sizes


@njit(cache=True, nogil=True)
def _size_and_variation(in_x, start, r):
    """The rows of the configuration that starts at a place, and whether x varies in it."""
    size = in_x[start]
    most = size
    for place in range(start + 1, start + r):
        size += in_x[place]
        most = max(most, in_x[place])
    return size, most < size


@njit(cache=True, nogil=True)
def associate(
    x,
    given,
    candidates,
    stop_at,
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
    out,
):
    """Write the outcomes of x and each candidate, up to the first p-value that is not above `stop_at`; how many."""
    configurations = 1.0
    for v in given:
        configurations *= levels[v]
    if alone.size and not given.size:
        for at in range(candidates.size):
            y = candidates[at]
            out[at, STATISTIC] = alone[x, y]
            out[at, DEGREES] = (levels[x] - 1) * (levels[y] - 1)
            judge_statistic(out[at], critical, tail)
            if out[at, P_VALUE] <= stop_at:
                return at + 1
        return candidates.size
    columns = levels[candidates].sum()
    # Sets have to be made, and counted for each candidate; else rows have to be placed, and counted for each.
    most = (1 + candidates.size) * most_cells // (levels[x] * (_MAKING_CELLS + columns - candidates.size))
    if packed.size and most > 0:
        made, sets, sizes = _configurations_by_bits(x, given, codes.shape[1], packed, first, levels, most)
        if made:
            return _by_bits(
                x,
                sets,
                sizes,
                candidates,
                stop_at,
                configurations,
                critical,
                pearson,
                adjust,
                largest,
                table,
                tail,
                packed,
                first,
                levels,
                out,
            )
    r = levels[x]
    places = configurations * r
    if places + r * r <= MOST_PLACES:
        by_place = group_rows(codes, np.append(given, x), levels)
        if places * columns > candidates.size * max(codes.shape[1], _FEW_CELLS):
            by_place, places = _places_where_varies(by_place, int(places), r)
        if places * columns <= candidates.size * max(_CELLS_A_ROW * codes.shape[1], _FEW_CELLS) and (
            candidates.size <= _FEW_CANDIDATES or _share_where_varies(by_place, int(places), r) > _LARGE_SHARE
        ):
            return _by_all_rows(
                x,
                by_place,
                int(places),
                candidates,
                stop_at,
                configurations,
                critical,
                pearson,
                adjust,
                largest,
                table,
                tail,
                codes,
                levels,
                weights,
                out,
            )
    return _by_rows(
        x,
        given,
        candidates,
        stop_at,
        configurations,
        critical,
        pearson,
        adjust,
        largest,
        table,
        tail,
        codes,
        levels,
        weights,
        out,
    )


@njit(cache=True, nogil=True)
def associations(
    x,
    given,
    candidates,
    most_information,
    stop_at,
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
    """The outcomes of x and each candidate given some variables, up to the first that is dependent enough.

    Parameters
    ----------
    x, given, candidates : int, int64 [k], int64 [m]
    most_information : float
        What G2 cannot exceed: a candidate for which it could not be significant even then is not counted, and has the
        p-value 1. Infinite where all are to be counted.
    stop_at : float
        No candidate is looked at after one whose p-value is not above this; negative: all are.
    critical, the rule, the rows

    Returns
    -------
    out : float64 [candidates looked at, 3]
        Statistics, degrees of freedom and p-values.
    """
    out = np.empty((candidates.size, 3), dtype=np.float64)
    df = float(levels[x] - 1)
    for v in given:
        df *= levels[v]
    hopeful = np.empty(candidates.size, dtype=np.int64)
    found = 0
    for at in range(candidates.size):
        out[at, STATISTIC], out[at, DEGREES], out[at, P_VALUE] = 0.0, df * (levels[candidates[at]] - 1), 1.0
        # The median of the chi-square distribution is above df - 1 (Chen and Rubin 1986).
        if out[at, DEGREES] - 1 <= most_information:
            hopeful[found] = at
            found += 1
    if not found:
        return out
    hopeful = hopeful[:found]
    if found == candidates.size:
        done = associate(
            x,
            given,
            candidates,
            stop_at,
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
            out,
        )
        return out[:done]
    outcomes = np.empty((found, 3), dtype=np.float64)
    done = associate(
        x,
        given,
        candidates[hopeful],
        stop_at,
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
        outcomes,
    )
    for at in range(done):
        out[hopeful[at]] = outcomes[at]
    return out if done == found else out[: hopeful[done - 1] + 1]


@njit(cache=True, nogil=True)
def associations_given_rest(
    x,
    blanket,
    among,
    most_whole,
    stop_above,
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
    """P-values of x and some members of a blanket, each given all the others, up to the first that is great enough.

    Parameters
    ----------
    x, blanket, among : int, int64 [k], int64 [m]
    most_whole : int
        A joint table of x and the blanket with no more cells is made whole, and has the answers for all; for G2 only.
    stop_above : float
        No member is looked at after one whose p-value is above this.
    the rule, the rows

    Returns
    -------
    p_values : float64 [members looked at]
    """
    p_values = np.empty(among.size, dtype=np.float64)
    cells = float(levels[x])
    for v in blanket:
        cells *= levels[v]
    if among.size > 1 and cells <= most_whole:
        known = _given_rest_by_table(x, blanket, table, tail, codes, packed, first, levels, weights, most_cells)
        for at in range(among.size):
            p_values[at] = known[np.searchsorted(blanket, among[at])]
            if p_values[at] > stop_above:
                return p_values[: at + 1]
        return p_values
    outcome = np.empty((1, 3), dtype=np.float64)
    nothing_clear = np.empty(0, dtype=np.float64)
    for at in range(among.size):
        y = among[at : at + 1]
        associate(
            x,
            blanket[blanket != y[0]],
            y,
            -1.0,
            nothing_clear,
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
        p_values[at] = outcome[0, P_VALUE]
        if p_values[at] > stop_above:
            return p_values[: at + 1]
    return p_values


@njit(cache=True, nogil=True)
def _given_rest_by_table(x, blanket, table, tail, codes, packed, first, levels, weights, most_cells):
    """P-values by G2 of x and each member of a blanket, given the others, from one joint table: float64 [k]."""
    r = levels[x]
    family = np.append(blanket, x)
    cells = joint_cells(family, codes, packed, first, levels, weights, most_cells)
    own_hi, own_lo = likelihood(cells, r, 1, table)
    p_values = np.empty(blanket.size, dtype=np.float64)
    sums = np.zeros(3, dtype=np.int64)
    stride = r
    for at in range(blanket.size - 1, -1, -1):
        c = levels[blanket[at]]
        hi, lo = likelihood(without_variable(cells, stride, c), r, 1, table)
        sums[HI], sums[LO] = own_hi - hi, own_lo - lo
        df = cells.size // (r * c) * (r - 1) * (c - 1)
        p_values[at] = upper_tail(statistic_of(sums, False), df, tail)
        stride *= c
    return p_values
