"""Tables in files: the format is told by the end of the name."""

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

# Bytes of a value in memory, by its type in Parquet; text is read by its distinct values.
_WIDTHS = {"BOOLEAN": 1, "INT32": 4, "FLOAT": 4, "BYTE_ARRAY": 4}

_UNCOMPRESSED = "save the table without compression, as an .arrow file"

# Few enough that the memory for them is used again soon, many enough for threads.
_ROWS_AT_ONCE = 1 << 17

# How often a Parquet file is opened to read its columns: enough for many threads.
_MOST_OPENED = 64

# Of what is stored of a column, so much is read at once, and not all.
BYTES_AT_ONCE = 1 << 20

NamedColumns: TypeAlias = list[tuple[Name, pa.ChunkedArray]]


@dataclass(frozen=True)
class Reader:
    """How a format is read.

    Attributes
    ----------
    read : callable
        Takes the path; then the name of a table, the texts of missing values, the dialect and the number of threads, as
        far as the format has them.
    is_text : bool
    has_tables : bool
    has_markers : bool
        Whether texts may stand for missing values.
    has_threads : bool
        Whether it takes the number of threads.
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
        Ends in one of `READERS`, upper or lower case; then, where a file may have several tables, `::` and a name.
    dialect : Dialect
        What the user says of how a text file is written.
    threads : int
        With more than one, PyArrow takes as many as it likes where it can.

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
    """Raise `DataError` for a pipe, a socket or a device; what is not there is reported when it is read."""
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
    """Raise `DataError` for a file that cannot be read."""
    if not is_path(path):
        raise DataError(f"no file can be called {shown(path)}: check the path.")
    try:
        yield
    except FileNotFoundError:
        raise DataError(f"there is no file {shown(path)}: check the path.") from None
    except UnicodeEncodeError:
        # Arrow takes fewer names than the system.
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
    """Columns of an Arrow table, without those that hold the index of a pandas frame."""
    names = names_of(table.schema)
    return _without_index(table.schema, list(zip(names, table.columns, strict=True)))


def names_of(schema: pa.Schema) -> list[str]:
    """The names of the columns."""
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
    """The columns of a table that is read some rows at a time, dictionaries with the narrowest indices.

    So memory is needed for the indices that PyArrow makes, of four bytes each, only for some rows, and is used again.
    """
    names = names_of(schema)
    chunks: list[list[pa.Array]] = [[] for _ in names]
    for batch in batches:
        for own, array in zip(chunks, batch.columns, strict=True):
            own.append(with_narrow_indices(array))
    columns = [(name, chunked(own, field.type)) for name, own, field in zip(names, chunks, schema, strict=True)]
    return _without_index(schema, columns)


def pandas_index(schema: pa.Schema) -> list[object]:
    """Names of the columns that hold the index, where a pandas frame has been stored."""
    try:
        index = (schema.pandas_metadata or {}).get("index_columns", [])
    except (AttributeError, ValueError, RecursionError):
        index = None
    if not isinstance(index, list):
        raise DataError("what the table tells of its pandas index is damaged: write the table again.")
    return index


def _read_parquet(path: str, threads: int) -> Contents:
    # Here and not above: it takes long to import, and few runs need it.
    from pyarrow import parquet

    with parquet.ParquetFile(path) as file:
        metadata = file.metadata
        check_unpacked(path, _decoded_bytes(metadata), _UNCOMPRESSED)
        text = [field.name for field in file.schema_arrow if pa.types.is_string(field.type)]
        categories = with_categories(file.schema_arrow)

    def opened() -> parquet.ParquetFile:
        # Text as it is stored, by its distinct values: nothing need be hashed again.
        return parquet.ParquetFile(
            path, metadata=metadata, read_dictionary=text, buffer_size=BYTES_AT_ONCE, pre_buffer=False
        )

    with opened() as file:
        schema = file.schema_arrow
        if not any(pa.types.is_dictionary(field.type) for field in schema):
            # Nothing to be made narrower.
            return Contents(table_columns(file.read(use_threads=threads > 1)), with_categories=categories)
        names = names_of(schema)
        if len(set(names)) < len(names):
            # They are refused by who looks at names; a column cannot be asked for by its own.
            gathered = _gathered(schema, file.iter_batches(_ROWS_AT_ONCE, use_threads=threads > 1))
            return Contents(gathered, with_categories=categories)

    def read_columns(fields: Sequence[pa.Field]) -> list[pa.ChunkedArray]:
        with opened() as file:
            return [read_column(file, field) for field in fields]

    def read_column(file: parquet.ParquetFile, field: pa.Field) -> pa.ChunkedArray:
        batches = file.iter_batches(_ROWS_AT_ONCE, columns=[field.name], use_threads=False)
        return chunked([with_narrow_indices(batch.column(field.name)) for batch in batches], field.type)

    # Column by column: so a thread makes the indices narrow that it has read, and nobody waits for the slowest column.
    # To open a file takes as long as it has columns: of many, some are read each time.
    at_once = -(-len(names) // _MOST_OPENED)
    groups = [list(schema)[first : first + at_once] for first in range(0, len(names), at_once)]
    read = run_at_once([partial(read_columns, group) for group in groups], threads, lambda: None)
    columns = [column for group in read for column in group]
    return Contents(_without_index(schema, list(zip(names, columns, strict=True))), with_categories=categories)


def with_categories(schema: pa.Schema) -> list[Name]:
    """The columns whose own type says which categories there are."""
    return [name for name, field in zip(names_of(schema), schema, strict=True) if pa.types.is_dictionary(field.type)]


def _read_parquet_folder(path: str, threads: int) -> Contents:
    """All Parquet files of a folder, one below the other."""
    if not os.path.isdir(path):
        endings = listed(tuple(READERS), most=99)
        raise DataError(f"{path[:200]!r} is no table file. Names of table files end in: {endings}.")
    files = parquet_files(path)
    if len(files) == 1:
        return _read_parquet(files[0], threads)
    read = [_read_parquet(file, threads) for file in files]
    parts: list[dict[Name, pa.ChunkedArray]] = [dict(own.columns) for own in read]
    types = [{name: with_wide_indices(column.type) for name, column in part.items()} for part in parts]
    for file, own in zip(files, types, strict=True):
        check_same_columns(repr(file), own, repr(files[0]), types[0])
    return Contents(
        [
            (name, chunked([chunk for part in parts for chunk in part[name].chunks], type_))
            for name, type_ in types[0].items()
        ],
        with_categories=read[0].with_categories,
    )


def parquet_files(folder: str) -> list[str]:
    """The Parquet files of a folder, in the order of their names."""
    names = (name for name in os.listdir(folder) if name.lower().endswith(".parquet") and name[0] not in "._")
    files = sorted(os.path.join(folder, name) for name in names)
    if not files:
        raise DataError(f"{folder!r} is a directory, and no .parquet files are in it: name one file.")
    for file in files:
        check_is_file(file)
    return files


def check_same_columns(
    label: str, types: Mapping[Name, pa.DataType], first_label: str, first_types: Mapping[Name, pa.DataType]
) -> None:
    """Raise unless a part of a table has the columns of the first one; the labels say in errors what they are."""
    if types != first_types:
        other = [name for name in {**first_types, **types} if types.get(name) != first_types.get(name)]
        raise DataError(f"columns of {label} are not those of {first_label}, or of other types: {listed(other)}.")


def _decoded_bytes(metadata: parquet.FileMetaData) -> int:
    """What a Parquet file says that it holds, unpacked and with every value by itself; text as places in a list."""
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
