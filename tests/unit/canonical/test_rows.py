"""Canonical rows: the same in any layout, whatever names, labels, units and signs are."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from tests.preparing import prepare
from tests.tables import categorical_codes, continuous_values

from stablebn.canonical import canonical_rows
from stablebn.columns.kinds import Kind
from stablebn.table.table import Table


def _table(columns: dict[Any, Any], kinds: dict[Any, Kind], weights: Any = None) -> Table:
    return prepare(columns, kinds=kinds, weights=weights, missing="available").table


def _drawn(kind: str, seed: int) -> tuple[dict[Any, Any], dict[Any, Kind]]:
    """Few rows, so that levels and columns often tie."""
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(6, 30))
    columns: dict[Any, Any] = {}
    if kind != "continuous":
        columns |= {f"c{v}": own for v, own in enumerate(categorical_codes(rng, int(rng.integers(2, 5)), rows))}
    if kind != "categorical":
        values = continuous_values(rng, int(rng.integers(2, 5)), rows)
        columns |= {f"x{v}": np.round(own / own.std(), 1) for v, own in enumerate(values)}
    return columns, {name: "categorical" if name[0] == "c" else "continuous" for name in columns}


def _other_layout(
    columns: dict[Any, Any], kinds: dict[Any, Kind], rng: np.random.Generator
) -> tuple[dict[Any, Any], dict[Any, Kind], Any]:
    """Rows, columns, names, labels, units and signs changed; and which row each one was."""
    rows = rng.permutation(len(next(iter(columns.values()))))
    aliases = [f"n{place}" for place in rng.permutation(len(columns))]
    changed, renamed = {}, {}
    for alias, place in zip(aliases, rng.permutation(len(columns)), strict=True):
        name = list(columns)[place]
        own = columns[name][rows]
        if kinds[name] == "categorical":
            labels = rng.permutation(["k", "l", "m", "n"])
            changed[alias] = [str(labels[code]) for code in own]
        else:
            changed[alias] = own * float(rng.choice([2.0, -0.5, -8.0, 1.0]))
        renamed[alias] = kinds[name]
    return changed, renamed, rows


def _as_a_set_of_columns(columns: dict[Any, Any], order: Any) -> list[list[int]]:
    """What of the table is left when labels, units and signs are: the columns, each up to a renaming of its values."""
    found = []
    for own in columns.values():
        values = np.asarray(own)[order].tolist()
        found.append([values.index(value) for value in values])
    return sorted(found)


@pytest.mark.parametrize("kind", ["categorical", "continuous", "mixed"])
@pytest.mark.parametrize("seed", range(25))
def test_rows_come_in_the_same_order_in_any_layout(kind: str, seed: int) -> None:
    columns, kinds = _drawn(kind, seed)
    found = canonical_rows(_table(columns, kinds))
    for attempt in range(3):
        other, others_kinds, _ = _other_layout(columns, kinds, np.random.default_rng([seed, attempt]))
        again = canonical_rows(_table(other, others_kinds))
        assert again.counts.tolist() == found.counts.tolist()
        # Where a symmetry exchanges rows, the rows may be others: but the table must look the same in this order.
        assert _as_a_set_of_columns(other, again.places) == _as_a_set_of_columns(columns, found.places)


def test_without_symmetries_the_very_rows_are_the_same() -> None:
    rng = np.random.default_rng(3)
    columns: dict[Any, Any] = {f"c{v}": own for v, own in enumerate(categorical_codes(rng, 5, 200))}
    columns |= {f"x{v}": own for v, own in enumerate(continuous_values(rng, 3, 200))}
    kinds: dict[Any, Kind] = {name: "categorical" if name[0] == "c" else "continuous" for name in columns}
    found = canonical_rows(_table(columns, kinds))
    for attempt in range(5):
        other, others_kinds, rows = _other_layout(columns, kinds, np.random.default_rng(attempt))
        assert rows[canonical_rows(_table(other, others_kinds)).places].tolist() == found.places.tolist()


def test_levels_of_equal_size_are_told_apart_by_the_other_columns() -> None:
    # Both columns are halves; only together with c do the levels of a differ.
    a = ["n", "n", "n", "y", "y", "y"]
    c = ["p", "p", "q", "p", "q", "r"]
    there = canonical_rows(_table({"a": a, "c": c}, {}))
    swapped = canonical_rows(_table({"a": [{"n": "y", "y": "n"}[value] for value in a], "c": c}, {}))
    assert there.places.tolist() == swapped.places.tolist()


def test_weights_say_the_same_as_copies() -> None:
    rng = np.random.default_rng(8)
    columns = {f"c{v}": own for v, own in enumerate(categorical_codes(rng, 3, 40))}
    weights = rng.integers(1, 4, 40)
    once = canonical_rows(_table(columns, {}, weights))
    copied = {name: np.repeat(own, weights) for name, own in columns.items()}
    again = canonical_rows(_table(copied, {}))
    assert once.counts.tolist() == again.counts.tolist()
    assert all(columns[name][once.places].tolist() == copied[name][again.places].tolist() for name in columns)


def test_weights_say_the_same_as_copies_if_values_are_missing() -> None:
    # Only names decide between the columns: z misses one row that counts twice, a two rows that count once.
    nan = float("nan")
    columns = {"z": [nan, 1.5, 1.5, 2.0, 2.0, 4.0], "a": [1.5, nan, nan, 2.0, 4.0, 2.0]}
    kinds: dict[Any, Kind] = dict.fromkeys(columns, "continuous")
    weights = [2, 1, 1, 1, 1, 1]
    once = canonical_rows(_table(columns, kinds, weights))
    copied: dict[Any, Any] = {name: np.repeat(own, weights) for name, own in columns.items()}
    again = canonical_rows(_table(copied, kinds))
    assert once.counts.tolist() == again.counts.tolist()
    for name, own in columns.items():
        assert np.array_equal(np.array(own)[once.places], copied[name][again.places], equal_nan=True)


def test_holes_come_last_and_are_no_level() -> None:
    table = prepare(
        {"a": ["x", None, "y", "x", None], "b": [1.5, 2.5, float("nan"), 1.5, 4.0], "c": [1.0, 2.0, 3.0, 1.0, 9.0]},
        kinds={"b": "continuous", "c": "continuous"},
        missing="available",
    ).table
    assert sorted(canonical_rows(table).counts.tolist()) == [1, 1, 1, 2]


def test_designs_in_which_only_symmetries_tie_look_the_same() -> None:
    design = np.array(list(itertools.product([0, 1], repeat=3))).T
    columns = {"a": design[0], "b": design[1], "c": design[2], "d": np.array([0, 0, 0, 1, 0, 1, 1, 1])}
    kinds: dict[Any, Kind] = dict.fromkeys(columns, "categorical")
    found = canonical_rows(_table(columns, kinds))
    for attempt in range(10):
        other, others_kinds, _ = _other_layout(columns, kinds, np.random.default_rng(attempt))
        again = canonical_rows(_table(other, others_kinds))
        assert _as_a_set_of_columns(other, again.places) == _as_a_set_of_columns(columns, found.places)
