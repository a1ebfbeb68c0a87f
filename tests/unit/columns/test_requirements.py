"""Tables that cannot be learned from are refused, with names and a remedy; unusual columns give warnings."""

from collections.abc import Hashable
from typing import Any

import numpy as np
import pytest
from tests.preparing import prepare

from stablebn.columns import duplicates
from stablebn.errors import DataError, OptionError
from stablebn.table.table import CategoricalTable, ContinuousTable, MixedTable


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ({}, "at least two columns, and the table has none"),
        ({"a": [1, 2]}, "at least two columns, and the table has only one, 'a'"),
        ({"a": [], "b": []}, "the table has columns 'a', 'b' but no rows"),
        ({"a": [1.5, np.inf], "b": [-np.inf, np.inf]}, "infinite values in 'a' (1), 'b' (2). Make them"),
        ({"a": [1.5, np.inf, np.nan], "b": [1.5, 2.5, 3.5]}, "infinite values in 'a' (1). Make them"),
    ],
    ids=["nothing", "one column", "no rows", "infinite", "infinite beside missing"],
)
def test_tables_that_are_none_are_refused(source: dict[str, list[Any]], told: str) -> None:
    with pytest.raises(DataError) as caught:
        prepare(source)
    assert told in str(caught.value)


def test_a_column_of_weights_is_no_variable() -> None:
    with pytest.raises(DataError, match="only one, 'a'"):
        prepare({"a": [1, 2], "w": [1, 2]}, weights="w")


def test_mixed_columns_make_a_table_of_two_parts_with_the_same_rows() -> None:
    columns = {"sex": ["f", "m"] * 2, "age": [1.5, 2.5, 3.5, 1.0], "site": ["x"] * 4, "bmi": [20.5, 21.5, 20.0, 19.0]}
    table = prepare({**columns, "w": [1, 2, 3, 4]}, weights="w").table
    assert isinstance(table, MixedTable)
    assert (table.names, table.total) == (("sex", "age", "bmi"), 10)
    assert (table.categorical.names, table.continuous.names) == (("sex",), ("age", "bmi"))
    assert table.categorical.levels == (("f", "m"),)
    assert table.categorical.codes.tolist() == [[0, 1, 0, 1]]
    assert table.continuous.values.tolist() == [columns["age"], columns["bmi"]]
    assert table.categorical.weights is table.continuous.weights is table.weights


@pytest.mark.parametrize(
    ("columns", "names", "type_"),
    [
        ([2, 0], ("bmi", "sex"), MixedTable),
        ([2, 1], ("bmi", "age"), ContinuousTable),
        ([0], ("sex",), CategoricalTable),
    ],
)
def test_columns_are_selected_from_a_mixed_table(columns: list[int], names: tuple[str, ...], type_: type) -> None:
    table = prepare({"sex": ["f", "m"] * 2, "age": [1.5, 2.5, 3.5, 1.0], "bmi": [20.5, 21.5, 20.0, 19.0]}).table
    selected = table.select(columns)
    assert selected.names == names
    assert type(selected) is type_
    if isinstance(selected, ContinuousTable):
        assert selected.values.tolist() == [[20.5, 21.5, 20.0, 19.0], [1.5, 2.5, 3.5, 1.0]]


def test_identical_columns_of_both_kinds_are_merged() -> None:
    columns = {"b": ["f", "m"] * 2, "a": ["f", "m"] * 2, "y": [1.5, 2.5, 3.5, 1.0], "x": [1.5, 2.5, 3.5, 1.0]}
    prepared = prepare(columns, duplicates="merge")
    assert prepared.merged == {"a": ("b",), "x": ("y",)}
    assert prepared.table.names == ("a", "x")


def test_a_constant_column_mixes_with_any_kind() -> None:
    prepared = prepare({"a": [1.5, 1.5], "b": ["x", "y"], "c": [1, 2]})
    assert isinstance(prepared.table, CategoricalTable)
    assert prepared.kinds == {"a": "continuous", "b": "categorical", "c": "categorical"}


