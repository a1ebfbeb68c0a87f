"""The audit: how much of a learned graph is decided by the layout of the table, for any learner."""

from stablebn.audit.outcome import EdgeFrequency, Spread, Stability
from stablebn.audit.running import stability

__all__ = ["EdgeFrequency", "Spread", "Stability", "stability"]
