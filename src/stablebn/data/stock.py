"""Rows on disk as they came, in pieces: values by their places in lists, or where too many are different as they are.

Nothing is decided here, and nothing is lost: what columns are taken for is decided once all rows are known, and anew
when more rows come.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import sys
import tempfile
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any, BinaryIO, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from stablebn.data.checks import total_of
from stablebn.data.columns import Mask
from stablebn.data.encoding import code_type, parts_of, plain, values_of
from stablebn.data.kinds import all_whole, family, is_date
from stablebn.data.markers import markers_among
from stablebn.data.number_text import is_number
from stablebn.data.reading import Columns
from stablebn.data.table import Name, Weights
from stablebn.errors import DataError

if sys.platform != "win32":
    import fcntl

Outcome = TypeVar("Outcome")

PART = "stablebn-part-"
"""How the names of folders begin that are not for good."""

_LOCK = "lock"

# Of more different numbers each is kept as it is.
MOST_LISTED = 1 << 12

# Of a text in a list, besides its letters: the object, its place, and its place among the others.
_BYTES_OF_TEXT = 160

_AT_ONCE = 1 << 20

# How the type of what is kept of texts is called.
_TEXTS = "texts"


class Folder:
    """A folder for a table on disk, removed with all that is in it when nobody has it any more.

    Parameters
    ----------
    parent : Path or None
        Where; None: where temporary files are. What processes have left there that were killed is removed.
    """

    def __init__(self, parent: Path | None = None) -> None:
        where = parent or Path(tempfile.gettempdir())
        with told_of_disk(where):
            where.mkdir(parents=True, exist_ok=True)
            remove_left_over(where)
            self.path = Path(tempfile.mkdtemp(prefix=PART, dir=where))
            lock = _locked(self.path)
        self._remove = weakref.finalize(self, _remove, self.path, lock)

    @classmethod
    def kept(cls, path: Path) -> Folder:
        """A folder that is there, and stays."""
        folder = cls.__new__(cls)
        folder.path = path
        return folder

    def __reduce__(self) -> tuple[Callable[[Path], Folder], tuple[Path]]:
        """Another process may look at what is there, and does not remove it."""
        return Folder.kept, (self.path,)

    def keep_as(self, path: Path) -> None:
        """Give the folder a name for good, unless another process was faster."""
        try:
            self.path.rename(path)
        except OSError:
            return
        _, _, (_, lock), _ = self._remove.detach()  # type: ignore[misc]
        if lock is not None:
            lock.close()
        (path / _LOCK).unlink(missing_ok=True)
        self.path = path


def _remove(folder: Path, lock: IO[str] | None) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    if lock is not None:
        lock.close()


def _locked(folder: Path) -> IO[str] | None:
    """Lock a folder for as long as the process lives: so others know that it is needed; None: there are no locks."""
    if sys.platform == "win32":
        return None
    # It has its name only once it is locked.
    unlocked = folder / f"{_LOCK}.part"
    lock = unlocked.open("w")
    _is_locked_now(lock)
    unlocked.rename(folder / _LOCK)
    return lock


def _is_locked_now(lock: IO[str]) -> bool:
    """Lock a file, unless somebody else has."""
    if sys.platform == "win32":
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def remove_left_over(where: Path) -> None:
    """Remove the folders of processes that were killed: nobody has them locked."""
    for folder in where.glob(f"{PART}*"):
        # One without a lock is just being made; one of somebody else is not ours to remove.
        with suppress(OSError), (folder / _LOCK).open("r+") as lock:
            if _is_locked_now(lock):
                shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def told_of_disk(folder: Path) -> Iterator[None]:
    """Raise `DataError` where nothing can be written."""
    try:
        yield
    except OSError as error:
        reason = "no space is left there" if error.errno == errno.ENOSPC else (error.strerror or str(error))
        raise DataError(
            f"the table cannot be written to {str(folder)!r}: {reason}. Say cache= (command line: --cache) to name a "
            "folder with room for it."
        ) from error


@dataclass
class Limits:
    """What numbers are that are kept as they are.

    Attributes
    ----------
    least, greatest : int, float or None
        None: there are none.
    whole : bool
        Whether all are whole numbers that floats hold, or integers.
    infinite, gaps : int
        Rows with an infinite value, and without any.
    known : int
        Rows by weight with a value.
    """

    least: Any = None
    greatest: Any = None
    whole: bool = True
    infinite: int = 0
    gaps: int = 0
    known: int = 0

    def add(self, numbers: NDArray[Any], missing: Mask | None, weights: Weights | None) -> None:
        """Look at more of them."""
        there = slice(None) if missing is None else ~missing
        present = numbers[there]
        self.gaps += len(numbers) - len(present)
        self.known += len(present) if weights is None else int(weights[there].sum())
        if not len(present):
            return
        least, greatest = present.min().item(), present.max().item()
        self.least = least if self.least is None else min(self.least, least)
        self.greatest = greatest if self.greatest is None else max(self.greatest, greatest)
        if present.dtype.kind == "f":
            self.infinite += int(np.isinf(present).sum()) if np.isinf([least, greatest]).any() else 0
            self.whole = self.whole and all_whole(present[:1000]) and all_whole(present)

    @classmethod
    def of_all(cls, parts: Sequence[Limits]) -> Limits:
        """What the numbers of several parts are."""
        there = [own for own in parts if own.least is not None]
        return cls(
            min((own.least for own in there), default=None),
            max((own.greatest for own in there), default=None),
            all(own.whole for own in there),
            *(sum(numbers) for numbers in zip(*((own.infinite, own.gaps, own.known) for own in parts), strict=True)),
        )


TEXT = np.dtype([("first", "<u8"), ("second", "<u8"), ("blanks", "<u4"), ("form", "<u4")])
"""What is kept of a text that is not listed: 128 bits of a hash, the number of its blanks, and what it is.

