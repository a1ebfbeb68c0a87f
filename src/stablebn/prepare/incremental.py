"""A table to which rows are added, and that is learned from as if all had been there at once."""

from __future__ import annotations

import base64
import copy
import hashlib
import io
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import numpy as np
import pyarrow as pa

from stablebn.columns.column import OpenedRows, OpenedTable
from stablebn.columns.error_collector import ErrorCollector
from stablebn.columns.kinds import UserKinds, family, parse_kinds
from stablebn.columns.levels import named_categorical, parse_levels
from stablebn.columns.selection import ColumnSelection
from stablebn.columns.weights import weight_column
from stablebn.errors import FormatError, OptionError, listed
from stablebn.files import whole_file
from stablebn.graph.json_names import comes_back, json_text, name_from
from stablebn.io.batches import Batches, open_as_batches
from stablebn.io.csv.dialect import OF_TEXT, Dialect
from stablebn.io.registry import check_same_columns
from stablebn.messages import Caution
from stablebn.options import Options, checked_arguments, file_path, flag, options_of
from stablebn.prepare import out_of_core as stored
from stablebn.prepare.out_of_core import counted, fill, kept_columns
from stablebn.prepare.read_options import TableOptions
from stablebn.prepare.spool import Stock
from stablebn.prepare.spooled_columns import Limits, StockColumn, Unlisted
from stablebn.table.memory_limit import USUAL_MEMORY
from stablebn.table.table import Name
from stablebn.table.temporary_folders import Folder

READING = ("names", "weights", "kinds", "levels", "missing", "columns", "drop", "keep", *OF_TEXT)
"""The options that say how a table is read: they hold for all rows."""

_MARK, _FORMAT = b"stablebn statistics\n", 1
_NUMBERS = 16
_DIGEST = 16
_AT_ONCE = 1 << 20


SomeTable = TypeVar("SomeTable", bound=TableOptions)


