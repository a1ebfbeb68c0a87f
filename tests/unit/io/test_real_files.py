"""Real tables, read from the shared folder if it exists."""

import csv
import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.preparing import prepare
from tests.unit.prepare.comparing import assert_same

from stablebn.table.table import CategoricalTable, ContinuousTable

SHARED = Path(__file__).parents[4] / "shared"


def _shared(file: str) -> Path:
    path = SHARED / file
    if not path.exists():
        pytest.skip(f"{path} is not here")
    return path


@pytest.mark.parametrize(
    ("file", "rows", "columns"),
    [("covid_disc_kmeans", 866, 17), ("sachs_2005_disc", 5400, 11), ("sports", 3536, 9)],
)
def test_categorical_tables_agree_with_pandas(file: str, rows: int, columns: int) -> None:
    path = _shared(f"real/{file}.csv.gz")
    prepared = prepare(path)
    assert isinstance(prepared.table, CategoricalTable)
    assert prepared.rows == rows
    assert len(prepared.names) == columns
    assert_same(prepared, prepare(pd.read_csv(path)))


def test_sachs_levels_are_integers() -> None:
    table = prepare(_shared("real/sachs_2005_disc.csv.gz")).table
    assert isinstance(table, CategoricalTable)
    assert set(table.levels) == {(1, 2, 3)}


def test_continuous_values_are_what_python_reads() -> None:
    path = _shared("real/sachs_2005_cont.csv.gz")
    table = prepare(path).table
    assert isinstance(table, ContinuousTable)
    with gzip.open(path, "rt") as file:
        header, *rows = csv.reader(file)
    assert table.names == tuple(header)
    np.testing.assert_array_equal(table.values, np.array([[float(field) for field in row] for row in rows]).T)


def test_parquet_agrees_with_pandas() -> None:
    path = _shared("data/asia.parquet")
    prepared = prepare(path)
    assert isinstance(prepared.table, CategoricalTable)
    assert_same(prepared, prepare(pd.read_parquet(path)))
