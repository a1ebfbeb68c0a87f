"""Searches among graphs: hill climbing, equivalence classes, orders, and candidate parent sets, with their traces."""

from stablebn.knowledge.constraints import Constraints
from stablebn.search.hill_climbing import Climb, ClimbSettings, OrderSource, climb, watch_stages
from stablebn.search.trace import Trace

__all__ = ["Climb", "ClimbSettings", "Constraints", "OrderSource", "Trace", "climb", "watch_stages"]
