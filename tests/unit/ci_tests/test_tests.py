from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.naive import independence as naive
from tests.tables import categorical_table, continuous_table, random_categorical_table

import stablebn as sb
from stablebn.ci_tests import TESTS, DSeparation, IndependenceTest, independence_test
from stablebn.graph import DAG, d_separated
from stablebn.networks.random import random_network
from stablebn.stats import counts, statistics_of
from stablebn.table.table import CategoricalTable, ContinuousTable

CATEGORICAL = ("mi", "mi-adf", "x2")
CONTINUOUS = ("cor", "zf", "mi-g")


def _mask(variables: tuple[int, ...] | list[int]) -> int:
    return sum(1 << v for v in variables)


def _table(seed: int, rows: int, *, weights: bool = False) -> CategoricalTable:
    rng = np.random.default_rng(seed)
    table = random_categorical_table(rng, 5, rows, levels=int(rng.integers(2, 6)))
    return categorical_table(table.codes.tolist(), rng.integers(1, 4, rows).tolist()) if weights else table


def _numbers(seed: int, rows: int = 20) -> ContinuousTable:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(6, rows))
    for v in range(1, 6):
        values[v] += values[rng.integers(0, v)]
    return continuous_table(values)


def _test(table: CategoricalTable | ContinuousTable, name: str) -> IndependenceTest:
    return independence_test(statistics_of(table), name)


@given(st.integers(0, 10_000), st.integers(4, 60), st.integers(0, 3), st.booleans(), st.sampled_from([-1, 10**9]))
@settings(max_examples=60)
def test_categorical_statistics_are_the_naive_ones(
    seed: int, rows: int, size: int, weights: bool, most_cells: int
) -> None:
    table = _table(seed, rows, weights=weights)
    others = tuple(range(2, 2 + size))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counts.LIMITS, "most_cells_for_bits", most_cells)
        mi = _test(table, "mi").test(0, 1, _mask(others))
        x2 = _test(table, "x2").test(0, 1, _mask(others))
        adjusted = _test(table, "mi-adf").test(0, 1, _mask(others))
    assert mi.statistic == pytest.approx(float(naive.g2(table, 0, 1, others)), rel=1e-14, abs=1e-14)
    assert x2.statistic == pytest.approx(float(naive.x2(table, 0, 1, others)), rel=1e-14, abs=1e-14)
    assert mi.df == x2.df == naive.degrees(table, 0, 1, others)
    assert adjusted.df == naive.adjusted_degrees(table, 0, 1, others)


def test_wide_tables_are_counted_by_the_rows_that_occur() -> None:
    rng = np.random.default_rng(1)
    table = random_categorical_table(rng, 4, 300, levels=40)
    for name, right in (("mi", naive.g2), ("x2", naive.x2)):
        found = _test(table, name).test(0, 1, _mask((2, 3)))
        assert found.statistic == pytest.approx(float(right(table, 0, 1, (2, 3))), rel=1e-14)
    assert _test(table, "mi-adf").test(0, 1, _mask((2, 3))).df == naive.adjusted_degrees(table, 0, 1, (2, 3))


@pytest.mark.parametrize("weights", [False, True])
def test_large_tables_are_counted_where_x_varies(weights: bool) -> None:
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 9, (4, 2000))
    # With more cells than rows, configurations in which x does not vary are put together.
    codes[0] = np.where(codes[2] < 4, codes[2], codes[0])
    table = categorical_table(codes.tolist(), rng.integers(1, 4, 2000).tolist() if weights else None)
    for name, right in (("mi", naive.g2), ("x2", naive.x2)):
        found = _test(table, name).test(0, 1, _mask((2, 3)))
        assert found.statistic == pytest.approx(float(right(table, 0, 1, (2, 3))), rel=1e-14)
    assert _test(table, "mi-adf").outcomes(0, [1], _mask((2, 3)))[1] == naive.adjusted_degrees(table, 0, 1, (2, 3))


