"""Where statistics come from when the rows of a table are not one array in memory.

A source has the rows in blocks, each an ordinary table: on disk, or with the workers of a cluster. It is asked to apply
a function to every block, or to count; what comes back are integers, and they add up. So it does not matter how rows
are split, nor who counts: `docs/sources.md` says how another source would be written.
"""

from __future__ import annotations

import mmap
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from stablebn import _core
from stablebn.columns.requirements import check_rows_in_memory
from stablebn.errors import OptionError
from stablebn.stats.exact_sums import ExactSums, Part, sums_of_blocks
from stablebn.stats.standard_units import Standard, standardised_by
from stablebn.table.blocks import BlockTable, put_together
from stablebn.table.table import CategoricalTable, MixedTable, Table, bytes_per_row

# A byte holds the joint code of some variables: `src/core/counting/counts.cpp`.
_LARGEST_BUNDLE = 256

Outcome = TypeVar("Outcome")

Crossing: TypeAlias = tuple[NDArray[np.int32], NDArray[np.int32]]
"""Configurations [K, d], each a level of every one of d variables, and levels [m] of others, all by number."""

Listing: TypeAlias = Sequence[int]
"""Categorical columns, of which the configurations that occur are asked for."""

Listed: TypeAlias = tuple[NDArray[np.uint64], NDArray[np.int64]]
"""The keys [k, words] of configurations that occur, as the core writes them, and the rows of each by weight, [k]."""


Summing: TypeAlias = tuple[Sequence[int], int, int]
"""Categorical columns, and two continuous columns x and y, to be summed up in every configuration that occurs."""

Summed: TypeAlias = tuple[NDArray[np.uint64], NDArray[np.int64]]
"""Keys as above, and the sums of x and of x y as integers in three limbs of 40 bits, [k, 2, 3]."""

Answers: TypeAlias = tuple[list[NDArray[np.int64]], list[Listed], list[Summed]]


class RowSource(ABC):
    """Somebody who has the rows of a table.

    Attributes
    ----------
    like : CategoricalTable, ContinuousTable or MixedTable
        The table without rows: its names, kinds and levels.
    total : int
        N, the number of rows by weight.
    rows : int
        The number of rows that are stored.
    memory : int or None
        How many bytes may be used here; None: as many as it takes.
    threads_a_block : int
        How many threads may look at a block at once: more than one only where there is but one block.
    """

    like: Table
    total: int
    rows: int
    memory: int | None = None
    threads_a_block: int = 1

    @abstractmethod
    def each(self, function: Callable[..., Outcome], *arguments: object) -> Iterator[Outcome]:
        """What a function makes of every block and the arguments, in any order.

        The function is one of a module, so that it can be sent to another process.
        """

    def fetch(self, purpose: str) -> Table:
        """All rows as one table in memory, for what cannot be had in integers that add up.

        Raises
        ------
        OptionError
            They take more memory than they may.
        DataError
            They are more than can be held at once.
        """
        check_rows_in_memory(self.rows)
        size = self.rows * bytes_per_row(self.like)
        if self.memory is not None and size > self.memory:
            raise OptionError(
                f"{purpose} needs all rows in memory, {size >> 20:,} MiB, and may take {self.memory >> 20:,} MiB: "
                "allow more by memory=, or choose another."
            )
        return put_together(self.like, list(self.each(_itself)))

    def count(
        self,
        crossings: Sequence[Crossing],
        listings: Sequence[Listing],
        summings: Sequence[Summing] = (),
        standards: Sequence[Standard] = (),
    ) -> Answers:
        """One pass over the rows: the answers to all questions.

        Parameters
        ----------
        crossings, listings, summings
            What is asked.
        standards : sequence of Standard
            Where there are summings, the standard units of the continuous columns.

        Returns
        -------
        list of int64 arrays [m, K]
            Of each crossing, the rows that have all levels of a configuration and a level more.
        list of (keys, counts)
            Of each listing, the configurations that occur and the rows of each.
        list of (keys, limbs)
            Of each summing, the configurations that occur and the sums in each.
        """
        questions = list(crossings), [list(own) for own in listings], [(list(own), x, y) for own, x, y in summings]
        return together(self.each(answer, *questions, list(standards)), len(listings), len(summings))

    def sums(self, parts: Sequence[Part]) -> ExactSums:
        """The exact sums of columns, and of the products of every two of them.

        Parameters
        ----------
        parts : sequence of Values, Number or Indicators
            Where there are holes, the values of one column alone.
        """
        return sums_of_blocks(self.each, parts, self.threads_a_block)

    def distinct(self, column: int, standard: Standard, low: int, high: int) -> NDArray[np.int64]:
        """The distinct values of a continuous column in standard units that lie in a range, ascending."""
        found = np.empty(0, dtype=np.int64)
        for own in self.each(_distinct_of_block, column, standard, low, high):
            found = np.union1d(found, own)
        return found


