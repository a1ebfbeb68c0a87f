"""Decimals of any type and source are rounded to the nearest float."""

from __future__ import annotations

import random
from collections.abc import Callable
from decimal import Decimal, localcontext
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.preparing import prepare

import stablebn as sb
from stablebn.columns.arrow.type_conversion import as_supported
from stablebn.table.table import ContinuousTable

DIGITS = random.Random("decimals")
VALUES = {name: [Decimal(DIGITS.randrange(10**5, 10**7)).scaleb(-4) for _ in range(200)] for name in ("a", "b", "c")}
VALUES["c"] = [a + b / 2 for a, b in zip(VALUES["a"], VALUES["b"], strict=True)]
TYPE = pa.decimal128(20, 5)
TABLE = pa.table({name: pa.array(values, TYPE) for name, values in VALUES.items()})
FLOATS = {name: [float(value) for value in values] for name, values in VALUES.items()}

WIDE = [pa.decimal128(38, 20), pa.decimal128(30, 38), pa.decimal128(20, -5), pa.decimal256(76, 30)]


def _parquet(folder: Path) -> Path:
    pq.write_table(TABLE, folder / "t.parquet", row_group_size=50)
    return folder / "t.parquet"


def _csv(folder: Path) -> Path:
    rows = [",".join(VALUES), *(",".join(map(str, row)) for row in zip(*VALUES.values(), strict=True))]
    (folder / "t.csv").write_text("\n".join(rows) + "\n")
    return folder / "t.csv"


def _duckdb(folder: Path) -> Path:
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(str(folder / "t.duckdb")) as database:
        database.register("arrow", TABLE)
        database.execute("create table t as select * from arrow")
    return folder / "t.duckdb"


SOURCES: dict[str, Callable[[Path], Any]] = {
    "objects": lambda _: VALUES,
    "arrow": lambda _: TABLE,
    "wide": lambda _: pa.table({name: pa.array(own, pa.decimal256(60, 30)) for name, own in VALUES.items()}),
    "pandas": lambda _: pd.DataFrame(VALUES),
    "polars": lambda _: pl.DataFrame({name: pl.Series(own, dtype=pl.Decimal(20, 5)) for name, own in VALUES.items()}),
    "parquet": _parquet,
    "csv": _csv,
    "duckdb": _duckdb,
}


@pytest.mark.parametrize("source", SOURCES)
def test_decimals_give_the_values_and_the_score_of_the_same_floats(source: str, tmp_path: Path) -> None:
    table = SOURCES[source](tmp_path)
    prepared = prepare(table).table
    assert isinstance(prepared, ContinuousTable)
    assert np.array_equal(prepared.values, list(FLOATS.values()))
    learned, expected = sb.learn(table, "tabu-stable"), sb.learn(FLOATS, "tabu-stable")
    assert (learned.score, learned.fingerprint) == (expected.score, expected.fingerprint)


def test_decimals_that_are_read_in_parts_are_the_same_floats(tmp_path: Path) -> None:
    learned = sb.learn(_parquet(tmp_path), "tabu-stable", memory="64 MB")
    assert learned.score == sb.learn(FLOATS, "tabu-stable").score


@pytest.mark.parametrize("type_", WIDE)
def test_every_decimal_is_rounded_to_the_nearest_float(type_: pa.DataType) -> None:
    with localcontext() as context:
        context.prec = 100
        digits = [DIGITS.randrange(10 ** DIGITS.randrange(1, type_.precision)) for _ in range(2000)]
        values = [Decimal(own * DIGITS.choice((1, -1))).scaleb(-type_.scale) for own in digits]
    found = as_supported(pa.chunked_array([pa.array([*values, None], type_)]))
    assert found.to_pylist() == [*map(float, values), None]
