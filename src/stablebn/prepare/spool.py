"""Spool the rows of a table to disk before the kinds of its columns are known.

A column is a list of its distinct values and the index of each row's value in the list. If there are too many distinct
numbers, the numbers themselves are kept. Nothing is lost, so that kinds can be inferred when all rows are known, and
again when more rows are added.
"""

from __future__ import annotations

import os
import shutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from stablebn.columns.arrow.conversion import Columns
from stablebn.columns.column import Mask
from stablebn.columns.requirements import total_of
from stablebn.prepare.spooled_columns import TEXT, SpooledColumn
from stablebn.table.table import Name, Weights
from stablebn.table.temporary_folders import Folder, disk_errors

Outcome = TypeVar("Outcome")

_AT_ONCE = 1 << 20

# The name of the type TEXT in an index.
_TEXTS = "texts"


@dataclass(frozen=True)
class _Place:
    """The position and the type of an array in the file."""

    first: int
    dtype: str

    @property
    def type(self) -> np.dtype[Any]:
        """The type of the elements."""
        return TEXT if self.dtype == _TEXTS else np.dtype(self.dtype)


@dataclass(frozen=True)
class Piece:
    """Consecutive rows of a spool."""

    count: int
    weights: Weights | None
    _arrays: Mapping[tuple[Name | None, str], NDArray[Any]]
    _columns: Mapping[Name, SpooledColumn]

    def places(self, name: Name) -> NDArray[Any] | None:
        """Return the index of each row's value in the list; `None` if the column has no list."""
        return self._arrays.get((name, "places"))

    def texts(self, name: Name) -> NDArray[Any]:
        """Return the summaries of the texts of a column without a list."""
        return self._arrays[name, "texts"]

    def numbers(self, name: Name) -> tuple[NDArray[Any], Mask | None]:
        """Return the numbers of a column, and which of them are missing."""
        places = self.places(name)
        if places is not None:
            return self._columns[name].numbers()[places], places == 0
        missing = self._arrays.get((name, "missing"))
        return self._arrays[name, "numbers"], missing


class SpooledRows(ABC):
    """Spooled rows, on one machine or on several.

    Attributes
    ----------
    columns : dict of name to SpooledColumn
    weighted : bool
        Whether rows have weights.
    count, total : int
        The number of rows, and the sum of their weights.
    heaviest : int
        The greatest weight; 0 without weights.
    """

    columns: dict[Name, SpooledColumn]
    weighted: bool
    count: int
    total: int
    heaviest: int

    @abstractmethod
    def each(self, function: Callable[..., Outcome], *arguments: object) -> Iterator[Outcome]:
        """Apply a function to each `SpoolPart`, in any order.

        The function must be defined in a module, so that it can be sent to another process.
        """


class SpoolPart(SpooledRows):
    """Spooled rows on one machine, to which rows can be added.

    Parameters
    ----------
    columns : mapping of name to pyarrow.DataType
        The types of the spooled values.
    weighted : bool
        Whether rows have weights.
    most_text : int
        The bytes that all distinct texts may take.
    """

    def __init__(self, columns: Mapping[Name, pa.DataType], *, weighted: bool, most_text: int) -> None:
        self.columns = {name: SpooledColumn(type_) for name, type_ in columns.items()}
        self.weighted = weighted
        self.most_text = most_text
        self.count = self.total = self.heaviest = 0

    @abstractmethod
    def pieces(self) -> Iterator[Piece]:
        """Yield all rows in the order in which they were added."""

    @abstractmethod
    def _write(self, count: int, arrays: Mapping[tuple[Name | None, str], NDArray[Any]]) -> None: ...

    @abstractmethod
    def _hash_texts(self, name: Name, kept: NDArray[Any]) -> None:
        """Replace the indices of a text column by the summaries of the texts."""

    def each(self, function: Callable[..., Outcome], *arguments: object) -> Iterator[Outcome]:
        """Apply a function to the rows."""
        yield function(self, *arguments)

    def add(self, columns: Columns, count: int, weights: Weights | None, threads: int = 1) -> None:
        """Add rows, all of which have positive weight."""
        arrays: dict[tuple[Name | None, str], NDArray[Any]] = {}
        for name, column in columns.items():
            own = self.columns[name]
            for array in own.add(column, weights, threads):
                arrays[name, array.what] = array.values
        if self.weighted:
            assert weights is not None
            arrays[None, "weights"] = weights
            self.heaviest = max(self.heaviest, int(weights.max(initial=0)))
        self.count += count
        self.total += total_of(count, weights)
        self._write(count, arrays)
        self._unlist_texts()

    def drop(self, name: Name) -> None:
        """Remove a column."""
        del self.columns[name]

    def _unlist_texts(self) -> None:
        for name in too_many_texts(self.columns, self.most_text):
            self._hash_texts(name, self.columns[name].unlist())


