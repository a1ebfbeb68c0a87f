"""Tests of independence on the rows in which all variables are known, against twins on those rows alone."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from tests.naive.independence import adjusted_degrees, degrees, g2, partial_correlation, x2
from tests.naive.scores import known_rows, only_rows
from tests.tables import continuous_table, continuous_values, random_categorical_table, with_holes

from stablebn.ci_tests import IndependenceTest, independence_test
from stablebn.stats import AvailableMixedStatistics, AvailableMoments, Counts, MixedStatistics, Moments
from stablebn.stats.variable_sets import bit
from stablebn.table.table import CategoricalTable, ContinuousTable, MixedTable

SEEDS = range(4)
QUESTIONS = [
    (x, y, given)
    for x, y in combinations(range(5), 2)
    for size in range(3)
    for given in combinations([v for v in range(5) if v not in (x, y)], size)
]


def _categorical(seed: int) -> CategoricalTable:
    rng = np.random.default_rng(seed)
    table = random_categorical_table(rng, 5, 200)
    table = CategoricalTable(table.names, table.codes, table.levels, rng.integers(1, 4, 200) if seed % 2 else None)
    holed = with_holes(table, rng, 0.15, columns=[0, 1, 3])
    assert isinstance(holed, CategoricalTable)
    return holed


def _continuous(seed: int) -> ContinuousTable:
    rng = np.random.default_rng(seed)
    table = continuous_table(continuous_values(rng, 5, 60), rng.integers(1, 4, 60).tolist() if seed % 2 else None)
    holed = with_holes(table, rng, 0.15, columns=[0, 1, 3])
    assert isinstance(holed, ContinuousTable)
    return holed


@pytest.mark.parametrize("seed", SEEDS)
def test_g2_and_x2_have_the_rows_that_are_known(seed: int) -> None:
    table = _categorical(seed)
    counts = Counts(table)
    plain, adjusted, pearson = (independence_test(counts, name) for name in ("mi", "mi-adf", "x2"))
    for x, y, given in QUESTIONS:
        rows = only_rows(table, known_rows(table, [x, y, *given]))
        z = sum(map(bit, given))
        cells = len(table.levels[x]) * len(table.levels[y]) * np.prod([len(table.levels[v]) for v in given])
        information = float(g2(rows, x, y, given))
        assert plain.test(x, y, z).statistic == pytest.approx(information, rel=1e-12, abs=1e-12)
        assert plain.test(x, y, z).df == degrees(table, x, y, given)
        assert pearson.test(x, y, z).statistic == pytest.approx(float(x2(rows, x, y, given)), rel=1e-12, abs=1e-12)
        enough = 5 * cells <= rows.total
        assert adjusted.test(x, y, z).statistic == pytest.approx(information if enough else 0.0, rel=1e-12, abs=1e-12)
        assert adjusted.test(x, y, z).df == adjusted_degrees(rows, x, y, given)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("unit_free", [False, True])
def test_correlations_have_the_rows_that_are_known(seed: int, unit_free: bool) -> None:
    table = _continuous(seed)
    moments = AvailableMoments(table, unit_free=unit_free)
    for name in ("cor", "zf", "mi-g"):
        test = independence_test(moments, name)
        for x, y, given in QUESTIONS:
            rows = only_rows(table, known_rows(table, [x, y, *given]))
            # The same test without holes has been compared with its own twin.
            family = rows.select([*given, x, y])
            alone = independence_test(Moments(family), name)
            k = len(given)
            expected = alone.test(k, k + 1, (1 << k) - 1)
            found = test.test(x, y, sum(map(bit, given)))
            assert found == pytest.approx(expected, rel=1e-6, abs=1e-9)
            if name == "cor":
                assert found.statistic == pytest.approx(
                    partial_correlation(family, k, k + 1, range(k)), rel=1e-6, abs=1e-9
                )


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", ["mi", "mi-adf", "x2", "cor", "zf", "mi-g"])
def test_all_ways_to_ask_agree_and_are_symmetric(seed: int, name: str) -> None:
    statistics = AvailableMoments(_continuous(seed)) if name in ("cor", "zf", "mi-g") else Counts(_categorical(seed))
    test = independence_test(statistics, name)
    for x, y, given in QUESTIONS:
        z = sum(map(bit, given))
        assert test.outcomes(x, [y], z)[2][0] == test.outcomes(y, [x], z)[2][0]
    alpha = 0.05
    for x in range(5):
        others = [v for v in range(5) if v != x]
        every = (1 << 5) - 1 - bit(x)
        plain = IndependenceTest.p_values_given_rest(test, x, others, every)
        assert test.p_values_given_rest(x, others, every) == plain
        assert test.inseparable(x, others, 3, alpha) == IndependenceTest.inseparable(test, x, others, 3, alpha)
        p_values = test.outcomes(x, others, 0)[2].tolist()
        dependent = [y for y, p_value in zip(others, p_values, strict=True) if p_value <= alpha]
        assert test.first_dependent(x, others, 0, alpha) == (dependent[0] if dependent else None)
        for y in others:
            pool = [v for v in others if v != y]
            plain_set = IndependenceTest.separating_set(test, x, y, pool, range(4), alpha)
            assert test.separating_set(x, y, pool, range(4), alpha) == plain_set


def test_two_variables_that_are_never_known_together_are_independent() -> None:
    codes = np.array([[0, 1, 0, 2, 2, 2], [2, 2, 2, 0, 1, 0]], dtype=np.uint8)
    table = CategoricalTable(("a", "b"), codes, (("0", "1"),) * 2, holes=frozenset({0, 1}))
    for name in ("mi", "mi-adf", "x2"):
        assert independence_test(Counts(table), name).test(0, 1, 0).p_value == 1.0
    values = np.full((2, 10), np.nan)
    values[0, :5] = values[1, 5:] = [1.0, 2.0, 4.0, 3.0, 1.0]
    moments = AvailableMoments(ContinuousTable(("a", "b"), values, holes=frozenset({0, 1})))
    for name in ("cor", "zf", "mi-g"):
        assert independence_test(moments, name).test(0, 1, 0).p_value == 1.0


@pytest.mark.parametrize("seed", SEEDS)
def test_mixed_information_has_the_rows_that_are_known(seed: int) -> None:
    """Against the test without holes of these rows alone, which has a twin of its own."""
    rng = np.random.default_rng(seed)
    categories = with_holes(random_categorical_table(rng, 2, 120, levels=2), rng, 0.15)
    numbers = with_holes(continuous_table(continuous_values(rng, 3, 120)), rng, 0.15, columns=[0, 2])
    weights = rng.integers(1, 4, 120) if seed % 2 else None
    names = tuple(f"m{v}" for v in range(5))
    table = MixedTable(
        names,
        CategoricalTable(names[:2], categories.codes, categories.levels, weights, categories.holes),
        ContinuousTable(names[2:], numbers.values, weights, numbers.holes),
    )
    test = independence_test(AvailableMixedStatistics(table))
    met = 0
    for x, y, given in QUESTIONS:
        family = sorted([x, y, *given])
        known = np.ones(120, dtype=np.bool_)
        for v in family:
            known &= known_rows(table.categorical, [v]) if v < 2 else known_rows(table.continuous, [v - 2])
        part = MixedTable(names, only_rows(table.categorical, known), only_rows(table.continuous, known)).select(family)
        if not isinstance(part, MixedTable):
            continue
        place = {v: at for at, v in enumerate(family)}
        expected = independence_test(MixedStatistics(part)).test(place[x], place[y], sum(bit(place[v]) for v in given))
        assert test.test(x, y, sum(map(bit, given))) == pytest.approx(expected, rel=1e-6, abs=1e-9)
        met += expected.p_value < 1
    assert met > 5
