"""Tests of conditional independence against R bnlearn 5.2.1."""

from functools import lru_cache
from typing import Any

import pytest
from tests.preparing import prepare
from tests.shared import SHARED, golden, needs_shared, sample

from stablebn.ci_tests import TESTS, independence_test
from stablebn.learners import Problem, define_problem
from stablebn.scores.registry import ScoreConfig

pytestmark = needs_shared

VALIDATION: dict[str, Any] = golden("bnlearn_validation.json")["ci"] if SHARED.is_dir() else {}
# Below this a p-value has few bits left, in R as here.
SMALLEST_P = 1e-250


@lru_cache(maxsize=1)
def _problem(data: str) -> Problem:
    name, rows = data.rsplit("_", 1)
    return define_problem(prepare(sample(name, int(rows))).table, ScoreConfig())


@pytest.mark.parametrize("data", VALIDATION)
def test_tests_of_independence_are_those_of_bnlearn(data: str) -> None:
    problem = _problem(data)
    number = {name: v for v, name in enumerate(problem.names)}
    compared = 0
    for right in VALIDATION[data]:
        if right["test"] not in TESTS:
            continue
        test = independence_test(problem.statistics, right["test"])
        outcome = test.test(number[right["x"]], number[right["y"]], sum(1 << number[name] for name in right["z"]))
        assert outcome.statistic == pytest.approx(right["statistic"], rel=1e-9)
        assert outcome.df == right["parameter"]["df"]
        if right["p"] > SMALLEST_P:
            assert outcome.p_value == pytest.approx(right["p"], rel=1e-6)
        else:
            assert outcome.p_value < 10 * SMALLEST_P
        compared += 1
    assert compared >= 60
