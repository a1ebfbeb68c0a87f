"""Climbing: the one loop for all of hill climbing, greedy search among classes, and the traces of both."""

from stablebn.knowledge.constraints import Constraints
from stablebn.search.hill_climbing import Climb, OrderSource, climb, watch_stages
from stablebn.search.trace import Trace

__all__ = ["Climb", "Constraints", "OrderSource", "Trace", "climb", "watch_stages"]
