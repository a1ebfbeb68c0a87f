"""How sure a learned graph is: the bootstrap, whose replicates are the same in every layout of the table."""

from stablebn.confidence.averaging import EdgeConfidence
from stablebn.confidence.outcome import Bootstrap
from stablebn.confidence.running import bootstrap

__all__ = ["Bootstrap", "EdgeConfidence", "bootstrap"]
