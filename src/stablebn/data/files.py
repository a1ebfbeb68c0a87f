"""Tables in files: the format is told by the end of the name."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from typing import TypeAlias

import pyarrow as pa

from stablebn.data.csv_text import read_csv
from stablebn.data.table import Name
from stablebn.errors import DataError, listed

logger = logging.getLogger("stablebn.data")

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
    except UnicodeDecodeError:
        raise DataError(f"the header of {path!r} is not UTF-8 text: save the file as UTF-8.") from None
    except (OSError, pa.ArrowException) as error:
        reason = str(error).strip().partition("\n")[0]
        raise DataError(
            f"{path!r} cannot be read; check that it is complete and what its name says: {reason}"
        ) from error


def table_columns(table: pa.Table) -> NamedColumns:
    """Columns of an Arrow table, without those that hold the index of a pandas frame."""
    index = (table.schema.pandas_metadata or {}).get("index_columns", [])
    stored = [name for name in table.column_names if name in index]
    if stored:
        logger.info("left out the index of a pandas frame: %s", listed(stored))
    columns = zip(table.column_names, table.columns, strict=True)
    return [(name, column) for name, column in columns if name not in stored]


def _read_parquet(path: str) -> NamedColumns:
    # Here and not above: it takes long to import, and few runs need it.
    from pyarrow import parquet

    with parquet.ParquetFile(path) as file:
        text = [field.name for field in file.schema_arrow if pa.types.is_string(field.type)]
    # Text as it is stored, by its distinct values: nothing need be hashed again.
    with parquet.ParquetFile(path, read_dictionary=text) as file:
        return table_columns(file.read())


def _read_arrow(path: str) -> NamedColumns:
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
