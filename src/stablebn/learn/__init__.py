"""One short file a learner, that reads like the paper's pseudo-code, and the registry of learners."""

from stablebn.learn.config import SearchConfig
from stablebn.learn.problem import Problem, pose
from stablebn.learn.registry import LEARNERS, Learner

__all__ = ["LEARNERS", "Learner", "Problem", "SearchConfig", "pose"]
