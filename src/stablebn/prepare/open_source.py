"""Open the source of a table: find out its columns and types, and whether its rows fit into memory."""

from __future__ import annotations

import os

from stablebn.columns.column import OpenedTable
from stablebn.columns.error_collector import ErrorCollector
from stablebn.columns.missing import with_text_for_empty
from stablebn.columns.weights import split_weights
from stablebn.errors import OptionError
from stablebn.io.batches import can_come_in_parts, comes_in_parts
from stablebn.io.sources import read as read_into_memory
from stablebn.prepare.in_memory import TableInMemory
from stablebn.prepare.read_options import ReadOptions, SpooledTable, Storage
from stablebn.table.temporary_folders import Folder
from stablebn.threads import run_interruptibly

# The memory that a table takes, as a multiple of the size of its file, for formats that cannot be read in parts.
_TIMES_FILE = 8


def fits_in_memory(source: object, storage: Storage) -> bool:
    """Return whether all rows are read into memory: neither in parts nor by the workers of a cluster."""
    if storage.engine == "dask" or isinstance(source, SpooledTable):
        return False
    return not run_interruptibly(lambda: _is_read_in_parts(source, storage))


def _is_read_in_parts(source: object, storage: Storage) -> bool:
    """Return whether a source can be read only in parts, or can be and the user asks for it by memory= or cache=."""
    if comes_in_parts(source):
        return True
    memory = storage.memory_limit
    if memory is None and storage.cache is None:
        return False
    if not isinstance(source, str | os.PathLike):
        # It is in memory already.
        return False
    path = os.fsdecode(source)
    if can_come_in_parts(path):
        return True
    if memory is not None and os.path.isfile(path) and os.path.getsize(path) * _TIMES_FILE > memory:
        raise OptionError(
            f"memory= is too little for {path!r}: only text (CSV), Parquet and Arrow files can be read in parts. Write "
            "the table as Parquet first, say with DuckDB or polars, or leave memory= out."
        )
    return False


def open_source(
    source: object, read: ReadOptions, storage: Storage, errors: ErrorCollector, *, in_memory: bool
) -> OpenedTable:
    """Open a table in memory, on disk, or distributed over the workers of a Dask cluster."""
    if in_memory:
        return _read_into_memory(source, read, errors)
    cluster = storage.open_cluster()
    if cluster is not None:
        # Imported here because it takes time, and few have a cluster.
        from stablebn.prepare.dask.distributed_table import open_spread

        return open_spread(
            source,
            cluster,
            read.dialect,
            read.choice,
            read.weights,
            read.missing,
            names=read.names,
            memory=storage.row_memory,
        )
    if isinstance(source, SpooledTable):
        return source.opened(storage.row_memory, lambda: Folder(storage.folder))
    # Imported here because it takes time, and most tables are in memory.
    from stablebn.prepare.out_of_core import open_out_of_core

    return open_out_of_core(source, read, memory=storage.row_memory, folder=lambda: Folder(storage.folder))


def _read_into_memory(source: object, read: ReadOptions, errors: ErrorCollector) -> TableInMemory:
    """Read all columns, and separate the weights from the variables."""
    threads = read.thread_count
    found = read_into_memory(
        source, names=read.names, dialect=read.dialect, choice=read.choice, problems=errors, threads=threads
    )
    variables, weight_column = split_weights(found.columns, read.weights)
    variables = with_text_for_empty(variables, read.missing)
    return TableInMemory(found.names, found.cautions, variables, weight_column, found.with_categories, threads)