def too_many_texts(columns: Mapping[Name, SpooledColumn], most_text: int) -> Iterator[Name]:
    """Yield the column with most text, to have its list removed, until all lists of text fit into memory."""
    while sum(own.text_bytes for own in columns.values()) > most_text:
        yield max(columns, key=lambda name: columns[name].text_bytes)


class SpoolInMemory(SpoolPart):
    """Spooled rows in the memory of a worker of a cluster."""

    def __init__(self, columns: Mapping[Name, pa.DataType], *, weighted: bool, most_text: int) -> None:
        super().__init__(columns, weighted=weighted, most_text=most_text)
        self._held: list[tuple[int, dict[tuple[Name | None, str], NDArray[Any]]]] = []

    def _write(self, count: int, arrays: Mapping[tuple[Name | None, str], NDArray[Any]]) -> None:
        self._held.append((count, dict(arrays)))

    def _hash_texts(self, name: Name, kept: NDArray[Any]) -> None:
        for _, arrays in self._held:
            places = arrays.pop((name, "places"), None)
            if places is not None:
                arrays[name, "texts"] = kept[places]

    def pieces(self) -> Iterator[Piece]:
        """Yield all rows in the order in which they were added."""
        for count, arrays in self._held:
            yield Piece(count, arrays.get((None, "weights")), arrays, self.columns)

    def placed(self, columns: Mapping[Name, SpooledColumn]) -> SpoolInMemory:
        """Return the same rows with the indices of lists that are shared with other workers."""
        placed = SpoolInMemory({}, weighted=self.weighted, most_text=self.most_text)
        placed.columns = dict(columns)
        placed.count, placed.total, placed.heaviest = self.count, self.total, self.heaviest
        lookups = {name: own.lookup(self.columns[name].values) for name, own in columns.items()}
        for piece in self.pieces():
            arrays: dict[tuple[Name | None, str], NDArray[Any]] = {}
            if piece.weights is not None:
                arrays[None, "weights"] = piece.weights
            for name, own in columns.items():
                places, lookup = piece.places(name), lookups[name]
                if own.unlisted is not None:
                    arrays[name, "texts"] = piece.texts(name) if places is None else lookup[places]
                elif own.limits is None:
                    assert places is not None
                    arrays[name, "places"] = lookup[places]
                else:
                    arrays[name, "numbers"], missing = piece.numbers(name)
                    if missing is not None and missing.any():
                        arrays[name, "missing"] = missing
            placed._write(piece.count, arrays)
        return placed

    def __sizeof__(self) -> int:
        """Return the bytes of all rows, by which Dask decides whether to spill them."""
        return sum(own.nbytes for _, arrays in self._held for own in arrays.values())


