"""The test of mixed data against its slow twin."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from tests.naive.mixed import information_test
from tests.naive.tails import chi_square_tail
from tests.tables import mixed_table, random_mixed_table

import stablebn as sb
from stablebn.independence import independence_test
from stablebn.stats import MixedStatistics
from stablebn.stats.variable_sets import bit


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
