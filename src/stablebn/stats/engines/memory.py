"""The engine "memory": all rows are one table in the memory of this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from stablebn.stats.engines.base import Engine
from stablebn.stats.engines.disk import BlockSource
from stablebn.stats.row_source import Outcome, RowSource
from stablebn.table.blocks import AnyTable, BlockTable
from stablebn.table.table import Table


class TableSource(RowSource):
    """Rows of a table in memory, as a single block.

    Parameters
    ----------
    table : Table
    threads : int
        Number of threads that work on the table at once.
    """

    def __init__(self, table: Table, *, threads: int = 1) -> None:
        self.like = table
        self.in_memory = table
        self.total = table.total
        self.rows = table.rows
        self.threads_per_block = threads

    def map_blocks(self, function: Callable[..., Outcome], *arguments: object) -> Iterator[Outcome]:
        """Apply a function to the table and the arguments."""
        yield function(self.like, *arguments)


class MemoryEngine(Engine):
    """Count rows in memory; the rows of a table on disk are loaded first, if `memory=` allows it."""

    def source(self, table: AnyTable, *, threads: int = 1) -> TableSource:
        """Return a source of the rows of a table.

        Raises
        ------
        OptionError
            If the rows of a table on disk do not fit into the memory that they may take.
        """
        if isinstance(table, BlockTable):
            table = BlockSource(table, threads=threads).fetch('engine="memory"')
        return TableSource(table, threads=threads)
