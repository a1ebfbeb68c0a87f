"""Write the blocks of a table to files, and map them into memory.

A file has the codes of categorical columns, the values of continuous ones, the weights, and then bit sets of the rows
of each level, from which most counts are computed. The bit sets are stored because computing them from the codes
would be repeated in every pass over the data.
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

# Bit sets start at the boundary of a cache line.
_LINE = 64


@dataclass(frozen=True)
class BlockLayout:
    """Layout of the files of the blocks of a table.

    Attributes
    ----------
    names : tuple of names
        Names of all columns, in column order.
    categorical, continuous : tuple of names
    levels : tuple of tuples
        Levels of the categorical columns.
    codes : dtype
        Type of the codes.
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
        """Make a table of arrays."""
        categorical = CategoricalTable(self.categorical, codes, self.levels, weights, self._holes(self.categorical))
        if not self.continuous:
            return categorical
        continuous = ContinuousTable(self.continuous, values, weights, self._holes(self.continuous))
        return MixedTable(self.names, categorical, continuous) if self.categorical else continuous

    def _holes(self, names: Sequence[Name]) -> frozenset[int]:
        return frozenset(index for index, name in enumerate(names) if name in self.holes)

    def like(self) -> Table:
        """Return the table without rows."""
        weights = np.empty(0, dtype=np.int64) if self.weighted else None
        codes = np.empty((len(self.categorical), 0), dtype=self.codes)
        return self.table(codes, np.empty((len(self.continuous), 0)), weights)

    def packed(self) -> list[int]:
        """Return the number of bit sets of each categorical column: one per code, or none if there are many codes."""
        # Imported here so that errors in the data are reported without loading the core.
        from stablebn import _core

        most = 0 if self.weighted else _core.CountingLimits().most_levels
        return [codes if codes <= most else 0 for codes in self._numbers_of_codes()]

    def _numbers_of_codes(self) -> list[int]:
        """Return the number of codes of each categorical column: one per level, and one for missing values."""
        return [len(levels) + (name in self.holes) for name, levels in zip(self.categorical, self.levels, strict=True)]

    def has_valid_codes(self, file: NDArray[np.uint8], rows: int) -> bool:
        """Return whether every code in a block of `rows` rows is in range, on which the core relies."""
        codes = np.ndarray((len(self.categorical), rows), self.codes, file)
        return all(
            column.min(initial=0) >= 0 and column.max(initial=0) < number
            for column, number in zip(codes, self._numbers_of_codes(), strict=True)
        )

    def _first_bits(self, rows: int) -> int:
        """Return the offset of the bit sets in a block of `rows` rows."""
        coded = len(self.categorical) * rows * self.codes.itemsize
        rest = coded + -coded % 8 + 8 * rows * (len(self.continuous) + self.weighted)
        return rest + -rest % _LINE

    def bytes_of(self, rows: int) -> int:
        """Return the size of the file of a block of `rows` rows, never 0: an empty file cannot be mapped."""
        return self._first_bits(rows) + 8 * sum(self.packed()) * -(-rows // _WORD) + 8

    def bits(self, file: NDArray[np.uint8], rows: int) -> NDArray[np.uint64]:
        """Return the bit sets [levels, words] of a block of `rows` rows."""
        return np.ndarray((sum(self.packed()), -(-rows // _WORD)), np.uint64, file, self._first_bits(rows))

    def read(self, file: NDArray[np.uint8], rows: int) -> Table:
        """Return a block of `rows` rows."""
        coded = len(self.categorical) * rows * self.codes.itemsize
        first = coded + -coded % 8
        codes = np.ndarray((len(self.categorical), rows), self.codes, file)
        values = np.ndarray((len(self.continuous), rows), np.float64, file, first)
        weights = np.ndarray(rows, np.int64, file, first + values.nbytes) if self.weighted else None
        return self.table(codes, values, weights)


class BlockWriter:
    """Writes each block of a table to a file."""

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
        """Add some rows."""
        first = 0
        while first < count:
            taken = min(count - first, self._most_rows - self._filled)
            target, source = slice(self._filled, self._filled + taken), slice(first, first + taken)
            for code_row, column in zip(self._codes, codes, strict=True):
                code_row[target] = column[source]
            for value_row, numbers in zip(self._values, values, strict=True):
                value_row[target] = numbers[source]
            if weights is not None:
                self._weights[target] = weights[source]
            self._filled += taken
            first += taken
            if self._filled == self._most_rows:
                self._write()

    def _write(self) -> None:
        from stablebn import _core

        rows = self._filled
        with disk_errors(self._folder.path), block_path(self._folder, len(self._rows)).open("wb") as file:
            for code_row in self._codes:
                file.write(code_row[:rows].data)
            file.write(bytes(-file.tell() % 8))
            for value_row in self._values:
                # All NaN get the same bits.
                value_row[:rows][np.isnan(value_row[:rows])] = np.nan
                file.write(value_row[:rows].data)
            if self._layout.weighted:
                file.write(self._weights[:rows].data)
            file.write(bytes(-file.tell() % _LINE))
            for code_row, levels in zip(self._codes, self._layout.packed(), strict=True):
                if levels:
                    file.write(_core.pack_levels(code_row[None, :rows], levels).data)
            file.write(bytes(self._layout.bytes_of(rows) - file.tell()))
        self._rows.append(rows)
        self._filled = 0

    def table(self, total: int) -> BlockTable:
        """Write the last rows, and return the table."""
        if self._filled:
            self._write()
        return BlockFiles(self._folder, self._layout, tuple(self._rows)).table(total)


@dataclass(frozen=True)
class BlockFiles:
    """Files of the blocks of a table; calling it with the number of a block opens that block.

    Attributes
    ----------
    folder : Folder
        It exists at least as long as this object.
    layout : BlockLayout
    block_rows : tuple of int
        Number of rows of each block.
    """

    folder: Folder
    layout: BlockLayout
    block_rows: tuple[int, ...]

    def __call__(self, block: int) -> Table:
        """Map a block into memory."""
        return self.layout.read(self._mapped(block), self.block_rows[block])

    def bits(self, block: int) -> NDArray[np.uint64]:
        """Map the bit sets of a block into memory."""
        return self.layout.bits(self._mapped(block), self.block_rows[block])

    def _mapped(self, block: int) -> NDArray[np.uint8]:
        try:
            return np.memmap(block_path(self.folder, block), dtype=np.uint8, mode="r")
        except FileNotFoundError as error:
            raise DataError(
                f"the table in {str(self.folder.path)!r} was removed: a later run with the same cache= found that its "
                "files had changed, or it was deleted. Learn again."
            ) from error

    def table(self, total: int) -> BlockTable:
        """Return the table; `total` is the number of rows that it stands for."""
        bits = PackedBlocks(self.bits, tuple(self.layout.packed())) if any(self.layout.packed()) else None
        return BlockTable(self.layout.like(), self.block_rows, total, self.layout.weighted, self, bits=bits)

    def digests(self) -> list[str]:
        """Return the digest of each file."""
        return [digest_of_file(block_path(self.folder, block)) for block in range(len(self.block_rows))]

    def are_undamaged(self, digests: Sequence[str]) -> bool:
        """Return whether the files have the right sizes, these digests, and valid codes."""
        sizes = [block_path(self.folder, block).stat().st_size for block in range(len(self.block_rows))]
        return (
            sizes == [self.layout.bytes_of(rows) for rows in self.block_rows]
            and self.digests() == list(digests)
            and all(
                self.layout.has_valid_codes(self._mapped(block), rows) for block, rows in enumerate(self.block_rows)
            )
        )


def block_path(folder: Folder, block: int) -> Path:
    """Return the path of the file of a block."""
    return folder.path / f"block-{block:06d}"
