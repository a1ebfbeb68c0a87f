"""Long columns take other ways than short ones, and many threads other ways than one: the table is the same."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from pyarrow import feather, parquet
from tests.preparing import prepare

from stablebn import _core
from stablebn.columns.arrow.conversion import Columns, arrow_column
from stablebn.columns.arrow.dictionaries import with_narrow_indices
from stablebn.columns.encode import Categories, encode, tabulate
from stablebn.columns.error_collector import ErrorCollector
from stablebn.columns.kinds import Kind
from stablebn.errors import DataError
from stablebn.table.table import CategoricalTable, ContinuousTable

ROWS = 30_000
LAYOUTS = (pa.string(), pa.large_string(), pa.string_view())

# Texts that differ in length, in the first byte, in their midst alone, after a zero, and beyond 8, 12 and 16 bytes.
WORDS = [
    *("", "a", "b", "aa", "abc", "abd", "abcd", "a\0", "a\0\0", "é", "日本語", "12345678", "123456789"),
    *("a" * 12, "a" * 13, "a" * 16, "a" * 17, "b" + "a" * 16, "a" * 40, "a" * 20 + "b" + "a" * 19),
    *("prefix-of-all-" + str(i) + "-suffix-of-all" for i in range(20)),
]


def _drawn(values: Sequence[Any], seed: int) -> list[Any]:
    return [values[i] for i in np.random.default_rng(seed).integers(len(values), size=ROWS)]


def _columns() -> dict[str, list[Any]]:
    return {
        "words": _drawn(WORDS, 1),
        "constant": ["same"] * ROWS,
        "gaps": _drawn(["x", None, "y", "z"], 2),
        "many": _drawn([f"level {i}" for i in range(300)], 3),
        "integers": _drawn(range(-7, 12), 4),
        "booleans": _drawn([True, False], 5),
    }


COLUMNS = _columns()


def _naive(values: Sequence[Any]) -> tuple[tuple[Hashable, ...], list[int]]:
    """Sorted levels, None the last, and the place of each value among them."""
    levels: tuple[Any, ...] = tuple(sorted({value for value in values if value is not None}))
    if None in values:
        levels += (None,)
    return levels, [levels.index(value) for value in values]


def _check(source: object, **options: Any) -> None:
    """That a source of `COLUMNS` is encoded as the naive way says."""
    prepared = prepare(source, missing="level", **options)
    table = prepared.table
    assert isinstance(table, CategoricalTable)
    assert table.names == tuple(name for name in COLUMNS if name != "constant")
    assert prepared.constants == {"constant": "same"}
    assert table.codes.dtype == np.uint16
    assert table.codes.flags.c_contiguous
    for name, levels, codes in zip(table.names, table.levels, table.codes, strict=True):
        expected, places = _naive(COLUMNS[str(name)])
        assert repr(levels) == repr(expected)
        assert codes.tolist() == places


def _arrow(text: pa.DataType, chunks: int = 1) -> pa.Table:
    table = pa.table({name: pa.array(own, text if isinstance(own[0], str) else None) for name, own in COLUMNS.items()})
    # Slices of one array, so that chunks begin in the midst of buffers and of bytes of validity.
    ends = [ROWS * i // chunks for i in range(chunks + 1)]
    return pa.concat_tables([table.slice(first, end - first) for first, end in pairwise(ends)])


def _dictionaries(chunks: int) -> pa.Table:
    """Every chunk with a dictionary of its own."""
    table = _arrow(pa.string(), chunks)
    columns = [
        pa.chunked_array([chunk.dictionary_encode() for chunk in own.chunks]) if pa.types.is_string(own.type) else own
        for own in table.columns
    ]
    return pa.table(columns, names=table.column_names)


SOURCES: dict[str, Callable[[], object]] = {
    "lists": lambda: COLUMNS,
    **{str(text): lambda text=text: _arrow(text) for text in LAYOUTS},  # type: ignore[misc]
    **{f"{text} in chunks": lambda text=text: _arrow(text, 7) for text in LAYOUTS},  # type: ignore[misc]
    "dictionaries": lambda: _dictionaries(1),
    "dictionaries in chunks": lambda: _dictionaries(7),
    "pandas": lambda: pd.DataFrame(COLUMNS),
    "pandas objects": lambda: pd.DataFrame({name: pd.Series(own, dtype=object) for name, own in COLUMNS.items()}),
    "polars": lambda: pl.DataFrame(COLUMNS),
    "polars categories": lambda: pl.DataFrame(COLUMNS).with_columns(pl.col(pl.String).cast(pl.Categorical)),
}


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("source", SOURCES)
def test_long_columns_are_encoded_by_their_sorted_values(source: str, threads: int) -> None:
    _check(SOURCES[source](), threads=threads)


def test_pandas_categories_are_encoded_by_their_sorted_values() -> None:
    frame = pd.DataFrame(COLUMNS).astype({name: "category" for name, own in COLUMNS.items() if isinstance(own[0], str)})
    frame["words"] = frame["words"].cat.set_categories(["unused", *reversed(WORDS)])
    _check(frame)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("dictionaries", [False, True], ids=["text", "dictionaries"])
@pytest.mark.parametrize("rows", [1000, 8192, ROWS])
def test_files_are_encoded_the_same_however_they_are_cut(
    rows: int, dictionaries: bool, threads: int, tmp_path: Path
) -> None:
    table = _dictionaries(1) if dictionaries else _arrow(pa.string())
    parquet.write_table(table, tmp_path / "table.parquet", row_group_size=rows)
    _check(tmp_path / "table.parquet", threads=threads)
    feather.write_feather(table, tmp_path / "table.feather", chunksize=rows)
    _check(tmp_path / "table.feather", threads=threads)


def test_dictionaries_of_row_groups_may_need_indices_of_different_width(tmp_path: Path) -> None:
    few, many = [f"few {i % 3}" for i in range(5000)], [f"many {i % 500}" for i in range(5000)]
    path = tmp_path / "table.parquet"
    parquet.write_table(pa.table({"a": few + many, "b": ["x", "y"] * 5000}), path, row_group_size=5000)
    table = prepare(path).table
    assert isinstance(table, CategoricalTable)
    assert (table.levels[0], table.codes[0].tolist()) == _naive(few + many)
    folder = tmp_path / "folder"
    folder.mkdir()
    parquet.write_table(pa.table({"a": few, "b": ["x", "y"] * 2500}), folder / "1.parquet")
    parquet.write_table(pa.table({"a": many, "b": ["x", "y"] * 2500}), folder / "2.parquet")
    again = prepare(folder).table
    assert isinstance(again, CategoricalTable)
    assert again.levels == table.levels
    np.testing.assert_array_equal(again.codes, table.codes, strict=True)


def test_a_parquet_file_of_many_columns_is_not_opened_for_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # To open it takes as long as it has columns: 2,000 took nine seconds, and 20,000 a hundred times as long.
    opened = 0

    class Counted(parquet.ParquetFile):  # type: ignore[misc]
        def __init__(self, *arguments: Any, **options: Any) -> None:
            nonlocal opened
            opened += 1
            super().__init__(*arguments, **options)

    columns = {f"v{i}": ["x", "y", "yz"[i % 2]] for i in range(333)}
    parquet.write_table(pa.table(columns), tmp_path / "wide.parquet")
    monkeypatch.setattr(parquet, "ParquetFile", Counted)
    read, expected = (prepare(source).table for source in (str(tmp_path / "wide.parquet"), columns))
    assert opened < 70
    assert isinstance(read, CategoricalTable)
    assert isinstance(expected, CategoricalTable)
    assert read.names == expected.names
    assert np.array_equal(read.codes, expected.codes)


def test_more_levels_than_two_bytes_hold() -> None:
    ids = [f"id {i:06d}" for i in range(70_000)]
    table = prepare({"a": ids[::-1], "b": ["x", "y"] * 35_000}, kinds={"a": "categorical"}).table
    assert isinstance(table, CategoricalTable)
    assert table.codes.dtype == np.int32
    assert table.levels[0] == tuple(ids)
    assert table.codes[0].tolist() == list(range(70_000))[::-1]


def test_a_csv_file_of_many_blocks_is_read_the_same_by_one_thread_and_by_many(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    # Longer than a block, of which each has the 40 words: all together more than the texts that are few.
    lines = 1_200_000
    words = [f"word number {i}" for i in range(40)]
    table = pa.table(
        {"word": pa.array(words).take(pa.array(np.arange(lines) % 40)), "digit": pa.array(np.arange(lines) % 7)}
    )
    pa.csv.write_csv(table, path)
    one, many = prepare(path, threads=1).table, prepare(path, threads=3).table
    assert isinstance(one, CategoricalTable)
    assert isinstance(many, CategoricalTable)
    assert one.levels == many.levels == (tuple(sorted(words)), tuple(range(7)))
    np.testing.assert_array_equal(one.codes, many.codes, strict=True)
    with path.open("a") as file:
        file.write("one,2,too many\n")
    with pytest.raises(DataError, match=f"row {lines + 2:d} of .* has 3 fields where the header has 2"):
        prepare(path, threads=3)


@pytest.mark.parametrize("threads", [1, 3])
def test_numbers_in_chunks_are_what_they_were(threads: int) -> None:
    values = np.random.default_rng(1).normal(size=(3, ROWS))
    values[0, ::7] = -0.0
    chunked = pa.chunked_array([values[0, :10], values[0, 10:10], values[0, 10:]])
    gaps = pa.array(values[1], mask=np.arange(ROWS) % 1000 == 3)
    prepared = prepare(
        {"a": chunked, "b": gaps, "c": values[2].astype(np.float32)}, missing="drop", threads=threads
    ).table
    assert isinstance(prepared, ContinuousTable)
    kept = np.arange(ROWS) % 1000 != 3
    expected = np.array([values[0] + 0.0, values[1], values[2].astype(np.float32)])[:, kept]
    np.testing.assert_array_equal(prepared.values, expected, strict=True)
    assert not np.signbit(prepared.values[0][prepared.values[0] == 0]).any()


@pytest.mark.parametrize("names", ["abc", "ab", "ac", "b", "cab", ""])
@pytest.mark.parametrize("kind", ["categorical", "continuous"])
def test_a_table_has_the_columns_it_was_given_wherever_they_lie(names: str, kind: Kind) -> None:
    columns: Columns = {name: pa.chunked_array([[i, i + 1, 2 * i]]) for i, name in enumerate("abc", start=2)}
    encoded = encode(columns, dict.fromkeys(columns, kind), ErrorCollector())
    table = tabulate({name: encoded[name] for name in names}, 3, None)
    assert table.names == tuple(names)
    arrays = table.codes if isinstance(table, CategoricalTable) else table.values  # type: ignore[union-attr]
    own = [column.codes if isinstance(column, Categories) else column.values for column in map(encoded.get, names)]  # type: ignore[union-attr]
    assert arrays.tolist() == [array.tolist() for array in own]


TEXTS = st.lists(st.one_of(st.none(), st.sampled_from(WORDS), st.text(max_size=30)), max_size=40)


@given(values=TEXTS, cuts=st.lists(st.integers(0, 40), max_size=4), text=st.sampled_from(LAYOUTS))
def test_texts_are_told_apart_however_they_lie(values: list[str | None], cuts: list[int], text: pa.DataType) -> None:
    whole = pa.array(values, text)
    ends = [0, *sorted(min(cut, len(values)) for cut in cuts), len(values)]
    column = pa.chunked_array([whole[i:j] for i, j in pairwise(ends)], type=text)
    found = encode({"a": column}, {"a": "categorical"}, ErrorCollector())["a"]
    levels: tuple[Any, ...] = (*found.levels, None)  # type: ignore[union-attr]
    assert [levels[code] for code in found.codes] == values  # type: ignore[union-attr]
    assert list(found.levels) == sorted({value for value in values if value is not None})  # type: ignore[union-attr]


def test_pandas_categories_and_long_arrays_of_objects_are_not_copied_value_by_value() -> None:
    categories = pd.Series(pd.Categorical(["b", "a"] * ROWS))
    (chunk,) = arrow_column("a", categories).chunks
    assert np.shares_memory(np.from_dlpack(chunk.indices), categories.array.codes)
    (chunk,) = arrow_column("a", pd.Series(["b", "a"] * ROWS, dtype=object)).chunks
    assert chunk.type == pa.dictionary(pa.uint16(), pa.string())


@pytest.mark.parametrize(
    "values", [[1, 2], [1.5, None], [True, False], ["a", None], ["a", float("nan")], [1, 2.5], [b"a", b"b"]]
)
def test_long_arrays_of_objects_have_the_type_of_short_ones(values: list[Any]) -> None:
    short = arrow_column("a", pd.Series(values, dtype=object))
    long = arrow_column("a", pd.Series(values * ROWS, dtype=object))
    text = pa.types.is_dictionary(long.type)
    assert (long.type.value_type if text else long.type) == short.type
    assert long.slice(0, 2).to_pylist() == short.to_pylist()
    assert long.null_count == ROWS * short.null_count


def test_long_arrays_of_mixed_objects_are_refused_as_short_ones_are() -> None:
    for values in (["a", 1], [1.5, True]):
        with pytest.raises(DataError, match="column 'a' mixes values of different types"):
            prepare({"a": pd.Series(values * ROWS, dtype=object), "b": ["x", "y"] * ROWS})


def test_objects_that_are_too_many_are_not_numbered() -> None:
    assert _core.numbered_objects(np.array([object() for _ in range(5000)])) is None
    with pytest.raises(ValueError, match="expected a row of objects"):
        _core.numbered_objects(np.arange(3))  # type: ignore[arg-type]


@pytest.mark.parametrize("size", [1, 64, 65, 256, 257, 65536, 65537])
def test_narrow_indices_mean_the_same(size: int) -> None:
    indices = pa.array([0, None, size - 1, size // 2, 0], pa.int32())
    array = pa.DictionaryArray.from_arrays(indices, pa.array([str(i) for i in range(size)]))[1:]
    narrow = with_narrow_indices(array)
    assert narrow.to_pylist() == array.to_pylist()
    width = 8 if size <= 256 else 16 if size <= 65536 else 32
    assert narrow.type.index_type.bit_width == width


def test_indices_that_point_outside_are_left_for_those_who_refuse_them() -> None:
    values = pa.array(["a", "b"])
    wrong = pa.DictionaryArray.from_arrays(pa.array([0, 256] * ROWS, pa.int32()), values, safe=False)
    assert with_narrow_indices(wrong).type == wrong.type
    with pytest.raises(DataError, match="'a' is damaged"):
        prepare({"a": with_narrow_indices(wrong), "b": ["x", "y"] * ROWS})


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64])
@pytest.mark.parametrize("span", [3, 64, 65, 100])
def test_integers_of_every_width_at_both_ends_of_their_range(dtype: type, span: int) -> None:
    for least in (np.iinfo(dtype).min, int(np.iinfo(dtype).max) - span + 1):
        values: NDArray[Any] = np.array([least + i * 2 % span for i in range(1000)], dtype=dtype)
        table = prepare({"a": values, "b": [0, 1] * 500}, kinds={"a": "categorical"}).table
        assert isinstance(table, CategoricalTable)
        assert (table.levels[0], table.codes[0].tolist()) == _naive(values.tolist())
