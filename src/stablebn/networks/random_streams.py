"""Random streams, one for each node, with the same numbers on every machine and in every version.

Only the raw 64-bit output of PCG64 is used, which NumPy guarantees never to change; this module and the core convert it
to other distributions.
"""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from stablebn import _core
from stablebn.errors import OptionError, shown
from stablebn.graph.names import Node

# Normal deviates are drawn by rejection, in batches of a fixed size, so that a short sequence begins a longer one.
_BATCH = 1 << 14


class Stream:
    """Random numbers of one node.

    Parameters
    ----------
    seed : int
        At least 0.
    node : name
        The stream depends on the name, and not on the position of the node.
    """

    def __init__(self, seed: int, node: Node) -> None:
        if not isinstance(seed, int) or isinstance(seed, bool) or seed < 0:
            raise OptionError(f"seed={shown(seed)} must be an integer of at least 0.")
        digest = hashlib.sha256(repr(node).encode()).digest()
        self._bits = np.random.PCG64(np.random.SeedSequence([seed, int.from_bytes(digest[:16], "little")]))

    def raw(self, n: int) -> NDArray[np.uint64]:
        """Draw integers of 64 random bits."""
        return np.asarray(self._bits.random_raw(n), dtype=np.uint64)

    def uniform(self, n: int) -> NDArray[np.float64]:
        """Draw numbers in [0, 1)."""
        return np.ldexp((self.raw(n) >> np.uint64(11)).astype(np.float64), -53)

    def normal(self, n: int) -> NDArray[np.float64]:
        """Draw standard normal deviates."""
        parts: list[NDArray[np.float64]] = []
        drawn = 0
        while drawn < n:
            parts.append(_core.normal_deviates(self.raw(_BATCH)))
            drawn += parts[-1].size
        return np.concatenate(parts)[:n] if parts else np.empty(0)

    def exponential(self, n: int) -> NDArray[np.float64]:
        """Draw standard exponential deviates."""
        return _core.exponential_deviates(self.raw(n))
