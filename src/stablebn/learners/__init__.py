"""One short file a learner, that reads like the paper's pseudo-code, and the registry of learners."""

from stablebn.learners.config import SearchConfig
from stablebn.learners.pattern import Pattern, PatternTrace, TestTrace
from stablebn.learners.problem import Problem, define_problem, measured, number_variables
from stablebn.learners.registry import AUTOMATIC, LEARNERS, Learner, learner_of, revision_of

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
