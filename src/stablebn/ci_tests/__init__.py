"""Tests of conditional independence, computed from exact statistics."""

from stablebn.ci_tests.base import IndependenceTest, Outcome
from stablebn.ci_tests.oracle import DSeparation
from stablebn.ci_tests.registry import TESTS, independence_test, name_of_test

__all__ = ["TESTS", "DSeparation", "IndependenceTest", "Outcome", "independence_test", "name_of_test"]
