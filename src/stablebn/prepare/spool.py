"""Rows on disk as they came, in pieces: values by their places in lists, or where too many are different as they are.

Nothing is decided here, and nothing is lost: what columns are taken for is decided once all rows are known, and anew
when more rows come.
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
from stablebn.prepare.spooled_columns import TEXT, StockColumn
from stablebn.table.table import Name, Weights
from stablebn.table.temporary_folders import Folder, disk_errors

Outcome = TypeVar("Outcome")

_AT_ONCE = 1 << 20

# How the type of what is kept of texts is called.
_TEXTS = "texts"


@dataclass(frozen=True)
class _Place:
    """Where in the file an array is."""

    first: int
    dtype: str

    @property
    def type(self) -> np.dtype[Any]:
        """Of its elements."""
        return TEXT if self.dtype == _TEXTS else np.dtype(self.dtype)


@dataclass(frozen=True)
class Piece:
    """Some rows.

    Attributes
    ----------
    count : int
    weights : int64 array [rows] or None
    """

    count: int
    weights: Weights | None
    _arrays: Mapping[tuple[Name | None, str], NDArray[Any]]
    _columns: Mapping[Name, StockColumn]

    def places(self, name: Name) -> NDArray[Any] | None:
        """The places of a column's values; None where they are kept as they are."""
        return self._arrays.get((name, "places"))

    def texts(self, name: Name) -> NDArray[Any]:
        """What is kept of the texts of a column that is not listed."""
        return self._arrays[name, "texts"]

    def numbers(self, name: Name) -> tuple[NDArray[Any], Mask | None]:
        """The numbers of a column, and which of them are missing."""
        places = self.places(name)
        if places is not None:
            return self._columns[name].numbers()[places], places == 0
        missing = self._arrays.get((name, "missing"))
        return self._arrays[name, "numbers"], missing


class RowsAsTheyCame(ABC):
    """Rows as they came, in one place or in several.

    Attributes
    ----------
    columns : dict of name to StockColumn
    weighted : bool
        Whether rows come with weights.
    count, total : int
        How many rows there are, and how many they stand for.
    heaviest : int
        The greatest weight; 0: there are none.
    """

    columns: dict[Name, StockColumn]
    weighted: bool
    count: int
    total: int
    heaviest: int

    @abstractmethod
    def each(self, function: Callable[..., Outcome], *arguments: object) -> Iterator[Outcome]:
        """What a function makes of the rows of every place, in any order.

        The function is one of a module, so that it can be sent to another process. It is given a `StockPart`.
        """


class StockPart(RowsAsTheyCame):
    """Rows in one place, to which rows can be added.

    Parameters
    ----------
    columns : mapping of name to pyarrow.DataType
        Of the values that are kept.
    weighted : bool
        Whether rows come with weights.
    most_text : int
        Bytes that all different texts may take.
    """

    def __init__(self, columns: Mapping[Name, pa.DataType], *, weighted: bool, most_text: int) -> None:
        self.columns = {name: StockColumn(type_) for name, type_ in columns.items()}
        self.weighted = weighted
        self.most_text = most_text
        self.count = self.total = self.heaviest = 0

    @abstractmethod
    def pieces(self) -> Iterator[Piece]:
        """The rows, in the order in which they came, some at a time."""

    @abstractmethod
    def _write(self, count: int, arrays: Mapping[tuple[Name | None, str], NDArray[Any]]) -> None: ...

    @abstractmethod
    def _hash_texts(self, name: Name, kept: NDArray[Any]) -> None:
        """Keep of a column's texts in place of their places what is kept of each."""

    def each(self, function: Callable[..., Outcome], *arguments: object) -> Iterator[Outcome]:
        """What a function makes of the rows."""
        yield function(self, *arguments)

    def add(self, columns: Columns, count: int, weights: Weights | None, threads: int = 1) -> None:
        """Take some rows, all of them of positive weight."""
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
        """Forget a column."""
        del self.columns[name]

    def _unlist_texts(self) -> None:
        for name in too_many_texts(self.columns, self.most_text):
            self._hash_texts(name, self.columns[name].unlist())


def too_many_texts(columns: Mapping[Name, StockColumn], most_text: int) -> Iterator[Name]:
    """Where all different texts are more than memory holds, the column with most of them: list its texts no more."""
    while sum(own.text_bytes for own in columns.values()) > most_text:
        yield max(columns, key=lambda name: columns[name].text_bytes)


class HeldStock(StockPart):
    """Rows in memory, as a worker of a cluster has some of them."""

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
        """The rows, in the order in which they came, some at a time."""
        for count, arrays in self._held:
            yield Piece(count, arrays.get((None, "weights")), arrays, self.columns)

    def placed(self, columns: Mapping[Name, StockColumn]) -> HeldStock:
        """The same rows by the places that values have in columns of which these rows are a part."""
        placed = HeldStock({}, weighted=self.weighted, most_text=self.most_text)
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
        """How many bytes the rows take: by this Dask knows when there are too many."""
        return sum(own.nbytes for _, arrays in self._held for own in arrays.values())


class Stock(StockPart):
    """Rows on disk.

    Parameters
    ----------
    folder : Folder
    columns, weighted, most_text
        As of a `StockPart`.
    """

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
        """Write arrays; where they are."""
        where: dict[tuple[Name | None, str], _Place] = {}
        with disk_errors(self.folder.path), self._path.open("ab") as file:
            for key, array in arrays.items():
                where[key] = _Place(self._end, _TEXTS if array.dtype == TEXT else array.dtype.str)
                file.write(np.ascontiguousarray(array).data)
                # Numbers begin where their type asks for it.
                padding = -array.nbytes % 8
                file.write(bytes(padding))
                self._end += array.nbytes + padding
        return where

    def _mapped(self) -> NDArray[np.uint8]:
        # Nothing cannot be mapped.
        return np.memmap(self._path, dtype=np.uint8, mode="r") if self._end else np.empty(0, dtype=np.uint8)

    @contextmanager
    def all_or_nothing(self) -> Iterator[None]:
        """Take what comes, or if something goes wrong nothing of it."""
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
        """How many bytes the rows take on disk."""
        return self._end

    def contents(self) -> Iterator[bytes]:
        """All that is on disk, some of it at a time."""
        if self._end:
            with self._path.open("rb") as file:
                while part := file.read(_AT_ONCE):
                    yield part

    def fill_from(self, file: BinaryIO) -> None:
        """Take what `contents` has given from a file."""
        with disk_errors(self.folder.path), self._path.open("wb") as own:
            shutil.copyfileobj(file, own, _AT_ONCE)

    def index(self) -> dict[str, Any]:
        """What tells where on disk which rows are, in types that JSON has."""
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
        """Take what `index` has given."""
        own = header["index"]
        self.count, self.total, self.heaviest, self._end = own["count"], own["total"], own["heaviest"], own["end"]
        names: list[Name | None] = [None, *self.columns]
        self._pieces = [
            (count, {(names[number], what): _Place(first, dtype) for number, what, first, dtype in where})
            for count, where in header["pieces"]
        ]

    def pieces(self) -> Iterator[Piece]:
        """The rows, in the order in which they came, some at a time."""
        whole = self._mapped()
        for count, where in self._pieces:
            arrays = {key: np.ndarray(count, place.type, whole, place.first) for key, place in where.items()}
            yield Piece(count, arrays.get((None, "weights")), arrays, self.columns)
