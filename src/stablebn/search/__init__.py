"""Searches among graphs: hill climbing, equivalence classes, orders, and candidate parent sets, with their traces."""

from stablebn.knowledge.constraints import Constraints
from stablebn.search.hill_climbing import Climb, OrderSource, climb, watch_stages
from stablebn.search.trace import Trace

__all__ = ["Climb", "Constraints", "OrderSource", "Trace", "climb", "watch_stages"]
