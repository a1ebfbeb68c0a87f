"""The test of mixed data against its slow twin."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.naive.mixed import information_test, log_likelihood
from tests.naive.tails import chi_square_tail
from tests.preparing import prepare
from tests.tables import mixed_table, random_mixed_table

import stablebn as sb
from stablebn.ci_tests import independence_test
from stablebn.stats import MixedStatistics
from stablebn.stats.engines.memory import TableSource
from stablebn.stats.remote_mixed import RemoteMixedStatistics
from stablebn.stats.variable_sets import bit
from stablebn.table.table import MixedTable


@pytest.mark.parametrize("weighted", [False, True])
def test_statistic_degrees_and_p_value_are_the_naive_ones(weighted: bool) -> None:
    rng = np.random.default_rng(4)
    table = random_mixed_table(rng, 100, weights=rng.integers(1, 4, 100).tolist() if weighted else None)
    test = independence_test(MixedStatistics(table))
    for x, y in combinations(range(5), 2):
        others = [v for v in range(5) if v not in (x, y)]
        for given in ((), others[:1], others[-1:], others[:2], others):
            found = test.test(x, y, sum(map(bit, given)))
            right = information_test(table, x, y, given)
            if right is None:
                assert found.p_value == 1.0
                continue
            statistic, df = right
            assert found.statistic == pytest.approx(max(statistic, 0), abs=1e-5)
            assert found.df == df
            p_value = float(chi_square_tail(found.statistic, df)) if found.statistic else 1.0
            assert found.p_value == pytest.approx(p_value, rel=1e-12)


def test_it_is_symmetric_and_the_same_for_many_candidates_at_once() -> None:
    test = independence_test(MixedStatistics(random_mixed_table(np.random.default_rng(5), 80, 3, 4)))
    for x in range(7):
        for given in (0, bit((x + 1) % 7), bit((x + 1) % 7) | bit((x + 3) % 7)):
            candidates = [y for y in range(7) if y != x and not given >> y & 1]
            at_once = np.array(test.outcomes(x, candidates, given)).T.tolist()
            assert at_once == [list(test.test(x, y, given)) for y in candidates]
            assert at_once == [list(test.test(y, x, given)) for y in candidates]


def test_too_few_rows_are_no_evidence() -> None:
    codes = [0, 0, *[1] * 20]
    values = np.where(np.array(codes) > 0, 0.0, 9.0) + np.random.default_rng(1).normal(size=22)
    outcome = independence_test(MixedStatistics(mixed_table([codes], [values]))).test(0, 1, 0)
    assert outcome.p_value == 1.0


def test_columns_of_one_kind_in_a_mixed_table_are_tested_as_learners_do() -> None:
    rng = np.random.default_rng(6)
    a = rng.integers(0, 2, 60)
    table = {
        "a": ["pq"[code] for code in a],
        "b": ["rs"[code] for code in (a + (rng.random(60) < 0.3)) % 2],
        "x": (a + rng.normal(size=60)).tolist(),
        "y": rng.normal(size=60).tolist(),
    }
    pure = sb.ci_test({name: table[name] for name in "ab"}, "a", "b")
    mixed = sb.ci_test(table, "a", "b")
    assert (pure.test, mixed.test) == ("mi", "mi-cg")
    assert (mixed.statistic, mixed.df, mixed.p_value) == (pure.statistic, pure.df, pure.p_value)
    numbers = sb.ci_test(table, "x", "y")
    alone = sb.ci_test({name: table[name] for name in "xy"}, "x", "y", test="mi-g")
    assert (numbers.statistic, numbers.p_value) == (alone.statistic, alone.p_value)
    assert sb.ci_test(table, "x", "b", ["a"]).test == "mi-cg"


def _labels(codes: NDArray[np.int64]) -> list[str]:
    return [f"level {code}" for code in codes]


def _chain(seed: int, rows: int, direct: float = 0.0) -> dict[str, list[Any]]:
    """x -> z -> y, and with `direct` above 0 also x -> y."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 3, rows)
    z = 3 * x + rng.normal(size=rows) * (1 + x)
    y = z + direct * (x == 1) + rng.logistic(size=rows) > 3
    return {"x": _labels(x), "z": z.tolist(), "y": _labels(y.astype(int))}


