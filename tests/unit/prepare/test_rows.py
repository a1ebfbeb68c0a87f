"""Missing values and weights: which rows are used, and that the user knows."""

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

from stablebn.columns.kinds import Kind
from stablebn.errors import DataError, OptionError
from stablebn.table.table import CategoricalTable, ContinuousTable, Name

NAN = float("nan")
GAPS = {"a": ["x", None, "y", "x", "z"], "b": [1, 2, None, 1, 1], "c": ["u", None, "v", "v", "u"]}
FULL = {"a": ["x", "y", "x", "y", "z"], "b": [1, 2, 2, 1, 3]}


def test_missing_values_are_counted_by_column_with_the_remedies() -> None:
    with pytest.raises(DataError, match=r"'a' \(1\), 'b' \(1\), 'c' \(1\), of 5 rows") as caught:
        prepare(GAPS)
    assert 'missing="drop"' in str(caught.value)
    assert 'missing="level"' in str(caught.value)


@pytest.mark.parametrize(
    "column",
    [
        [1.5, NAN, 2.5, 3.5, 0.5],
        [1.5, None, 2.5, 3.5, 0.5],
        np.array([1.5, NAN, 2.5, 3.5, 0.5], dtype=np.float32),
        pd.Series([1.5, None, 2.5, 3.5, 0.5], dtype="Float64"),
        pl.Series([1.5, NAN, 2.5, None, 0.5]),
        pa.array([1.5, NAN, 2.5, 3.5, 0.5]),
        pd.Series(["x", NAN, "y", "x", None], dtype=object),
        pd.Series(["x", pd.NA, "y", "x", "y"], dtype="string"),
        pd.Series(["x", None, "y", "x", "y"], dtype="category"),
        pd.Series([True, None, False, True, True], dtype="boolean"),
    ],
)
def test_null_and_nan_are_missing_in_every_type(column: Any) -> None:
    with pytest.raises(DataError, match=r"missing values in 'a' \([12]\), of 5 rows"):
        prepare({"a": column, "b": [1, 2, 1, 2, 1]})


def test_dropped_rows_are_reported_and_their_levels_do_not_exist() -> None:
    prepared = prepare(GAPS, missing="drop")
    assert_same(
        prepare({"a": ["x", "x", "z"], "b": [1, 1, 1], "c": ["u", "v", "u"]}),
        type(prepared)(**{**vars(prepared), "rows": 3, "warnings": prepared.warnings[1:]}),
    )
    caution = prepared.warnings[0]
    assert (caution.code, caution.columns) == ("dropped-rows", ("a", "b", "c"))
    assert str(caution).startswith("2 of 5 rows are left out for missing values in 'a' (1)")
    assert prepared.rows == 5


def test_dropping_every_row_is_refused() -> None:
    with pytest.raises(DataError, match=r"leaves no rows: each of the 2 .* 'a' \(1\), 'b' \(1\)\. Leave out"):
        prepare({"a": [None, 1], "b": [1, None], "c": [1, 2]}, missing="drop")


def test_missing_as_a_level_is_reported() -> None:
    prepared = prepare(GAPS, missing="level")
    assert isinstance(prepared.table, CategoricalTable)
    assert prepared.table.levels == (("x", "y", "z", None), (1, 2, None), ("u", "v", None))
    assert prepared.table.codes[1].tolist() == [0, 1, 2, 0, 0]
    (caution,) = prepared.warnings
    assert (caution.code, caution.columns) == ("missing-level", ("a", "b", "c"))


def test_a_value_and_a_missing_level_vary() -> None:
    assert prepare({"a": ["x", None], "b": [1, 2]}, missing="level").constants == {}


def test_a_continuous_column_has_no_missing_level() -> None:
    with pytest.raises(DataError, match=r'continuous .*: \'a\'\. Say missing="drop"'):
        prepare({"a": [1.5, NAN], "b": ["x", None]}, missing="level")


def test_missing_options_without_missing_values_change_nothing() -> None:
    assert_same(prepare(FULL, missing="drop"), prepare(FULL))
    assert_same(prepare(FULL, missing="level"), prepare(FULL))


def test_unknown_ways_to_treat_missing_values_are_refused() -> None:
    with pytest.raises(OptionError, match=r"missing='impute'.*'error', 'drop', 'level'"):
        prepare(FULL, missing="impute")


@pytest.mark.parametrize(
    "weights",
    [
        [2, 1, 3, 1, 1],
        (2, 1, 3, 1, 1),
        np.array([2.0, 1, 3, 1, 1]),
        pd.Series([2, 1, 3, 1, 1]),
        pl.Series([2, 1, 3, 1, 1]),
    ],
    ids=["list", "tuple", "floats", "pandas", "polars"],
)
def test_weights_are_a_column_by_name_or_by_value(weights: Any) -> None:
    prepared = prepare(FULL, weights=weights)
    assert prepared.table.weights is not None
    assert prepared.table.weights.dtype == np.int64
    assert prepared.table.weights.tolist() == [2, 1, 3, 1, 1]
    assert prepared.table.total == 8
    assert_same(prepare({**FULL, "w": weights}, weights="w"), prepared)


def test_weights_that_are_all_one_are_none() -> None:
    assert_same(prepare(FULL, weights=[1] * 5), prepare(FULL))


