"""Other rows of an encoded table are what a frame with these rows would be encoded to."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from tests.preparing import prepare
from tests.tables import categorical_columns, continuous_columns

from stablebn.canonical.resampled_rows import ChosenRows, chosen_rows, with_rows
from stablebn.canonical.rows import CanonicalRows
from stablebn.errors import DataError
from stablebn.table.table import CategoricalTable, MixedTable, Table


def _columns(kind: str, seed: int) -> dict[Any, list[Any]]:
    rng = np.random.default_rng(seed)
    columns: dict[Any, list[Any]] = {}
    if kind != "continuous":
        columns |= categorical_columns(rng, 4, 30)
        # Levels and whole columns that some replicates do not have.
        columns["rare"] = ["z", *["y"] * 2, *["x"] * 27]
        columns["once"] = ["b", *["a"] * 29]
    if kind != "categorical":
        columns |= continuous_columns(rng, 3, 30)
        columns["spike"] = [1.5, *[0.0] * 29]
    for name in [*columns][::2]:
        for row in rng.integers(5, 30, 4).tolist():
            columns[name][row] = math.nan if isinstance(columns[name][row], float) else None
    return columns


def _seen(table: Table) -> tuple[Any, ...]:
    """All of a table, as something to compare."""
    if isinstance(table, MixedTable):
        return table.names, _seen(table.categorical), _seen(table.continuous)
    weights = None if table.weights is None else table.weights.tolist()
    if isinstance(table, CategoricalTable):
        return table.names, table.codes.tolist(), table.codes.dtype.name, table.levels, weights, table.holes
    return table.names, np.nan_to_num(table.values, nan=1e300).tolist(), weights, table.holes


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", ["categorical", "continuous", "mixed"])
@pytest.mark.parametrize("seed", range(6))
def test_rows_are_encoded_as_those_of_a_frame(kind: str, seed: int, weighted: bool) -> None:
    columns = _columns(kind, seed)
    kinds: dict[Any, Any] = {name: "continuous" if name[0] in "sx" else "categorical" for name in columns}
    prepared = prepare(columns, kinds=kinds, missing="available")
    places = np.random.default_rng(seed).integers(0, 30, 30)
    weights = None
    if weighted:
        places, weights = np.unique(places, return_counts=True)
    frame = {name: [own[place] for place in places] for name, own in columns.items()}
    expected = prepare(frame, kinds=kinds, missing="available", weights=weights)
    found = with_rows(prepared, ChosenRows(places, weights))
    assert _seen(found.table) == _seen(expected.table)
    assert set(found.constants) == set(expected.constants)


def test_rare_level_is_found_among_many_rows() -> None:
    # A look at a few rows does not show it.
    column = ["x", "y"] * 2000
    for place in (17, 2999):
        own = [*column[:place], "z", *column[place + 1 :]]
        prepared = prepare({"a": own, "b": column[::-1]})
        assert isinstance(prepared.table, CategoricalTable)
        all_rows = with_rows(prepared, ChosenRows(np.arange(4000), None)).table
        assert _seen(all_rows) == _seen(prepared.table)
        others = with_rows(prepared, ChosenRows(np.delete(np.arange(4000), place), None)).table
        assert isinstance(others, CategoricalTable)
        assert others.levels == (("x", "y"), ("x", "y"))


def test_columns_may_stand_in_another_order() -> None:
    prepared = prepare({"a": ["x", "y", "y"], "b": ["p", "q", "p"]})
    found = with_rows(prepared, ChosenRows(np.array([2, 1]), None), ["b", "a"])
    # a is constant in these rows.
    assert found.table.names == ("b",)
    assert found.constants.keys() == {"a"}


def test_too_few_values_are_refused_as_in_a_frame() -> None:
    prepared = prepare({"x": [1.0, 2.0, 3.0, 4.0, *[math.nan] * 6], "y": np.arange(10.0)}, missing="available")
    with pytest.raises(DataError, match=r"at least 4 values.*'x'"):
        with_rows(prepared, ChosenRows(np.array([0, 1, 2, *[5] * 7]), None))


def test_few_distinct_rows_get_weights() -> None:
    distinct = CanonicalRows(np.array([5, 2, 9]), np.array([40, 1, 3]))
    found = chosen_rows(distinct, np.array([44, 0, 2]))
    assert found.weights is not None
    assert (found.places.tolist(), found.weights.tolist()) == ([5, 9], [44, 2])
    found = chosen_rows(distinct, np.array([2, 0, 1]))
    assert found.weights is None
    assert found.places.tolist() == [5, 5, 9]


@pytest.mark.parametrize("seed", range(6))
def test_declared_levels_stay_in_every_replicate(seed: int) -> None:
    columns = _columns("mixed", seed)
    kinds: dict[Any, Any] = {name: "continuous" if name[0] in "sx" else "categorical" for name in columns}
    levels = {"rare": ["x", "y", "z", "never"], "once": ["a", "b"]}
    prepared = prepare(columns, kinds=kinds, missing="available", levels=levels)
    places = np.random.default_rng(seed).integers(0, 30, 30)
    frame = {name: [own[place] for place in places] for name, own in columns.items()}
    expected = prepare(frame, kinds=kinds, missing="available", levels=levels)
    found = with_rows(prepared, ChosenRows(places, None))
    assert _seen(found.table) == _seen(expected.table)
    assert found.constants == expected.constants
    assert found.levels == expected.levels
