"""Statistics of rows that others have: the workers of a Dask cluster, each some blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from stablebn import _core
from stablebn.stats.row_source import (
    Answers,
    Crossing,
    Listing,
    Outcome,
    RowSource,
    Summing,
    answered,
    counts_of_block,
    together,
)
from stablebn.stats.standard_units import Standard
from stablebn.table.blocks import BlockTable
from stablebn.table.table import Table


class ElsewhereSource(RowSource):
    """Blocks of which others have each some.

    Parameters
    ----------
    table : BlockTable
        One whose blocks are elsewhere.
    """

    def __init__(self, table: BlockTable) -> None:
        assert table.remote is not None
        self.like = table.like
        self.total = table.total
        self.rows = table.rows
        self.memory = table.memory
        self._blocks = table.remote.map(KeptBlock)

    def each(self, function: Callable[..., Outcome], *arguments: object) -> Iterator[Outcome]:
        """What a function makes of every block and the arguments."""
        return self._blocks.each(_of_table, function, *arguments)

    def count(
        self,
        crossings: Sequence[Crossing],
        listings: Sequence[Listing],
        summings: Sequence[Summing] = (),
        standards: Sequence[Standard] = (),
    ) -> Answers:
        """One pass over the rows: the answers to all questions, of which each has added up its own."""
        questions = list(crossings), [list(own) for own in listings], [(list(own), x, y) for own, x, y in summings]
        add = partial(together, listings=len(listings), summings=len(summings))
        return add(self._blocks.reduced(add, _answer, *questions, list(standards)))


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
            self._counter = counts_of_block(self.table)
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
    return answered(block.counter, block.table, *asked)