def test_rows_of_weight_zero_are_not_there() -> None:
    columns = {"a": ["x", "y", "x", None], "b": [1.5, 1.5, 2.5, np.inf], "c": [1, 2, 2, 2**60]}
    kinds: dict[Name, Kind] = {"b": "categorical", "c": "categorical"}
    used = prepare(columns, weights=[3, 0, 2, 0], kinds=kinds)
    expected = prepare({"a": ["x", "x"], "b": [1.5, 2.5], "c": [1, 2]}, weights=[3, 2], kinds=kinds)
    assert_same(type(used)(**{**vars(used), "rows": 2}), expected)
    assert used.rows == 4
    assert tuple(used.constants) == ("a",)


def test_weights_follow_the_rows_that_are_kept() -> None:
    weights = prepare(GAPS, missing="drop", weights=[5, 0, 7, 2, 1]).table.weights
    assert weights is not None
    assert weights.tolist() == [5, 2, 1]


REFUSED: list[tuple[list[Any], str]] = [
    ([1, 1, -1, 1, 1], "Of 5, these are not: 1 negative (the first in row 3: -1). Give a row"),
    (
        [1, 0.5, 1, 1.5, 1],
        "whole numbers, 0 or more, that say how many rows each row stands for. Of 5, these are not: ",
    ),
    ([1, 0.5, 1, 1.5, 1], "2 not whole (the first in row 2: 0.5). Weights of a survey are no counts"),
    ([1, 1, 1, 1, np.inf], "1 infinite (the first in row 5: inf)"),
    ([1, 1, 1, 1, -np.inf], "1 infinite (the first in row 5: -inf)"),
    ([1, NAN, 1, 1, 1], "1 missing (the first in row 2). Give every row a weight, 0 to leave it out."),
    ([1, None, None, 1, 1], "2 missing (the first in row 2)"),
    ([-1, 0.25, None, np.inf, 2.0**70], "1 missing (the first in row 3), 1 negative (the first in row 1: -1.0), 1 inf"),
    ([-1, 0.25, None, np.inf, 2.0**70], "1 too large (the first in row 5: 1.1805916207174113e+21), 1 not whole"),
    ([0, 0, 0, 0, 0], "are all 0"),
    (["1", "1", "1", "1", "1"], "must be whole numbers, not string"),
    ([True] * 5, "must be whole numbers, not bool"),
    (
        [2**62] * 5,
        "5 too large (the first in row 1: 4611686018427387904). A table stands for 1,099,511,627,776 rows at most.",
    ),
    ([2**39, 2**39, 1, 1, 1], "stands for 1099511627779 rows, more than 2**40"),
]


@pytest.mark.parametrize(("weights", "told"), REFUSED, ids=repr)
def test_weights_that_are_no_counts_are_refused(weights: list[Any], told: str) -> None:
    with pytest.raises(DataError) as caught:
        prepare(FULL, weights=weights)
    assert told in str(caught.value)
    with pytest.raises(DataError) as caught:
        prepare({**FULL, "w": weights}, weights="w")
    assert told in str(caught.value)
    if "more than 2**40" not in told:
        assert str(caught.value).startswith("column 'w', the weights,")


def test_weights_of_another_length_or_of_two_types_are_refused() -> None:
    with pytest.raises(DataError, match="2 weights for 5 rows"):
        prepare(FULL, weights=[1, 1])
    with pytest.raises(DataError, match="weights= mixes values of different types: int, str"):
        prepare(FULL, weights=[1, "a", 1, 1, 1])


@given(weights=st.lists(st.floats(0, 20, width=16), min_size=5, max_size=5))
def test_weights_are_never_rounded(weights: list[float]) -> None:
    whole = all(weight.is_integer() for weight in weights)
    if whole and any(weights):
        counted = prepare(FULL, weights=weights).table.total
        assert counted == sum(weights)
    else:
        with pytest.raises(DataError):
            prepare(FULL, weights=weights)


SURVEY = [0.5, 1.25, 3.0, 1.0, 2.0]


@pytest.mark.parametrize(
    "weights",
    [
        SURVEY,
        np.array(SURVEY, dtype=np.float32),
        pd.Series(SURVEY),
        pd.Series(SURVEY, dtype="Float64"),
        pl.Series(SURVEY),
        pa.array(SURVEY),
        pa.array(SURVEY).dictionary_encode(),
    ],
    ids=["list", "numpy", "pandas", "nullable", "polars", "arrow", "dictionary"],
)
def test_survey_weights_of_every_type_are_refused_with_what_to_do(weights: Any) -> None:
    for data, option in ((FULL, weights), ({**FULL, "w": weights}, "w")):
        with pytest.raises(DataError, match=r"2 not whole \(the first in row 1: 0\.5\)\. .* replicate weights"):
            prepare(data, weights=option)


@pytest.mark.parametrize("weights", ["nowhere", 3, {1, 2}], ids=repr)
def test_weights_that_are_no_column_are_refused(weights: object) -> None:
    with pytest.raises(OptionError, match=r"weights=.* is not a column. Columns: 'a', 'b'"):
        prepare(FULL, weights=weights)


def test_a_continuous_table_counts_its_rows_by_weight() -> None:
    columns = {"a": [1.5, 2.5, 3.5], "b": [1.5, 0.5, 1.0]}
    assert isinstance(prepare(columns, weights=[2, 1, 1]).table, ContinuousTable)
    with pytest.raises(DataError, match="at least 4 rows, and there are 3"):
        prepare(columns)
