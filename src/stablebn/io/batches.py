"""Read tables in parts, one part in memory at a time: large files, folders of files, and iterators of batches."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

import pyarrow as pa

from stablebn.columns.arrow.conversion import Columns
from stablebn.columns.arrow.dictionaries import chunked, with_narrow_indices, with_wide_indices
from stablebn.columns.na_values import Markers, report_markers
from stablebn.errors import DataError, OptionError, listed, shown
from stablebn.io.csv.dialect import Dialect
from stablebn.io.csv.parts import scan_text_files
from stablebn.io.registry import (
    READERS,
    check_is_file,
    check_same_columns,
    file_errors,
    names_of,
    pandas_index,
    parquet_files,
    parquet_source,
    with_categories,
)
from stablebn.io.sources import check_unique, read
from stablebn.messages import Caution
from stablebn.table.file_digest import digest_of_bytes, digest_of_file
from stablebn.table.table import Name
from stablebn.threads import iterate_interruptibly, run_interruptibly

if TYPE_CHECKING:
    pass

PARQUET, ARROW = (".parquet",), (".feather", ".arrow")
TEXT = tuple(end for end, reader in READERS.items() if reader.is_text)

# In a folder, only text files with these endings are read as tables: other text files may be anything.
_TABLES_OF_TEXT = (".csv", ".csv.gz", ".tsv", ".tsv.gz")

# The digest that identifies the contents of a file covers this many bytes at its end.
_LAST_BYTES = 1 << 16

MANY_ROWS = 1 << 20
"""Parts with at least this many rows are not joined with others."""

Types: TypeAlias = dict[Name, pa.DataType]


@dataclass(frozen=True)
class Batches:
    """A table that is read in parts.

    Attributes
    ----------
    types : dict of name to pyarrow.DataType
        Types of all columns; dictionaries have 64-bit indices.
    with_categories : set of names
        Columns whose type lists their categories.
    parts : callable
        Takes the names of columns and the number of rows per part; returns the parts, in order.
    cautions : sequence of Caution
        Warnings about how the files were read.
    markers : mapping of name to Markers
        As in `Contents`.
    """

    types: Types
    with_categories: set[Name]
    parts: Callable[[Sequence[Name], int], Iterator[Columns]]
    cautions: Sequence[Caution] = ()
    markers: Mapping[Name, Markers] = field(default_factory=dict)


def comes_in_parts(source: object) -> bool:
    """Return whether a source is an iterator of batches or names several files."""
    if isinstance(source, str | os.PathLike):
        path = os.fsdecode(source)
        if os.path.isdir(path):
            return is_text(path)
        return glob.has_magic(path) and not os.path.exists(path)
    return isinstance(source, pa.RecordBatchReader | Iterator)


def can_come_in_parts(path: str) -> bool:
    """Return whether a file, or a folder of files, can be read in parts."""
    return os.path.isdir(path) or path.lower().endswith((*PARQUET, *ARROW, *TEXT))


def is_text(path: str) -> bool:
    """Return whether a path names text files: a file, a pattern, or a folder with text and no Parquet files."""
    if os.path.isdir(path):
        names = [name.lower() for name in os.listdir(path) if name[0] not in "._"]
        return any(name.endswith(_TABLES_OF_TEXT) for name in names) and not any(
            name.endswith(PARQUET) for name in names
        )
    return path.lower().endswith(TEXT)


def open_batches(source: object, dialect: Dialect, threads: int = 1) -> Batches:
    """Open a table that is read in parts.

    Parameters
    ----------
    source : path or iterator
        A file or a pattern of files (text, Parquet or Arrow), a folder of Parquet or of text files, a
        `pyarrow.RecordBatchReader`, or an iterator of tables that `read` accepts.
    dialect : Dialect
        The user's options for text files.
    threads : int
        Number of threads for text files.
    """
    if isinstance(source, str | os.PathLike):
        path = os.fsdecode(source)
        return run_interruptibly(lambda: _open_path(path, dialect, threads))
    dialect.refuse("this table")
    if hasattr(source, "read"):
        # An open file is an iterator too: each of its lines would be taken for a batch.
        raise DataError(f"cannot read a table from {shown(source)}: name the file by its path instead.")
    opened = _open_iterator(source)  # type: ignore[arg-type]
    check_unique(list(opened.types))
    return opened


def _open_path(path: str, dialect: Dialect, threads: int) -> Batches:
    if is_text(path) or any(map(is_text, glob.glob(path))):
        return _open_text(path, dialect, threads)
    dialect.refuse(repr(path))
    opened = _open_files(path)
    check_unique(list(opened.types))
    return opened


def _open_text(path: str, dialect: Dialect, threads: int) -> Batches:
    with file_errors(path):
        files = _files(path)
    found = scan_text_files(files, dialect, threads)

    def all_parts(names: Sequence[Name], rows: int) -> Iterator[Columns]:
        return _in_portions(iterate_interruptibly(found.parts(names)), rows)

    types = {name: with_wide_indices(own.type) for name, own in found.typings.items()}
    markers = {name: own.reported for name, own in found.typings.items()}
    return Batches(types, set(), all_parts, found.cautions, markers)


def contents_of(source: object) -> tuple[str, ...] | None:
    """Return the name, size, time of writing and digest of each file of a table; None if the source is no file.

    The digest is of all bytes: a file can change in the middle and keep its size and time.
    """
    if not isinstance(source, str | os.PathLike):
        return None
    path = os.fsdecode(source)
    with file_errors(path):
        return run_interruptibly(lambda: tuple(map(_contents, _files(path))))


def _contents(path: str) -> str:
    status = os.stat(path)
    return f"{os.path.abspath(path)} {status.st_size} {status.st_mtime_ns} {digest_of_file(path)}"


def open_as_batches(source: object, dialect: Dialect, names: Sequence[Name] | None) -> tuple[Batches, list[Caution]]:
    """Open any table as one that is read in parts, possibly a single part; also return the warnings."""
    if comes_in_parts(source) or (isinstance(source, str | os.PathLike) and can_come_in_parts(os.fsdecode(source))):
        if names is not None:
            raise OptionError("names= goes with a NumPy array; this source has column names of its own. Leave it out.")
        opened = open_batches(source, dialect)
        return opened, [*opened.cautions, *report_markers(opened.markers)]
    found = read(source, names=names, dialect=dialect)

    def the_part(wanted: Sequence[Name], rows: int) -> Iterator[Columns]:
        return _in_portions([{name: found.columns[name] for name in wanted}], rows)

    return Batches(_wide(found.columns), found.with_categories, the_part), found.cautions


def _open_iterator(source: Iterable[object]) -> Batches:
    """Open an iterator of tables; its parts can be read only once."""
    parts = iter(source)
    if isinstance(source, pa.RecordBatchReader):
        empty = source.schema.empty_table()
        parts = chain([empty], parts)
    first = next(parts, None)
    if first is None:
        raise DataError("the iterator gives no batches. Has it been used before?")
    opened = read(first)
    types = _wide(opened.columns)

    def columns(part: object, number: int) -> Columns:
        own = read(part).columns
        check_same_columns(f"batch {number}", _wide(own), "batch 1", types)
        return own

    def all_parts(names: Sequence[Name], rows: int) -> Iterator[Columns]:
        read_parts = chain([opened.columns], (columns(part, number) for number, part in enumerate(parts, start=2)))
        return _in_portions(({name: part[name] for name in names} for part in read_parts), rows)

    return Batches(types, opened.with_categories, all_parts)


def _wide(columns: Columns) -> Types:
    return {name: with_wide_indices(column.type) for name, column in columns.items()}


@dataclass(frozen=True)
class FilePart:
    """Some row groups of a file.

    Attributes
    ----------
    path : str
    groups : tuple of int
        Numbers of row groups of a Parquet file.
    mark : str
        Identifies the contents of the file, on any machine.
    """

    path: str
    groups: tuple[int, ...]
    mark: str


@dataclass(frozen=True)
class FileParts:
    """Files in parts that can be read independently.

    Attributes
    ----------
    types, with_categories
        As in `Batches`.
    parts : list of FilePart
    rows : list of int
        Number of rows of each part.
    """

    types: Types
    with_categories: set[Name]
    parts: list[FilePart]
    rows: list[int]


def parts_of_files(path: str) -> FileParts:
    """List the row groups of a file, or of all files in a folder or matching a glob pattern."""
    opened = _opened_files(path)
    check_unique(list(opened[0].types))
    every = [
        (FilePart(file.path, (group,), file.mark), rows)
        for file in opened
        for group, rows in enumerate(file.group_rows)
    ]
    return FileParts(
        opened[0].types, opened[0].with_categories, [part for part, _ in every], [rows for _, rows in every]
    )


def open_file_parts(parts: Sequence[FilePart]) -> Batches:
    """Open parts of files as a table; each part is of a different file."""
    opened = [_opened_file(part.path) for part in parts]
    changed = [file.path for file, part in zip(opened, parts, strict=True) if file.mark != part.mark]
    if changed:
        raise DataError(f"files changed while the program was reading them: {listed(changed)}. Learn again.")
    return _batches_of(opened, {part.path: part.groups for part in parts})


def _open_files(path: str) -> Batches:
    opened = _opened_files(path)
    return _batches_of(opened, {file.path: tuple(range(len(file.group_rows))) for file in opened})


def _batches_of(opened: Sequence[_File], groups_of: Mapping[str, tuple[int, ...]]) -> Batches:
    def all_parts(names: Sequence[Name], rows: int) -> Iterator[Columns]:
        def read_parts() -> Iterator[Columns]:
            for file in opened:
                with file_errors(file.path):
                    for batch in file.batches(names, rows, groups_of[file.path]):
                        yield {name: chunked([batch.column(name)], batch.schema.field(name).type) for name in names}

        return _in_portions(iterate_interruptibly(read_parts()), rows)

    return Batches(opened[0].types, opened[0].with_categories, all_parts)


def _opened_files(path: str) -> list[_File]:
    with file_errors(path):
        files = _files(path)
    opened: list[_File] = []
    for file in files:
        opened.append(_opened_file(file))
        check_same_columns(repr(file), opened[-1].types, repr(files[0]), opened[0].types)
    return opened


def _opened_file(path: str) -> _File:
    with file_errors(path):
        return _open_parquet(path) if path.lower().endswith(PARQUET) else _open_arrow(path)


def _files(path: str) -> list[str]:
    files = _named_files(path)
    for file in files:
        check_is_file(file)
    return files


def _named_files(path: str) -> list[str]:
    if os.path.isdir(path):
        if is_text(path):
            names = (name for name in os.listdir(path) if name[0] not in "._")
            return sorted(os.path.join(path, name) for name in names if name.lower().endswith(_TABLES_OF_TEXT))
        return parquet_files(path)
    if not glob.has_magic(path) or os.path.exists(path):
        return [path]
    found = sorted(glob.glob(path))
    if not found:
        raise DataError(f"there is no file {path!r}: check the pattern.")
    # All files are of one sort, so that column types agree (Parquet, Arrow) or are inferred together (text).
    ends = TEXT if is_text(found[0]) else (*PARQUET, *ARROW)
    others = [file for file in found if not file.lower().endswith(ends)]
    if others:
        raise DataError(
            "only text files (CSV), or Parquet and Arrow files, can be read in parts together, and "
            f"{path!r} names others: {listed(others)}."
        )
    return found


@dataclass(frozen=True)
class _File:
    """A file whose schema has been read."""

    path: str
    types: Types
    with_categories: set[Name]
    batches: Callable[[Sequence[Name], int, Sequence[int]], Iterator[pa.RecordBatch]]
    mark: str
    group_rows: tuple[int, ...]


def _types(schema: pa.Schema) -> Types:
    index = pandas_index(schema)
    names = names_of(schema)
    check_unique(names)
    return {name: with_wide_indices(field.type) for name, field in zip(names, schema, strict=True) if name not in index}


def _open_parquet(path: str) -> _File:
    opened, metadata, categories = parquet_source(path)

    def batches(names: Sequence[Name], rows: int, groups: Sequence[int]) -> Iterator[pa.RecordBatch]:
        with opened() as file:
            yield from file.iter_batches(rows, row_groups=list(groups), columns=list(names), use_threads=False)

    with opened() as file:
        types = _types(file.schema_arrow)
    group_rows = tuple(metadata.row_group(group).num_rows for group in range(metadata.num_row_groups))
    return _File(path, types, {*categories}, batches, _mark(path), group_rows)


def _open_arrow(path: str) -> _File:
    def opened(file: pa.NativeFile) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
        try:
            found = pa.ipc.open_file(file)
            return found.schema, map(found.get_batch, range(found.num_record_batches))
        except pa.ArrowInvalid:
            file.seek(0)
            stream = pa.ipc.open_stream(file)
            return stream.schema, iter(stream)

    def batches(names: Sequence[Name], rows: int, groups: Sequence[int]) -> Iterator[pa.RecordBatch]:
        with pa.memory_map(path) as file:
            for batch in opened(file)[1]:
                yield batch.select(list(names))

    with pa.memory_map(path) as file:
        schema = opened(file)[0]
        types, categories = _types(schema), with_categories(schema)
    # The file is one part: its number of rows is not known before it is read.
    return _File(path, types, {*categories}, batches, _mark(path), (MANY_ROWS,))


def _mark(path: str) -> str:
    """Return the size of a file and a digest of its end, which every worker of a cluster can compute quickly."""
    size = os.stat(path).st_size
    with open(path, "rb") as file:
        last = _LAST_BYTES
        if path.lower().endswith(PARQUET):
            # A Parquet file ends with the positions and sizes of its columns, and the length of that footer.
            file.seek(max(0, size - 8))
            last = int.from_bytes(file.read(4), "little") + 8
        file.seek(max(0, size - last))
        return f"{size} {digest_of_bytes(file.read())}"


def _in_portions(parts: Iterable[Columns], rows: int) -> Iterator[Columns]:
    """Split parts to at most `rows` rows; join small parts until they have about half of that."""
    waiting: list[Columns] = []
    count = 0
    for part in parts:
        length = len(next(iter(part.values()), ()))
        for first in range(0, length, rows):
            portion = {name: column.slice(first, rows) for name, column in part.items()}
            waiting.append(portion)
            count += len(next(iter(portion.values())))
            if 2 * count > rows:
                yield from _joined(waiting, rows)
                waiting, count = [], 0
    yield from _joined(waiting, rows)


def _joined(parts: Sequence[Columns], rows: int) -> Iterator[Columns]:
    if not parts:
        return
    whole = {
        name: chunked(
            [with_narrow_indices(chunk) for part in parts for chunk in part[name].chunks], parts[0][name].type
        )
        for name in parts[0]
    }
    for first in range(0, len(next(iter(whole.values()))), rows):
        yield {name: column.slice(first, rows) for name, column in whole.items()}
