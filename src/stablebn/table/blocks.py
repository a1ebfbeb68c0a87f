"""A table in blocks of rows, of which few need be in memory at once.

Statistics are asked of the blocks, each an ordinary table, and integers are added: so they are those of all rows.
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


class Elsewhere(Protocol):
    """Who has the blocks of a table where it is dear to bring them here."""

    def made(self, function: Callable[..., object], *arguments: object) -> Elsewhere:
        """Who has what a function makes of every block."""

    def each(self, function: Callable[..., Outcome], *arguments: object) -> Iterator[Outcome]:
        """What a function makes of every block, in any order."""

    def joined(
        self, join: Callable[[Iterator[Any]], Outcome], function: Callable[..., Any], *arguments: object
    ) -> Iterator[Outcome]:
        """The same, with the answers of neighbours as one, which `join` makes of an iterator of them."""


class Blocks(Sequence[Table]):
    """The blocks of a table, in the order of rows, each opened when it is asked for.

    Nobody keeps them: the memory of a block is free again when who asked for it lets it go.
    """

    def __init__(self, open_block: Callable[[int], Table], count: int) -> None:
        self._open = open_block
        self._places = range(count)

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, place: int) -> Table: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[Table]: ...

    def __getitem__(self, place: int | slice) -> Table | Sequence[Table]:
        if isinstance(place, slice):
            return [self._open(own) for own in self._places[place]]
        return self._open(self._places[place])


@dataclass(frozen=True)
class PackedBlocks:
    """The rows of the levels of every block as bits, where they are kept.

    Attributes
    ----------
    open_bits : callable
        Gives those of the block of a place, uint64 [levels, words]: row i is bit i % 64 of word i // 64.
    levels : tuple of int
        How many levels each categorical column has there: all of its own, with holes as one more, or none.
    """

    open_bits: Callable[[int], NDArray[np.uint64]]
    levels: tuple[int, ...]

    def select(self, columns: Sequence[int]) -> PackedBlocks:
        """Those of some categorical columns, in this order."""
        firsts = np.cumsum([0, *self.levels])
        wanted = [level for c in columns for level in range(firsts[c], firsts[c] + self.levels[c])]
        return PackedBlocks(_SelectedBits(self.open_bits, tuple(wanted)), tuple(self.levels[c] for c in columns))


@dataclass(frozen=True)
class _SelectedBits:
    """Opens the bits of some levels. No closure, so that it can be sent to another process."""

    open_bits: Callable[[int], NDArray[np.uint64]]
    levels: tuple[int, ...]

    def __call__(self, place: int) -> NDArray[np.uint64]:
        return self.open_bits(place)[list(self.levels)]


@dataclass(frozen=True)
class BlockTable:
    """A table in blocks of rows.

    Attributes
    ----------
    like : CategoricalTable, ContinuousTable or MixedTable
        The table without rows. Every block has its names, kinds, levels and type of codes; and holes at most where it
        says so.
    block_rows : tuple of int
        How many rows each block stores.
    total : int
        N, the number of rows that the table stands for.
    weighted : bool
        Whether blocks have weights: all of them, or none.
    open_block : callable
        Gives the block of a place, by memory maps where it lies on disk. It keeps the files from being removed for as
        long as somebody in this process has it. Of tables on disk it can be sent to another process.
    memory : int or None
        How many bytes what is made of the blocks may take while it is kept; None: as many as it takes.
    elsewhere : Elsewhere or None
        Who has the blocks, where that is not this process.
    bits : PackedBlocks or None
        The rows of levels as bits, where they are kept beside the codes.
    """

    like: Table
    block_rows: tuple[int, ...]
    total: int
    weighted: bool
    open_block: Callable[[int], Table]
    memory: int | None = None
    elsewhere: Elsewhere | None = None
    bits: PackedBlocks | None = None

    @property
    def names(self) -> tuple[Name, ...]:
        """The names of all variables, in column order."""
        return self.like.names

    @property
    def kind(self) -> str:
        """What the variables are: categorical, continuous, or mixed."""
        return self.like.kind

    @property
    def holes(self) -> frozenset[int]:
        """The columns with holes."""
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
            elsewhere=None if self.elsewhere is None else self.elsewhere.made(_selected, chosen),
            bits=None if self.bits is None else self.bits.select(self._categorical_places(chosen)),
        )

    def _categorical_places(self, columns: Sequence[int]) -> list[int]:
        """Where among the categorical columns those of some columns are that are."""
        like = categorical_part(self.like)
        place = {} if like is None else {name: c for c, name in enumerate(like.names)}
        return [place[name] for name in (self.names[c] for c in columns) if name in place]

    def each(self, function: Callable[..., Outcome], *arguments: object) -> Iterator[Outcome]:
        """What a function makes of every block and the arguments, in any order, by whoever has the blocks.

        The function is one of a module, so that it can be sent to another process.
        """
        if self.elsewhere is not None:
            return self.elsewhere.each(function, *arguments)
        return (function(block, *arguments) for block in self.blocks())


@dataclass(frozen=True)
class _Selected:
    """Opens blocks with some columns only. No closure, so that it can be sent to another process."""

    open_block: Callable[[int], Table]
    columns: tuple[int, ...]

    def __call__(self, place: int) -> Table:
        return self.open_block(place).select(self.columns)


def _selected(block: Table, columns: Sequence[int]) -> Table:
    return block.select(columns)


AnyTable: TypeAlias = Table | BlockTable


def blocks_of(table: AnyTable) -> Sequence[Table]:
    """The blocks of a table; one that is no table of blocks is its own and only one."""
    return table.blocks() if isinstance(table, BlockTable) else (table,)


def like_of(table: AnyTable) -> Table:
    """A table of the same names, kinds and levels, of whose rows nobody should ask."""
    return table.like if isinstance(table, BlockTable) else table


def by_kind(table: AnyTable) -> tuple[AnyTable, ...]:
    """The categorical columns of a table and the continuous ones, each if there are any."""
    if isinstance(table, MixedTable):
        return table.categorical, table.continuous
    if isinstance(table, BlockTable) and isinstance(table.like, MixedTable):
        like, every = table.like, range(len(table.names))
        categorical = [c for c in every if table.names[c] in set(like.categorical.names)]
        here, there = replace(table, elsewhere=None), table.elsewhere
        parts = here.select(categorical), here.select([c for c in every if c not in set(categorical)])
        if there is None:
            return parts
        # Nothing is copied: both parts are there.
        return replace(parts[0], elsewhere=there.made(_categorical)), replace(
            parts[1], elsewhere=there.made(_continuous)
        )
    return (table,)


def _categorical(block: MixedTable) -> CategoricalTable:
    return block.categorical


def _continuous(block: MixedTable) -> ContinuousTable:
    return block.continuous


def each_block(table: AnyTable, function: Callable[..., Outcome], *arguments: object) -> Iterator[Outcome]:
    """What a function makes of every block of a table, in any order; one that is no table of blocks is its own."""
    if isinstance(table, BlockTable):
        return table.each(function, *arguments)
    return iter([function(table, *arguments)])


def in_blocks(table: Table, most_rows: int) -> BlockTable:
    """A table in memory as one in blocks of at most so many rows."""
    firsts = range(0, table.rows, most_rows)
    return BlockTable(
        like=rows_between(table, 0, 0),
        block_rows=tuple(min(most_rows, table.rows - first) for first in firsts),
        total=table.total,
        weighted=table.weights is not None,
        open_block=lambda place: rows_between(table, firsts[place], firsts[place] + most_rows),
    )


def rows_between(table: Table, first: int, end: int) -> Table:
    """Some consecutive rows of a table, as a table."""
    weights = None if table.weights is None else table.weights[first:end]
    return map_parts(table, lambda part: with_array(part, array_of(part)[:, first:end].copy(), weights))


def joined(table: BlockTable) -> Table:
    """All rows as one table in memory."""
    return put_together(table.like, list(table.blocks()))


def put_together(like: Table, blocks: Sequence[Table]) -> Table:
    """The rows of blocks as one table."""
    if not blocks:
        return like
    weights = None if blocks[0].weights is None else np.concatenate([block.weights for block in blocks])
    arrays = {
        parts[0].kind: np.concatenate([array_of(part) for part in parts], axis=1)
        for parts in zip(*map(parts_by_kind, blocks), strict=True)
    }
    return map_parts(like, lambda part: with_array(part, arrays[part.kind], weights))
