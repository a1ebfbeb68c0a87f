"""The one climbing loop, compiled: hill climbing and tabu search (SPEC section 3).

It runs from move to move for as long as it can work out the families that it meets, and returns where it cannot.
The arrays of the DAG are described in `kernels/moves.py`; besides them a climb has:

memory : int64 [7]
    What it keeps between calls: see the names below.
sets : uint64 [n, W]
    Bits of the parents of each variable. Here, variables have their own numbers, not places.
families, tables, used, source
    What it has worked out, and what from: see `kernels/notebook.py`. Here as everywhere in kernels one by one: tuples
    of arrays take long to compile, and to hand over.
steps, deltas : int64 [room, 9], float64 [room, 2]
    What was done: kind, from and to of the move and of the runner-up, limbs of the change of score, and whether the
    move was arbitrary; and both deltas.
"""

from __future__ import annotations

from numba import njit

from stablebn.kernels.logarithm import LO_BITS, LO_MASK
from stablebn.kernels.moves import NONE, REVERSE, best_moves, change_parents, make_move
from stablebn.kernels.notebook import find_family, toggle_bit, work_out

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
            kind, u, v = steps[memory[MADE] - 1, 0], steps[memory[MADE] - 1, 1], steps[memory[MADE] - 1, 2]
            while memory[READ] < (2 if kind == REVERSE else 1):
                child, other = (v, u) if memory[READ] == 0 else (u, v)
                variable = order[child]
                known = find_family(variable, sets[variable], keys, slots)
                if known < 0:
                    known = work_out(
                        variable,
                        sets[variable],
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
                    )
                if known < 0:
                    return UNKNOWN, variable
                change_parents(child, other, changes[known], order, barred, family, gains, ceilings, bounds)
                memory[READ] += 1
        moves, delta, arbitrary = best_moves(
            family, sizes, parents, reaches, gains, bounds, most_parents, differences, lengths
        )
        kind, u, v = moves[0, 0], moves[0, 1], moves[0, 2]
        if kind == NONE or (delta[0] <= 0 and memory[BAD] + 1 > noinc):
            return ENDED, -1
        if memory[MADE] == most_steps:
            return PAUSED, -1
        hi, lo = gains[v, u, 0], gains[v, u, 1]
        if kind == REVERSE:
            hi += gains[u, v, 0]
            lo += gains[u, v, 1]
        step = steps[memory[MADE]]
        for at in range(3):
            step[at] = moves[0, at]
            step[3 + at] = moves[1, at]
        step[6], step[7], step[8] = hi, lo, arbitrary
        deltas[memory[MADE], 0] = delta[0]
        deltas[memory[MADE], 1] = delta[1]

        memory[MADE] += 1
        memory[READ] = 0
        oldest = memory[MADE] % max(lengths.size, 1)
        make_move(kind, u, v, family, sizes, parents, reaches, ceilings, bounds, differences, lengths, oldest)
        toggle_bit(sets[order[v]], order[u])
        if kind == REVERSE:
            toggle_bit(sets[order[u]], order[v])
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
