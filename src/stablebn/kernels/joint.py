"""Joint tables: the counts of a set of variables together with every other variable, one at a time.

The table of a set X holds in row (u, level) and column k how many rows have that level of u and configuration k of X.
Configurations are numbered with the last variable of X fastest. Rows of the variables of X itself are 0.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stablebn.kernels.bitsets import meet
from stablebn.kernels.counting import limbs_of_m_ln_m, sum_ln_rising, sum_m_ln_m

EVENLY, SPARSELY, BY_ONE = 0, 1, 2
"""Prior mass shared by all cells, by the cells of parent configurations that occur, or 1 a cell."""


@njit(cache=True, nogil=True)
def pair_counts(packed, first, levels, sizes, variables, out):
    """Counts of the pairs of levels of some variables and of those before them.

    Parameters
    ----------
    packed : uint64 [L, W]
        Rows of each level.
    first, levels : int64 [n]
        Where the levels of each variable start, and how many they are.
    sizes : int64 [L]
        Rows of each level.
    variables : int64 [any]
    out : int32 [L, L], zero at the start
    """
    for v in variables:
        own = first[v]
        last = own + levels[v] - 1
        configurations = np.arange(own, last).reshape(-1, 1)
        which = counted_levels(first[:v], levels[:v])
        met = np.empty((which.size, configurations.size), dtype=np.int32)
        meet(packed, configurations, which, met)
        for m in range(which.size):
            for k in range(configurations.size):
                out[which[m], own + k] = met[m, k]
        for u in range(v):
            end = first[u] + levels[u] - 1
            for k in range(own, last):
                out[end, k] = sizes[k]
                for row in range(first[u], end):
                    out[end, k] -= out[row, k]
            for row in range(first[u], end + 1):
                out[row, last] = sizes[row]
                for k in range(own, last):
                    out[row, last] -= out[row, k]
                for k in range(own, last + 1):
                    out[k, row] = out[row, k]


@njit(cache=True, nogil=True)
def counted_levels(first, levels):  # IN int64 [any]
    """All levels of some variables but the last of each, which has the rows that no other one has."""
    which = np.empty(levels.sum() - levels.size, dtype=np.int64)
    m = 0
    for u in range(levels.size):
        for level in range(levels[u] - 1):
            which[m] = first[u] + level
            m += 1
    return which


@njit(cache=True, nogil=True)
def others(variables, members):  # IN int64 [any], IN int64 [x]
    """The variables that are not members: int64 [any]."""
    outside = np.empty(variables.size, dtype=np.int64)
    found = 0
    for u in variables:
        for member in members:
            if u == member:
                break
        else:
            outside[found] = u
            found += 1
    return outside[:found]


@njit(cache=True, nogil=True)
def plan_extension(table, members, place, first, levels):
    """Which configurations to count when a variable w joins a set whose table is known.

    Those with the level of w that meets most configurations need not be counted: they are what the others leave of
    the known table. Nor those which do not occur, as the known table says.

    Parameters
    ----------
    table : int32 [L, K]
        The table without w.
    members, place : int64 [x], int
        The variables of the new set, ascending, and which of them is w.
    first, levels : int64 [n]

    Returns
    -------
    configurations : int64 [C, x]
        The level of each member, by row of the table.
    targets : int64 [C]
        Their columns in the new table.
    sizes : int64 [K * levels[w]]
        Rows of each configuration of the new set.
    skipped : int
        The level of w that is not counted.
    """
    w = members[place]
    stride = 1
    for member in members[place + 1 :]:
        stride *= levels[member]
    columns = table.shape[1]
    sizes = np.zeros(columns * levels[w], dtype=np.int64)
    most = 0
    skipped = 0
    occurring = 0
    for level in range(levels[w]):
        found = 0
        for k in range(columns):
            count = table[first[w] + level, k]
            sizes[extended_column(k, level, stride, levels[w])] = count
            found += count > 0
        occurring += found
        if found > most:
            most = found
            skipped = level
    configurations = np.empty((occurring - most, members.size), dtype=np.int64)
    targets = np.empty(occurring - most, dtype=np.int64)
    c = 0
    for level in range(levels[w]):
        for k in range(columns):
            column = extended_column(k, level, stride, levels[w])
            if level == skipped or sizes[column] == 0:
                continue
            targets[c] = column
            rest = column
            for p in range(members.size - 1, -1, -1):
                configurations[c, p] = first[members[p]] + rest % levels[members[p]]
                rest //= levels[members[p]]
            c += 1
    return configurations, targets, sizes, skipped


@njit(cache=True, nogil=True)
def extended_column(k, level, stride, levels):
    """The column of configuration k with one more variable at a level, whose stride is given."""
    return (k // stride * levels + level) * stride + k % stride


@njit(cache=True, nogil=True)
def finish_extension(known, met, which, targets, sizes, members, place, skipped, first, levels, outside, out):
    """Write a table from the counts of its planned configurations and the table without w.

    Parameters
    ----------
    known : int32 [L, K]
        The table without w.
    met, which, targets : int32 [M, C], int64 [M], int64 [C]
        Counts of levels and configurations, and where they belong.
    sizes, members, place, skipped, first, levels
        As in `plan_extension`.
    outside : int64 [any]
        The variables that are not in the set.
    out : int32 [L, K * levels[w]], zero at the start
    """
    w = members[place]
    stride = 1
    for member in members[place + 1 :]:
        stride *= levels[member]
    for m in range(which.size):
        for c in range(targets.size):
            out[which[m], targets[c]] = met[m, c]
    for u in outside:
        last = first[u] + levels[u] - 1
        for column in targets:
            out[last, column] = sizes[column]
        for row in range(first[u], last):
            for column in targets:
                out[last, column] -= out[row, column]
        for row in range(first[u], last + 1):
            for k in range(known.shape[1]):
                left = known[row, k]
                for level in range(levels[w]):
                    if level != skipped:
                        left -= out[row, extended_column(k, level, stride, levels[w])]
                out[row, extended_column(k, skipped, stride, levels[w])] = left


@njit(cache=True, nogil=True)
def extend_table(known, members, place, variables, first, levels, packed, most_configurations, sizes, counts):
    """Write the table of a set from that without one of its variables, w, by bits.

    Parameters
    ----------
    known, members, place, first, levels
        As in `plan_extension`.
    variables : int64 [any]
        The variables whose rows are to be written, but for the members.
    packed : uint64 [L, W]
        Rows of each level.
    most_configurations : float
        If more would have to be counted, nothing is.
    sizes, counts : int64 [K * levels[w]], int32 [L, K * levels[w]], zero at the start

    Returns
    -------
    counted : bool
    """
    configurations, targets, found, skipped = plan_extension(known, members, place, first, levels)
    if targets.size > most_configurations:
        return False
    for k in range(sizes.size):
        sizes[k] = found[k]
    outside = others(variables, members)
    which = counted_levels(first[outside], levels[outside])
    met = np.empty((which.size, targets.size), dtype=np.int32)
    meet(packed, configurations, which, met)
    finish_extension(known, met, which, targets, sizes, members, place, skipped, first, levels, outside, counts)
    return True


@njit(cache=True, nogil=True)
def group_rows(codes, members, levels):  # IN codes [n, N], IN int64 [x]
    """The configuration of every row: uint16 [N]."""
    groups = np.empty(codes.shape[1], dtype=np.uint16)
    groups[:] = codes[members[0]]
    for v in members[1:]:
        column = codes[v]
        size = np.uint16(levels[v])
        for i in range(groups.size):
            groups[i] = groups[i] * size + np.uint16(column[i])
    return groups


@njit(cache=True, nogil=True)
def count_weights(codes, weights, members, variables, first, levels, sizes, counts):
    """Count the table of a set from few rows, each with its weight.

    Parameters
    ----------
    codes, weights : uint8 [n, N], int64 [N]
    members, variables, first, levels
        As in `extend_table`.
    sizes, counts : int64 [K], int32 [L, K], zero at the start
    """
    outside = others(variables, members)
    for i in range(weights.size):
        configuration = 0
        for member in members:
            configuration = configuration * levels[member] + codes[member, i]
        sizes[configuration] += weights[i]
        for u in outside:
            counts[first[u] + codes[u, i], configuration] += weights[i]


@njit(cache=True, nogil=True)
def count_bundles(groups, columns, which, bundles, bundle_sizes, bundled, starts, first, levels, weights, out):
    """The counts of a table, by histograms over some bundles of variables.

    A bundle is several variables made one, so that one pass over the rows counts them all.

    Parameters
    ----------
    groups, columns : uint16 [N], int
        Configuration of every row, and their number.
    which : int64 [any]
        The bundles to count.
    bundles, bundle_sizes : uint8 [B, N], int64 [B]
        Joint code of the variables of each bundle, the last one fastest, and the number of its codes.
    bundled, starts : int64 [any], int64 [B + 1]
        The variables of all bundles, and where those of each start.
    first, levels, weights : int64 [n], int64 [n], int64 [N or 0]
    out : int32 [L, columns], zero at the start
    """
    cells = np.empty(bundle_sizes.max() * columns, dtype=np.int32)
    # Unsigned: an index that may be negative takes longer.
    width = np.uint64(columns)
    for b in which:
        bundle = bundles[b]
        used = cells[: bundle_sizes[b] * columns]
        used[:] = 0
        if weights.size:
            for i in range(groups.size):
                used[np.uint64(bundle[i]) * width + np.uint64(groups[i])] += weights[i]
        else:
            for i in range(groups.size):
                used[np.uint64(bundle[i]) * width + np.uint64(groups[i])] += 1
        stride = 1
        for at in range(starts[b + 1] - 1, starts[b] - 1, -1):
            u = bundled[at]
            for code in range(bundle_sizes[b]):
                row = out[first[u] + code // stride % levels[u]]
                part = used[code * columns : (code + 1) * columns]
                for k in range(columns):
                    row[k] += part[k]
            stride *= levels[u]


@njit(cache=True, nogil=True)
def first_likelihood_changes(pairs, sizes, first, levels, m_ln_m, unit_hi, unit_lo, owns, out):
    """What `likelihood_changes` gives for every variable without parents.

    Parameters
    ----------
    pairs, sizes : int32 [L, L], int64 [L]
        Counts of all pairs of levels, and rows of each level.
    first, levels, m_ln_m, unit_hi, unit_lo
        As in `likelihood_changes`.
    owns : int64 [n, 2], written
        Limbs of the scores.
    out : int64 [n, n, 3], zero at the start
        In row (v, u), limbs of the change when u becomes a parent of v.
    """
    n = levels.size
    all_hi, all_lo = limbs_of_m_ln_m(sizes[first[0] : first[0] + levels[0]].sum(), m_ln_m) if n else (0, 0)
    for v in range(n):
        hi, lo = sum_m_ln_m(sizes[first[v] : first[v] + levels[v]], m_ln_m)
        owns[v, 0] = hi - all_hi
        owns[v, 1] = lo - all_lo
    for v in range(n):
        for u in range(v):
            hi = lo = np.int64(0)
            for row in range(first[u], first[u] + levels[u]):
                row_hi, row_lo = sum_m_ln_m(pairs[row, first[v] : first[v] + levels[v]], m_ln_m)
                hi += row_hi
                lo += row_lo
            free = (levels[u] - 1) * (levels[v] - 1)
            hi -= all_hi + owns[u, 0] + owns[v, 0] + unit_hi * free
            lo -= all_lo + owns[u, 1] + owns[v, 1] + unit_lo * free
            out[u, v, 0] = out[v, u, 0] = hi
            out[u, v, 1] = out[v, u, 1] = lo
    for v in range(n):
        owns[v, 0] -= unit_hi * (levels[v] - 1)
        owns[v, 1] -= unit_lo * (levels[v] - 1)


@njit(cache=True, nogil=True)
def likelihood_changes(counts, sizes, members, place, first, levels, variables, m_ln_m, unit_hi, unit_lo, out):
    """Score of a family and its changes, where a score is the log-likelihood less a penalty per free parameter.

    Parameters
    ----------
    counts, sizes : int32 [L, K], int64 [K]
        The table of child and parents, and the rows of each configuration.
    members, place : int64 [x], int
        Child and parents, ascending, and which of them is the child.
    first, levels, variables : int64 [n], int64 [n], int64 [any]
        `variables`: those with rows in the table.
    m_ln_m : int64 [T, 2]
    unit_hi, unit_lo : int64
        Limbs of the penalty of a free parameter.
    out : int64 [n, 3], written for `variables` and the parents, but not for the child
        Limbs of the change of score when u becomes a parent or ceases to be one, and 0.

    Returns
    -------
    hi, lo : int64
        Limbs of the family's score.
    """
    child = members[place]
    stride = 1
    for member in members[place + 1 :]:
        stride *= levels[member]
    free = sizes.size // levels[child] * (levels[child] - 1)
    own_hi, own_lo = likelihood(sizes, levels[child], stride, m_ln_m)
    for u in others(variables, members):
        hi = lo = np.int64(0)
        for row in range(first[u], first[u] + levels[u]):
            row_hi, row_lo = likelihood(counts[row], levels[child], stride, m_ln_m)
            hi += row_hi
            lo += row_lo
        more = free * (levels[u] - 1)
        out[u, 0] = hi - own_hi - unit_hi * more
        out[u, 1] = lo - own_lo - unit_lo * more
        out[u, 2] = 0
    # One parent less: its levels are added up.
    width = 1
    for p in range(members.size - 1, -1, -1):
        u = members[p]
        if p != place:
            fewer = without_variable(sizes, width, levels[u])
            hi, lo = likelihood(fewer, levels[child], stride // levels[u] if p > place else stride, m_ln_m)
            more = free // levels[u] - free
            out[u, 0] = hi - own_hi - unit_hi * more
            out[u, 1] = lo - own_lo - unit_lo * more
            out[u, 2] = 0
        width *= levels[u]
    return own_hi - unit_hi * free, own_lo - unit_lo * free


@njit(cache=True, nogil=True)
def dirichlet_changes(counts, sizes, members, place, first, levels, variables, prior, iss, out):
    """Score of a family and its changes, where a score is a Dirichlet marginal likelihood.

    Parameters
    ----------
    counts, sizes, members, place, first, levels, variables
        As in `likelihood_changes`.
    prior, iss : int, float
        How the prior counts are shared out: EVENLY, SPARSELY (the mass of `iss`), or BY_ONE.
    out : int64 [n, 3], written for `variables` and the parents, but not for the child

    Returns
    -------
    hi, lo : int64
        Limbs of the family's score.
    """
    child = members[place]
    stride = 1
    for member in members[place + 1 :]:
        stride *= levels[member]
    own_hi, own_lo = _dirichlet(sizes, levels[child], stride, prior, iss)
    for u in others(variables, members):
        cells = counts[first[u] : first[u] + levels[u]].reshape(-1)
        hi, lo = _dirichlet(cells, levels[child], stride, prior, iss)
        out[u, 0] = hi - own_hi
        out[u, 1] = lo - own_lo
        out[u, 2] = 0
    width = 1
    for p in range(members.size - 1, -1, -1):
        u = members[p]
        if p != place:
            fewer = without_variable(sizes, width, levels[u])
            hi, lo = _dirichlet(fewer, levels[child], stride // levels[u] if p > place else stride, prior, iss)
            out[u, 0] = hi - own_hi
            out[u, 1] = lo - own_lo
            out[u, 2] = 0
        width *= levels[u]
    return own_hi, own_lo


@njit(cache=True, nogil=True)
def _dirichlet(cells, child_levels, stride, prior, iss):  # IN integers [K]
    """Limbs of the Dirichlet terms of the cells, less those of the cells with the child's levels added up."""
    margins = without_variable(cells, stride, child_levels)
    if prior == BY_ONE:
        cell, margin = 1.0, float(child_levels)
    else:
        configurations = margins.size if prior == EVENLY else (margins > 0).sum()
        cell, margin = iss / (configurations * child_levels), iss / configurations
    hi, lo = sum_ln_rising(cells, cell)
    margin_hi, margin_lo = sum_ln_rising(margins, margin)
    return hi - margin_hi, lo - margin_lo


@njit(cache=True, nogil=True)
def without_variable(cells, stride, levels):  # IN integers [K]
    """The cells with the levels of one variable, of a given stride, added up: int64 [K / levels]."""
    fewer = np.zeros(cells.size // levels, dtype=np.int64)
    block = stride * levels
    for at in range(cells.size // block):
        for start in range(at * block, (at + 1) * block, stride):
            for k in range(stride):
                fewer[at * stride + k] += cells[start + k]
    return fewer


@njit(cache=True, nogil=True)
def likelihood(cells, child_levels, stride, m_ln_m):  # IN integers [K]
    """Limbs of the sum of m ln m over the cells, less that over the cells with the child's levels added up."""
    hi = np.int64(0)
    lo = np.int64(0)
    for start in range(0, cells.size, stride * child_levels):
        for k in range(start, start + stride):
            margin = np.int64(0)
            for level in range(child_levels):
                m = np.int64(cells[k + level * stride])
                margin += m
                m_hi, m_lo = limbs_of_m_ln_m(m, m_ln_m)
                hi += m_hi
                lo += m_lo
            m_hi, m_lo = limbs_of_m_ln_m(margin, m_ln_m)
            hi -= m_hi
            lo -= m_lo
    return hi, lo
