"""The basis score: a variable regressed on functions of its parents, in every layout of a table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.naive.basis import additive
from tests.tables import continuous_table, random_mixed_table

import stablebn as sb
from stablebn import _core
from stablebn.errors import OptionError
from stablebn.fixed_point import UNIT, limbs
from stablebn.scores.mixed import bic_unit, halves
from stablebn.scores.registry import ScoreConfig, family_scores
from stablebn.stats import MixedStatistics, Moments, statistics_of
from stablebn.stats.variable_sets import bit, members

DOUBLES, DOUBLE_DOUBLES, INTEGERS = range(3)


def _curved(seed: int, rows: int = 300) -> dict[str, Any]:
    """y = x**2, z = sin(2 y), both with noise; w on its own."""
    rng = np.random.default_rng(seed)
    x, w = rng.normal(size=(2, rows))
    y = x**2 + 0.4 * rng.normal(size=rows)
    z = np.sin(2 * y) + 0.3 * rng.normal(size=rows)
    return {"x": x, "y": y, "z": z, "w": w}


def _tables(seed: int) -> list[Any]:
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(2, 60))
    z = x**2 + y + rng.normal(size=60) / 2
    few = np.round(x)
    return [
        continuous_table([x, y, z, few, (x > 0) * 1.0]),
        continuous_table([x, y, z], weights=rng.integers(1, 4, 60).tolist()),
        random_mixed_table(rng, 60),
    ]


def _statistics(table: Any) -> Moments | MixedStatistics:
    statistics = statistics_of(table, unit_free=True)
    assert isinstance(statistics, Moments | MixedStatistics)
    return statistics


@pytest.mark.parametrize("transform", ["rank", "bounded"])
@pytest.mark.parametrize("seed", range(3))
def test_additive_score_is_that_of_least_squares(seed: int, transform: str) -> None:
    for table in _tables(seed):
        config = ScoreConfig("basis", k=1.5, basis_form="additive", basis_degree=3, basis_transform=transform)
        scores = family_scores(table, config)
        for child in range(scores.n):
            for parents in range(child, 2**scores.n, 5):
                if parents & bit(child) or not scores.is_candidate(child, parents):
                    continue
                right = additive(table, child, members(parents), degree=3, transform=transform, k=1.5)
                # Copies of a column have no least squares; the score is bounded by 40 ln 2 / 2 a row.
                if np.isfinite(right) and right < 14 * 60:
                    assert scores.family(child, parents) / UNIT == pytest.approx(right, abs=2e-2, rel=1e-3)


@pytest.mark.parametrize("seed", range(3))
def test_doubles_two_doubles_and_integers_give_the_same_bits(seed: int) -> None:
    for table in _tables(seed):
        statistics = _statistics(table)
        columns = statistics.basis(degree=2, transform="rank")
        blocks, unit = columns.blocks, limbs(bic_unit(statistics, 1.0))
        first, *others = [
            _core.AdditiveBasisScores(
                *halves(blocks.products),
                blocks.columns,
                blocks.frequencies,
                columns.variables,
                statistics.total,
                *unit,
                1,
                arithmetic,
            )
            for arithmetic in (DOUBLES, DOUBLE_DOUBLES, INTEGERS)
        ]
        for child in range(first.n):
            for parents in (0, bit((child + 1) % first.n), sum(map(bit, range(first.n))) & ~bit(child)):
                assert {own.term(child, parents) for own in others} == {first.term(child, parents)}


def test_changes_are_differences_of_scores() -> None:
    for table in _tables(7):
        scores = family_scores(table, ScoreConfig("basis", basis_form="additive", basis_degree=3))
        n = scores.n
        for child in range(n):
            for parents in range(child, 2**n, 3):
                if parents & bit(child) or not scores.is_candidate(child, parents):
                    continue
                changes = scores.compiled.changes(child, parents)
                for u in range(n):
                    other = parents ^ bit(u)
                    if u != child and scores.is_candidate(child, other):
                        right = scores.family(child, other) - scores.family(child, parents)
                        assert limbs(right) == tuple(changes[u].tolist())


def test_numbers_of_variables_change_no_bit() -> None:
    rng = np.random.default_rng(3)
    for table in _tables(3):
        config = ScoreConfig("basis", basis_form="additive")
        scores = family_scores(table, config)
        order = rng.permutation(scores.n).tolist()
        other = family_scores(table.select(order), config)
        for child in range(scores.n):
            for parents in range(0, 2**scores.n, 3):
                if parents & bit(child) or not other.is_candidate(child, parents):
                    continue
                old = sum(bit(order[u]) for u in members(parents))
                assert other.family(child, parents) == scores.family(order[child], old)


def test_nonlinear_relations_have_arcs_and_directions() -> None:
    result = sb.learn(_curved(1), "best", "basis", prior="size")
    assert set(result.arcs) == {("x", "y"), ("y", "z")}


def test_monotone_functions_of_columns_change_nothing() -> None:
    columns = _curved(2)
    other = {
        "x": np.exp(columns["x"]),
        "y": columns["y"] ** 3,
        "z": -np.arctan(columns["z"]),
        "w": 5 - columns["w"] / 7,
    }
    first, second = sb.learn(columns, score="basis"), sb.learn(other, score="basis")
    assert (first.arcs, first.score) == (second.arcs, second.score)


def test_linear_relations_have_the_score_of_a_line() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=500)
    table = continuous_table([x, x + rng.normal(size=500)])
    wide, narrow = (family_scores(table, ScoreConfig("basis", basis_degree=own)) for own in (5, 1))
    assert wide.family(1, bit(0)) == narrow.family(1, bit(0))


def test_columns_of_few_values_have_no_superfluous_polynomials() -> None:
    rng = np.random.default_rng(1)
    binary, ternary, many = rng.integers(0, 2, 90), rng.integers(0, 3, 90), rng.normal(size=90)
    statistics = _statistics(continuous_table([binary * 1.0, ternary * 1.0, many]))
    columns = statistics.basis(degree=5, transform="rank")
    assert [len(own) for own in columns.variables] == [1, 2, 5]


def test_weights_are_repeated_rows() -> None:
    columns = _curved(4, 80)
    times = np.random.default_rng(4).integers(1, 4, 80)
    weighted = sb.learn({**columns, "times": times}, score="basis", weights="times")
    repeated = sb.learn({name: np.repeat(own, times) for name, own in columns.items()}, score="basis")
    assert (weighted.arcs, weighted.score) == (repeated.arcs, repeated.score)


def test_many_blocks_of_rows_are_added_up_to_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    table = _tables(5)[1]
    right = _statistics(table).basis(degree=4, transform="rank").blocks.products
    monkeypatch.setattr("stablebn.stats.basis_columns._ROWS_AT_ONCE", 7)
    assert (_statistics(table).basis(degree=4, transform="rank").blocks.products == right).all()


@pytest.mark.parametrize("seed", range(4))
def test_block_form_is_score_equivalent(seed: int) -> None:
    for table in _tables(seed):
        scores = family_scores(table, ScoreConfig("basis", basis_form="block", basis_degree=2))
        assert scores.score_equivalent
        for u, v, w in ((0, 1, 0), (0, 1, 2), (1, 2, 0)):
            shared = bit(w) if w not in (u, v) else 0
            assert scores.family(u, shared) + scores.family(v, shared | bit(u)) == scores.family(
                v, shared
            ) + scores.family(u, shared | bit(v))


def test_fges_needs_the_block_form() -> None:
    columns = _curved(3)
    with pytest.raises(OptionError, match='basis_form="block"'):
        sb.learn(columns, "fges", "basis")
    assert ("x", "y") in sb.learn(columns, "fges", "basis", basis_form="block").pdag.skeleton()


def test_missing_values_are_refused() -> None:
    columns = {name: own.tolist() for name, own in _curved(3).items()}
    columns["x"][5] = None
    with pytest.raises(OptionError, match="basis"):
        sb.learn(columns, score="basis", missing="available")
