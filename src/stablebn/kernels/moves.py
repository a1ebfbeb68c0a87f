"""Choosing the move of a climb: one pass over all pairs, with a total order of moves.

Variables are numbered by their place in the processing order, so (from, to) compare as numbers.
A move is a row (kind, from, to), and (from, to) is the arc as it stands for delete and reverse.
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
def _is_listed(moves, kind, u, v):
    for move in moves:
        if move[0] == kind and move[1] == u and move[2] == v:
            return True
    return False


@njit(cache=True, nogil=True)
def _other_path(arcs, reaches, u, v):
    """Whether a path leads from u to v besides the arc u -> v."""
    for c in range(arcs.shape[0]):
        if c != v and arcs[u, c] and reaches[c, v]:
            return True
    return False


@njit(cache=True, nogil=True)
def add_is_allowed(arcs, reaches, sizes, most_parents, toggles, forbidden, u, v):
    """Whether u -> v may be added."""
    return (
        not arcs[u, v]
        and not reaches[v, u]
        and sizes[v] < most_parents
        and toggles[u, v, 2] == 0
        and not _is_listed(forbidden, ADD, u, v)
    )


@njit(cache=True, nogil=True)
def best_two_moves(toggles, arcs, reaches, sizes, most_parents, forbidden):
    """The best allowed move and the runner-up.

    Parameters
    ----------
    toggles : int64 [n, n, 3]
        Limbs of the score's change when u -> v is added (or deleted, where it stands), and 1 if v's family may not
        become that.
    arcs, reaches : bool [n, n]
        Arcs, and pairs with a directed path (every variable reaches itself).
    sizes : int64 [n]
        Number of parents.
    most_parents : int
    forbidden : int64 [any, 3]
        Moves into DAGs on the tabu list.

    Returns
    -------
    moves : int64 [2, 3]
        Kind NONE where there is no such move.
    deltas : float64 [2]
    """
    n = arcs.shape[0]
    moves = np.full((2, 3), NONE, dtype=np.int64)
    deltas = np.full(2, -np.inf)
    for u in range(n):
        for v in range(n):
            if u == v:
                continue
            delta = as_float(toggles[u, v, 0], toggles[u, v, 1])
            if not arcs[u, v]:
                if arcs[v, u] or delta < deltas[1]:
                    continue
                if _before(delta, ADD, u, v, deltas[1], moves[1]) and add_is_allowed(
                    arcs, reaches, sizes, most_parents, toggles, forbidden, u, v
                ):
                    _insert(moves, deltas, delta, ADD, u, v)
                continue
            if _before(delta, DELETE, u, v, deltas[1], moves[1]) and not _is_listed(forbidden, DELETE, u, v):
                _insert(moves, deltas, delta, DELETE, u, v)
            if sizes[u] >= most_parents or toggles[v, u, 2] != 0:
                continue
            # Both halves are added as integers: a covered arc reverses by exactly 0.
            delta = as_float(toggles[u, v, 0] + toggles[v, u, 0], toggles[u, v, 1] + toggles[v, u, 1])
            if (
                _before(delta, REVERSE, u, v, deltas[1], moves[1])
                and not _is_listed(forbidden, REVERSE, u, v)
                and not _other_path(arcs, reaches, u, v)
            ):
                _insert(moves, deltas, delta, REVERSE, u, v)
    return moves, deltas


@njit(cache=True, nogil=True)
def all_paths(arcs):  # IN bool [n, n], acyclic
    """Which variables reach which, each itself too: bool [n, n]. Sinks first: a node reaches what its children do."""
    n = arcs.shape[0]
    reaches = np.zeros((n, n), dtype=np.bool_)
    waiting = np.zeros(n, dtype=np.int64)
    sinks = np.empty(n, dtype=np.int64)
    last = 0
    for v in range(n):
        reaches[v, v] = True
        waiting[v] = arcs[v].sum()
        if waiting[v] == 0:
            sinks[last] = v
            last += 1
    done = 0
    while done < last:
        v = sinks[done]
        done += 1
        for u in range(n):
            if arcs[u, v]:
                for w in range(n):
                    reaches[u, w] |= reaches[v, w]
                waiting[u] -= 1
                if waiting[u] == 0:
                    sinks[last] = u
                    last += 1
    return reaches


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