That two different ones of 10**9 texts have the same hash has a chance of 10**-21."""

MISSING, DATE, NUMBER, MARKER, OTHER = range(5)


@dataclass
class Unlisted:
    """What is known of texts that are more than memory holds.

    Attributes
    ----------
    gaps, known : int
        Rows without a value; and by weight those with one.
    others : list of str
        The first three, in sorted order, that are neither numbers nor markers of missing values.
    """

    gaps: int
    known: int
    others: list[str]

    @classmethod
    def of_all(cls, parts: Sequence[Unlisted]) -> Unlisted:
        """What is known of the texts of several parts."""
        others = {text for own in parts for text in own.others}
        return cls(sum(own.gaps for own in parts), sum(own.known for own in parts), sorted(others)[:3])


def _kept_of(text: str | None) -> tuple[int, int, int, int]:
    """What is kept of a text."""
    if text is None:
        return 0, 0, 0, MISSING
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    first, second = int.from_bytes(digest[:8], "little"), int.from_bytes(digest[8:], "little")
    return first, second, text.count(" "), _form_of(text)


def _form_of(text: str) -> int:
    if is_number(text):
        return NUMBER
    # Beside a number, as `sort_out` has it.
    if markers_among([text, "1"]) - {"1"}:
        return MARKER
    return DATE if is_date(text) else OTHER


@dataclass
class StockColumn:
    """What is known of a column whose rows are on disk.

    Attributes
    ----------
    type : pyarrow.DataType
        Of the values that are kept.
    values : list
        Those that have places; the first is None, a missing value.
    rows, weight : int64 array [places]
        How many rows have each, and how many these stand for.
    limits : Limits or None
        What all numbers are, where they are kept as they are.
    declared : dict of value to None
        The categories that its type says there are.
    unlisted : Unlisted or None
        What is known of texts that are more than memory holds.
    """

    type: pa.DataType
    values: list[Any] = field(default_factory=lambda: [None])
    rows: NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, dtype=np.int64))
    weight: NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, dtype=np.int64))
    limits: Limits | None = None
    declared: dict[Hashable, None] = field(default_factory=dict)
    unlisted: Unlisted | None = None

    def __post_init__(self) -> None:
        self._place_of = {value: place for place, value in enumerate(self.values)}
        self.text_bytes = sum(len(own) + _BYTES_OF_TEXT for own in self.values if isinstance(own, str))

    def copied(self) -> StockColumn:
        """The column as it is now, whatever it will be."""
        limits = None if self.limits is None else replace(self.limits)
        unlisted = None if self.unlisted is None else replace(self.unlisted)
        return replace(self, values=[*self.values], limits=limits, declared={**self.declared}, unlisted=unlisted)

    @property
    def gaps(self) -> int:
        """How many rows have no value."""
        if self.unlisted is not None:
            return self.unlisted.gaps
        return int(self.rows[0]) if self.limits is None else self.limits.gaps

    def unlist(self) -> NDArray[Any]:
        """List the texts no more; what is to be kept of those that were."""
        kept = np.fromiter(map(_kept_of, self.values), dtype=TEXT, count=len(self.values))
        self.unlisted = Unlisted(int(self.rows[0]), int(self.weight[1:].sum()), [])
        self._note_others(self.values, kept["form"])
        self.values, self._place_of, self.text_bytes = [None], {None: 0}, 0
        self.rows = self.weight = np.zeros(1, dtype=np.int64)
        return kept

    def _unlisted(self) -> Unlisted:
        """What would be known of the texts if they were not listed."""
        own = self.copied()
        if own.unlisted is None:
            own.unlist()
        assert own.unlisted is not None
        return own.unlisted

    def _note_others(self, texts: Sequence[str | None], forms: NDArray[Any]) -> None:
        assert self.unlisted is not None
        others = {text for text, form in zip(texts, forms.tolist(), strict=True) if form in (DATE, OTHER) and text}
        self.unlisted.others = sorted({*self.unlisted.others, *others})[:3]

    def _hashed(self, column: pa.ChunkedArray, weights: Weights | None, threads: int) -> list[_Array]:
        """Rows of texts that are not listed."""
        assert self.unlisted is not None
        found = []
        for part in parts_of({"": column}, threads)[""]:
            occurring, places = np.unique(part.places, return_inverse=True)
            texts = [part.values[place] for place in occurring.tolist()]
            kept = np.fromiter(map(_kept_of, texts), dtype=TEXT, count=len(texts))
            self._note_others(texts, kept["form"])
            found.append(kept[places])
        rows = np.concatenate([*found, np.empty(0, dtype=TEXT)])
        there = rows["form"] != MISSING
        self.unlisted.gaps += int((~there).sum())
        self.unlisted.known += int(there.sum() if weights is None else weights[there].sum())
        return [_Array("texts", rows)]

    def numbers(self) -> NDArray[Any]:
        """The values as numbers, 0 for a missing one."""
        return np.array([0, *self.values[1:]], dtype=_number_type(self.type))

    def add(self, column: pa.ChunkedArray, weights: Weights | None, threads: int) -> list[_Array]:
        """Take the rows of a column; what is to be written of them."""
        if self.unlisted is not None:
            return self._hashed(column, weights, threads)
        if pa.types.is_dictionary(self.type):
            for chunk in column.chunks:
                self.declared.update(dict.fromkeys(own for own in values_of(chunk.dictionary) if own is not None))
        if self.limits is None:
            found = self._listed(column, weights, threads)
            if found is not None:
                return found
            # From now on: what is known of the listed ones holds for all.
            self.limits = self._limits_of_listed()
        numbers, missing = _numbers(column)
        self.limits.add(numbers, missing, weights)
        return [_Array("numbers", numbers), *([] if missing is None else [_Array("missing", missing)])]

    def lookup(self, values: Sequence[Any]) -> NDArray[Any]:
        """What stands here for the values of a part: their places, or what is kept of texts; of numbers nothing."""
        if self.unlisted is not None:
            return np.fromiter(map(_kept_of, values), dtype=TEXT, count=len(values))
        if self.limits is not None:
            return np.empty(0)
        return np.array([self._place_of[value] for value in values], dtype=code_type(len(self.values) - 1))

    def _limits_of_listed(self) -> Limits:
        own = self.numbers()[1:]
        limits = Limits()
        limits.add(own, None, None)
        limits.gaps, limits.known = int(self.rows[0]), int(self.weight[1:].sum())
        limits.infinite = int(self.rows[1:][np.isinf(own.astype(np.float64))].sum())
        return limits

    @classmethod
    def of_all(cls, parts: Sequence[StockColumn]) -> StockColumn:
        """What is known of a column whose rows are in several parts, each with places of its own."""
        declared = {value: None for own in parts for value in own.declared}
        if any(own.unlisted is not None for own in parts):
            return cls(parts[0].type, declared=declared, unlisted=Unlisted.of_all([own._unlisted() for own in parts]))
        place_of = {value: place for place, value in enumerate(dict.fromkeys(v for own in parts for v in own.values))}
        too_many = _may_be_numbers(parts[0].type) and len(place_of) > MOST_LISTED
        if too_many or any(own.limits is not None for own in parts):
            limits = Limits.of_all([own.limits or own._limits_of_listed() for own in parts])
            return cls(parts[0].type, limits=limits, declared=declared)
        rows, weight = np.zeros((2, len(place_of)), dtype=np.int64)
        for own in parts:
            places = [place_of[value] for value in own.values]
            rows[places] += own.rows
            weight[places] += own.weight
        return cls(parts[0].type, list(place_of), rows, weight, declared=declared)

    def _listed(self, column: pa.ChunkedArray, weights: Weights | None, threads: int) -> list[_Array] | None:
        """Rows as places in the list; None where there would be too many."""
        # Here and not above: errors in the data are told without the core.
        from stablebn import _core

        parts = parts_of({"": column}, threads)[""]
        unknown = [part for part in parts if part.occurring is None]
        found = iter(
            _core.occurring(
                [part.places for part in unknown],
                [part.least for part in unknown],
                [len(part.values) for part in unknown],
                threads,
            )
        )
        occurring = [next(found) if part.occurring is None else part.occurring for part in parts]
        if _may_be_numbers(self.type) and len(self.values) + max(map(len, occurring), default=0) > MOST_LISTED:
            return None
        lookups = []
        for part, own in zip(parts, occurring, strict=True):
            lookup = np.zeros(len(part.values), dtype=np.int32)
            for place in own:
                lookup[place] = self._place(part.values[place])
            lookups.append(lookup)
        dtype = code_type(len(self.values) - 1)
        places: NDArray[Any] = np.empty(sum(len(part.places) for part in parts), dtype=dtype)
        ends = np.cumsum([len(part.places) for part in parts])
        _core.translate(
            [part.places for part in parts],
            [part.least for part in parts],
            [lookup.astype(dtype) for lookup in lookups],
            [places[end - len(part.places) : end] for part, end in zip(parts, ends, strict=True)],
            threads,
        )
        self._count(places, weights)
        return [_Array("places", places)]

    def _place(self, value: Any) -> int:
        place = self._place_of.get(value)
        if place is None:
            place = self._place_of[value] = len(self.values)
            self.values.append(value)
            if isinstance(value, str):
                self.text_bytes += len(value) + _BYTES_OF_TEXT
        return place

    def _count(self, places: NDArray[Any], weights: Weights | None) -> None:
        count = len(self.values)
        rows = np.bincount(places, minlength=count)
        # Sums of so few and small weights are exact.
        weight = rows if weights is None else np.bincount(places, weights, minlength=count).astype(np.int64)
        self.rows, self.weight = (
            np.pad(before, (0, count - len(before))) + more
            for before, more in ((self.rows, rows), (self.weight, weight))
        )


def _may_be_numbers(type_: pa.DataType) -> bool:
    return not pa.types.is_dictionary(type_) and family(type_) in ("integer", "float")


def _number_type(type_: pa.DataType) -> np.dtype[Any]:
    values = type_.value_type if pa.types.is_dictionary(type_) else type_
    if family(values) != "integer":
        return np.dtype(np.float64)
    return np.dtype(np.uint64 if pa.types.is_unsigned_integer(values) else np.int64)


def _numbers(column: pa.ChunkedArray) -> tuple[NDArray[Any], Mask | None]:
    """Numbers, and which of them are missing."""
    own = plain(column)
    missing = own.is_null().to_numpy() if own.null_count else None
    return own.fill_null(0).to_numpy(), missing


@dataclass(frozen=True)
class _Array:
    """What is written of a column: its places, its numbers, or where these are missing."""

    what: str
    values: NDArray[Any]


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
        with told_of_disk(self.folder.path), self._path.open("ab") as file:
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
        with told_of_disk(self.folder.path), self._path.open("wb") as own:
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
