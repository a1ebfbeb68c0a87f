"""Algorithms that learn a graph: one short file per algorithm, like its paper's pseudo-code, and their registry.

Importing this package imports no algorithm: the registry imports the module of an algorithm when it first runs.
"""

from stablebn.learners.registry import AUTOMATIC, LEARNERS, Learner, learner_of, revision_of
from stablebn.learners.shared.config import SearchConfig
from stablebn.learners.shared.pattern import Pattern, PatternTrace, TestTrace
from stablebn.learners.shared.problem import Problem, define_problem, measured, number_variables

__all__ = [
    "AUTOMATIC",
    "LEARNERS",
    "Learner",
    "Pattern",
    "PatternTrace",
    "Problem",
    "SearchConfig",
    "TestTrace",
    "define_problem",
    "learner_of",
    "measured",
    "number_variables",
    "revision_of",
]
