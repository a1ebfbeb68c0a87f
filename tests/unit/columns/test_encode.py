"""Codes and levels depend on the values alone."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.preparing import prepare
from tests.unit.prepare.comparing import assert_same

from stablebn.table.table import CategoricalTable, ContinuousTable

WORDS = ["b", "a", "c", "a", "é", "b"]
OTHER = [1, 2, 1, 2, 2, 1]
COLUMNS = st.integers(1, 20).flatmap(
    lambda rows: st.tuples(
        st.lists(st.sampled_from(["a", "B", "b", "", "é", "z" * 9, None]), min_size=rows, max_size=rows),
        st.lists(st.one_of(st.integers(-(2**63), 2**63 - 1), st.none()), min_size=rows, max_size=rows),
    )
)


def _categorical(source: object, **options: Any) -> CategoricalTable:
    table = prepare(source, **options).table
    assert isinstance(table, CategoricalTable)
    return table


@pytest.mark.parametrize(
    "column",
    [
        pa.chunked_array([["b"], ["a", "c"], [], ["a", "é", "b"]]),
        pa.chunked_array(
            [pa.array(["b", "a"]).dictionary_encode(), pa.array(["c", "a", "é", "b"]).dictionary_encode()]
        ),
        pa.DictionaryArray.from_arrays([3, 1, 0, 2, 4, 3], pa.array(["c", "a", "a", "b", "é"])),
        pa.DictionaryArray.from_arrays([0, 1, 2, 1, 3, 0], pa.array(["b", "a", "c", "é"], pa.string_view())),
        pd.Series(pd.Categorical(WORDS, categories=["unused", "é", "c", "b", "a"], ordered=True)),
        pl.Series(WORDS, dtype=pl.Categorical),
        pl.Series(WORDS, dtype=pl.Enum(["unused", "é", "c", "b", "a"])),
        pd.Series(WORDS, dtype=object),
        np.array(WORDS),
    ],
    ids=["chunks", "chunk dictionaries", "doubled entries", "views", "pandas", "polars", "enum", "object", "numpy"],
)
def test_levels_do_not_depend_on_chunks_dictionaries_or_category_order(column: object) -> None:
    assert_same(prepare({"a": column, "b": OTHER}), prepare({"a": WORDS, "b": OTHER}))


def test_a_null_inside_a_dictionary_is_missing() -> None:
    column = pa.DictionaryArray.from_arrays([0, 1, None], pa.array(["a", None]))
    assert _categorical({"a": column, "b": [1, 2, 1]}, missing="level").levels[0] == ("a", None)


@pytest.mark.parametrize("empty", [[None, None], pd.Series([None, None], dtype="string"), pa.nulls(2)])
def test_a_column_without_any_value_has_one_level_whatever_its_type(empty: object) -> None:
    assert prepare({"a": empty, "b": [1, 2]}, missing="level").constants == {"a": None}
    prepared = prepare({"a": empty, "b": [1, 2]})
    assert prepared.aside == ("a",)
    assert prepared.decisions["a"].why == "no values"


@given(columns=COLUMNS, data=st.data())
def test_row_order_and_chunking_never_change_levels(
    columns: tuple[list[str | None], list[int | None]], data: st.DataObject
) -> None:
    words, numbers = columns
    order = data.draw(st.permutations(range(len(words))))
    cut = data.draw(st.integers(0, len(words)))
    shuffled = {
        "a": pa.chunked_array([[words[i] for i in order[:cut]], [words[i] for i in order[cut:]]], pa.string()),
        "b": pa.chunked_array([[numbers[i] for i in order]], pa.int64()),
    }
    plain = {"a": pa.array(words, pa.string()), "b": pa.array(numbers, pa.int64())}
    kinds = {"b": "categorical"}
    one = _categorical(plain, missing="level", kinds=kinds)
    other = _categorical(shuffled, missing="level", kinds=kinds)
    assert one.names == other.names
    assert one.levels == other.levels
    np.testing.assert_array_equal(one.codes[:, order], other.codes, strict=True)


@given(columns=COLUMNS)
def test_codes_point_at_the_values(columns: tuple[list[str | None], list[int | None]]) -> None:
    words, numbers = columns
    source = {"a": pa.array(words, pa.string()), "b": pa.array(numbers, pa.int64())}
    table = _categorical(source, missing="level", kinds={"b": "categorical"})
    for name, levels, codes in zip(table.names, table.levels, table.codes, strict=True):
        assert [levels[code] for code in codes] == source[str(name)].to_pylist()
        known = [level for level in levels if level is not None]
        assert known == sorted(known, key=lambda level: (isinstance(level, str), level))
        assert None not in levels[:-1]


def test_strings_are_sorted_by_code_point_and_the_missing_value_is_last() -> None:
    table = _categorical({"a": ["b", None, "B", "é", "a", "10", "9"], "b": list("uvuvuvu")}, missing="level")
    assert table.levels[0] == ("10", "9", "B", "a", "b", "é", None)
    assert table.codes[0].tolist() == [4, 6, 2, 5, 3, 0, 1]


@pytest.mark.parametrize(
    ("levels", "dtype"), [(256, np.uint8), (257, np.uint16), (65536, np.uint16), (65537, np.int32)]
)
def test_codes_have_the_smallest_type_that_holds_all_of_them(levels: int, dtype: type) -> None:
    table = _categorical({"a": range(levels), "b": np.arange(levels) % 2}, kinds={"a": "categorical"})
    assert table.codes.dtype == dtype
    assert table.codes.flags.c_contiguous
    assert table.codes[0].tolist() == list(range(levels))


def test_negative_zero_is_zero() -> None:
    table = prepare({"a": [-0.0, 0.0, 1.0, 2.0], "b": [1.5, 2.5, -0.0, 3.5]}).table
    assert isinstance(table, ContinuousTable)
    assert not np.signbit(table.values).any()
    assert table.values.flags.c_contiguous