class GrowingTable:
    """A table to which rows can be added.

    Its rows are on disk, as they came: so decisions that the values make, such as the kinds and levels of columns, are
    made of all rows there are, each time that something is learned.

    Parameters
    ----------
    data : frame, array, dict, path or iterator
    options : mapping of str to object
        Those of `READING` that were given.
    memory : int
        Bytes for rows in memory.
    cache : Path, optional
        Where the rows are on disk; by default where temporary files are.
    """

    def __init__(
        self,
        data: object,
        options: Mapping[str, Any],
        memory: int = USUAL_MEMORY,
        cache: Path | None = None,
        threads: int = 1,
    ) -> None:
        self._begin(options, memory, cache, threads)
        batches, self._cautions = self._opened(data)
        self._every = dict(batches.types)
        self._with_categories = batches.with_categories
        wanted = self._choice.of(list(self._every))
        self._weights = weight_column(options.get("weights"), {name: self._every[name] for name in wanted})
        self._types = {name: self._every[name] for name in wanted if not self._is_weight(name)}
        if options.get("missing") == "level":
            self._types = {name: pa.string() if pa.types.is_null(own) else own for name, own in self._types.items()}
        # What cannot be is refused before the rows are read.
        parse_levels(options.get("levels"), self._types, {})
        self._open_stock()
        self._rows = 0
        self._add(batches)

    def _begin(self, options: Mapping[str, Any], memory: int, cache: Path | None, threads: int) -> None:
        self.options = dict(options)
        self._memory, self._cache, self._threads = memory, cache, threads
        self._choice = ColumnSelection(*map(options.get, ("columns", "drop", "keep", "weights")))

    def _open_stock(self) -> None:
        """Make a folder for the rows, without any."""
        self._kept = kept_columns(self._types, self._said())
        self._stock = Stock(
            Folder(self._cache),
            {name: own.type for name, own in self._kept.items()},
            weighted=self._weights is not None,
            most_text=self._memory // stored.SHARE_OF_TEXTS,
        )

    def __getstate__(self) -> dict[str, Any]:
        """Return everything that makes a copy, with the rows: a copy keeps them in a folder of its own."""
        stock = self._stock
        return {
            "fields": {name: value for name, value in vars(self).items() if name not in ("_kept", "_stock")},
            "columns": stock.columns,
            "index": stock.index(),
            "rows": b"".join(stock.contents()),
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take what `__getstate__` has given."""
        vars(self).update(state["fields"])
        self._open_stock()
        self._stock.columns = state["columns"]
        self._stock.restore_index(state["index"])
        self._stock.fill_from(io.BytesIO(state["rows"]))

    def __copy__(self) -> GrowingTable:
        """Return a copy with rows of its own: both can grow."""
        return copy.deepcopy(self)

    def _is_weight(self, name: Name) -> bool:
        return self._weights is not None and name == self._weights.name

    def _said(self) -> UserKinds:
        """What the options say of kinds."""
        said = parse_kinds(self.options.get("kinds"), self._choice.kept(list(self._every)), self._types)
        categorical = named_categorical(self.options.get("levels"), tuple(self._types))
        na_values = Dialect.of(self.options).na_values
        return said._replace(kinds={**dict.fromkeys(categorical, "categorical"), **said.kinds}, na_values=na_values)

    def _opened(self, data: object) -> tuple[Batches, list[Caution]]:
        return open_as_batches(data, Dialect.of(self.options), self.options.get("names"))

    @property
    def rows(self) -> int:
        """How many rows there are, those of weight 0 too."""
        return self._rows

    def __repr__(self) -> str:
        return f"<stablebn statistics of {self._rows:,} rows and {len(self._types)} variables>"

    def update(self, more: object) -> None:
        """Add rows: all of them, or if something is wrong with some none.

        Parameters
        ----------
        more : frame, array, dict, path or iterator
            With the columns of the rows before, of the same types; their order does not matter.

        Raises
        ------
        DataError
            The columns are others, or of other types, or cannot be read.
        """
        batches, cautions = self._opened(more)
        check_same_columns(
            "the new rows",
            _comparable(batches, self._every),
            "the rows before",
            _comparable_types(self._every, self._with_categories),
        )
        self._add(batches)
        self._cautions += [own for own in cautions if own not in self._cautions]

    def _add(self, batches: Batches) -> None:
        weights = copy.deepcopy(self._weights)
        problems = ErrorCollector()
        with self._stock.all_or_nothing():
            filled = fill(
                self._stock,
                batches,
                self._types,
                self._kept,
                weights,
                self._memory,
                problems,
                self._threads,
                self._rows,
            )
            if weights is not None:
                weights.check(filled.count)
            problems.raise_all(list(self._every), self._choice, {})
        self._weights = weights
        self._rows += filled.count

    def opened(self, memory: int, folder: Callable[[], Folder]) -> OpenedGrowing:
        """The table as it is now."""
        return OpenedGrowing(list(self._every), self._types, list(self._cautions), self, memory, folder)

    def counted(self, memory: int, folder: Callable[[], Folder]) -> OpenedRows:
        """The rows that there are now."""
        return counted(self._stock, self._types, self._with_categories, self._rows, memory, folder)

    @checked_arguments(path=file_path, force=flag)
    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write all to one file, from which `stablebn.load_statistics` reads it.

        Parameters
        ----------
        path : path
        force : bool
            Whether to replace a file that is there.
        """
        lost = [name for name in self._every if not comes_back(name)]
        if lost:
            raise OptionError(f"these names cannot be written to a file: {lost[:3]!r}. Give the columns names of text.")
        header = json_text(self._header()).encode("utf-8", "surrogatepass")
        with whole_file(Path(path), force=force) as temporary, temporary.open("wb") as file:
            rows = self._stock.size
            digest = hashlib.blake2b(header, digest_size=_DIGEST)
            file.write(_MARK + len(header).to_bytes(8, "little") + rows.to_bytes(8, "little"))
            file.write(bytes(_DIGEST) + header)
            for part in self._stock.contents():
                digest.update(part)
                file.write(part)
            file.seek(len(_MARK) + _NUMBERS)
            file.write(digest.digest())

    def _header(self) -> dict[str, Any]:
        schema = pa.schema([pa.field(str(place), type_) for place, type_ in enumerate(self._every.values())])
        return {
            "format": _FORMAT,
            "options": _options_written(self.options),
            "names": list(self._every),
            "types": base64.b64encode(schema.serialize()).decode(),
            "with_categories": [name for name in self._every if name in self._with_categories],
            "rows": self._rows,
            "cautions": [(own.code, own.columns, own.message) for own in self._cautions],
            "weights_any": None if self._weights is None else self._weights.any_positive,
            "columns": [(name, _column_written(own)) for name, own in self._stock.columns.items()],
            **self._stock.index(),
        }

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], memory: int = USUAL_MEMORY, cache: Path | None = None, threads: int = 1
    ) -> GrowingTable:
        """Read what `save` has written; `FormatError` if it is damaged."""
        name = os.fspath(path)
        try:
            with open(path, "rb") as file:
                header = _checked(file, name)
                table = cls.__new__(cls)
                table._restore(header, memory, cache, threads)
                table._stock.fill_from(file)
        except FileNotFoundError:
            raise FormatError(name, None, "there is no such file. Check the path.") from None
        except OSError as error:
            raise FormatError(name, None, f"it cannot be read: {error.strerror}.") from None
        except (ValueError, LookupError, TypeError, AttributeError, pa.ArrowException) as error:
            if isinstance(error, FormatError):
                raise
            raise _damaged(name) from error
        return table

    def _restore(self, header: Mapping[str, Any], memory: int, cache: Path | None, threads: int) -> None:
        self._begin(_options_read(header["options"]), memory, cache, threads)
        schema = pa.ipc.read_schema(pa.py_buffer(base64.b64decode(header["types"])))
        names = list(map(name_from, header["names"]))
        self._every = dict(zip(names, schema.types, strict=True))
        self._with_categories = {name_from(own) for own in header["with_categories"]}
        self._rows = int(header["rows"])
        self._cautions = [Caution(code, tuple(map(name_from, own)), text) for code, own, text in header["cautions"]]
        wanted = self._choice.of(names)
        self._weights = weight_column(self.options.get("weights"), {name: self._every[name] for name in wanted})
        if self._weights is not None:
            self._weights.any_positive = bool(header["weights_any"])
        self._types = {name: self._every[name] for name in wanted if not self._is_weight(name)}
        if self.options.get("missing") == "level":
            self._types = {name: pa.string() if pa.types.is_null(own) else own for name, own in self._types.items()}
        self._open_stock()
        for own, column in header["columns"]:
            name = name_from(own)
            self._stock.columns[name] = _column_read(column, self._stock.columns[name].type)
        self._stock.restore_index(header)


