"""Read tables from files; the ending of the name selects the format."""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import pyarrow as pa

from stablebn.columns.arrow.dictionaries import chunked, with_narrow_indices, with_wide_indices
from stablebn.decompression import check_unpacked
from stablebn.errors import DataError, listed, shown
from stablebn.io.arrow_compression import unpacked_bytes
from stablebn.io.csv.dialect import Dialect
from stablebn.io.csv.inference import read_csv
from stablebn.io.duckdb import read_duckdb
from stablebn.io.excel import read_excel
from stablebn.io.file_contents import Contents
from stablebn.io.jsonl import read_json_lines
from stablebn.io.sqlite import read_sqlite
from stablebn.options import is_path
from stablebn.table.table import Name
from stablebn.threads import run_at_once, run_interruptibly

if TYPE_CHECKING:
    from pyarrow import parquet

logger = logging.getLogger(__name__)

# Bytes of a value in memory, by its type in Parquet; text is dictionary-encoded.
_WIDTHS = {"BOOLEAN": 1, "INT32": 4, "FLOAT": 4, "BYTE_ARRAY": 4}

_UNCOMPRESSED = "save the table without compression, as an .arrow file"

# Few enough rows that their memory is reused soon, enough to occupy the threads.
_ROWS_AT_ONCE = 1 << 17

# A Parquet file is opened at most this often to read its columns: enough for many threads.
_MOST_OPENED = 64

BYTES_AT_ONCE = 1 << 20
"""Size of the buffer for reading a stored column."""

NamedColumns: TypeAlias = list[tuple[Name, pa.ChunkedArray]]


@dataclass(frozen=True)
class Reader:
    """Read function of a file format, and the arguments that it takes.

    Attributes
    ----------
    read : callable
        Takes the path and those of these arguments that the format has, in this order: the name of a table, the texts
        of missing values, the dialect, the number of threads.
    is_text : bool
    has_tables : bool
        Whether a file may have several tables.
    has_markers : bool
        Whether texts may stand for missing values.
    has_threads : bool
        Whether `read` takes the number of threads.
    """

    read: Callable[..., Contents]
    is_text: bool = False
    has_tables: bool = False
    has_markers: bool = False
    has_threads: bool = False


def read_file(path: str, dialect: Dialect, threads: int = 1) -> Contents:
    """Read the columns of a table in a file, or in a folder of Parquet files.

    Parameters
    ----------
    path : str
        Ends in one of `READERS`, upper or lower case. If the file may have several tables, `::` and a name may follow.
    dialect : Dialect
        The user's options for text files.
    threads : int
        If more than 1, PyArrow chooses the number of threads for formats that support it.

    Returns
    -------
    Contents
    """
    return run_interruptibly(lambda: _read_file(path, dialect, threads))


def _read_file(path: str, dialect: Dialect, threads: int) -> Contents:
    file, table = path, None
    reader = _reader_of(path)
    if reader is None and "::" in path:
        file, _, table = path.rpartition("::")
        reader = _reader_of(file)
    with file_errors(path):
        check_is_file(file)
        if reader is None or os.path.isdir(file):
            reader = Reader(_read_parquet_folder, has_threads=True)
        if not reader.is_text:
            dialect.refuse(repr(path), takes=("na_values",) if reader.has_markers else ())
        if reader.is_text:
            return reader.read(path, dialect, threads)
        of_tables = (table,) if reader.has_tables else ()
        of_markers = (dialect.na_values,) if reader.has_markers else ()
        of_threads = (threads,) if reader.has_threads else ()
        return reader.read(file if reader.has_tables else path, *of_tables, *of_markers, *of_threads)


