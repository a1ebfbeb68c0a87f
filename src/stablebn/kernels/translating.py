"""From the indices of a dictionary to codes."""

from __future__ import annotations

from numba import njit

_FEW = 8


@njit(cache=True, nogil=True)
def mark(indices, occurs):  # IN integers [N], OUT bool [D], False at the start
    """Mark the indices that occur; no further than until all do."""
    missing = occurs.size
    for index in indices:
        if not occurs[index]:
            occurs[index] = True
            missing -= 1
            if missing == 0:
                return


@njit(cache=True, nogil=True)
def translate(indices, codes, out):  # IN integers [N], IN codes [D], OUT codes [N]
    """Write the code of each index."""
    if codes.size > _FEW or not codes.size:
        for i in range(indices.size):
            out[i] = codes[indices[i]]
        return
    # A pass over all rows for each of a few codes compares many rows at once, which no look-up does.
    out[:] = codes[0]
    for index in range(1, codes.size):
        code = codes[index]
        for i in range(indices.size):
            if indices[i] == index:
                out[i] = code
