"""Estimate the memory that learning needs, before it is allocated."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from stablebn.errors import DataError
from stablebn.stats.row_source import RowSource
from stablebn.table.blocks import AnyTable
from stablebn.table.data_kinds import KINDS

# Estimates up to this size are not checked.
_NEVER_CHECKED = 1 << 30

_LIMIT_OF_CONTAINER = Path("/sys/fs/cgroup/memory.max")
_MEMORY_OF_SYSTEM = Path("/proc/meminfo")


def check_memory_for(table: AnyTable | RowSource) -> None:
    """Raise `DataError` if the statistics of all pairs of variables do not fit into memory."""
    needed = bytes_needed(table)
    if needed <= _NEVER_CHECKED:
        return
    available = available_memory()
    if available is not None and needed > available:
        raise out_of_memory(table, available)


def out_of_memory(table: AnyTable | RowSource, available: int | None = None) -> DataError:
    """Return the error for a table with too many variables for the memory."""
    available_text = "" if available is None else f", and {_in_gibibytes(available)} are available"
    variables = len(_without_rows(table).names)
    return DataError(
        f"{variables:,} variables need about {_in_gibibytes(bytes_needed(table))} of memory{available_text}. Every "
        "pair of them is scored, so half as many variables need a quarter of it. Choose some variables with columns or "
        "drop, or use a machine with more memory."
    )


def bytes_needed(table: AnyTable | RowSource) -> int:
    """Return an estimate of the memory needed besides the table."""
    like = _without_rows(table)
    return KINDS[like.kind].bytes_per_pair * len(like.names) ** 2


def _without_rows(table: AnyTable | RowSource) -> AnyTable:
    """Return a table or schema that has the names and the kind of the data."""
    return table.like if isinstance(table, RowSource) else table


def available_memory() -> int | None:
    """Return how many more bytes this process may allocate; None if the system does not report it."""
    limits = [limit for limit in (_of_system(), _of_container(), _of_process()) if limit is not None]
    return min(limits, default=None)


def _of_system() -> int | None:
    try:
        lines = _MEMORY_OF_SYSTEM.read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable:")), None)


def _of_container() -> int | None:
    try:
        limit = _LIMIT_OF_CONTAINER.read_text().strip()
    except OSError:
        return None
    return None if limit == "max" else int(limit)


def _of_process() -> int | None:
    if sys.platform == "win32":
        return None
    import resource

    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit == resource.RLIM_INFINITY:
        return None
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except OSError:
        return limit
    return max(0, limit - pages * os.sysconf("SC_PAGE_SIZE"))


def _in_gibibytes(size: int) -> str:
    return f"{size / 2**30:,.1f} GiB"
