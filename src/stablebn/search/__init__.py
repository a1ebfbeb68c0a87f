"""Climbing: the state, the tabu list, the trace, and one loop for all of hill climbing."""

from stablebn.search.climb import Climb, climb
from stablebn.search.trace import Trace

__all__ = ["Climb", "Trace", "climb"]
