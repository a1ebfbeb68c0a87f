"""Choosing and making the move of a climb.

Variables are numbered by their place in the processing order, so (from, to) compare as numbers.
A move is (kind, from, to), and (from, to) is the arc as it stands for delete and reverse.

The arrays of a climb:

family : bool [n, n]
    family[v, u]: u is a parent of v.
sizes, parents : int64 [n], int32 [n, n]
    Number of parents of each variable, and the parents in no particular order.
reaches : bool [n, n]
    reaches[u, v]: a directed path leads from u to v; every variable reaches itself.
gains : int64 [n, n, 3]
    gains[v, u]: limbs of the score's change when u joins the parents of v (or leaves them, where it is one), and 1 if
    the family may not become that.
ceilings, bounds : float64 [n], float64 [n]
    No arc that could be added to v gains more: of those between v and variables not joined to it, and of those among
    them that close no cycle, as far as that is known.
differences, lengths : int64 [tabu, 2 * tabu], int64 [tabu]
    For each of the last DAGs visited, the arcs (from * n + to) in which it differs from the present one; length -1
    where there is none yet. A move leads into one of them exactly if it undoes that difference: so no candidate graph
    is ever built and no hash is ever trusted.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stablebn.kernels.logarithm import HI_BITS, LO_BITS, LO_MASK

ADD, DELETE, REVERSE, NONE = 0, 1, 2, 3
_HI_UNIT = 2.0**-HI_BITS
_UNIT = 2.0 ** -(HI_BITS + LO_BITS)


@njit(cache=True, nogil=True)
def as_float(hi, lo):
    """A fixed-point number as a double, rounded once."""
    return (hi + (lo >> LO_BITS)) * _HI_UNIT + (lo & LO_MASK) * _UNIT


@njit(cache=True, nogil=True)
def _before(delta, kind, u, v, best_delta, best):
    """Whether a move comes before another: greater delta, then add, delete, reverse, then (from, to)."""
    if delta != best_delta:
        return delta > best_delta
    if kind != best[0]:
        return kind < best[0]
    return u < best[1] or (u == best[1] and v < best[2])


@njit(cache=True, nogil=True)
def _insert(moves, deltas, delta, kind, u, v):
    """Put a move that comes before the runner-up in its place."""
    at = 1
    if _before(delta, kind, u, v, deltas[0], moves[0]):
        moves[1] = moves[0]
        deltas[1] = deltas[0]
        at = 0
    moves[at, 0] = kind
    moves[at, 1] = u
    moves[at, 2] = v
    deltas[at] = delta


@njit(cache=True, nogil=True)
def _is_tabu(family, differences, lengths, kind, u, v):
    """Whether a move leads into one of the last DAGs."""
    n = family.shape[0]
    there, back = u * n + v, v * n + u
    for slot in range(lengths.size):
        arcs = differences[slot]
        if kind == REVERSE:
            if lengths[slot] == 2 and (
                (arcs[0] == there and arcs[1] == back) or (arcs[0] == back and arcs[1] == there)
            ):
                return True
        elif lengths[slot] == 1 and arcs[0] == there:
            return True
    return False


@njit(cache=True, nogil=True)
def _other_path(sizes, parents, reaches, u, v):
    """Whether a path leads from u to v besides the arc u -> v."""
    for p in parents[v, : sizes[v]]:
        if p != u and reaches[u, p]:
            return True
    return False


@njit(cache=True, nogil=True)
def _is_candidate(v, u, family, reaches, gains):
    """Whether u could become a parent of v without a cycle."""
    return u != v and not family[v, u] and not reaches[v, u] and gains[v, u, 2] == 0


@njit(cache=True, nogil=True)
def _may_add(family, sizes, reaches, gains, most_parents, differences, lengths, u, v):
    """Whether u -> v may be added."""
    return (
        _is_candidate(v, u, family, reaches, gains)
        and sizes[v] < most_parents
        and not _is_tabu(family, differences, lengths, ADD, u, v)
    )


@njit(cache=True, nogil=True)
def best_moves(family, sizes, parents, reaches, gains, bounds, most_parents, differences, lengths):
    """The best allowed move, the runner-up, and whether the first was arbitrary.

    Returns
    -------
    moves : int64 [2, 3]
        Kind NONE where there is no such move.
    deltas : float64 [2]
    arbitrary : bool
        An arc is added, and only the order chose its direction: the other one was allowed and as good.
    """
    n = family.shape[0]
    moves = np.full((2, 3), NONE, dtype=np.int64)
    deltas = np.full(2, -np.inf)
    for v in range(n):
        for u in parents[v, : sizes[v]]:
            delta = as_float(gains[v, u, 0], gains[v, u, 1])
            if _before(delta, DELETE, u, v, deltas[1], moves[1]) and not _is_tabu(
                family, differences, lengths, DELETE, u, v
            ):
                _insert(moves, deltas, delta, DELETE, u, v)
            if sizes[u] >= most_parents or gains[u, v, 2] != 0:
                continue
            # Both halves are added as integers: a covered arc reverses by exactly 0.
            delta = as_float(gains[v, u, 0] + gains[u, v, 0], gains[v, u, 1] + gains[u, v, 1])
            if (
                _before(delta, REVERSE, u, v, deltas[1], moves[1])
                and not _is_tabu(family, differences, lengths, REVERSE, u, v)
                and not _other_path(sizes, parents, reaches, u, v)
            ):
                _insert(moves, deltas, delta, REVERSE, u, v)
    # Greatest bound first: the rest is skipped once no bound reaches the runner-up.
    waiting = bounds.copy()
    for _ in range(n):
        v = int(np.argmax(waiting))
        if waiting[v] < deltas[1] or waiting[v] == -np.inf:
            break
        waiting[v] = -np.inf
        # Arcs added since may have closed the way for the candidate that the bound was of.
        bound = -np.inf
        for u in range(n):
            delta = as_float(gains[v, u, 0], gains[v, u, 1])
            if delta <= bound and delta < deltas[1]:
                continue
            if not _is_candidate(v, u, family, reaches, gains):
                continue
            bound = max(bound, delta)
            if (
                delta >= deltas[1]
                and _before(delta, ADD, u, v, deltas[1], moves[1])
                and _may_add(family, sizes, reaches, gains, most_parents, differences, lengths, u, v)
            ):
                _insert(moves, deltas, delta, ADD, u, v)
        bounds[v] = bound
    kind, u, v = moves[0]
    arbitrary = (
        kind == ADD
        and deltas[0] == as_float(gains[u, v, 0], gains[u, v, 1])
        and _may_add(family, sizes, reaches, gains, most_parents, differences, lengths, v, u)
    )
    return moves, deltas, arbitrary


@njit(cache=True, nogil=True)
def make_move(kind, u, v, family, sizes, parents, reaches, ceilings, bounds, differences, lengths, oldest):
    """Change the DAG, its paths and its differences from the last ones; the present DAG takes the oldest one's slot."""
    _toggle(u, v, family, sizes, parents, differences, lengths)
    if kind == REVERSE:
        _toggle(v, u, family, sizes, parents, differences, lengths)
    if kind == ADD:
        for ancestor in range(family.shape[0]):
            if reaches[ancestor, u]:
                reaches[ancestor] |= reaches[v]
    else:
        find_paths(sizes, parents, reaches)
        bounds[:] = ceilings
    if lengths.size:
        lengths[oldest] = 0


