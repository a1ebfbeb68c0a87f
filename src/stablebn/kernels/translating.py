"""From the indices of a dictionary to codes."""

from __future__ import annotations

import numpy as np
from numba import njit

# As many as there are bytes in a word.
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
    if codes.size > _FEW or codes.itemsize > 1:
        for i in range(indices.size):
            out[i] = codes[indices[i]]
        return
    # All codes in one word: shifting it takes many rows at once, which no look-up does.
    word = np.uint64(0)
    for index in range(codes.size):
        word |= np.uint64(codes[index]) << np.uint64(8 * index)
    for i in range(indices.size):
        out[i] = np.uint8(word >> (np.uint64(indices[i]) * np.uint64(8)))
