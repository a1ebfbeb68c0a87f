"""What a search has worked out: families, and the small joint tables that they are read off, found again by hash.

Sets of variables are bits in W words of 64; a key is a number and such a set.

families : (keys, slots, changes, scores)
    uint64 [F, 1 + W], int64 [S], int64 [F, n, 3], int64 [F, 2]
    The child and the parents of each family; the family at each hash (-1: none; S is a power of two); what each single
    change of the parents would bring, as in `FamilyScores.changes`; limbs of the score. Family v < n is that of
    variable v without parents, and has no key.
tables : (keys, slots, places, cells)
    uint64 [T, 1 + W], int64 [S], int64 [T, 2], int32 [C]
    The sets of the tables, under the number 0; the table at each hash; where its cells start, and its number of
    columns. The rows are those of a joint table (see `kernels/joint.py`), and a last one with the sizes of the
    configurations.
used : int64 [3]
    How many families, tables and cells there are.
source : tuple
    What tables are counted from and likelihoods are made of:
    codes, weights : uint8 [n, N], int64 [N]
        Rows that count more than once; none where they are in bits.
    packed, pairs : uint64 [L, words], int32 [L, L]
        Rows of each level as bits, and counts of pairs of levels.
    first, levels, variables : int64 [n], int64 [n], int64 [any]
        As in `kernels/joint.py`.
    m_ln_m, unit_hi, unit_lo : int64 [T, 2], int, int
        As in `likelihood_changes`.
    most_configurations, most_for_bits : int, float
        Tables with more configurations are not counted here (0: none is); nor those which have more to count.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stablebn.kernels.joint import count_weights, extend_table, likelihood_changes

FAMILIES, TABLES, CELLS = range(3)

_ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def toggle_bit(words, v):  # IN uint64 [W]
    """Put a variable into a set, or take it out."""
    words[v >> 6] ^= _ONE << np.uint64(v & 63)


@njit(cache=True, nogil=True)
def members_of(words):  # IN uint64 [W]
    """The variables of a set, ascending: int64 [x]."""
    size = 0
    for word in words:
        while word:
            word &= word - _ONE
            size += 1
    members = np.empty(size, dtype=np.int64)
    size = 0
    for w in range(words.size):
        for b in range(64):
            if words[w] >> np.uint64(b) & _ONE:
                members[size] = 64 * w + b
                size += 1
    return members


@njit(cache=True, nogil=True)
def slot_of(number, words, keys, slots):
    """Where a key is, or belongs."""
    # FNV's way of mixing; equal hashes are told apart by the keys.
    mixed = np.uint64(number)
    for word in words:
        mixed = (mixed ^ (word ^ (word >> np.uint64(29)))) * np.uint64(0x100000001B3)
    at = np.int64((mixed ^ (mixed >> np.uint64(32))) & np.uint64(slots.size - 1))
    while slots[at] >= 0:
        key = keys[slots[at]]
        same = key[0] == np.uint64(number)
        for w in range(words.size):
            same &= key[1 + w] == words[w]
        if same:
            break
        at = (at + 1) & (slots.size - 1)
    return at


@njit(cache=True, nogil=True)
def register(number, words, place, keys, slots):
    """Let a key be found at a place."""
    slots[slot_of(number, words, keys, slots)] = place
    keys[place, 0] = number
    for w in range(words.size):
        keys[place, 1 + w] = words[w]


@njit(cache=True, nogil=True)
def register_again(first, last, keys, slots):
    """Let the keys from `first` until `last` be found in other slots."""
    for place in range(first, last):
        slots[slot_of(keys[place, 0], keys[place, 1:], keys, slots)] = place


@njit(cache=True, nogil=True)
def find_family(child, words, keys, slots):
    """The family of a child whose parents are a set, or -1."""
    for word in words:
        if word:
            return slots[slot_of(child, words, keys, slots)]
    return child


@njit(cache=True, nogil=True)
def work_out(
    child,
    words,
    keys,
    slots,
    changes,
    scores,
    table_keys,
    table_slots,
    places,
    cells,
    used,
    codes,
    weights,
    packed,
    pairs,
    first,
    levels,
    variables,
    m_ln_m,
    unit_hi,
    unit_lo,
    most_configurations,
    most_for_bits,
):
    """Note a family if its table is small: see above.

    Returns
    -------
    family : int
        Or -1, if it must be worked out otherwise, or there is no room.
    """
    family = used[FAMILIES]
    if most_configurations == 0 or family == keys.shape[0]:
        return -1
    whole = words.copy()
    toggle_bit(whole, child)
    members = members_of(whole)
    configurations = 1
    for member in members:
        configurations *= levels[member]
        if configurations > most_configurations:
            return -1
    table = tabulate(
        whole,
        table_keys,
        table_slots,
        places,
        cells,
        used,
        codes,
        weights,
        packed,
        pairs,
        first,
        levels,
        variables,
        most_for_bits,
    )
    if table < 0:
        return -1
    counts, sizes = read_table(table, places, cells, pairs.shape[0])
    place = 0
    while members[place] != child:
        place += 1
    own = changes[family]
    own[:] = 0
    scores[family, 0], scores[family, 1] = likelihood_changes(
        counts, sizes, members, place, first, levels, variables, m_ln_m, unit_hi, unit_lo, own
    )
    register(child, words, family, keys, slots)
    used[FAMILIES] += 1
    return family


@njit(cache=True, nogil=True)
def tabulate(
    whole,
    keys,
    slots,
    places,
    cells,
    used,
    codes,
    weights,
    packed,
    pairs,
    first,
    levels,
    variables,
    most_for_bits,
):
    """The table of a set of two or more, counted if need be from that of a part; or -1, as in `work_out`."""
    words = whole.copy()
    left_out = np.empty(64 * words.size, dtype=np.int64)
    dropped = 0
    table = np.int64(-1)
    while True:
        members = members_of(words)
        if members.size == 1:
            break
        table = slots[slot_of(0, words, keys, slots)]
        if table >= 0:
            break
        # One level need not be counted: that saves most where they are few.
        known = False
        best = members[0]
        for member in members:
            toggle_bit(words, member)
            is_known = members.size == 2 or slots[slot_of(0, words, keys, slots)] >= 0
            toggle_bit(words, member)
            if (is_known and not known) or (is_known == known and levels[member] < levels[best]):
                best = member
                known = is_known
        toggle_bit(words, best)
        left_out[dropped] = best
        dropped += 1
    while dropped > 0:
        dropped -= 1
        smaller = members_of(words)
        toggle_bit(words, left_out[dropped])
        if smaller.size == 1:
            known = levels_of(smaller[0], pairs, first, levels)
        else:
            known, _ = read_table(table, places, cells, pairs.shape[0])
        columns = known.shape[1] * levels[left_out[dropped]]
        table = used[TABLES]
        start = used[CELLS]
        end = start + (pairs.shape[0] + 1) * columns
        if table == places.shape[0] or end > cells.size:
            return -1
        counts = cells[start : end - columns].reshape(pairs.shape[0], columns)
        counts[:] = 0
        sizes = np.zeros(columns, dtype=np.int64)
        members = members_of(words)
        if weights.size:
            count_weights(codes, weights, members, variables, first, levels, sizes, counts)
        else:
            place = 0
            while members[place] != left_out[dropped]:
                place += 1
            if not extend_table(known, members, place, variables, first, levels, packed, most_for_bits, sizes, counts):
                return -1
        for k in range(columns):
            cells[end - columns + k] = sizes[k]
        places[table, 0] = start
        places[table, 1] = columns
        register(0, words, table, keys, slots)
        used[TABLES] += 1
        used[CELLS] = end
    return table


@njit(cache=True, nogil=True)
def levels_of(v, pairs, first, levels):
    """The table of one variable: int32 [L, levels]."""
    counts = np.empty((pairs.shape[0], levels[v]), dtype=np.int32)
    for row in range(counts.shape[0]):
        for level in range(levels[v]):
            counts[row, level] = pairs[row, first[v] + level]
    return counts


@njit(cache=True, nogil=True)
def read_table(table, places, cells, height):
    """Counts int32 [L, K] and sizes int64 [K] of a table."""
    start, columns = places[table, 0], places[table, 1]
    counts = cells[start : start + height * columns].reshape(height, columns)
    sizes = cells[start + height * columns : start + (height + 1) * columns].astype(np.int64)
    return counts, sizes
