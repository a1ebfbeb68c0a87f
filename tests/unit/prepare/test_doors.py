"""Every kind of source leads to the same table."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest
from tests.preparing import prepare
from tests.unit.prepare.comparing import assert_same, assert_same_table

from stablebn.errors import DataError, OptionError
from stablebn.table.table import ContinuousTable

CATEGORICAL: dict[str, list[Any]] = {
    "smoke": ["yes", "no", "no", "yes", 'Ünlü, "q"', "no"],
    "dose": [10, 2, 2, 10, -3, 2],
    "same": ["no", "no", "no", "no", "no", "no"],
    "copy": [10, 2, 2, 10, -3, 2],
}
CONTINUOUS: dict[str, list[Any]] = {"x": [0.1, -0.0, 1e300, 2.5, 7.0], "y": [1.5, 2.0, 2.5, 5e-324, 0.0]}

DOORS: dict[str, Callable[[dict[str, list[Any]]], object]] = {
    "pandas": pd.DataFrame,
    "pandas objects": lambda columns: pd.DataFrame(columns, dtype=object),
    "pandas pyarrow": lambda columns: pa.table(columns).to_pandas(types_mapper=pd.ArrowDtype),
    "pandas index": lambda columns: pd.DataFrame(columns).set_axis(range(5, 5 + len(next(iter(columns.values()))))),
    "polars": pl.DataFrame,
    "polars lazy": pl.LazyFrame,
    "arrow table": pa.table,
    "record batch": pa.RecordBatch.from_pydict,
    "arrow from pandas index": lambda columns: pa.Table.from_pandas(
        pd.DataFrame(columns).set_index(pd.Index([f"row {i}" for i in range(len(next(iter(columns.values()))))]))
    ),
    "dict of arrays": lambda columns: {name: np.array(values) for name, values in columns.items()},
    "dict of tuples": lambda columns: {name: tuple(values) for name, values in columns.items()},
    "dict of polars": lambda columns: {name: pl.Series(values) for name, values in columns.items()},
    "dict of pandas": lambda columns: {name: pd.Series(values) for name, values in columns.items()},
    "structured array": lambda columns: pd.DataFrame(columns).to_records(index=False),
}


def _write(columns: dict[str, list[Any]], path: Path) -> Path:
    table = pa.table(columns)
    if path.suffix == ".parquet":
        pa.parquet.write_table(table, path, row_group_size=2)
    elif path.name == "stream.arrow":
        with pa.ipc.new_stream(path, table.schema) as writer:
            writer.write_table(table)
    elif path.suffix in (".feather", ".arrow"):
        pa.feather.write_feather(table, path, chunksize=2)
    else:
        with pa.output_stream(path) as stream:
            pa.csv.write_csv(table, stream)
    return path


@pytest.mark.parametrize("columns", [CATEGORICAL, CONTINUOUS], ids=["categorical", "continuous"])
@pytest.mark.parametrize("door", DOORS)
def test_every_frame_gives_the_same_table(columns: dict[str, list[Any]], door: str) -> None:
    assert_same(prepare(DOORS[door](columns)), prepare(columns))


@pytest.mark.parametrize("columns", [CATEGORICAL, CONTINUOUS], ids=["categorical", "continuous"])
@pytest.mark.parametrize("file", ["t.csv", "t.csv.gz", "T.CSV", "t.parquet", "t.feather", "t.arrow", "stream.arrow"])
def test_every_file_gives_the_same_table(columns: dict[str, list[Any]], file: str, tmp_path: Path) -> None:
    path = _write(columns, tmp_path / file)
    assert_same(prepare(path), prepare(columns))
    assert_same(prepare(os.fspath(path)), prepare(columns))


_TYPES = ["i2", "i4", "i8", "u2", "u4", "u8", "f2", "f4", "f8", "U5", "M8[s]", "m8[s]"]


@pytest.mark.parametrize("door", [dict, pd.DataFrame, lambda columns: pd.DataFrame(columns).to_records(index=False)])
@pytest.mark.parametrize("type_", _TYPES)
def test_the_byte_order_of_an_array_does_not_matter(type_: str, door: Callable[[Any], object]) -> None:
    values = np.array([3, 1, 2, 3, 2, 1, 1, 2], dtype="i8").astype(type_)
    dtypes = values.dtype.newbyteorder("<"), values.dtype.newbyteorder(">")
    tables = [prepare(door({"x": values.astype(own), "y": list("abbacabc")})) for own in dtypes]
    assert tables[0].decisions == tables[1].decisions
    assert_same_table(tables[0].table, tables[1].table)


def test_the_byte_order_of_a_matrix_of_weights_and_of_masked_values_does_not_matter() -> None:
    matrix = np.random.default_rng(1).normal(size=(20, 3))
    weights = np.arange(20)
    masked = np.ma.masked_array(matrix[:, 0], matrix[:, 0] > 1)
    tables = [
        [
            prepare(matrix.astype(f"{order}f8"), names=list("abc"), weights=weights.astype(f"{order}i8")),
            prepare({"a": masked.astype(f"{order}f8"), "b": matrix[:, 1]}, missing="available"),
        ]
        for order in "<>"
    ]
    for little, big in zip(*tables, strict=True):
        assert_same(little, big)


def test_a_numpy_array_with_names_gives_the_same_table() -> None:
    array = np.array(list(CONTINUOUS.values())).T
    assert_same(prepare(array, names=list(CONTINUOUS)), prepare(CONTINUOUS))


def test_a_numpy_array_of_objects_keeps_the_type_of_each_column() -> None:
    array = np.array(list(CATEGORICAL.values()), dtype=object).T
    assert_same(prepare(array, names=list(CATEGORICAL)), prepare(CATEGORICAL))


def test_masked_values_are_missing() -> None:
    mask = [[False, True], [False, False], [False, False]]
    # NumPy's older stubs do not type masked arrays.
    array: Any = np.ma.MaskedArray([[1, 2], [2, 1], [1, 1]], mask)  # type: ignore[no-untyped-call,unused-ignore]
    with pytest.raises(DataError, match=r"missing values in 'b' \(1\), of 3 rows"):
        prepare(array, names=["a", "b"])


def test_names_of_any_type_come_back_unchanged() -> None:
    names = (7, ("a", 1), np.int64(3), "text", None, 2.5)
    prepared = prepare(np.arange(24.0).reshape(4, 6) ** 2, names=names)
    assert prepared.names == names
    assert [type(name) for name in prepared.names] == [type(name) for name in names]
    frame = pd.DataFrame(np.arange(8.0).reshape(4, 2) ** 2, columns=pd.MultiIndex.from_tuples([("a", 1), ("a", 2)]))
    assert prepare(frame).table.names == (("a", 1), ("a", 2))


@pytest.mark.parametrize(
    "source",
    [
        pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"]),
        pa.table([[1], [2], [3]], names=["a", "b", "a"]),
        pa.RecordBatch.from_arrays([pa.array([1])] * 3, names=["a", "b", "a"]),
    ],
    ids=["pandas", "arrow", "batch"],
)
def test_doubled_names_are_named(source: object) -> None:
    with pytest.raises(DataError, match=r"unique: 'a' \(2 times\)"):
        prepare(source)


@pytest.mark.parametrize("file", ["t.csv", "t.parquet", "t.arrow"])
def test_doubled_names_in_files_are_named(file: str, tmp_path: Path) -> None:
    table = pa.table([["x", "y"], ["u", "v"], ["x", "y"]], names=["a", "b", "a"])
    path = tmp_path / file
    if file.endswith("csv"):
        pa.csv.write_csv(table, path)
    elif file.endswith("parquet"):
        pa.parquet.write_table(table, path)
    else:
        pa.feather.write_feather(table, path)
    with pytest.raises(DataError, match=r"unique: 'a' \(2 times\)"):
        prepare(path)


def test_the_index_of_a_stored_pandas_frame_is_not_data(tmp_path: Path) -> None:
    frame = pd.DataFrame(CATEGORICAL).set_index(pd.Index(list("uvwxyz")))
    frame.to_parquet(tmp_path / "t.parquet")
    assert_same(prepare(tmp_path / "t.parquet"), prepare(CATEGORICAL))


@pytest.mark.parametrize(
    "source", [3, None, [[1, 2]], b"t.csv", pd.Series([1, 2]), {1, 2}, object()], ids=lambda value: type(value).__name__
)
def test_other_sources_are_refused_with_the_list_of_what_is_accepted(source: object) -> None:
    with pytest.raises(DataError, match=r"pandas or polars DataFrame.*PyArrow.*names=.*dict.*'\.csv'.*'\.arrow'"):
        prepare(source)


@pytest.mark.parametrize(
    "column",
    ["text", {1, 2}, 3, None, np.float64(1), np.ones((2, 2)), iter([1, 2])],
    ids=lambda value: type(value).__name__,
)
def test_a_dict_value_that_is_no_column_is_named(column: object) -> None:
    with pytest.raises(DataError, match=r"column 'odd' .* give a list or a one-dimensional array"):
        prepare({"odd": column, "b": [1, 2]})


def test_columns_of_different_lengths_are_listed() -> None:
    with pytest.raises(DataError, match=r"'a' \(1\), 'b' \(2\)"):
        prepare({"a": [1], "b": [1, 2]})


@pytest.mark.parametrize(
    "names", [None, ["a"], "ab", {"a", "b"}, [["a"], "b"], 2], ids=lambda value: type(value).__name__
)
def test_a_numpy_array_needs_one_name_per_column(names: Any) -> None:
    with pytest.raises(OptionError, match="names="):
        prepare(np.ones((5, 2)), names=names)


def test_a_numpy_array_needs_two_dimensions() -> None:
    with pytest.raises(DataError, match="two dimensions"):
        prepare(np.ones(5), names=["a"])


def test_names_for_a_source_that_has_them_are_refused() -> None:
    with pytest.raises(OptionError, match="column names of its own"):
        prepare(CATEGORICAL, names=["a"])


def test_a_lazy_frame_that_fails_says_why() -> None:
    with pytest.raises(DataError, match=r"cannot be collected: .*nowhere"):
        prepare(pl.LazyFrame(CATEGORICAL).select("nowhere"))


class _Stream:
    """A table of which only the Arrow stream is known."""

    def __init__(self, table: pa.Table | None) -> None:
        self._table = table

    def __arrow_c_stream__(self, schema: object = None) -> object:
        if self._table is None:
            raise RuntimeError("the server is gone")
        return self._table.__arrow_c_stream__(schema)


def test_what_gives_an_arrow_stream_is_read() -> None:
    assert_same_table(prepare(_Stream(pa.table(CATEGORICAL))).table, prepare(CATEGORICAL).table)
    with pytest.raises(DataError, match=r"cannot read a table from _Stream: the server is gone"):
        prepare(_Stream(None))


def test_a_relation_of_duckdb_is_read() -> None:
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is an extra")
    table = pa.table(CATEGORICAL)
    assert_same_table(prepare(duckdb.from_arrow(table)).table, prepare(table).table)
    with pytest.raises(DataError, match=r"from DuckDBPyRelation: .*Could not convert"):
        prepare(duckdb.sql("select cast(a as int) as a, a as b from (values ('1'), ('q')) t(a)"))


def test_half_precision_is_widened() -> None:
    columns = {
        name: np.array(values, dtype=np.float16) for name, values in {"a": [1, 2, 3, 4.5], "b": [0, 1, 0, 2]}.items()
    }
    table = prepare(columns).table
    assert isinstance(table, ContinuousTable)
    assert table.values.dtype == np.float64
    assert table.values[0].tolist() == [1, 2, 3, 4.5]


def test_importing_the_package_imports_no_frame_library() -> None:
    code = (
        "import sys, stablebn.prepare.prepare; sys.exit(any(m in sys.modules for m in ('pandas', 'polars', 'numba')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