def _distinct_of_block(block: Any, column: int, standard: Standard, low: int, high: int) -> NDArray[np.int64]:
    continuous = block.continuous if isinstance(block, MixedTable) else block
    values = standardised_by([standard], continuous.values[[column]], 1)[0]
    return np.unique(values[(values >= low) & (values <= high)])


def together(answers: Iterable[Answers], listings: int, summings: int) -> Answers:
    """What several have answered, added up."""
    crossed: list[NDArray[np.int64]] | None = None
    listed: list[list[Listed]] = [[] for _ in range(listings)]
    summed: list[list[Summed]] = [[] for _ in range(summings)]
    for own_crossed, own_listed, own_summed in answers:
        if crossed is None:
            crossed = own_crossed
        else:
            for counts, own in zip(crossed, own_crossed, strict=True):
                counts += own
        for found, more in zip(listed, own_listed, strict=True):
            found.append(more)
        for sums, more in zip(summed, own_summed, strict=True):
            sums.append(more)
    assert crossed is not None, "a table has rows"
    return crossed, [added_up(found) for found in listed], [added_up(found) for found in summed]


def _itself(block: Table) -> Table:
    return block


class TableSource(RowSource):
    """A table in memory: one block.

    Parameters
    ----------
    table : CategoricalTable, ContinuousTable or MixedTable
    threads : int
        How many threads look at it at once.
    """

    def __init__(self, table: Table, *, threads: int = 1) -> None:
        self.like = table
        self.total = table.total
        self.rows = table.rows
        self.threads_a_block = threads

    def each(self, function: Callable[..., Outcome], *arguments: object) -> Iterator[Outcome]:
        """What a function makes of the table and the arguments."""
        yield function(self.like, *arguments)


class ContinuousPart(RowSource):
    """The continuous columns of a source of mixed tables."""

    def __init__(self, source: RowSource) -> None:
        assert isinstance(source.like, MixedTable)
        self.like = source.like.continuous
        self.total = source.total
        self.rows = source.rows
        self.threads_a_block = source.threads_a_block
        self._source = source

    def each(self, function: Callable[..., Outcome], *arguments: object) -> Iterator[Outcome]:
        """What a function makes of the continuous columns of every block and the arguments."""
        return self._source.each(_of_continuous_part, function, *arguments)

    def sums(self, parts: Sequence[Part]) -> ExactSums:
        """The exact sums of columns, and of the products of every two of them."""
        return self._source.sums(parts)

    def distinct(self, column: int, standard: Standard, low: int, high: int) -> NDArray[np.int64]:
        """The distinct values of a column in standard units that lie in a range, ascending."""
        return self._source.distinct(column, standard, low, high)


def _of_continuous_part(block: MixedTable, function: Callable[..., Outcome], *arguments: object) -> Outcome:
    return function(block.continuous, *arguments)


