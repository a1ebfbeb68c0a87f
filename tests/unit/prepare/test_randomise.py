"""Layouts say the same as the table, and follow from the seed and their number alone."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from stablebn.columns.kinds import Kind
from stablebn.prepare.relayout import VARIATIONS, TableLayout, lay_out, relabelled, rescaled

COLUMNS: dict[Any, pa.ChunkedArray] = {
    "sex": pa.chunked_array([["m", "f", None], ["f", "m", "f"]]),
    "smokes": pa.chunked_array([[True, False, False, True, True, None]]),
    "size": pa.chunked_array([[1.5, 2.25, -3.0, 0.0, None, 1e3]]),
    "grade": pa.chunked_array([pa.array(["b", "a", "b", "c", "a", "b"]).dictionary_encode()]),
}
KINDS: dict[Any, Kind] = {
    "sex": "categorical",
    "smokes": "categorical",
    "size": "continuous",
    "grade": "categorical",
}


def _layout(*vary: str, seed: int = 3, number: int = 1) -> TableLayout:
    return lay_out(dict(COLUMNS), KINDS, vary, seed=seed, number=number)


def _content(layout: TableLayout) -> dict[Any, list[Any]]:
    return {name: column.to_pylist() for name, column in layout.columns.items()}


def test_the_first_layout_is_the_table_as_given() -> None:
    layout = _layout(*VARIATIONS, number=0)
    assert list(layout.columns) == list(COLUMNS)
    assert all(layout.columns[name] is column for name, column in COLUMNS.items())


def test_a_layout_follows_from_seed_and_number_alone() -> None:
    first, second = _layout(*VARIATIONS), _layout(*VARIATIONS)
    assert list(first.columns) == list(second.columns)
    assert _content(first) == _content(second)
    assert first.aliases == second.aliases


@pytest.mark.parametrize("other", [{"seed": 4}, {"number": 2}])
def test_another_seed_or_number_is_another_layout(other: dict[str, int]) -> None:
    assert _content(_layout(*VARIATIONS)) != _content(_layout(*VARIATIONS, **other))


def test_rows_stay_together_whatever_their_order() -> None:
    layout = _layout("rows", "columns", "names")
    rows = [tuple(layout.columns[layout.aliases[name]].to_pylist()) for name in COLUMNS]
    assert layout.rows is not None
    given = [column.to_pylist() for column in COLUMNS.values()]
    assert rows == [tuple(values[row] for row in layout.rows) for values in given]
    assert sorted(layout.rows) == list(range(6))


def test_what_else_is_varied_does_not_change_the_order_of_the_columns() -> None:
    aliases = _layout("columns", "names").aliases
    alone, together = list(_layout("columns").columns), list(_layout("columns", "names", "rows").columns)
    assert together == [aliases[name] for name in alone]


def test_orders_of_columns_are_all_reached() -> None:
    orders = {tuple(_layout("columns", number=number).columns) for number in range(1, 300)}
    assert len(orders) == 24


@pytest.mark.parametrize("name", ["sex", "smokes", "grade"])
def test_other_labels_tell_the_same_rows_apart(name: str) -> None:
    old, new = COLUMNS[name], relabelled(COLUMNS[name], random.Random(1))
    pairs = set(zip(old.to_pylist(), new.to_pylist(), strict=True))
    values = {value for value in old.to_pylist() if value is not None}
    assert len(pairs) == len(set(old.to_pylist()))
    assert (None, None) in pairs or old.null_count == 0
    assert not values & {label for _, label in pairs if label is not None}
    assert pa.types.is_dictionary(new.type) == pa.types.is_dictionary(old.type)


def test_labels_sort_in_another_order() -> None:
    column = COLUMNS["grade"]
    orders = set()
    for seed in range(50):
        labels = dict(zip(column.to_pylist(), relabelled(column, random.Random(seed)).to_pylist(), strict=True))
        orders.add(tuple(sorted(labels, key=labels.__getitem__)))
    assert len(orders) == 6


def test_another_unit_is_a_straight_line_that_rises() -> None:
    column = pa.chunked_array([[1.5, 2.25, -3.0, 0.0, 1e3]])
    old, new = column.to_numpy(), rescaled(column, random.Random(1)).to_numpy()
    slopes = np.diff(new) / np.diff(old)
    assert np.allclose(slopes, slopes[0], rtol=1e-9)
    assert slopes[0] > 0
    assert np.log2(slopes[0]) % 1 != 0
