"""Tables in files: the format is told by the end of the name."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import pyarrow as pa

from stablebn.data.csv_text import read_csv
from stablebn.data.packed_buffers import unpacked_bytes
from stablebn.data.table import Name
from stablebn.errors import DataError, listed
from stablebn.unpacking import most_unpacked

if TYPE_CHECKING:
    from pyarrow import parquet

logger = logging.getLogger("stablebn.data")

# Bytes of a value in memory, by its type in Parquet; text is read by its distinct values.
_WIDTHS = {"BOOLEAN": 1, "INT32": 4, "FLOAT": 4, "BYTE_ARRAY": 4}

NamedColumns: TypeAlias = list[tuple[Name, pa.ChunkedArray]]


def read_file(path: str) -> NamedColumns:
    """Read the columns of a table in a file.

    Parameters
    ----------
    path : str
        Ends in one of `READERS`, upper or lower case.

    Returns
    -------
    list of (name, column)
    """
    reader = next((READERS[end] for end in READERS if path.lower().endswith(end)), None)
    if reader is None:
        raise DataError(f"{path[:200]!r} is no table file. Names of table files end in: {listed(tuple(READERS))}.")
    try:
        if os.path.isdir(path):
            raise DataError(f"{path!r} is a directory: name one file in it.")
        return reader(path)
    except FileNotFoundError:
        raise DataError(f"there is no file {path!r}: check the path.") from None
    except UnicodeEncodeError:
        raise DataError(f"no file can be called {path!r}: check the path.") from None
    except UnicodeDecodeError:
        raise DataError(f"the header of {path!r} is not UTF-8 text: save the file as UTF-8.") from None
    except (OSError, pa.ArrowException) as error:
        raise _unreadable(path, error) from error


def _unreadable(path: str, error: Exception) -> DataError:
    reason = str(error).strip().partition("\n")[0]
    return DataError(f"{path!r} cannot be read; check that it is complete and what its name says: {reason}")


def table_columns(table: pa.Table) -> NamedColumns:
    """Columns of an Arrow table, without those that hold the index of a pandas frame."""
    try:
        names = table.column_names
    except UnicodeDecodeError:
        raise DataError(
            "the names of the columns are not UTF-8 text: write the table again, with names that are."
        ) from None
    index = _pandas_index(table.schema)
    stored = [name for name in names if name in index]
    if stored:
        logger.info("left out the index of a pandas frame: %s", listed(stored))
    return [(name, column) for name, column in zip(names, table.columns, strict=True) if name not in stored]


def _pandas_index(schema: pa.Schema) -> list[object]:
    """Names of the columns that hold the index, where a pandas frame has been stored."""
    try:
        index = (schema.pandas_metadata or {}).get("index_columns", [])
    except (AttributeError, ValueError, RecursionError):
        index = None
    if not isinstance(index, list):
        raise DataError("what the table tells of its pandas index is damaged: write the table again.")
    return index


def _read_parquet(path: str) -> NamedColumns:
    # Here and not above: it takes long to import, and few runs need it.
    from pyarrow import parquet

    with parquet.ParquetFile(path) as file:
        _check_unpacked(path, _decoded_bytes(file.metadata))
        text = [field.name for field in file.schema_arrow if pa.types.is_string(field.type)]
    # Text as it is stored, by its distinct values: nothing need be hashed again.
    with parquet.ParquetFile(path, read_dictionary=text) as file:
        return table_columns(file.read())


def _decoded_bytes(metadata: parquet.FileMetaData) -> int:
    """What a Parquet file says that it holds, unpacked and with every value by itself; text as places in a list."""
    pages = sum(metadata.row_group(group).total_byte_size for group in range(metadata.num_row_groups))
    widths = (_WIDTHS.get(metadata.schema.column(c).physical_type, 8) for c in range(metadata.num_columns))
    return int(pages + metadata.num_rows * sum(widths))


def _check_unpacked(path: str, unpacked: int) -> None:
    most = most_unpacked(os.path.getsize(path))
    if unpacked > most:
        raise DataError(
            f"{path!r} unpacks to {unpacked >> 20:,} MiB, more than the {most >> 20:,} MiB that a file of its size "
            "may. If that is meant, save the table without compression, as an .arrow file."
        )


def _read_arrow(path: str) -> NamedColumns:
    try:
        unpacked = unpacked_bytes(path)
    except ValueError as error:
        raise _unreadable(path, error) from None
    _check_unpacked(path, unpacked)
    with pa.OSFile(path) as file:
        try:
            return table_columns(pa.ipc.open_file(file).read_all())
        except pa.ArrowInvalid:
            file.seek(0)
            return table_columns(pa.ipc.open_stream(file).read_all())


READERS: dict[str, Callable[[str], NamedColumns]] = {
    ".csv": read_csv,
    ".csv.gz": read_csv,
    ".parquet": _read_parquet,
    ".feather": _read_arrow,
    ".arrow": _read_arrow,
}