@pytest.mark.parametrize("most_cells", [-1, 10**9])
@pytest.mark.parametrize("weights", [False, True])
def test_rows_that_cannot_matter_may_be_left_out(
    most_cells: int, weights: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(4)
    monkeypatch.setattr(counts.LIMITS, "most_cells_for_bits", most_cells)
    z = rng.integers(0, 4, 200)
    # Only where z is 0 does x vary, and so many candidates make it worth to pick those rows.
    x = np.where(z == 0, rng.integers(0, 3, 200), z - 1)
    codes = [x.tolist(), z.tolist(), *rng.integers(0, 3, (10, 200)).tolist()]
    table = categorical_table(codes, rng.integers(1, 4, 200).tolist() if weights else None)
    candidates = list(range(2, 12))
    for name, right in (("mi", naive.g2), ("x2", naive.x2)):
        found = _test(table, name).outcomes(0, candidates, 0b10)[0].tolist()
        assert found == pytest.approx([float(right(table, 0, y, (1,))) for y in candidates], rel=1e-14)
    adjusted = _test(table, "mi-adf").outcomes(0, candidates, 0b10)[1].tolist()
    assert adjusted == [naive.adjusted_degrees(table, 0, y, (1,)) for y in candidates]


def test_too_few_rows_a_cell_are_no_evidence_with_adjusted_degrees() -> None:
    table = _table(3, 30)
    assert _test(table, "mi-adf").test(0, 1, _mask((2, 3, 4)))[::2] == (0.0, 1.0)


@given(st.integers(0, 10_000), st.integers(0, 4))
@settings(max_examples=40)
def test_partial_correlation_is_the_naive_one(seed: int, size: int) -> None:
    table = _numbers(seed)
    others = tuple(range(2, 2 + size))
    right = naive.partial_correlation(table, 0, 1, others)
    cor, zf, mi = (_test(table, name).test(0, 1, _mask(others)) for name in CONTINUOUS)
    assert cor.statistic == pytest.approx(right, rel=1e-9, abs=1e-12)
    assert zf.statistic == pytest.approx(np.arctanh(right) * np.sqrt(17 - size), rel=1e-9, abs=1e-11)
    assert mi.statistic == pytest.approx(-20 * np.log(1 - right**2), rel=1e-9, abs=1e-12)
    assert (cor.df, zf.df, mi.df) == (18 - size, 17 - size, 1)


@pytest.mark.parametrize("name", TESTS)
def test_x_and_y_can_be_exchanged_without_changing_a_bit(name: str) -> None:
    table = _table(1, 50) if name in CATEGORICAL else _numbers(1)
    for x, y, z in [(0, 1, ()), (0, 1, (2,)), (3, 1, (0, 4)), (4, 2, (0, 1, 3))]:
        assert _test(table, name).test(x, y, _mask(z)) == _test(table, name).test(y, x, _mask(z))


@pytest.mark.parametrize("name", TESTS)
def test_many_candidates_at_once_are_tested_as_one_by_one(name: str) -> None:
    table = _table(2, 80) if name in CATEGORICAL else _numbers(2)
    test = _test(table, name)
    for z in ((), (4,), (3, 4)):
        assert test.p_values(0, [1, 2], _mask(z)) == [test.test(0, y, _mask(z)).p_value for y in (1, 2)]


@pytest.mark.parametrize("name", TESTS)
@pytest.mark.parametrize("alpha", [0.05, 0.5, 0.9])
def test_only_p_values_above_alpha_may_be_left_unknown(name: str, alpha: float) -> None:
    for seed in range(8):
        table = _table(seed, 40) if name in CATEGORICAL else _numbers(seed)
        test = _test(table, name)
        for z in ((), (4,), (3, 4), (2, 3, 4)):
            right = test.p_values(0, [1, 2], _mask(z))
            found = test.p_values(0, [1, 2], _mask(z), alpha)
            assert all(p == q or (q == 1.0 and p > alpha) for p, q in zip(right, found, strict=True))


@pytest.mark.parametrize("name", TESTS)
@pytest.mark.parametrize("weights", [False, True])
def test_members_given_the_rest_are_tested_as_one_by_one(name: str, weights: bool) -> None:
    for seed in range(8):
        table = _table(seed, 40, weights=weights) if name in CATEGORICAL else _numbers(seed)
        test = _test(table, name)
        for blanket in ([1], [3, 1], [4, 1, 2], [1, 2, 3, 4]):
            right = [test.test(0, y, _mask(blanket) & ~(1 << y)).p_value for y in blanket]
            assert list(test.p_values_given_rest(0, blanket, _mask(blanket))) == right


@pytest.mark.parametrize("name", TESTS)
def test_members_after_the_first_independent_one_are_not_looked_at(name: str) -> None:
    table = _table(3, 40) if name in CATEGORICAL else _numbers(3)
    test = _test(table, name)
    for blanket in ([4, 1, 2], [1, 2, 3, 4]):
        all_of_them = test.p_values_given_rest(0, blanket, _mask(blanket))
        for stop in (0.0, 0.05, 0.3, 1.0):
            above = [place for place, p_value in enumerate(all_of_them) if p_value > stop]
            right = all_of_them[: above[0] + 1] if above else all_of_them
            assert test.p_values_given_rest(0, blanket, _mask(blanket), stop) == right


@pytest.mark.parametrize("name", TESTS)
@pytest.mark.parametrize("most_cells", [-1, 500])
@pytest.mark.parametrize("alpha", [0.01, 0.3, 0.9])
def test_first_dependent_candidate_is_the_first_of_single_tests(
    name: str, most_cells: int, alpha: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counts.LIMITS, "most_cells_for_bits", most_cells)
    for seed in range(8):
        table = _table(seed, 40) if name in CATEGORICAL else _numbers(seed)
        test = _test(table, name)
        for candidates, z in (([1, 2, 3, 4], ()), ([4, 2, 1], (3,)), ([2, 1], (3, 4)), ([1], (2, 3, 4)), ([], (1,))):
            dependent = [y for y in candidates if test.test(0, y, _mask(z)).p_value <= alpha]
            before = test.performed
            assert test.first_dependent(0, candidates, _mask(z), alpha) == (dependent[0] if dependent else None)
            looked_at = candidates.index(dependent[0]) + 1 if dependent else len(candidates)
            assert test.performed - before == looked_at


@pytest.mark.parametrize("name", TESTS)
def test_subsets_tried_before_are_counted_and_change_nothing(name: str) -> None:
    for seed in range(8):
        table = _table(seed, 40) if name in CATEGORICAL else _numbers(seed)
        once, again = _test(table, name), _test(table, name)
        if once.separating_set(0, 1, [2, 3], range(3), 0.3) is None:
            once.performed = 0
            found = once.separating_set(0, 1, [4, 3, 2], range(3), 0.3, tried=0b1100)
            assert found == again.separating_set(0, 1, [4, 3, 2], range(3), 0.3)
            assert once.performed == again.performed


@pytest.mark.parametrize("name", TESTS)
@pytest.mark.parametrize("alpha", [0.01, 0.3])
def test_compiled_walk_over_subsets_is_the_walk_one_by_one(name: str, alpha: float) -> None:
    for seed in range(8):
        table = _table(seed, 40) if name in CATEGORICAL else _numbers(seed)
        walking, slow = _test(table, name), _test(table, name)
        for x, y in combinations(range(3), 2):
            pool = [v for v in (4, 2, 0, 3, 1) if v not in (x, y)]
            for sizes in (range(0), range(1), range(1, 2), range(2, 3), range(4), range(1, 4), range(4, 5)):
                found = walking.separating_set(x, y, pool, sizes, alpha)
                assert found == IndependenceTest.separating_set(slow, x, y, pool, sizes, alpha)
                assert walking.performed == slow.performed


@pytest.mark.parametrize("name", TESTS)
@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("most", [0, 1, 4])
def test_variables_that_no_others_separate_are_those_found_one_by_one(name: str, weights: bool, most: int) -> None:
    kept_some = left_some = 0
    for seed in range(8):
        table = _table(seed, 400, weights=weights) if name in CATEGORICAL else _numbers(seed)
        at_once, slow = _test(table, name), _test(table, name)
        for among in ([], [1], [3, 1], [4, 1, 2], [1, 2, 3, 4]):
            for alpha in (0.05, 0.3, 0.6):
                kept = at_once.inseparable(0, among, most, alpha)
                others = {y: [z for z in among if z != y] for y in among}
                sizes = range(most + 1)
                assert kept == [
                    y for y in among if IndependenceTest.separating_set(slow, 0, y, others[y], sizes, alpha) is None
                ]
                assert at_once.performed == slow.performed
                kept_some += len(kept)
                left_some += len(among) - len(kept)
    assert kept_some
    assert left_some


def test_walk_of_more_configurations_than_places_is_the_walk_one_by_one() -> None:
    rng = np.random.default_rng(6)
    # So uneven that the p-value is neither 0 nor 1.
    codes = [(levels * rng.random(140_000) ** 1.6).astype(int).tolist() for levels in (20, 20, 170, 2)]
    walking, slow = (_test(categorical_table(codes), "mi") for _ in range(2))
    found = walking.greatest_p_value(0, 1, [2, 3], range(2, 3), 1.0)
    assert found == IndependenceTest.greatest_p_value(slow, 0, 1, [2, 3], range(2, 3), 1.0)


def test_p_value_exactly_at_the_threshold_is_no_independence() -> None:
    test = _test(_table(5, 60), "mi")
    p_value = test.test(0, 1, 0b100).p_value
    assert test.separating_set(0, 1, [2], range(1, 2), p_value) is None
    assert test.separating_set(0, 1, [2], range(1, 2), np.nextafter(p_value, 0)) == (0b100, p_value)


def test_more_variables_than_rows_reject_nothing() -> None:
    test = _test(_numbers(1, rows=5), "cor")
    assert test.test(0, 1, _mask((2, 3, 4, 5)))[::2] == (0.0, 1.0)


def test_copied_column_leaves_nothing_to_correlate() -> None:
    values = np.random.default_rng(1).normal(size=(2, 30))
    test = _test(continuous_table([values[0], values[0], values[1]]), "cor")
    assert test.test(0, 2, 0b010).p_value > 0.99
    assert test.test(0, 1, 0).p_value < 1e-100


def test_oracle_is_d_separation() -> None:
    for seed in range(5):
        dag = random_network(8, seed=seed).dag
        oracle = DSeparation(dag)
        for x, y in combinations(range(8), 2):
            rest = [v for v in range(8) if v not in (x, y)]
            for size in range(3):
                for z in combinations(rest, size):
                    names = [dag.nodes[v] for v in z]
                    separated = d_separated(dag, dag.nodes[x], dag.nodes[y], names)
                    assert (oracle.test(x, y, _mask(z)).p_value == 1.0) == separated


def test_unknown_and_unfit_tests_are_refused() -> None:
    with pytest.raises(sb.OptionError, match="nonsense"):
        _test(_table(1, 10), "nonsense")
    with pytest.raises(sb.OptionError, match="categorical"):
        _test(_table(1, 10), "cor")


def test_ci_test_names_what_it_tested() -> None:
    table = sb.read_network("asia").sample(500, seed=1)
    found = sb.ci_test(table, "bronc", "dysp", given=["smoke"])
    assert (found.test, found.df) == ("mi", 2)
    assert not found.independent()
    assert found.independent(alpha=0.0) == (found.p_value > 0.0)


def test_ci_test_refuses_unknown_and_repeated_columns() -> None:
    table = {"a": ["x", "y", "x"], "b": ["p", "q", "q"]}
    with pytest.raises(sb.OptionError, match="'c'"):
        sb.ci_test(table, "a", "c")
    with pytest.raises(sb.OptionError, match="different"):
        sb.ci_test(table, "a", "b", given=["a"])


def test_ci_test_of_a_constant_rejects_nothing() -> None:
    table = {"a": ["x", "y", "x", "y"], "b": ["p", "q", "q", "p"], "c": ["k"] * 4}
    assert sb.ci_test(table, "a", "c").p_value == 1.0
    assert sb.ci_test(table, "a", "b", given=["c"]).df == 1


def test_dag_of_the_oracle_may_have_any_names() -> None:
    assert DSeparation(DAG([("t", 1), 2], [(("t", 1), 2)])).test(0, 1, 0).p_value == 0.0


@pytest.mark.parametrize("name", TESTS)
@pytest.mark.parametrize("alpha", [0.001, 0.05, 0.5])
def test_greatest_p_value_of_a_walk_is_that_of_single_tests(name: str, alpha: float) -> None:
    values = np.random.default_rng(2).normal(size=(7, 60))
    values[1:] += 0.8 * values[0]
    table = categorical_table((values > 0).tolist()) if name in CATEGORICAL else continuous_table(values)
    walked, single = _test(table, name), _test(table, name)
    for sizes in (range(1), range(2, 3), range(5), range(1, 4)):
        found = walked.greatest_p_value(0, 1, [2, 3, 4, 5], sizes, alpha, always=0b1000000)
        right = IndependenceTest.greatest_p_value(single, 0, 1, [2, 3, 4, 5], sizes, alpha, always=0b1000000)
        assert (found, walked.performed) == (right, single.performed)
