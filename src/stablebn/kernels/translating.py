"""From the indices of a dictionary to codes."""

from __future__ import annotations

from numba import njit


@njit(cache=True, nogil=True)
def mark(indices, occurs):  # IN integers [N], OUT bool [D], False at the start
    """Mark the indices below D that occur; no further than until all do."""
    missing = occurs.size
    for index in indices:
        if index < occurs.size and not occurs[index]:
            occurs[index] = True
            missing -= 1
            if missing == 0:
                return


@njit(cache=True, nogil=True)
def translate(indices, codes, out):  # IN integers [N], IN codes [D], OUT codes [N]
    """Look up the code of each index."""
    for i in range(indices.size):
        out[i] = codes[indices[i]]
