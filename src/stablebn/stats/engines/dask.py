"""Statistics of rows that others have: the workers of a Dask cluster, each some blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from stablebn import _core
from stablebn.prepare.dask.workers import Cluster, cluster_of
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
    """Blocks of which others have each some.

    Parameters
    ----------
    table : BlockTable
        One whose blocks are elsewhere.
    """

    def __init__(self, table: BlockTable) -> None:
        assert table.elsewhere is not None
        self.like = table.like
        self.total = table.total
        self.rows = table.rows
        self.memory = table.memory
        self._blocks = table.elsewhere.made(KeptBlock)

    def map_blocks(self, function: Callable[..., Outcome], *arguments: object) -> Iterator[Outcome]:
        """What a function makes of every block and the arguments."""
        return self._blocks.each(_of_table, function, *arguments)

    def count(
        self,
        count_queries: Sequence[CountQuery],
        support_queries: Sequence[SupportQuery],
        sum_queries: Sequence[SumQuery] = (),
        standards: Sequence[Standard] = (),
    ) -> Answers:
        """One pass over the rows: the answers to all questions, of which each has added up its own."""
        questions = (
            list(count_queries),
            [list(own) for own in support_queries],
            [(list(own), x, y) for own, x, y in sum_queries],
        )
        add = partial(add_answers, support_queries=len(support_queries), sum_queries=len(sum_queries))
        return add(self._blocks.joined(add, _answer, *questions, list(standards)))


class KeptBlock:
    """A block, and what counts its rows: it makes bits of them when it is first asked.

    Parameters
    ----------
    table : CategoricalTable, ContinuousTable or MixedTable
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self._counter: _core.Counts | None = None

    @property
    def counter(self) -> _core.Counts:
        """What counts the rows."""
        if self._counter is None:
            self._counter = block_counter(self.table)
        return self._counter

    def __reduce__(self) -> tuple[type[KeptBlock], tuple[Table]]:
        """To another worker, or to disk, goes the block alone."""
        return KeptBlock, (self.table,)

    def __sizeof__(self) -> int:
        """How many bytes the block takes: by this Dask knows when there are too many."""
        return self.table.__sizeof__()


def _of_table(block: KeptBlock, function: Callable[..., Outcome], *arguments: object) -> Outcome:
    return function(block.table, *arguments)


def _answer(block: KeptBlock, *asked: Any) -> Answers:
    return answer_with(block.counter, block.table, *asked)


class DaskEngine(Engine):
    """Let the workers of a Dask cluster read a table and count their blocks of it."""

    has_workers = True

    def cluster(self, client: object) -> Cluster:
        """Return the cluster of a client, of the address of a scheduler, or of the default client (None)."""
        return cluster_of(client)

    def source(self, table: AnyTable, *, threads: int = 1) -> DaskSource:
        """Return a source of the rows of a table that the workers have read."""
        assert isinstance(table, BlockTable)
        return DaskSource(table)
