"""The tests by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from stablebn.ci_tests.base import IndependenceTest
from stablebn.ci_tests.discrete import CategoricalTest
from stablebn.ci_tests.gaussian import AvailableCorrelationTest, CorrelationTest, Statistic
from stablebn.ci_tests.mixed import ConditionalGaussianTest
from stablebn.errors import OptionError, one_of, shown
from stablebn.stats import (
    AnyStatistics,
    AvailableMixedStatistics,
    AvailableMoments,
    Counts,
    MixedStatistics,
    Statistics,
)

_CATEGORICAL: Mapping[str, Callable[[Counts], IndependenceTest]] = {
    "mi": CategoricalTest,
    "mi-adf": lambda counts: CategoricalTest(counts, adjust=True),
    "x2": lambda counts: CategoricalTest(counts, pearson=True),
    # What conditional Gaussian information comes to where all variables are of one kind; so below.
    "mi-cg": CategoricalTest,
}

_CONTINUOUS: Mapping[str, Statistic] = {
    "cor": "student",
    "zf": "fisher",
    "mi-g": "information",
    "mi-cg": "information",
}

_MIXED: Mapping[str, Callable[[MixedStatistics | AvailableMixedStatistics], IndependenceTest]] = {
    "mi-cg": ConditionalGaussianTest
}

TESTS_BY_KIND: Mapping[str, Sequence[str]] = {
    "categorical": tuple(_CATEGORICAL),
    "continuous": tuple(_CONTINUOUS),
    "mixed": tuple(_MIXED),
}
"""Names of the tests that a table of a kind can have; the first is the default."""

TESTS = tuple(dict.fromkeys(name for names in TESTS_BY_KIND.values() for name in names))
"""Names of all tests."""

REVISIONS: Mapping[str, int] = {"mi-cg": 2}
"""Of the tests with which learners may give another answer than they once did: one more each time; of others 1."""


def name_of_test(statistics: Statistics, test: str | None) -> str:
    """The name of a test that fits the data: `mi`, `cor` or `mi-cg` unless another is asked for."""
    kind, fitting = statistics.kind, TESTS_BY_KIND[statistics.kind]
    if test is None:
        return fitting[0]
    one_of("test", test, TESTS)
    if test not in fitting:
        raise OptionError(f"test={shown(test)} is not defined for {kind} data. Choose one of: {', '.join(fitting)}.")
    return test


def independence_test(statistics: AnyStatistics, test: str | None = None) -> IndependenceTest:
    """A test by name, on statistics of variables in canonical numbers."""
    name = name_of_test(statistics, test)
    if isinstance(statistics, Counts):
        return _CATEGORICAL[name](statistics)
    if isinstance(statistics, MixedStatistics | AvailableMixedStatistics):
        return _MIXED[name](statistics)
    if isinstance(statistics, AvailableMoments):
        return AvailableCorrelationTest(statistics, _CONTINUOUS[name])
    return CorrelationTest(statistics, _CONTINUOUS[name])
