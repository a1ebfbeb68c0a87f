"""Write sampled tables to files."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pyarrow.feather as feather
import pyarrow.parquet as pq

from stablebn.columns.arrow.numeric_text import is_number
from stablebn.columns.na_values import VALUES_IN_QUOTES, markers_among
from stablebn.errors import OptionError


def write_table(table: pa.Table, target: Path | BinaryIO | pa.NativeFile, name: str) -> None:
    """Write a table in the format that the ending of `name` specifies.

    In CSV all text is in quotes, so that a level such as NA is read as a value; see `levels_read_as_missing` and
    `levels_read_as_equal` for levels that CSV cannot keep.
    """
    ending = name.lower()
    if is_csv(name):
        with pa.output_stream(target, compression="gzip" if ending.endswith(".gz") else None) as stream:
            quoting = "needed" if any(map(pa.types.is_floating, table.schema.types)) else "all_valid"
            pa_csv.write_csv(_plain(table), stream, pa_csv.WriteOptions(quoting_style=quoting))
    elif ending.endswith(".parquet"):
        pq.write_table(table, target)
    elif ending.endswith((".feather", ".arrow")):
        feather.write_feather(table, target)
    else:
        raise OptionError(f"{name}: a table is written as .csv, .csv.gz, .parquet or .feather.")


def is_csv(name: str) -> bool:
    """Return whether `write_table` writes a file of this name as CSV."""
    return name.lower().endswith((".csv", ".csv.gz"))


def levels_read_as_missing(table: pa.Table) -> dict[str, set[str]]:
    """Return the levels, by column, that are missing values when the table is written as CSV and read again."""
    found = {name: markers_among(texts) - VALUES_IN_QUOTES for name, texts in _texts(table).items()}
    return {name: markers for name, markers in found.items() if markers}


def levels_read_as_equal(table: pa.Table) -> dict[str, set[str]]:
    """Return the levels, by column, that become equal numbers (1 and 1.0) when CSV is written and read again."""
    found: dict[str, set[str]] = {}
    for name, texts in _texts(table).items():
        # Levels are read as numbers only if all of them are numbers.
        if all(map(is_number, texts)):
            times = Counter(map(float, texts))
            found[name] = {text for text in texts if times[float(text)] > 1}
    return {name: equal for name, equal in found.items() if equal}


def _texts(table: pa.Table) -> dict[str, set[str]]:
    """Return the distinct texts of every column."""
    return {
        name: {text for text in pc.unique(column).to_pylist() if isinstance(text, str)}
        for name, column in zip(table.column_names, _plain(table).columns, strict=True)
    }


def _plain(table: pa.Table) -> pa.Table:
    """Replace dictionaries by their values, because CSV has no dictionaries."""
    columns = [
        column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
        for column in table.columns
    ]
    return pa.table(columns, names=table.column_names)
