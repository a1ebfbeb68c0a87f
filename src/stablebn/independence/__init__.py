"""Tests of conditional independence on exact statistics."""

from stablebn.independence.base import IndependenceTest, Outcome
from stablebn.independence.oracle import DSeparation
from stablebn.independence.registry import TESTS, independence_test, name_of_test

__all__ = ["TESTS", "DSeparation", "IndependenceTest", "Outcome", "independence_test", "name_of_test"]
