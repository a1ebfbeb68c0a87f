"""The tests by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from stablebn.errors import OptionError, one_of
from stablebn.independence.base import IndependenceTest
from stablebn.independence.categorical import CategoricalTest
from stablebn.independence.continuous import AvailableCorrelationTest, CorrelationTest, Statistic
from stablebn.stats.available import AvailableMoments
from stablebn.stats.counts import Counts
from stablebn.stats.moments import Moments

_CATEGORICAL: Mapping[str, Callable[[Counts], IndependenceTest]] = {
    "mi": CategoricalTest,
    "mi-adf": lambda counts: CategoricalTest(counts, adjust=True),
    "x2": lambda counts: CategoricalTest(counts, pearson=True),
}

_CONTINUOUS: Mapping[str, Statistic] = {"cor": "student", "zf": "fisher", "mi-g": "information"}

TESTS = (*_CATEGORICAL, *_CONTINUOUS)
"""Names of all tests."""


def name_of_test(statistics: Counts | Moments | AvailableMoments, test: str | None) -> str:
    """The name of a test that fits the data: `mi` or `cor` unless another is asked for."""
    kind, fitting = ("categorical", _CATEGORICAL) if isinstance(statistics, Counts) else ("continuous", _CONTINUOUS)
    if test is None:
        return next(iter(fitting))
    one_of("test", test, TESTS)
    if test not in fitting:
        raise OptionError(f"test={test!r} is not defined for {kind} data. Choose one of: {', '.join(fitting)}.")
    return test


def independence_test(statistics: Counts | Moments | AvailableMoments, test: str | None = None) -> IndependenceTest:
    """A test by name, on statistics of variables in canonical numbers."""
    name = name_of_test(statistics, test)
    if isinstance(statistics, Counts):
        return _CATEGORICAL[name](statistics)
    if isinstance(statistics, AvailableMoments):
        return AvailableCorrelationTest(statistics, _CONTINUOUS[name])
    return CorrelationTest(statistics, _CONTINUOUS[name])