@dataclass
class OpenedGrowing(OpenedTable):
    """A growing table as it is now."""

    names: list[Name]
    types: Mapping[Name, pa.DataType]
    cautions: list[Caution]
    table: GrowingTable
    memory: int
    folder: Callable[[], Folder]

    def rows(self, said: UserKinds, problems: ErrorCollector) -> OpenedRows:
        """The rows that there are."""
        return self.table.counted(self.memory, self.folder)


def _comparable(batches: Batches, before: Mapping[Name, pa.DataType]) -> dict[Name, pa.DataType]:
    types = _comparable_types(batches.types, batches.with_categories)
    # A column without any value can be of any type.
    return {name: before.get(name, own) if pa.types.is_null(own) else own for name, own in types.items()}


def _comparable_types(types: Mapping[Name, pa.DataType], with_categories: set[Name]) -> dict[Name, pa.DataType]:
    """Types by which text is text, however it is laid out."""
    return {
        name: pa.string() if family(own) == "text" and name not in with_categories else own
        for name, own in types.items()
    }


def _options_written(options: Mapping[str, Any]) -> dict[str, Any]:
    written = {name: value for name, value in options.items() if name != "names"}
    for name in ("kinds", "levels"):
        if isinstance(written.get(name), Mapping):
            pairs = [(None if own is ... else [own], value) for own, value in written[name].items()]
            written[name] = {
                "by name": [(own, value if isinstance(value, str) else list(value)) for own, value in pairs]
            }
    for name in ("columns", "drop", "keep"):
        if written.get(name) is not None and not isinstance(written[name], str):
            written[name] = list(written[name])
    return {**written, "names": None if options.get("names") is None else list(options["names"])}


