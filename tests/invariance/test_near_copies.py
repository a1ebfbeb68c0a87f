"""Names decide only between columns that the values cannot tell apart, however little these differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.preparing import prepare

import stablebn as sb
from stablebn.canonical.rows import canonical_rows
from stablebn.stats.symmetries import finer_rows
from stablebn.stats.symmetries.distinct_rows import rows_of

Columns = dict[str, NDArray[Any]]

NOISE = (1e-13, 1e-12, 1e-11, 1e-10, 1e-9)


def _columns(seed: int, noise: float, rows: int = 200) -> Columns:
    """A column, a near copy of it and two more."""
    rng = np.random.default_rng(seed)
    a = rng.standard_normal(rows)
    c = rng.standard_normal(rows) + a / 2
    d = rng.standard_normal(rows) + 0.3 * c + 0.4 * a
    return {"a": a, "b": a + noise * rng.standard_normal(rows), "c": c, "d": d}


def _two(seed: int, noise: float) -> Columns:
    return {name: own for name, own in _columns(seed, noise).items() if name in "ab"}


def _mirrored(seed: int, noise: float) -> Columns:
    columns = _columns(seed, noise)
    return {**columns, "b": -4 * columns["b"]}


def _symmetric(seed: int, noise: float) -> Columns:
    columns = {name: np.concatenate([own, -own]) for name, own in _columns(seed, 0).items()}
    return {**columns, "b": columns["a"] + noise * np.random.default_rng(seed).standard_normal(400)}


def _with_holes(seed: int, noise: float) -> Columns:
    rng = np.random.default_rng(seed)
    columns, together = _columns(seed, noise), rng.random(200) < 0.1
    missing = {"a": together, "b": together, "c": rng.random(200) < 0.1, "d": np.zeros(200, dtype=np.bool_)}
    return {name: np.where(missing[name], np.nan, own) for name, own in columns.items()}


def _mixed(seed: int, noise: float) -> Columns:
    columns = _columns(seed, noise)
    return {**columns, "e": np.where(columns["d"] > np.random.default_rng(seed).standard_normal(200), "x", "y")}


TABLES: dict[str, Callable[[int, float], Columns]] = {
    "plain": _columns,
    "two": _two,
    "mirrored": _mirrored,
    "symmetric": _symmetric,
    "holes": _with_holes,
    "mixed": _mixed,
}
EXCHANGED = {"a": "b", "b": "a"}


def _renamed(columns: Columns) -> Columns:
    return {EXCHANGED.get(name, name): own for name, own in reversed(list(columns.items()))}


@pytest.mark.parametrize("noise", NOISE)
@pytest.mark.parametrize("make", TABLES.values(), ids=TABLES)
def test_names_do_not_decide_between_near_copies(make: Callable[[int, float], Columns], noise: float) -> None:
    for seed in range(4):
        columns = make(seed, noise)
        first, second = (sb.learn(own, "tabu-stable", missing="available") for own in (columns, _renamed(columns)))
        assert {(EXCHANGED.get(str(a), a), EXCHANGED.get(str(b), b)) for a, b in first.arcs} == set(second.arcs)
        assert (first.score, first.fingerprint) == (second.score, second.fingerprint)
        assert not {"interchangeable", "names-decide"} & {warning.code for warning in first.warnings}


@pytest.mark.parametrize("make", TABLES.values(), ids=TABLES)
def test_names_do_not_decide_the_canonical_rows_of_near_copies(make: Callable[[int, float], Columns]) -> None:
    for seed in range(8):
        columns = make(seed, 1e-9)
        first, second = (
            canonical_rows(prepare(own, missing="available").table) for own in (columns, _renamed(columns))
        )
        assert np.array_equal(first.places, second.places)


def test_near_copies_are_the_same_in_parts_and_in_memory() -> None:
    columns = _columns(1, 1e-12)
    assert sb.learn(columns, "hc-stable") == sb.learn(columns, "hc-stable", memory="64 MB")


@pytest.mark.parametrize("seed", range(10))
def test_units_that_round_do_not_decide_between_copies(seed: int) -> None:
    rng = np.random.default_rng(seed)
    columns = _columns(seed, 0)
    units = {name: rng.choice([-1, 1]) * np.exp(rng.uniform(-5, 5)) for name in columns}
    other = {name: own * units[name] + rng.normal(0, 10) for name, own in columns.items()}
    first, second = sb.learn(columns, "tabu-stable"), sb.learn(other, "tabu-stable")
    assert first.arcs == second.arcs


@pytest.mark.parametrize("seed", range(10))
def test_units_that_round_nothing_do_not_decide_between_near_copies(seed: int) -> None:
    columns = _columns(seed, 1e-12)
    other = {name: own * unit for (name, own), unit in zip(columns.items(), (-8.0, 0.5, 2.0, -1.0), strict=True)}
    assert sb.learn(columns, "tabu-stable").arcs == sb.learn(other, "tabu-stable").arcs


def test_a_warning_names_columns_between_which_names_decide() -> None:
    columns = _columns(1, 1e-16)
    assert (columns["a"] != columns["b"]).any()
    (warning,) = (own for own in sb.learn(columns, "hc-stable").warnings if own.code == "copies")
    assert warning.columns == ("a", "b")
    assert "their names" in warning.message


def test_exact_values_are_looked_at_only_where_rounding_makes_columns_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[object] = []
    built: list[object] = []
    keeps = finer_rows.FinerRows.keeps

    def noted_keeps(rows: finer_rows.FinerRows, symmetry: Mapping[int, int]) -> bool:
        compared.append(symmetry)
        return keeps(rows, symmetry)

    def noted_rows_of(*arguments: Any) -> Any:
        built.append(arguments)
        return rows_of(*arguments)

    monkeypatch.setattr(finer_rows.FinerRows, "keeps", noted_keeps)
    monkeypatch.setattr("stablebn.stats.symmetries.finer_rows.rows_of", noted_rows_of)
    sb.learn(_columns(0, 1e-3), "tabu-stable")
    assert (len(compared), len(built)) == (0, 0)
    # Of identical columns, and of those in units of a power of two, a look at themselves is enough.
    columns = _columns(0, 0)
    sb.learn({**columns, "b": -4 * columns["a"]}, "tabu-stable")
    assert (len(compared) > 0, len(built)) == (True, 0)
    sb.learn(_columns(0, 1e-12), "tabu-stable")
    assert built
