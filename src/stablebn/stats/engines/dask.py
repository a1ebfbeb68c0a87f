"""The engine "dask": each worker of a Dask cluster has some blocks and counts them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from stablebn import _core
from stablebn.prepare.dask.workers import DaskCluster, cluster_of
from stablebn.stats.engines.base import Engine
from stablebn.stats.row_source import (
    Answers,
    CountQuery,
    Outcome,
    RowSource,
    SumQuery,
    SupportQuery,
    add_answers,
    answer_with,
    block_counter,
)
from stablebn.stats.standard_units import Standard
from stablebn.table.blocks import AnyTable, BlockTable
from stablebn.table.table import Table


class DaskSource(RowSource):
    """Blocks on the workers of a Dask cluster.

    Parameters
    ----------
    table : BlockTable
        A table whose blocks are on workers.
    """

    def __init__(self, table: BlockTable) -> None:
        assert table.remote is not None
        self.like = table.like
        self.total = table.total
        self.rows = table.rows
        self.memory = table.memory
        self._blocks = table.remote.map(KeptBlock)

    def map_blocks(self, function: Callable[..., Outcome], *arguments: object) -> Iterator[Outcome]:
        """Apply a function to every block and the arguments, on the workers."""
        return self._blocks.each(_of_table, function, *arguments)

    def count(
        self,
        count_queries: Sequence[CountQuery],
        support_queries: Sequence[SupportQuery],
        sum_queries: Sequence[SumQuery] = (),
        standards: Sequence[Standard] = (),
    ) -> Answers:
        """Answer all queries in one pass; each worker adds up the answers of its blocks."""
        questions = (
            list(count_queries),
            [list(own) for own in support_queries],
            [(list(own), x, y) for own, x, y in sum_queries],
        )
        add = partial(add_answers, support_queries=len(support_queries), sum_queries=len(sum_queries))
        return add(self._blocks.reduced(add, _answer, *questions, list(standards)))


class KeptBlock:
    """A block and its counter, which packs the rows into bits at the first query.

    Parameters
    ----------
    table : Table
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self._counter: _core.Counts | None = None

    @property
    def counter(self) -> _core.Counts:
        """Return the counter of the rows."""
        if self._counter is None:
            self._counter = block_counter(self.table)
        return self._counter

    def __reduce__(self) -> tuple[type[KeptBlock], tuple[Table]]:
        """Pickle the block without its counter, for another worker or for disk."""
        return KeptBlock, (self.table,)

    def __sizeof__(self) -> int:
        """Return the bytes of the block, by which Dask limits its memory."""
        return self.table.__sizeof__()


def _of_table(block: KeptBlock, function: Callable[..., Outcome], *arguments: object) -> Outcome:
    return function(block.table, *arguments)


def _answer(block: KeptBlock, *asked: Any) -> Answers:
    return answer_with(block.counter, block.table, *asked)


class DaskEngine(Engine):
    """Let the workers of a Dask cluster read a table and count their blocks of it."""

    has_workers = True

    def cluster(self, client: object) -> DaskCluster:
        """Return the cluster of a client, of the address of a scheduler, or of the default client (None)."""
        return cluster_of(client)

    def source(self, table: AnyTable, *, threads: int = 1) -> DaskSource:
        """Return a source of the rows of a table that the workers have read."""
        assert isinstance(table, BlockTable)
        return DaskSource(table)
