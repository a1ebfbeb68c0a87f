"""The one climbing loop, compiled: hill climbing and tabu search (SPEC section 3).

It runs from move to move for as long as it knows the families that it meets, and returns where it does not.
The arrays of the DAG are described in `kernels/moves.py`; besides them a climb has:

memory : int64 [7]
    What it keeps between calls: see the names below.
sets : uint64 [n, W]
    Bits of the parents of each variable. Here and in `keys`, variables have their own numbers, not places.
keys, slots, changes : uint64 [K, 1 + W], int64 [S], int64 [K, n, 3]
    The families that are known: their child and bits, the row of each where its hash puts it (-1 where there is none;
    S is a power of two), and what each single change of their parents would bring.
steps, deltas : int64 [room, 9], float64 [room, 2]
    What was done: kind, from and to of the move and of the runner-up, limbs of the change of score, and whether the
    move was arbitrary; and both deltas.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stablebn.kernels.logarithm import LO_BITS, LO_MASK
from stablebn.kernels.moves import NONE, REVERSE, best_moves, change_parents, make_move

ENDED, PAUSED, UNKNOWN = 0, 1, 2
"""No move is worth it; no step more is allowed; the changes of a family are wanted."""

MADE, BEST, BAD, READ, TOP, MIDDLE, LOW = range(7)
"""Steps made; how many had been at the best DAG; moves since then that did not improve; how many families of the last
move are read; and the change of score since the best DAG, in three limbs, which no sum of changes can overflow."""


@njit(cache=True, nogil=True)
def climb(
    memory,
    order,
    barred,
    family,
    sizes,
    parents,
    reaches,
    gains,
    ceilings,
    bounds,
    differences,
    lengths,
    sets,
    keys,
    slots,
    changes,
    steps,
    deltas,
    most_parents,
    noinc,
    most_steps,
):
    """Climb on.

    Parameters
    ----------
    order : int64 [n]
        The variable at each place.
    barred : bool [n, n] or [0, 0]
        barred[v, u]: u may never become a parent of v, by place.
    most_parents, noinc, most_steps : int
        Of a variable; of moves in a row that do not improve on the best DAG; of steps in all.
    others
        As described above.

    Returns
    -------
    status, variable : int
        Why it stopped, and whose family is UNKNOWN.
    """
    while True:
        if memory[MADE]:
            kind, u, v = steps[memory[MADE] - 1, :3]
            while memory[READ] < (2 if kind == REVERSE else 1):
                child, other = (v, u) if memory[READ] == 0 else (u, v)
                row = find(sets, order[child], keys, slots)
                if row < 0:
                    return UNKNOWN, order[child]
                change_parents(child, other, changes[row], order, barred, family, gains, ceilings, bounds)
                memory[READ] += 1
        moves, delta, arbitrary = best_moves(
            family, sizes, parents, reaches, gains, bounds, most_parents, differences, lengths
        )
        kind, u, v = moves[0]
        if kind == NONE or (delta[0] <= 0 and memory[BAD] + 1 > noinc):
            return ENDED, -1
        if memory[MADE] == most_steps:
            return PAUSED, -1
        hi, lo = gains[v, u, 0], gains[v, u, 1]
        if kind == REVERSE:
            hi += gains[u, v, 0]
            lo += gains[u, v, 1]
        step = steps[memory[MADE]]
        step[:3] = moves[0]
        step[3:6] = moves[1]
        step[6], step[7], step[8] = hi, lo, arbitrary
        deltas[memory[MADE]] = delta

        memory[MADE] += 1
        memory[READ] = 0
        oldest = memory[MADE] % max(lengths.size, 1)
        make_move(kind, u, v, family, sizes, parents, reaches, ceilings, bounds, differences, lengths, oldest)
        _toggle_bit(sets, order[v], order[u])
        if kind == REVERSE:
            _toggle_bit(sets, order[u], order[v])
        memory[BAD] += delta[0] <= 0
        memory[TOP] += hi >> LO_BITS
        memory[MIDDLE] += hi & LO_MASK
        memory[LOW] += lo
        if _is_better(memory):
            memory[BEST] = memory[MADE]
            memory[BAD] = memory[TOP] = memory[MIDDLE] = memory[LOW] = 0


@njit(cache=True, nogil=True)
def _is_better(memory):
    """Whether the score has risen since the best DAG."""
    middle = memory[MIDDLE] + (memory[LOW] >> LO_BITS)
    top = memory[TOP] + (middle >> LO_BITS)
    return top > 0 or (top == 0 and ((middle & LO_MASK) > 0 or (memory[LOW] & LO_MASK) > 0))


@njit(cache=True, nogil=True)
def _toggle_bit(sets, child, parent):
    sets[child, parent >> 6] ^= np.uint64(1) << np.uint64(parent & 63)


@njit(cache=True, nogil=True)
def _slot(sets, child, keys, slots):
    """Where the present family of a child is, or belongs."""
    # FNV's way of mixing; equal hashes are told apart by the keys.
    mixed = np.uint64(child)
    for word in sets[child]:
        mixed = (mixed ^ (word ^ (word >> np.uint64(29)))) * np.uint64(0x100000001B3)
    at = np.int64((mixed ^ (mixed >> np.uint64(32))) & np.uint64(slots.size - 1))
    while slots[at] >= 0:
        key = keys[slots[at]]
        same = key[0] == np.uint64(child)
        for w in range(sets.shape[1]):
            same &= key[1 + w] == sets[child, w]
        if same:
            break
        at = (at + 1) & (slots.size - 1)
    return at


@njit(cache=True, nogil=True)
def find(sets, child, keys, slots):
    """Row of the present family of a child, or -1."""
    return slots[_slot(sets, child, keys, slots)]


@njit(cache=True, nogil=True)
def register(sets, child, row, keys, slots):
    """Let the present family of a child be found at a row."""
    slots[_slot(sets, child, keys, slots)] = row
    keys[row, 0] = child
    keys[row, 1:] = sets[child]
