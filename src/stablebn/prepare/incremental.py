"""A table to which rows can be added: learning from it equals learning from all rows at once."""

from __future__ import annotations

import base64
import copy
import hashlib
import io
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa

from stablebn.columns.column import OpenedRows, OpenedTable
from stablebn.columns.error_collector import ErrorCollector
from stablebn.columns.kinds import UserKinds, family, parse_kinds
from stablebn.columns.levels import named_categorical, parse_levels
from stablebn.columns.selection import ColumnSelection
from stablebn.columns.weights import weight_column
from stablebn.errors import FormatError, OptionError
from stablebn.files import whole_file
from stablebn.graph.json_names import comes_back, json_text, name_from
from stablebn.io.batches import Batches, open_as_batches
from stablebn.io.csv.dialect import Dialect
from stablebn.io.registry import check_same_columns
from stablebn.messages import Caution
from stablebn.options import checked_arguments, file_path, flag
from stablebn.prepare import out_of_core as stored
from stablebn.prepare.out_of_core import counted, fill, kept_columns
from stablebn.prepare.read_options import SpooledTable
from stablebn.prepare.spool import Spool
from stablebn.prepare.spooled_columns import Limits, SpooledColumn, Unlisted
from stablebn.table.memory_limit import USUAL_MEMORY
from stablebn.table.table import Name
from stablebn.table.temporary_folders import Folder

_MARK, _FORMAT = b"stablebn statistics\n", 1
_NUMBERS = 16
_DIGEST = 16
_AT_ONCE = 1 << 20


class GrowingTable(SpooledTable):
    """A table to which rows can be added.

    The rows are spooled to disk. Decisions that depend on values, such as the kinds and levels of columns, are made
    from all rows whenever something is learned.

    Parameters
    ----------
    data : frame, array, dict, path or iterator
    options : mapping of str to object
        The options of `READING` that were given.
    memory : int
        The bytes that rows in memory may take.
    cache : Path, optional
        The folder for rows on disk; by default a temporary folder.
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
        # Refuse impossible levels before the rows are read.
        parse_levels(options.get("levels"), self._types, {})
        self._open_spool()
        self._rows = 0
        self._add(batches)

    def _begin(self, options: Mapping[str, Any], memory: int, cache: Path | None, threads: int) -> None:
        self.options = dict(options)
        self._memory, self._cache, self._threads = memory, cache, threads
        self._choice = ColumnSelection(*map(options.get, ("columns", "drop", "keep", "weights")))

    def _open_spool(self) -> None:
        """Create an empty spool."""
        self._kept = kept_columns(self._types, self._said())
        self._spool = Spool(
            Folder(self._cache),
            {name: own.type for name, own in self._kept.items()},
            weighted=self._weights is not None,
            most_text=self._memory // stored.SHARE_OF_TEXTS,
        )

    def __getstate__(self) -> dict[str, Any]:
        """Return the complete state with all rows: a copy has its own folder."""
        spool = self._spool
        return {
            "fields": {name: value for name, value in vars(self).items() if name not in ("_kept", "_spool")},
            "columns": spool.columns,
            "index": spool.index(),
            "rows": b"".join(spool.contents()),
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the state that `__getstate__` has returned."""
        vars(self).update(state["fields"])
        self._open_spool()
        self._spool.columns = state["columns"]
        self._spool.restore_index(state["index"])
        self._spool.fill_from(io.BytesIO(state["rows"]))

    def __copy__(self) -> GrowingTable:
        """Return a copy, to which rows can be added independently."""
        return copy.deepcopy(self)

    def _is_weight(self, name: Name) -> bool:
        return self._weights is not None and name == self._weights.name

    def _said(self) -> UserKinds:
        """Return the kinds that the options decide."""
        said = parse_kinds(self.options.get("kinds"), self._choice.kept(list(self._every)), self._types)
        categorical = named_categorical(self.options.get("levels"), tuple(self._types))
        na_values = Dialect.of(self.options).na_values
        return said._replace(kinds={**dict.fromkeys(categorical, "categorical"), **said.kinds}, na_values=na_values)

    def _opened(self, data: object) -> tuple[Batches, list[Caution]]:
        return open_as_batches(data, Dialect.of(self.options), self.options.get("names"))

    @property
    def rows(self) -> int:
        """The number of rows, those of weight 0 included."""
        return self._rows

    def __repr__(self) -> str:
        return f"<stablebn statistics of {self._rows:,} rows and {len(self._types)} variables>"

    def update(self, more: object) -> None:
        """Add rows: all of them, or none if one of them cannot be added.

        Parameters
        ----------
        more : frame, array, dict, path or iterator
            The columns must have the same names and types as before, in any order.

        Raises
        ------
        DataError
            The columns differ in name or type, or cannot be read.
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
        with self._spool.all_or_nothing():
            filled = fill(
                self._spool,
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
        """Return the table with the rows that it has now."""
        return OpenedGrowing(list(self._every), self._types, list(self._cautions), self, memory, folder)

    def counted(self, memory: int, folder: Callable[[], Folder]) -> OpenedRows:
        """Return the rows that the table has now."""
        return counted(self._spool, self._types, self._with_categories, self._rows, memory, folder)

    @checked_arguments(path=file_path, force=flag)
    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write the table to one file, which `stablebn.load_statistics` reads.

        Parameters
        ----------
        path : path
        force : bool
            Whether to replace an existing file.
        """
        lost = [name for name in self._every if not comes_back(name)]
        if lost:
            raise OptionError(f"these names cannot be written to a file: {lost[:3]!r}. Give the columns names of text.")
        header = json_text(self._header()).encode("utf-8", "surrogatepass")
        with whole_file(Path(path), force=force) as temporary, temporary.open("wb") as file:
            rows = self._spool.size
            digest = hashlib.blake2b(header, digest_size=_DIGEST)
            file.write(_MARK + len(header).to_bytes(8, "little") + rows.to_bytes(8, "little"))
            file.write(bytes(_DIGEST) + header)
            for part in self._spool.contents():
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
            "columns": [(name, _column_written(own)) for name, own in self._spool.columns.items()],
            **self._spool.index(),
        }

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], memory: int = USUAL_MEMORY, cache: Path | None = None, threads: int = 1
    ) -> GrowingTable:
        """Read a file that `save` has written; raise `FormatError` if it is damaged."""
        name = os.fspath(path)
        try:
            with open(path, "rb") as file:
                header = _checked(file, name)
                table = cls.__new__(cls)
                table._restore(header, memory, cache, threads)
                table._spool.fill_from(file)
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
        self._open_spool()
        for own, column in header["columns"]:
            name = name_from(own)
            self._spool.columns[name] = _column_read(column, self._spool.columns[name].type)
        self._spool.restore_index(header)


