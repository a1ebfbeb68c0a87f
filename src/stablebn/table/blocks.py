"""Tables in blocks of rows, only a few of which are in memory at once.

Each block is an ordinary table. Statistics of blocks are integers; their sums are the statistics of all rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeAlias, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from stablebn.table.data_kinds import array_of, categorical_part, map_parts, parts_by_kind, with_array
from stablebn.table.table import CategoricalTable, ContinuousTable, MixedTable, Name, Table

Outcome = TypeVar("Outcome")


class RemoteBlocks(Protocol):
    """Blocks of a table that are in other processes, to which functions are sent."""

    def map(self, function: Callable[..., object], *arguments: object) -> RemoteBlocks:
        """Apply a function to every block; the results stay where the blocks are."""

    def each(self, function: Callable[..., Outcome], *arguments: object) -> Iterator[Outcome]:
        """Apply a function to every block, and yield the results in any order."""

    def reduced(
        self, join: Callable[[Iterator[Any]], Outcome], function: Callable[..., Any], *arguments: object
    ) -> Iterator[Outcome]:
        """Like `each`, but each process combines its results with `join`, which takes an iterator of them."""


class Blocks(Sequence[Table]):
    """Blocks of a table, in the order of rows; each is opened on access.

    Opened blocks are not cached, so that the caller determines how long a block is in memory.
    """

    def __init__(self, open_block: Callable[[int], Table], count: int) -> None:
        self._open = open_block
        self._numbers = range(count)

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, index: int) -> Table: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Table]: ...

    def __getitem__(self, index: int | slice) -> Table | Sequence[Table]:
        if isinstance(index, slice):
            return [self._open(number) for number in self._numbers[index]]
        return self._open(self._numbers[index])


@dataclass(frozen=True)
class PackedBlocks:
    """Bit sets of the rows of each level, for every block.

    Attributes
    ----------
    open_bits : callable
        Takes the number of a block; returns a uint64 array [levels, words]: row i is bit i % 64 of word i // 64.
    levels : tuple of int
        Number of bit sets of each categorical column: one per level and one for missing values, or none.
    """

    open_bits: Callable[[int], NDArray[np.uint64]]
    levels: tuple[int, ...]

    def select(self, columns: Sequence[int]) -> PackedBlocks:
        """Return the bit sets of some categorical columns, in this order."""
        firsts = np.cumsum([0, *self.levels])
        wanted = [level for c in columns for level in range(firsts[c], firsts[c] + self.levels[c])]
        return PackedBlocks(_SelectedBits(self.open_bits, tuple(wanted)), tuple(self.levels[c] for c in columns))


@dataclass(frozen=True)
class _SelectedBits:
    """Opens the bit sets of some levels; a class and not a closure, so that it can be pickled."""

    open_bits: Callable[[int], NDArray[np.uint64]]
    levels: tuple[int, ...]

    def __call__(self, block: int) -> NDArray[np.uint64]:
        return self.open_bits(block)[list(self.levels)]


@dataclass(frozen=True)
class BlockTable:
    """Table in blocks of rows.

    Attributes
    ----------
    like : CategoricalTable, ContinuousTable or MixedTable
        The table without rows. Every block has its names, kinds, levels and type of codes, and missing values only in
        the columns `like.holes`.
    block_rows : tuple of int
        Number of rows that each block stores.
    total : int
        N, the number of rows that the table stands for.
    weighted : bool
        Whether the blocks have weights.
    open_block : callable
        Takes the number of a block and returns the block, memory-mapped if it is on disk. The files are not removed
        while this object exists. For tables on disk it can be pickled.
    memory : int or None
        Most bytes for results that are kept for the blocks; None: no limit.
    remote : RemoteBlocks or None
        The blocks, if they are in other processes.
    bits : PackedBlocks or None
        Bit sets of the rows of each level, if they are stored with the codes.
    """

    like: Table
    block_rows: tuple[int, ...]
    total: int
    weighted: bool
    open_block: Callable[[int], Table]
    memory: int | None = None
    remote: RemoteBlocks | None = None
    bits: PackedBlocks | None = None

    @property
    def names(self) -> tuple[Name, ...]:
        """The names of all variables, in column order."""
        return self.like.names

    @property
    def kind(self) -> str:
        """Kind of the variables: categorical, continuous or mixed."""
        return self.like.kind

    @property
    def holes(self) -> frozenset[int]:
        """The columns with missing values."""
        return self.like.holes

    @property
    def rows(self) -> int:
        """The number of rows that are stored."""
        return sum(self.block_rows)

    def blocks(self) -> Blocks:
        """The blocks, in the order of rows."""
        return Blocks(self.open_block, len(self.block_rows))

    def select(self, columns: Sequence[int]) -> BlockTable:
        """Return the same rows with only these columns, in this order."""
        chosen = tuple(columns)
        if chosen == tuple(range(len(self.names))):
            return self
        return replace(
            self,
            like=self.like.select(chosen),
            open_block=_Selected(self.open_block, chosen),
            remote=None if self.remote is None else self.remote.map(_selected, chosen),
            bits=None if self.bits is None else self.bits.select(self._categorical_indices(chosen)),
        )

    def _categorical_indices(self, columns: Sequence[int]) -> list[int]:
        """Return the indices, among the categorical columns, of those of some columns that are categorical."""
        like = categorical_part(self.like)
        index_of = {} if like is None else {name: c for c, name in enumerate(like.names)}
        return [index_of[name] for name in (self.names[c] for c in columns) if name in index_of]

    def each(self, function: Callable[..., Outcome], *arguments: object) -> Iterator[Outcome]:
        """Apply a function to every block and yield the results in any order, in the processes that have the blocks.

        The function must be defined at the top level of a module, so that it can be pickled.
        """
        if self.remote is not None:
            return self.remote.each(function, *arguments)
        return (function(block, *arguments) for block in self.blocks())


@dataclass(frozen=True)
class _Selected:
    """Opens blocks with some columns only; a class and not a closure, so that it can be pickled."""

    open_block: Callable[[int], Table]
    columns: tuple[int, ...]

    def __call__(self, block: int) -> Table:
        return self.open_block(block).select(self.columns)


def _selected(block: Table, columns: Sequence[int]) -> Table:
    return block.select(columns)


AnyTable: TypeAlias = Table | BlockTable


def blocks_of(table: AnyTable) -> Sequence[Table]:
    """Return the blocks of a table; a table in memory is a single block."""
    return table.blocks() if isinstance(table, BlockTable) else (table,)


def like_of(table: AnyTable) -> Table:
    """Return a table with the same names, kinds and levels; its rows must not be used."""
    return table.like if isinstance(table, BlockTable) else table


def by_kind(table: AnyTable) -> tuple[AnyTable, ...]:
    """Split a table into its categorical and its continuous columns, if it has both."""
    if isinstance(table, MixedTable):
        return table.categorical, table.continuous
    if isinstance(table, BlockTable) and isinstance(table.like, MixedTable):
        like, every = table.like, range(len(table.names))
        categorical = [c for c in every if table.names[c] in set(like.categorical.names)]
        local, remote = replace(table, remote=None), table.remote
        parts = local.select(categorical), local.select([c for c in every if c not in set(categorical)])
        if remote is None:
            return parts
        # `select` would copy the blocks; their categorical and continuous parts exist already.
        return replace(parts[0], remote=remote.map(_categorical)), replace(parts[1], remote=remote.map(_continuous))
    return (table,)


def _categorical(block: MixedTable) -> CategoricalTable:
    return block.categorical


def _continuous(block: MixedTable) -> ContinuousTable:
    return block.continuous


def each_block(table: AnyTable, function: Callable[..., Outcome], *arguments: object) -> Iterator[Outcome]:
    """Apply a function to every block of a table and yield the results in any order; see `BlockTable.each`."""
    if isinstance(table, BlockTable):
        return table.each(function, *arguments)
    return iter([function(table, *arguments)])


def in_blocks(table: Table, most_rows: int) -> BlockTable:
    """Split a table in memory into blocks of at most `most_rows` rows."""
    firsts = range(0, table.rows, most_rows)
    return BlockTable(
        like=rows_between(table, 0, 0),
        block_rows=tuple(min(most_rows, table.rows - first) for first in firsts),
        total=table.total,
        weighted=table.weights is not None,
        open_block=lambda block: rows_between(table, firsts[block], firsts[block] + most_rows),
    )


def rows_between(table: Table, first: int, end: int) -> Table:
    """Return the rows from `first` to before `end` as a table."""
    weights = None if table.weights is None else table.weights[first:end]
    return map_parts(table, lambda part: with_array(part, array_of(part)[:, first:end].copy(), weights))


def joined(table: BlockTable) -> Table:
    """Load all rows as one table in memory."""
    return put_together(table.like, list(table.blocks()))


def put_together(like: Table, blocks: Sequence[Table]) -> Table:
    """Join the rows of blocks to one table."""
    if not blocks:
        return like
    weights = None if blocks[0].weights is None else np.concatenate([block.weights for block in blocks])
    arrays = {
        parts[0].kind: np.concatenate([array_of(part) for part in parts], axis=1)
        for parts in zip(*map(parts_by_kind, blocks), strict=True)
    }
    return map_parts(like, lambda part: with_array(part, arrays[part.kind], weights))