class Spool(SpoolPart):
    """Spooled rows on disk, in one file of a folder; for the other parameters see `SpoolPart`."""

    def __init__(self, folder: Folder, columns: Mapping[Name, pa.DataType], *, weighted: bool, most_text: int) -> None:
        super().__init__(columns, weighted=weighted, most_text=most_text)
        self.folder = folder
        self._pieces: list[tuple[int, dict[tuple[Name | None, str], _Place]]] = []
        self._end = 0

    @property
    def _path(self) -> Path:
        return self.folder.path / "rows"

    def _write(self, count: int, arrays: Mapping[tuple[Name | None, str], NDArray[Any]]) -> None:
        self._pieces.append((count, self._written(arrays)))

    def _hash_texts(self, name: Name, kept: NDArray[Any]) -> None:
        whole = self._mapped()
        for place, (count, where) in enumerate(self._pieces):
            own = where.get((name, "places"))
            if own is not None:
                places = np.ndarray(count, np.dtype(own.dtype), whole, own.first)
                others = {key: there for key, there in where.items() if key != (name, "places")}
                self._pieces[place] = count, {**others, **self._written({(name, "texts"): kept[places]})}

    def _written(self, arrays: Mapping[tuple[Name | None, str], NDArray[Any]]) -> dict[tuple[Name | None, str], _Place]:
        """Write arrays, and return their positions."""
        where: dict[tuple[Name | None, str], _Place] = {}
        with disk_errors(self.folder.path), self._path.open("ab") as file:
            for key, array in arrays.items():
                where[key] = _Place(self._end, _TEXTS if array.dtype == TEXT else array.dtype.str)
                file.write(np.ascontiguousarray(array).data)
                # Align every array to 8 bytes.
                padding = -array.nbytes % 8
                file.write(bytes(padding))
                self._end += array.nbytes + padding
        return where

    def _mapped(self) -> NDArray[np.uint8]:
        # An empty file cannot be mapped.
        return np.memmap(self._path, dtype=np.uint8, mode="r") if self._end else np.empty(0, dtype=np.uint8)

    @contextmanager
    def all_or_nothing(self) -> Iterator[None]:
        """Undo all additions of the block if it raises an error."""
        pieces, end = list(self._pieces), self._end
        counts = self.count, self.total, self.heaviest
        columns = {name: own.copied() for name, own in self.columns.items()}
        try:
            yield
        except BaseException:
            self._pieces, self._end, self.columns = pieces, end, columns
            self.count, self.total, self.heaviest = counts
            if self._path.exists():
                os.truncate(self._path, end)
            raise

    @property
    def size(self) -> int:
        """The bytes of the rows on disk."""
        return self._end

    def contents(self) -> Iterator[bytes]:
        """Yield the bytes on disk in parts."""
        if self._end:
            with self._path.open("rb") as file:
                while part := file.read(_AT_ONCE):
                    yield part

    def fill_from(self, file: BinaryIO) -> None:
        """Read the bytes of `contents` from a file."""
        with disk_errors(self.folder.path), self._path.open("wb") as own:
            shutil.copyfileobj(file, own, _AT_ONCE)

    def index(self) -> dict[str, Any]:
        """Return the positions of all rows on disk, in types that JSON has."""
        names: list[Name | None] = [None, *self.columns]
        place = {name: number for number, name in enumerate(names)}
        return {
            "index": {"count": self.count, "total": self.total, "heaviest": self.heaviest, "end": self._end},
            "pieces": [
                (count, [(place[name], what, own.first, own.dtype) for (name, what), own in where.items()])
                for count, where in self._pieces
            ],
        }

    def restore_index(self, header: Mapping[str, Any]) -> None:
        """Restore the positions that `index` has returned."""
        own = header["index"]
        self.count, self.total, self.heaviest, self._end = own["count"], own["total"], own["heaviest"], own["end"]
        names: list[Name | None] = [None, *self.columns]
        self._pieces = [
            (count, {(names[number], what): _Place(first, dtype) for number, what, first, dtype in where})
            for count, where in header["pieces"]
        ]

    def pieces(self) -> Iterator[Piece]:
        """Yield all rows in the order in which they were added."""
        whole = self._mapped()
        for count, where in self._pieces:
            arrays = {key: np.ndarray(count, place.type, whole, place.first) for key, place in where.items()}
            yield Piece(count, arrays.get((None, "weights")), arrays, self.columns)