@dataclass
class OpenedGrowing(OpenedTable):
    """A growing table with the rows that it has now."""

    names: list[Name]
    types: Mapping[Name, pa.DataType]
    cautions: list[Caution]
    table: GrowingTable
    memory: int
    folder: Callable[[], Folder]

    def rows(self, said: UserKinds, problems: ErrorCollector) -> OpenedRows:
        """Return the rows."""
        return self.table.counted(self.memory, self.folder)


def _comparable(batches: Batches, before: Mapping[Name, pa.DataType]) -> dict[Name, pa.DataType]:
    types = _comparable_types(batches.types, batches.with_categories)
    # A column without any value is compatible with every type.
    return {name: before.get(name, own) if pa.types.is_null(own) else own for name, own in types.items()}


def _comparable_types(types: Mapping[Name, pa.DataType], with_categories: set[Name]) -> dict[Name, pa.DataType]:
    """Return the types of columns, with one type for all kinds of text without categories."""
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


def _column_written(column: SpooledColumn) -> dict[str, Any]:
    return {
        "values": column.values,
        "rows": column.rows.tolist(),
        "weight": column.weight.tolist(),
        "limits": None if column.limits is None else asdict(column.limits),
        "declared": list(column.declared),
        "unlisted": None if column.unlisted is None else asdict(column.unlisted),
    }


def _column_read(column: Mapping[str, Any], type_: pa.DataType) -> SpooledColumn:
    limits = column["limits"]
    return SpooledColumn(
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
    """Check that a file is complete, return its header, and stop reading at its rows."""
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