@njit(cache=True, nogil=True)
def _toggle(u, v, family, sizes, parents, differences, lengths):
    """Take the arc u -> v away, or bring it."""
    family[v, u] = not family[v, u]
    if family[v, u]:
        parents[v, sizes[v]] = u
        sizes[v] += 1
    else:
        sizes[v] -= 1
        for at in range(sizes[v]):
            if parents[v, at] == u:
                parents[v, at] = parents[v, sizes[v]]
    arc = u * family.shape[0] + v
    for slot in range(lengths.size):
        if lengths[slot] < 0:
            continue
        arcs = differences[slot]
        for at in range(lengths[slot]):
            if arcs[at] == arc:
                lengths[slot] -= 1
                arcs[at] = arcs[lengths[slot]]
                break
        else:
            arcs[lengths[slot]] = arc
            lengths[slot] += 1


@njit(cache=True, nogil=True)
def find_paths(sizes, parents, reaches):  # OUT bool [n, n]
    """Which variables reach which. Sinks first: a node reaches what its children do."""
    n = sizes.size
    reaches[:] = False
    children = np.zeros(n, dtype=np.int64)
    for v in range(n):
        reaches[v, v] = True
        for u in parents[v, : sizes[v]]:
            children[u] += 1
    sinks = np.empty(n, dtype=np.int64)
    last = 0
    for v in range(n):
        if children[v] == 0:
            sinks[last] = v
            last += 1
    done = 0
    while done < last:
        v = sinks[done]
        done += 1
        for u in parents[v, : sizes[v]]:
            reaches[u] |= reaches[v]
            children[u] -= 1
            if children[u] == 0:
                sinks[last] = u
                last += 1


@njit(cache=True, nogil=True)
def change_parents(v, u, changes, order, barred, family, gains, ceilings, bounds):
    """Write what follows for the gains when u has joined or left the parents of v.

    Parameters
    ----------
    v, u : int
    changes : int64 [n, 3]
        By number of the variable.
    order : int64 [n]
        The variable at each place.
    barred : bool [n, n] or [0, 0]
        barred[v, u]: u may never become a parent of v.
    """
    _set_gains(v, changes, order, barred, gains)
    # Of both: what may be added to either depends on the arc between them.
    _set_ceiling(v, family, gains, ceilings, bounds)
    _set_ceiling(u, family, gains, ceilings, bounds)


@njit(cache=True, nogil=True)
def _set_gains(v, changes, order, barred, gains):
    """Write what each change of v's parents would bring."""
    for u in range(order.size):
        for part in range(3):
            gains[v, u, part] = changes[order[u], part]
        if barred.size and barred[v, u]:
            gains[v, u, 2] = 1


@njit(cache=True, nogil=True)
def _set_ceiling(v, family, gains, ceilings, bounds):
    """Find the most that an arc which could be added to v gains, but for cycles."""
    ceiling = -np.inf
    for u in range(family.shape[0]):
        if u != v and not family[v, u] and not family[u, v] and gains[v, u, 2] == 0:
            ceiling = max(ceiling, as_float(gains[v, u, 0], gains[v, u, 1]))
    ceilings[v] = bounds[v] = ceiling


@njit(cache=True, nogil=True)
def set_all_gains(rows, changes, order, barred, family, gains, ceilings, bounds):
    """Write the gains and bounds of every variable from its row of changes, both by number of the variables."""
    for v in range(order.size):
        _set_gains(v, changes[rows[order[v]]], order, barred, gains)
        _set_ceiling(v, family, gains, ceilings, bounds)
