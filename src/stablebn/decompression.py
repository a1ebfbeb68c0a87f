"""Limit the decompressed size of a file, so that a small file cannot fill the memory."""

from __future__ import annotations

import os

from stablebn.errors import DataError

MOST_BYTES = 2**28
"""The size up to which any file may be decompressed, and the longest text of a network.

The text of the largest published network is 50 times shorter."""

# The largest ratio for large compressed tables: normal tables have 5 to 50, decompression bombs a thousand.
_MOST_TIMES = 100


def most_unpacked(packed: int) -> int:
    """Return the largest decompressed size in bytes of a table, given the size of its file."""
    return max(MOST_BYTES, _MOST_TIMES * packed)


def check_unpacked(path: str, unpacked: int, remedy: str) -> None:
    """Raise `DataError` if a table is too large when decompressed; `remedy` names another way to save it."""
    most = most_unpacked(os.path.getsize(path))
    if unpacked > most:
        raise DataError(
            f"{path!r} unpacks to {unpacked >> 20:,} MiB, more than the {most >> 20:,} MiB that a file of its size "
            f"may. If that is meant, {remedy}."
        )