def _options_read(options: Mapping[str, Any]) -> dict[str, Any]:
    read = dict(options)
    for name in ("kinds", "levels"):
        if isinstance(read.get(name), dict):
            pairs = read[name]["by name"]
            read[name] = {... if own is None else name_from(own[0]): value for own, value in pairs}
    for name in ("columns", "drop", "keep", "names"):
        if isinstance(read.get(name), list):
            read[name] = list(map(name_from, read[name]))
    if read.get("weights") is not None:
        read["weights"] = name_from(read["weights"])
    return {name: value for name, value in read.items() if value is not None}


def _column_written(column: StockColumn) -> dict[str, Any]:
    return {
        "values": column.values,
        "rows": column.rows.tolist(),
        "weight": column.weight.tolist(),
        "limits": None if column.limits is None else asdict(column.limits),
        "declared": list(column.declared),
        "unlisted": None if column.unlisted is None else asdict(column.unlisted),
    }


def _column_read(column: Mapping[str, Any], type_: pa.DataType) -> StockColumn:
    limits = column["limits"]
    return StockColumn(
        type_,
        list(column["values"]),
        np.array(column["rows"], dtype=np.int64),
        np.array(column["weight"], dtype=np.int64),
        None if limits is None else Limits(**limits),
        dict.fromkeys(column["declared"]),
        None if column["unlisted"] is None else Unlisted(**column["unlisted"]),
    )


def _damaged(name: str) -> FormatError:
    return FormatError(name, None, "this is no file of statistics of stablebn, or it is damaged. Make it anew.")


def _checked(file: BinaryIO, name: str) -> dict[str, Any]:
    """The header of a file that is whole, which is then read as far as its rows."""
    if file.read(len(_MARK)) != _MARK:
        raise _damaged(name)
    length, rows = (int.from_bytes(file.read(8), "little") for _ in range(2))
    told = file.read(_DIGEST)
    first = file.tell()
    if os.fstat(file.fileno()).st_size != first + length + rows:
        raise _damaged(name)
    text = file.read(length)
    digest = hashlib.blake2b(text, digest_size=_DIGEST)
    while part := file.read(_AT_ONCE):
        digest.update(part)
    if digest.digest() != told:
        raise _damaged(name)
    header: dict[str, Any] = json.loads(text)
    if header["format"] != _FORMAT:
        raise FormatError(name, None, "these statistics were written by another version of stablebn. Make them anew.")
    file.seek(first + length)
    return header


def given_reading(asked: Options) -> dict[str, Any]:
    """Return those options of `READING` that are not the default."""
    defaults = {entry.name: entry.default for entry in options_of(type(asked))}
    values = {name: getattr(asked, name) for name in READING}
    # An array has an == of its own.
    same = {name for name, own in values.items() if own is None or (isinstance(own, str) and own == defaults[name])}
    return {name: own for name, own in values.items() if name not in same}


def with_own_reading(asked: SomeTable) -> SomeTable:
    """Give statistics the reading options that they were made with; other tables keep the specified options.

    Raises
    ------
    OptionError
        The table is a `GrowingTable`, and a reading option is specified again.
    """
    if not isinstance(asked.data, GrowingTable):
        return asked
    given = list(given_reading(asked))
    if given:
        raise OptionError(
            f"statistics are read as it was said when they were made: give {listed(given)} to stablebn.statistics."
        )
    return replace(asked, **asked.data.options)
