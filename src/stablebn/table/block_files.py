"""The blocks of a table as files, which are mapped into memory.

A file has the codes of categorical columns, the values of continuous ones, the weights; and then the rows of every
level as bits, by which most questions are answered. They could be made of the codes, but in every pass anew.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stablebn.errors import DataError
from stablebn.table.blocks import BlockTable, PackedBlocks
from stablebn.table.file_digest import digest_of_file
from stablebn.table.table import CategoricalTable, Codes, ContinuousTable, MixedTable, Name, Table, Weights
from stablebn.table.temporary_folders import Folder, disk_errors

_WORD = 64

# Bits start where a line of the processor's cache does.
_LINE = 64


@dataclass(frozen=True)
class BlockLayout:
    """How the blocks of a table lie on disk.

    Attributes
    ----------
    names : tuple of names
        Of all columns, in column order.
    categorical, continuous : tuple of names
    levels : tuple of tuples
        Of the categorical columns.
    codes : dtype
        Of the codes.
    holes : frozenset of names
        Columns with missing values.
    weighted : bool
    """

    names: tuple[Name, ...]
    categorical: tuple[Name, ...]
    levels: tuple[tuple[Hashable, ...], ...]
    codes: np.dtype[Any]
    continuous: tuple[Name, ...]
    holes: frozenset[Name]
    weighted: bool

    def table(self, codes: Codes, values: NDArray[np.float64], weights: Weights | None) -> Table:
        """Arrays as a table."""
        categorical = CategoricalTable(self.categorical, codes, self.levels, weights, self._holes(self.categorical))
        if not self.continuous:
            return categorical
        continuous = ContinuousTable(self.continuous, values, weights, self._holes(self.continuous))
        return MixedTable(self.names, categorical, continuous) if self.categorical else continuous

    def _holes(self, names: Sequence[Name]) -> frozenset[int]:
        return frozenset(place for place, name in enumerate(names) if name in self.holes)

    def like(self) -> Table:
        """The table without rows."""
        weights = np.empty(0, dtype=np.int64) if self.weighted else None
        codes = np.empty((len(self.categorical), 0), dtype=self.codes)
        return self.table(codes, np.empty((len(self.continuous), 0)), weights)

    def packed(self) -> list[int]:
        """How many levels of each categorical column are kept as bits, in the order of columns: all or none of them."""
        # Here and not above: errors in the data are told without the core.
        from stablebn import _core

        most = 0 if self.weighted else _core.CountingLimits().most_levels
        return [own if own <= most else 0 for own in self._counted()]

    def _counted(self) -> list[int]:
        """How many codes each categorical column can have: its levels, and one more for missing values."""
        return [len(own) + (name in self.holes) for name, own in zip(self.categorical, self.levels, strict=True)]

    def has_valid_codes(self, file: NDArray[np.uint8], rows: int) -> bool:
        """Whether every code in a block of so many rows stands for a level: the core relies on this."""
        codes = np.ndarray((len(self.categorical), rows), self.codes, file)
        return all(
            column.min(initial=0) >= 0 and column.max(initial=0) < own
            for column, own in zip(codes, self._counted(), strict=True)
        )

    def _first_bits(self, rows: int) -> int:
        """Where the bits of so many rows start."""
        coded = len(self.categorical) * rows * self.codes.itemsize
        rest = coded + -coded % 8 + 8 * rows * (len(self.continuous) + self.weighted)
        return rest + -rest % _LINE

    def bytes_of(self, rows: int) -> int:
        """How long the file of a block with so many rows is; one without any bytes could not be mapped."""
        return self._first_bits(rows) + 8 * sum(self.packed()) * -(-rows // _WORD) + 8

    def bits(self, file: NDArray[np.uint8], rows: int) -> NDArray[np.uint64]:
        """The rows of every level that is kept so, in a block of so many rows: [levels, words]."""
        return np.ndarray((sum(self.packed()), -(-rows // _WORD)), np.uint64, file, self._first_bits(rows))

    def read(self, file: NDArray[np.uint8], rows: int) -> Table:
        """A block of so many rows."""
        coded = len(self.categorical) * rows * self.codes.itemsize
        first = coded + -coded % 8
        codes = np.ndarray((len(self.categorical), rows), self.codes, file)
        values = np.ndarray((len(self.continuous), rows), np.float64, file, first)
        weights = np.ndarray(rows, np.int64, file, first + values.nbytes) if self.weighted else None
        return self.table(codes, values, weights)


class BlockWriter:
    """Writes the blocks of a table, a file each."""

    def __init__(self, folder: Folder, layout: BlockLayout, most_rows: int) -> None:
        self._folder, self._layout, self._most_rows = folder, layout, most_rows
        self._codes = np.empty((len(layout.categorical), most_rows), dtype=layout.codes)
        self._values = np.empty((len(layout.continuous), most_rows))
        self._weights = np.empty(most_rows, dtype=np.int64)
        self._filled = 0
        self._rows: list[int] = []

    def add(
        self, codes: Sequence[Codes], values: Sequence[NDArray[np.float64]], weights: Weights | None, count: int
    ) -> None:
        """Take some rows."""
        first = 0
        while first < count:
            taken = min(count - first, self._most_rows - self._filled)
            here, there = slice(self._filled, self._filled + taken), slice(first, first + taken)
            for own, column in zip(self._codes, codes, strict=True):
                own[here] = column[there]
            for number, numbers in zip(self._values, values, strict=True):
                number[here] = numbers[there]
            if weights is not None:
                self._weights[here] = weights[there]
            self._filled += taken
            first += taken
            if self._filled == self._most_rows:
                self._write()

    def _write(self) -> None:
        from stablebn import _core

        rows = self._filled
        with disk_errors(self._folder.path), block_path(self._folder, len(self._rows)).open("wb") as file:
            for own in self._codes:
                file.write(own[:rows].data)
            file.write(bytes(-file.tell() % 8))
            for number in self._values:
                # There is one NaN only.
                number[:rows][np.isnan(number[:rows])] = np.nan
                file.write(number[:rows].data)
            if self._layout.weighted:
                file.write(self._weights[:rows].data)
            file.write(bytes(-file.tell() % _LINE))
            for own, levels in zip(self._codes, self._layout.packed(), strict=True):
                if levels:
                    file.write(_core.pack_levels(own[None, :rows], levels).data)
            file.write(bytes(self._layout.bytes_of(rows) - file.tell()))
        self._rows.append(rows)
        self._filled = 0

    def table(self, total: int) -> BlockTable:
        """What was written; there are no more rows."""
        if self._filled:
            self._write()
        return BlockFiles(self._folder, self._layout, tuple(self._rows)).table(total)


@dataclass(frozen=True)
class BlockFiles:
    """The files of blocks; called with the place of one, it opens it.

    Attributes
    ----------
    folder : Folder
        It is there for as long as somebody has this.
    layout : BlockLayout
    block_rows : tuple of int
        How many rows each has.
    """

    folder: Folder
    layout: BlockLayout
    block_rows: tuple[int, ...]

    def __call__(self, place: int) -> Table:
        """Map a block into memory."""
        return self.layout.read(self._mapped(place), self.block_rows[place])

    def bits(self, place: int) -> NDArray[np.uint64]:
        """Map the rows of levels of a block into memory, as bits."""
        return self.layout.bits(self._mapped(place), self.block_rows[place])

    def _mapped(self, place: int) -> NDArray[np.uint8]:
        try:
            return np.memmap(block_path(self.folder, place), dtype=np.uint8, mode="r")
        except FileNotFoundError as error:
            raise DataError(
                f"the table in {str(self.folder.path)!r} was removed: a later run with the same cache= found that its "
                "files had changed, or it was deleted. Learn again."
            ) from error

    def table(self, total: int) -> BlockTable:
        """The table that stands for so many rows."""
        bits = PackedBlocks(self.bits, tuple(self.layout.packed())) if any(self.layout.packed()) else None
        return BlockTable(self.layout.like(), self.block_rows, total, self.layout.weighted, self, bits=bits)

    def digests(self) -> list[str]:
        """Return the digest of each file."""
        return [digest_of_file(block_path(self.folder, place)) for place in range(len(self.block_rows))]

    def are_undamaged(self, digests: Sequence[str]) -> bool:
        """Whether the files have their length, these digests, and codes that stand for levels."""
        sizes = [block_path(self.folder, place).stat().st_size for place in range(len(self.block_rows))]
        return (
            sizes == [self.layout.bytes_of(rows) for rows in self.block_rows]
            and self.digests() == list(digests)
            and all(
                self.layout.has_valid_codes(self._mapped(place), rows) for place, rows in enumerate(self.block_rows)
            )
        )


def block_path(folder: Folder, place: int) -> Path:
    """The file of a block."""
    return folder.path / f"block-{place:06d}"
