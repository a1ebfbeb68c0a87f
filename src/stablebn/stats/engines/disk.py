"""The engine "disk": rows are blocks that this process maps into memory while it counts them."""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from stablebn import _core
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
    levels_with_missing,
)
from stablebn.stats.standard_units import Standard
from stablebn.table.blocks import AnyTable, BlockTable, in_blocks
from stablebn.table.data_kinds import array_of, categorical_part, parts_by_kind
from stablebn.table.table import Table

# One byte of the core holds the joint code of as many variables as fit: `src/core/counting/counts.cpp`.
_CODES_PER_BYTE = 256


class BlockSource(RowSource):
    """Blocks that this process can open, on disk or in memory.

    Parameters
    ----------
    table : BlockTable
    threads : int
        Number of blocks that are read at once.
    """

    def __init__(self, table: BlockTable, *, threads: int = 1) -> None:
        self.like = table.like
        self.total = table.total
        self.rows = table.rows
        self.memory = table.memory
        self._blocks = table.blocks()
        self._bits = table.bits
        self._threads = threads
        self._pool: tuple[int, ThreadPoolExecutor] | None = None
        # A counter has the bits of its block, or packs them at the first query. The counters of the first blocks are
        # kept, with the files that they map.
        self._counters: dict[int, tuple[_core.Counts, list[mmap.mmap]]] = {}
        self._kept = _blocks_that_fit(table)

    def map_blocks(self, function: Callable[..., Outcome], *arguments: object) -> Iterator[Outcome]:
        """Apply a function to every block and the arguments."""
        return self._map_indices(lambda index: function(self._blocks[index], *arguments))

    def count(
        self,
        count_queries: Sequence[CountQuery],
        support_queries: Sequence[SupportQuery],
        sum_queries: Sequence[SumQuery] = (),
        standards: Sequence[Standard] = (),
    ) -> Answers:
        """Answer all queries in one pass over the rows."""

        def answer_block(index: int) -> Answers:
            kept = self._counters.get(index)
            block = self._blocks[index] if sum_queries or kept is None else None
            if kept is not None:
                counter, files = kept
            else:
                bits = None if self._bits is None else self._bits.open_bits(index)
                assert block is not None
                counter, files = block_counter(block, bits), _mapped_files(block)
                if index in self._kept:
                    self._counters[index] = counter, files
                elif bits is not None:
                    files += _mapped_file(bits)
            answers = answer_with(counter, block, count_queries, support_queries, sum_queries, standards)
            for file in files:
                # The pages that were read need not stay in this process; the system caches them while it has memory.
                file.madvise(mmap.MADV_DONTNEED)
            return answers

        answers = add_answers(self._map_indices(answer_block), len(support_queries), len(sum_queries))
        if len(self._kept) < len(self._blocks):
            _core.give_memory_back()
        return answers

    def _map_indices(self, function: Callable[[int], Outcome]) -> Iterator[Outcome]:
        if len(self._blocks) == 1:
            yield function(0)
            return
        # Every pass uses the same threads, even if there is only one: freed memory stays with the thread that had it,
        # and queries come from many threads.
        if self._pool is None or self._pool[0] != os.getpid():
            self._pool = os.getpid(), ThreadPoolExecutor(self._threads)
        # Only a few more blocks than threads are scheduled at once, so that results do not accumulate.
        for first in range(0, len(self._blocks), 4 * self._threads):
            yield from self._pool[1].map(function, range(first, min(first + 4 * self._threads, len(self._blocks))))


def _blocks_that_fit(table: BlockTable) -> range:
    """Return the first blocks whose bits of rows and joint codes fit into half of the memory."""
    like = categorical_part(table.like)
    if table.memory is None or like is None:
        return range(len(table.block_rows))
    levels = [count for count in levels_with_missing(like) if count <= _core.CountingLimits().most_levels]
    left = table.memory // 2
    for index, rows in enumerate(table.block_rows):
        left -= (sum(levels) + 8 * _bytes_of_codes(levels)) * rows // 8
        if left < 0:
            return range(index)
    return range(len(table.block_rows))


def _bytes_of_codes(levels: Sequence[int]) -> int:
    """Return the number of bytes into which the core packs the codes of a row."""
    count, size = 0, _CODES_PER_BYTE + 1
    for levels_of_variable in levels:
        size *= levels_of_variable
        if size > _CODES_PER_BYTE:
            count, size = count + 1, levels_of_variable
    return count


def _mapped_files(block: Table) -> list[mmap.mmap]:
    """Return the files from which the columns of a block are mapped; none for a table in memory."""
    return [file for part in parts_by_kind(block) for file in _mapped_file(array_of(part))]


def _mapped_file(array: NDArray[np.generic]) -> list[mmap.mmap]:
    base: object = array
    while isinstance(base, np.ndarray):
        base = base.base
    return [base] if isinstance(base, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED") else []


class DiskEngine(Engine):
    """Count blocks that this process can open, several at once."""

    def source(self, table: AnyTable, *, threads: int = 1) -> BlockSource:
        """Return a source of the rows of a table; a table in memory is a single block."""
        blocks = table if isinstance(table, BlockTable) else in_blocks(table, table.rows)
        return BlockSource(blocks, threads=threads)
