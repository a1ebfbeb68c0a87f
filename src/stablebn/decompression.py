"""How much a packed file may unpack to: one rule, so that a small file cannot fill the memory."""

from __future__ import annotations

import os

from stablebn.errors import DataError

MOST_BYTES = 2**28
"""What any packed file may unpack to, and the longest text of a network; that of the largest published one is 50 times
shorter."""

# Tables that are large when packed may be larger unpacked. Honest ones shrink 5 to 50 times, bombs a thousand times.
_MOST_TIMES = 100


def most_unpacked(packed: int) -> int:
    """Bytes that a packed table may unpack to, by the size of its file."""
    return max(MOST_BYTES, _MOST_TIMES * packed)


def check_unpacked(path: str, unpacked: int, remedy: str) -> None:
    """Raise `DataError` if a table unpacks to more than a file of its size may; `remedy` says how else to save it."""
    most = most_unpacked(os.path.getsize(path))
    if unpacked > most:
        raise DataError(
            f"{path!r} unpacks to {unpacked >> 20:,} MiB, more than the {most >> 20:,} MiB that a file of its size "
            f"may. If that is meant, {remedy}."
        )
