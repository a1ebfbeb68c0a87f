"""Tests of conditional independence by name and kind of data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stablebn.ci_tests.base import IndependenceTest
from stablebn.errors import OptionError, one_of, shown
from stablebn.stats import AnyStatistics, Statistics
from stablebn.table.data_kinds import KINDS

TESTS_BY_KIND: Mapping[str, Sequence[str]] = {name: tuple(kind.tests) for name, kind in KINDS.items()}
"""Names of the tests for each kind of data; the first is the default."""

TESTS = tuple(dict.fromkeys(name for names in TESTS_BY_KIND.values() for name in names))
"""Names of all tests."""

REVISIONS: Mapping[str, int] = {"mi-cg": 2}
"""Revisions of the tests with which algorithms may give another answer than in an earlier version; of others 1."""


def name_of_test(statistics: Statistics, test: str | None) -> str:
    """Return the name of the test to use: the given one, or the default of the kind of data.

    Raises
    ------
    OptionError
        If the test is not known, or is not defined for this kind of data.
    """
    kind, names = statistics.kind, TESTS_BY_KIND[statistics.kind]
    if test is None:
        return names[0]
    one_of("test", test, TESTS)
    if test not in names:
        raise OptionError(f"test={shown(test)} is not defined for {kind} data. Choose one of: {', '.join(names)}.")
    return test


def independence_test(statistics: AnyStatistics, test: str | None = None) -> IndependenceTest:
    """Make a test by name from statistics of variables in canonical numbers."""
    made: IndependenceTest = KINDS[statistics.kind].tests[name_of_test(statistics, test)](statistics)
    return made
