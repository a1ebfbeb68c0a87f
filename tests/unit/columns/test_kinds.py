"""Kinds of columns: by type, by values, and by the user's options."""

import datetime
from collections.abc import Sequence
from contextlib import suppress
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.preparing import prepare

from stablebn.columns.kinds import Kind
from stablebn.errors import DataError, OptionError, StableBNError
from stablebn.table.table import CategoricalTable, ContinuousTable


def _levels(column: object, *, kind: Kind | None = None) -> object:
    other = ["u", "v"] * 60
    kinds: dict[Any, Kind] = {} if kind is None else {"a": kind}
    table = prepare({"a": column, "b": other[: len(column)]}, kinds=kinds).table  # type: ignore[arg-type]
    assert isinstance(table, CategoricalTable)
    return table.levels[0]


@pytest.mark.parametrize(
    ("column", "levels"),
    [
        (["b", "a", "b"], ("a", "b")),
        ([True, False, True], (False, True)),
        ([10, 9, -1], (-1, 9, 10)),
        (pd.Series(["b", "a", "b"], dtype="category"), ("a", "b")),
        (pd.Series([10, 9, 10], dtype="category"), (9, 10)),
        (pd.Series([1.5, -2.5, 1.5], dtype="category"), (-2.5, 1.5)),
        (pd.Series([True, False, True], dtype=object), (False, True)),
        (pd.Series([3, 1, 2], dtype=object), (1, 2, 3)),
        (pa.array(["b", "a", "b"], pa.string_view()), ("a", "b")),
        (np.array([2**64 - 1, 0, 1], dtype=np.uint64), (0, 1, 2**64 - 1)),
    ],
)
def test_text_categories_booleans_and_few_integers_are_categorical(column: object, levels: tuple[object, ...]) -> None:
    found = _levels(column)
    assert repr(found) == repr(levels)


def test_a_pandas_category_of_many_integers_needs_no_question() -> None:
    assert _levels(pd.Series(list(range(40)) * 2, dtype="category")) == tuple(range(40))


def test_kinds_decide() -> None:
    assert _levels(list(range(40)) * 2, kind="categorical") == tuple(range(40))
    assert _levels([1.5, 0.5, -0.0, 0.0], kind="categorical") == (0.0, 0.5, 1.5)
    columns = {"a": [1, 2, 2, 3], "b": [True, False, True, True], "c": pd.Series([5, 6, 5, 7], dtype="category")}
    prepared = prepare(columns, kinds={"a": "continuous", "b": "continuous", "c": "continuous"})
    assert isinstance(prepared.table, ContinuousTable)
    assert prepared.table.values.tolist() == [[1, 2, 2, 3], [1, 0, 1, 1], [5, 6, 5, 7]]
    assert set(prepared.kinds.values()) == {"continuous"}


def test_text_cannot_be_continuous_and_the_culprit_is_shown() -> None:
    with pytest.raises(DataError, match=r"text: 'a' \(for example 'n\.k\.'\).*leave the column out of kinds="):
        prepare({"a": ["1.5", "n.k.", "2"], "b": [1, 2, 1]}, kinds={"a": "continuous"})


def test_integers_that_a_float_would_round_cannot_be_continuous() -> None:
    columns = {"a": [2**53, 1, 2, 3], "b": [2**53 + 1, 1, 2, 3], "c": [-(2**53) - 1, 1, 2, 3]}
    with pytest.raises(DataError, match=r"beyond 2\*\*53 .*: 'b', 'c'\. Cast"):
        prepare(columns, kinds=dict.fromkeys(columns, "continuous"))


@pytest.mark.parametrize("kinds", [{"z": "continuous"}, {"a": "number"}, {"a": ["x"]}, "number", ["a"]], ids=repr)
def test_kinds_that_make_no_sense_are_refused(kinds: Any) -> None:
    with pytest.raises(OptionError, match="kinds"):
        prepare({"a": [1, 2], "b": [2, 1]}, kinds=kinds)


@pytest.mark.parametrize(
    ("column", "told"),
    [
        ([1j, 2j], "column 'a' holds values of type complex"),
        (np.array([1j, 2j]), "column 'a', of type complex128, cannot be read"),
        (pd.arrays.SparseArray([0, 1]), "column 'a', of type Sparse"),
        ([2**70, 1], "column 'a' holds values of type int"),
        (["\ud800", "x"], "column 'a' holds values of type str"),
    ],
)
def test_what_cannot_be_read_is_named_with_a_remedy(column: object, told: str) -> None:
    with pytest.raises(DataError) as caught:
        prepare({"a": column, "b": [1, 2], "c": ["x", "y"]})
    assert told in str(caught.value)
    assert caught.value.remedy == {"drop": ["a"]}


@pytest.mark.parametrize("wrap", [list, lambda values: pd.Series(values, dtype=object)], ids=["list", "object Series"])
@pytest.mark.parametrize(
    ("values", "types"),
    [
        ([1, "a", None], "int, str"),
        (["a", 1, float("nan")], "int, str"),
        ([True, 1], "bool, int"),
        ([1.5, True], "bool, float"),
        ([True, 1.5], "bool, float"),
        ([1.5, Decimal(1)], "Decimal, float"),
        (["a", datetime.date(2020, 1, 1)], "date, str"),
    ],
    ids=repr,
)
def test_mixed_types_are_named_in_any_order_of_rows(wrap: Any, values: Sequence[object], types: str) -> None:
    for ordered in (values, values[::-1]):
        with pytest.raises(DataError, match=f"column 'a' mixes values of different types: {types}. Convert it to text"):
            prepare({"a": wrap(list(ordered)), "b": list(range(len(values)))})


PYTHON_VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=3),
    st.binary(max_size=2),
    st.decimals(),
    st.complex_numbers(),
    st.dates(),
    st.timedeltas(),
    st.lists(st.integers(), max_size=2),
    st.just(pd.NA),
    st.just(pd.NaT),
    st.builds(object),
    st.builds(np.float32, st.floats(width=32)),
)


@given(columns=st.lists(st.lists(PYTHON_VALUES, min_size=4, max_size=4), min_size=2, max_size=3))
def test_random_objects_never_raise_a_foreign_error(columns: list[list[object]]) -> None:
    table = dict(enumerate(columns))
    with suppress(StableBNError):
        prepare(table, missing="level")
    with suppress(StableBNError):
        prepare(pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in table.items()}))
