"""Networks with parameters. So far: the Asia network, from its published numbers."""

from stablebn.networks.asia import ASIA_ARCS, sample_asia

__all__ = ["ASIA_ARCS", "sample_asia"]