def test_constants_stay_out_of_the_table_and_are_reported() -> None:
    prepared = prepare({"z": ["x", "x"], "a": [1, 2], "k": [5, 5]})
    assert prepared.names == ("z", "a", "k")
    assert prepared.table.names == ("a",)
    assert tuple(prepared.constants) == ("z", "k")
    (caution,) = prepared.warnings
    assert (caution.code, caution.columns) == ("constant", ("z", "k"))
    assert "'k', 'z'; you can leave them out" in str(caution)


def test_a_table_of_constants_has_no_columns() -> None:
    prepared = prepare({"a": [1.5, 1.5], "b": ["x", "x"]})
    assert isinstance(prepared.table, CategoricalTable)
    assert prepared.table.codes.shape == (0, 2)
    assert prepared.table.total == 2
    assert prepared.identical == ()


CATEGORICAL_TWINS = {"z": [1, 2, 1], "b": [True, False, True], "y": [1, 2, 1], "m": [2, 1, 2], "k": [7, 7, 7]}
CONTINUOUS_TWINS = {"z": [1.5, 2, 1, 4], "b": [0.0, 1, 2, 5], "y": [1.5, 2, 1, 4], "a": [-0.0, 1, 2, 5]}


@pytest.mark.parametrize(
    ("columns", "groups"), [(CATEGORICAL_TWINS, (("y", "z"),)), (CONTINUOUS_TWINS, (("a", "b"), ("y", "z")))]
)
def test_identical_columns_are_found_and_kept(columns: dict[str, Any], groups: tuple[tuple[str, ...], ...]) -> None:
    prepared = prepare(columns)
    assert prepared.identical == groups
    assert prepared.merged == {}
    caution = prepared.warnings[-1]
    assert caution.code == "identical"
    assert caution.columns == tuple(name for group in groups for name in group)
    assert 'duplicates="merge"' in str(caution)
    assert "'y', 'z'" in str(caution)


def test_merged_columns_stand_by_name_and_never_by_position() -> None:
    for order in ("zbymk", "mykbz", "kzymb"):
        prepared = prepare({name: CATEGORICAL_TWINS[name] for name in order}, duplicates="merge")
        assert prepared.merged == {"y": ("z",)}
        assert prepared.table.names == tuple(name for name in order if name in "bym")
        assert prepared.names == tuple(order)


def test_merged_continuous_columns_keep_their_values() -> None:
    table = prepare(CONTINUOUS_TWINS, duplicates="merge").table
    assert isinstance(table, ContinuousTable)
    assert table.names == ("y", "a")
    assert table.values.tolist() == [[1.5, 2, 1, 4], [0, 1, 2, 5]]


def test_identical_columns_can_be_an_error() -> None:
    with pytest.raises(DataError, match=r"identical columns: 'a', 'b'; 'y', 'z'. Leave out all but one"):
        prepare(CONTINUOUS_TWINS, duplicates="error")
    with pytest.raises(OptionError, match=r"duplicates='drop'.*'keep', 'merge', 'error'"):
        prepare(CONTINUOUS_TWINS, duplicates="drop")


def test_equal_hashes_do_not_make_columns_identical(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duplicates, "hash", lambda _: 0, raising=False)
    prepared = prepare({"a": [1, 2, 1, 2], "b": [1, 1, 2, 2], "c": [1, 2, 1, 2], "d": [2, 2, 1, 1], "e": [1, 1, 2, 2]})
    assert prepared.identical == (("a", "c"), ("b", "e"))


def test_merging_copes_with_names_of_mixed_types() -> None:
    names: list[Hashable] = ["b", ("a", 2), None, 10, 9]
    for order in (names, names[::-1]):
        prepared = prepare({**dict.fromkeys(order, (1, 2)), "other": [2, 1]}, duplicates="merge")
        assert prepared.merged == {9: (10, "b", ("a", 2), None)}


def test_zero_and_false_are_different_values() -> None:
    assert prepare({"a": [0, 1, 1], "b": [False, True, True]}).identical == ()


def test_a_long_list_of_columns_is_cut_short() -> None:
    with pytest.raises(DataError, match=r"'x07' \(1\) and 12 more, of 2 rows"):
        prepare({f"x{i:02}": [None, "a"] for i in reversed(range(20))})