def check_is_file(path: str) -> None:
    """Raise `DataError` for a pipe, a socket or a device; a missing file is reported when it is read."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise DataError(
            f"{shown(path)} is a pipe or a device, and a table is read more than once: write it to a file, and name "
            "that."
        )


@contextmanager
def file_errors(path: str) -> Iterator[None]:
    """Convert errors from reading a file to `DataError`."""
    if not is_path(path):
        raise DataError(f"no file can be called {shown(path)}: check the path.")
    try:
        yield
    except FileNotFoundError:
        raise DataError(f"there is no file {shown(path)}: check the path.") from None
    except UnicodeEncodeError:
        # Arrow accepts fewer names than the operating system.
        raise DataError(f"no file can be called {shown(path)}: check the path.") from None
    except UnicodeDecodeError:
        raise DataError(f"{path!r} is not UTF-8 text: save the file as UTF-8.") from None
    except (OSError, pa.ArrowException) as error:
        raise _unreadable(path, error) from error


def _reader_of(file: str) -> Reader | None:
    return next((reader for end, reader in READERS.items() if file.lower().endswith(end)), None)


def _unreadable(path: str, error: Exception) -> DataError:
    reason = str(error).strip().partition("\n")[0]
    return DataError(f"{path!r} cannot be read; check that it is complete and what its name says: {reason}")


def table_columns(table: pa.Table) -> NamedColumns:
    """Return the columns of an Arrow table, without those that hold the index of a pandas frame."""
    names = names_of(table.schema)
    return _without_index(table.schema, list(zip(names, table.columns, strict=True)))


def names_of(schema: pa.Schema) -> list[str]:
    """Return the names of the columns, or raise `DataError` if they are not UTF-8."""
    try:
        names: list[str] = schema.names
    except UnicodeDecodeError:
        raise DataError(
            "the names of the columns are not UTF-8 text: write the table again, with names that are."
        ) from None
    return names


def _without_index(schema: pa.Schema, columns: Sequence[tuple[Name, pa.ChunkedArray]]) -> NamedColumns:
    index = pandas_index(schema)
    stored = [name for name, _ in columns if name in index]
    if stored:
        logger.info("left out the index of a pandas frame: %s", listed(stored))
    return [(name, column) for name, column in columns if name not in stored]


def _gathered(schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> NamedColumns:
    """Collect the columns of a table that is read in batches, with the narrowest indices for dictionaries.

    PyArrow makes indices of four bytes each; converting batch by batch needs memory for those of one batch only.
    """
    names = names_of(schema)
    chunks: list[list[pa.Array]] = [[] for _ in names]
    for batch in batches:
        for arrays, array in zip(chunks, batch.columns, strict=True):
            arrays.append(with_narrow_indices(array))
    columns = [(name, chunked(arrays, field.type)) for name, arrays, field in zip(names, chunks, schema, strict=True)]
    return _without_index(schema, columns)


def pandas_index(schema: pa.Schema) -> list[object]:
    """Return the names of the columns that hold the index of a stored pandas frame."""
    try:
        index = (schema.pandas_metadata or {}).get("index_columns", [])
    except (AttributeError, ValueError, RecursionError):
        index = None
    if not isinstance(index, list):
        raise DataError("the description of the pandas index in the table is damaged: write the table again.")
    return index


def _read_parquet(path: str, threads: int) -> Contents:
    # Imported here because the import is slow and few runs need it.
    from pyarrow import parquet

    with parquet.ParquetFile(path) as file:
        metadata = file.metadata
        check_unpacked(path, _decoded_bytes(metadata), _UNCOMPRESSED)
        text = [field.name for field in file.schema_arrow if pa.types.is_string(field.type)]
        categories = with_categories(file.schema_arrow)

    def opened() -> parquet.ParquetFile:
        # Text is read as the file stores it, dictionary-encoded, so that no value is hashed again.
        return parquet.ParquetFile(
            path, metadata=metadata, read_dictionary=text, buffer_size=BYTES_AT_ONCE, pre_buffer=False
        )

    with opened() as file:
        schema = file.schema_arrow
        if not any(pa.types.is_dictionary(field.type) for field in schema):
            # No column has indices that could be narrowed.
            return Contents(table_columns(file.read(use_threads=threads > 1)), with_categories=categories)
        names = names_of(schema)
        if len(set(names)) < len(names):
            # `check_unique` refuses them later; a column cannot be read by a name that occurs twice.
            gathered = _gathered(schema, file.iter_batches(_ROWS_AT_ONCE, use_threads=threads > 1))
            return Contents(gathered, with_categories=categories)

    def read_columns(fields: Sequence[pa.Field]) -> list[pa.ChunkedArray]:
        with opened() as file:
            return [read_column(file, field) for field in fields]

    def read_column(file: parquet.ParquetFile, field: pa.Field) -> pa.ChunkedArray:
        batches = file.iter_batches(_ROWS_AT_ONCE, columns=[field.name], use_threads=False)
        return chunked([with_narrow_indices(batch.column(field.name)) for batch in batches], field.type)

    # Columns are read one by one: each thread narrows the indices that it has read, and does not wait for the slowest
    # column. Opening a file takes time proportional to its columns, so a thread reads several columns per opening.
    at_once = -(-len(names) // _MOST_OPENED)
    groups = [list(schema)[first : first + at_once] for first in range(0, len(names), at_once)]
    read = run_at_once([partial(read_columns, group) for group in groups], threads, lambda: None)
    columns = [column for group in read for column in group]
    return Contents(_without_index(schema, list(zip(names, columns, strict=True))), with_categories=categories)


def with_categories(schema: pa.Schema) -> list[Name]:
    """Return the columns whose type lists their categories."""
    return [name for name, field in zip(names_of(schema), schema, strict=True) if pa.types.is_dictionary(field.type)]


def _read_parquet_folder(path: str, threads: int) -> Contents:
    """Read all Parquet files of a folder and concatenate their rows."""
    if not os.path.isdir(path):
        endings = listed(tuple(READERS), most=99)
        raise DataError(f"{path[:200]!r} is not a table file. Names of table files end in: {endings}.")
    files = parquet_files(path)
    if len(files) == 1:
        return _read_parquet(files[0], threads)
    read = [_read_parquet(file, threads) for file in files]
    parts: list[dict[Name, pa.ChunkedArray]] = [dict(contents.columns) for contents in read]
    types = [{name: with_wide_indices(column.type) for name, column in part.items()} for part in parts]
    for file, types_of_file in zip(files, types, strict=True):
        check_same_columns(repr(file), types_of_file, repr(files[0]), types[0])
    return Contents(
        [
            (name, chunked([chunk for part in parts for chunk in part[name].chunks], type_))
            for name, type_ in types[0].items()
        ],
        with_categories=read[0].with_categories,
    )


def parquet_files(folder: str) -> list[str]:
    """List the Parquet files of a folder, in the order of their names."""
    names = (name for name in os.listdir(folder) if name.lower().endswith(".parquet") and name[0] not in "._")
    files = sorted(os.path.join(folder, name) for name in names)
    if not files:
        raise DataError(f"{folder!r} is a directory without .parquet files: name one file.")
    for file in files:
        check_is_file(file)
    return files


def check_same_columns(
    label: str, types: Mapping[Name, pa.DataType], first_label: str, first_types: Mapping[Name, pa.DataType]
) -> None:
    """Raise `DataError` unless a part of a table has the columns and types of the first part.

    The labels name the parts in the error.
    """
    if types != first_types:
        other = [name for name in {**first_types, **types} if types.get(name) != first_types.get(name)]
        raise DataError(f"columns of {label} are not those of {first_label}, or of other types: {listed(other)}.")


def _decoded_bytes(metadata: parquet.FileMetaData) -> int:
    """Return the decoded size that a Parquet file declares: all pages, and each value (text as an index)."""
    pages = sum(metadata.row_group(group).total_byte_size for group in range(metadata.num_row_groups))
    widths = (_WIDTHS.get(metadata.schema.column(c).physical_type, 8) for c in range(metadata.num_columns))
    return int(pages + metadata.num_rows * sum(widths))


def _read_arrow(path: str, threads: int) -> Contents:
    try:
        unpacked = unpacked_bytes(path)
    except ValueError as error:
        raise _unreadable(path, error) from None
    check_unpacked(path, unpacked, _UNCOMPRESSED)
    options = pa.ipc.IpcReadOptions(use_threads=threads > 1)
    with pa.OSFile(path) as file:
        try:
            batches = pa.ipc.open_file(file, options=options)
            columns = _gathered(batches.schema, map(batches.get_batch, range(batches.num_record_batches)))
            return Contents(columns, with_categories=with_categories(batches.schema))
        except pa.ArrowInvalid:
            file.seek(0)
            stream = pa.ipc.open_stream(file, options=options)
            return Contents(_gathered(stream.schema, stream), with_categories=with_categories(stream.schema))


READERS: dict[str, Reader] = {
    **dict.fromkeys((".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt", ".txt.gz"), Reader(read_csv, is_text=True)),
    ".parquet": Reader(_read_parquet, has_threads=True),
    **dict.fromkeys((".feather", ".arrow"), Reader(_read_arrow, has_threads=True)),
    ".xlsx": Reader(read_excel, has_tables=True, has_markers=True),
    **dict.fromkeys((".jsonl", ".ndjson"), Reader(read_json_lines, has_markers=True)),
    **dict.fromkeys((".db", ".sqlite", ".sqlite3"), Reader(read_sqlite, has_tables=True, has_markers=True)),
    ".duckdb": Reader(read_duckdb, has_tables=True),
}
