"""Writing sampled tables."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.feather as feather
import pyarrow.parquet as pq

from stablebn.errors import OptionError


def write_table(table: pa.Table, target: Path | BinaryIO | pa.NativeFile, name: str) -> None:
    """Write a table in the format that the end of `name` asks for.

    In CSV levels are quoted, so that none is taken for a missing value when it is read; beside numbers, levels that are
    text.
    """
    ending = name.lower()
    if ending.endswith((".csv", ".csv.gz")):
        with pa.output_stream(target, compression="gzip" if ending.endswith(".gz") else None) as stream:
            quoting = "needed" if any(map(pa.types.is_floating, table.schema.types)) else "all_valid"
            pa_csv.write_csv(_plain(table), stream, pa_csv.WriteOptions(quoting_style=quoting))
    elif ending.endswith(".parquet"):
        pq.write_table(table, target)
    elif ending.endswith((".feather", ".arrow")):
        feather.write_feather(table, target)
    else:
        raise OptionError(f"{name}: a table is written as .csv, .csv.gz, .parquet or .feather.")


def _plain(table: pa.Table) -> pa.Table:
    """Dictionaries as the values they stand for: CSV has no other."""
    columns = [
        column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
        for column in table.columns
    ]
    return pa.table(columns, names=table.column_names)