def test_categorical_variables_that_depend_on_each_other_given_a_number_are_found() -> None:
    """The difference of the log-likelihoods of four Gaussian models, which are not nested, is negative here."""
    columns = _chain(1, 1500, direct=2.0)
    table = prepare(columns).table
    assert isinstance(table, MixedTable)
    x, y, z = map(table.names.index, "xyz")
    joint, alone, left, right = (float(log_likelihood(table, s) or 0) for s in ([x, y, z], [z], [x, z], [y, z]))
    assert joint + alone - left - right < 0
    found = sb.ci_test(columns, "x", "y", ["z"])
    assert found.df == 6
    assert found.p_value < 1e-6


def test_independent_categorical_variables_are_rejected_as_often_as_alpha_says() -> None:
    p_values = [sb.ci_test(_chain(seed, 400), "x", "y", ["z"]).p_value for seed in range(200)]
    # Of 200 tests at 5 %, 10 +- 3.1.
    assert 2 <= sum(p < 0.05 for p in p_values) <= 19
    assert sum(p < 1 for p in p_values) >= 190


def test_a_cause_of_the_number_alone_is_no_cause_of_the_other_variable() -> None:
    """What y and z tell of each other is no evidence for x - y: R bnlearn adds it."""
    rng = np.random.default_rng(3)
    x, y = rng.integers(0, 2, (2, 1000))
    z = 2 * y + rng.normal(size=1000)
    found = sb.ci_test({"x": _labels(x), "y": _labels(y), "z": z.tolist()}, "x", "y", ["z"])
    assert found.p_value > 0.05


def test_rows_levels_signs_and_weights_change_no_bit_of_a_logistic_test() -> None:
    rng = np.random.default_rng(9)
    columns = _chain(2, 1500, direct=0.5)
    columns["d"] = _labels(rng.integers(0, 2, 1500))
    columns["w"] = (np.array(columns["z"]) + rng.normal(size=1500)).tolist()
    first = sb.ci_test(columns, "x", "y", ["z", "w", "d"])
    assert 0 < first.p_value < 1
    order = rng.permutation(1500)
    other = {name: [values[row] for row in order] for name, values in reversed(columns.items())}
    renamed = {"level 0": "m", "level 1": "z", "level 2": "a"}
    other |= {name: [renamed[value] for value in other[name]] for name in "xyd"}
    other["z"] = [-4 * value for value in other["z"]]
    found = sb.ci_test(other, "y", "x", ["w", "d", "z"])
    assert (found.statistic, found.df, found.p_value) == (first.statistic, first.df, first.p_value)
    twice = {name: [value for value in values for _ in range(2)] for name, values in columns.items()}
    weighted = sb.ci_test({**columns, "n": [2] * 1500}, "x", "y", ["z", "w", "d"], weights="n")
    assert weighted.statistic == sb.ci_test(twice, "x", "y", ["z", "w", "d"]).statistic


def test_a_class_that_can_be_separated_has_a_finite_statistic() -> None:
    z = np.random.default_rng(5).normal(size=100)
    columns = {"x": _labels((z > 1).astype(int)), "y": _labels((np.abs(z) > 1).astype(int)), "z": z.tolist()}
    found = sb.ci_test(columns, "x", "y", ["z"])
    assert 0 <= found.statistic < 100
    assert found.statistic == sb.ci_test(columns, "y", "x", ["z"]).statistic


def test_rows_that_are_not_in_memory_are_fetched_for_logistic_tests() -> None:
    columns = _chain(4, 400, direct=1.0)
    table = prepare(columns).table
    assert isinstance(table, MixedTable)
    held = MixedStatistics(table)
    asked = RemoteMixedStatistics(TableSource(table))
    assert asked.names == held.names
    x, y, z = map(table.names.index, "xyz")
    found, right = (independence_test(statistics).test(x, y, bit(z)) for statistics in (asked, held))
    assert found == right
    assert right.statistic > 0


def test_rows_that_are_too_many_for_the_memory_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    table = prepare(_chain(4, 400)).table
    assert isinstance(table, MixedTable)
    source = TableSource(table)
    monkeypatch.setattr(source, "memory", 100)
    x, y, z = map(table.names.index, "xyz")
    test = independence_test(RemoteMixedStatistics(source))
    assert test.test(x, z, 0).p_value < 0.05
    with pytest.raises(sb.OptionError, match="mi-cg"):
        test.test(x, y, bit(z))