class BlockSource(RowSource):
    """Blocks that this process can open: on disk, or in memory.

    Parameters
    ----------
    table : BlockTable
    threads : int
        How many blocks are looked at at once.
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
        # What counts a block has bits of its rows, or makes them when it is first asked: those of the first blocks are
        # kept, and the files that they look at.
        self._counters: dict[int, tuple[_core.Counts, list[mmap.mmap]]] = {}
        self._kept = _places_that_fit(table)

    def each(self, function: Callable[..., Outcome], *arguments: object) -> Iterator[Outcome]:
        """What a function makes of every block and the arguments."""
        return self._at_each_place(lambda place: function(self._blocks[place], *arguments))

    def count(
        self,
        crossings: Sequence[Crossing],
        listings: Sequence[Listing],
        summings: Sequence[Summing] = (),
        standards: Sequence[Standard] = (),
    ) -> Answers:
        """One pass over the rows: the answers to all questions."""

        def at(place: int) -> Answers:
            kept = self._counters.get(place)
            block = self._blocks[place] if summings or kept is None else None
            if kept is not None:
                counter, files = kept
            else:
                bits = None if self._bits is None else self._bits.open_bits(place)
                counter, files = counts_of_block(block, bits), files_of(block)
                if place in self._kept:
                    self._counters[place] = counter, files
                elif bits is not None:
                    files += _file_of(bits)
            answers = answered(counter, block, crossings, listings, summings, standards)
            for file in files:
                # What was read of it need not stay in memory: the system has it, as long as it has room.
                file.madvise(mmap.MADV_DONTNEED)
            return answers

        answers = together(self._at_each_place(at), len(listings), len(summings))
        if len(self._kept) < len(self._blocks):
            _core.give_memory_back()
        return answers

    def _at_each_place(self, function: Callable[[int], Outcome]) -> Iterator[Outcome]:
        if len(self._blocks) == 1:
            yield function(0)
            return
        # By the same threads in every pass, also where there is but one: whoever asks for it, memory that is let go of
        # stays with the thread that had it, and many threads ask.
        if self._pool is None or self._pool[0] != os.getpid():
            self._pool = os.getpid(), ThreadPoolExecutor(self._threads)
        # A few more than threads are under way, so that what they find does not pile up.
        for first in range(0, len(self._blocks), 4 * self._threads):
            yield from self._pool[1].map(function, range(first, min(first + 4 * self._threads, len(self._blocks))))


def _places_that_fit(table: BlockTable) -> range:
    """The first blocks, so many that the bits of their rows and joint codes of variables take half of the memory."""
    like = table.like.categorical if isinstance(table.like, MixedTable) else table.like
    if table.memory is None or not isinstance(like, CategoricalTable):
        return range(len(table.block_rows))
    levels = [own for own in levels_with_holes(like) if own <= _core.CountingLimits().most_levels]
    left = table.memory // 2
    for place, rows in enumerate(table.block_rows):
        left -= (sum(levels) + 8 * _bundles(levels)) * rows // 8
        if left < 0:
            return range(place)
    return range(len(table.block_rows))


def _bundles(levels: Sequence[int]) -> int:
    """How many bytes the core puts the codes of a row into: as many variables as fit share one."""
    count, size = 0, _LARGEST_BUNDLE + 1
    for own in levels:
        size *= own
        if size > _LARGEST_BUNDLE:
            count, size = count + 1, own
    return count


def files_of(block: Any) -> list[mmap.mmap]:
    """The files that the columns of a block are mapped from; none of a table in memory."""
    if isinstance(block, MixedTable):
        return [*files_of(block.categorical), *files_of(block.continuous)]
    return _file_of(block.codes if isinstance(block, CategoricalTable) else block.values)


def _file_of(array: Any) -> list[mmap.mmap]:
    while isinstance(array, np.ndarray):
        array = array.base
    return [array] if isinstance(array, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED") else []


def answer(
    block: Any,
    crossings: list[Crossing],
    listings: list[list[int]],
    summings: list[tuple[list[int], int, int]],
    standards: list[Standard],
) -> Answers:
    """The answers to questions about one block."""
    return answered(counts_of_block(block), block, crossings, listings, summings, standards)


def answered(
    counter: _core.Counts,
    block: Any,
    crossings: Sequence[Crossing],
    listings: Sequence[Listing],
    summings: Sequence[Summing],
    standards: Sequence[Standard],
) -> Answers:
    """The same, by what counts a block; the block itself need be there only for sums."""
    columns = standardised_by(standards, block.continuous.values, 1) if summings else None
    return counter.answer(crossings, listings, summings, columns)


def counts_of_block(block: Any, bits: NDArray[np.uint64] | None = None) -> _core.Counts:
    """What counts the rows of a block, on one thread; by bits of its levels that somebody has kept, if any."""
    categorical: CategoricalTable = block.categorical if isinstance(block, MixedTable) else block
    limits = _core.CountingLimits()
    # Its tables are handed over, and none is kept: there may be many blocks.
    limits.most_bytes = 0
    return _core.Counts(categorical.codes, levels_with_holes(categorical), categorical.weights, 1, limits, packed=bits)


def levels_with_holes(table: CategoricalTable) -> list[int]:
    """How many levels each column has where holes are one more of them."""
    return [len(own) + (v in table.holes) for v, own in enumerate(table.levels)]


def added_up(found: Sequence[Listed]) -> Listed:
    """The configurations that some blocks have, each once, with what was counted or summed up in them."""
    if len(found) == 1:
        return found[0]
    keys = np.concatenate([own for own, _ in found])
    numbers = np.concatenate([own for _, own in found])
    order = np.lexsort(keys.T)
    keys, numbers = keys[order], numbers[order]
    is_first = np.ones(len(keys), dtype=np.bool_)
    is_first[1:] = (keys[1:] != keys[:-1]).any(axis=1)
    first = np.flatnonzero(is_first)
    return keys[first], np.add.reduceat(numbers, first, axis=0) if first.size else numbers
