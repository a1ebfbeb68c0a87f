"""Climbing: the one loop for all of hill climbing, greedy search among classes, and the traces of both."""

from stablebn.search.allowed import AllowedArcs
from stablebn.search.climb import Climb, climb, watch_stages
from stablebn.search.trace import Trace

__all__ = ["AllowedArcs", "Climb", "Trace", "climb", "watch_stages"]
