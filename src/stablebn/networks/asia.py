"""The Asia network of Lauritzen and Spiegelhalter (1988), and samples of it.

References
----------
Lauritzen and Spiegelhalter, "Local computations with probabilities on graphical structures and their
application to expert systems", Journal of the Royal Statistical Society B 50 (1988), table 1.
"""

from __future__ import annotations

import zlib

import numpy as np
from numpy.typing import NDArray

# Parents, and the probability of "yes" by their values, the last parent changing fastest (no before yes).
_NETWORK: dict[str, tuple[tuple[str, ...], tuple[float, ...]]] = {
    "asia": ((), (0.01,)),
    "smoke": ((), (0.5,)),
    "tub": (("asia",), (0.01, 0.05)),
    "lung": (("smoke",), (0.01, 0.1)),
    "bronc": (("smoke",), (0.3, 0.6)),
    "either": (("lung", "tub"), (0.0, 1.0, 1.0, 1.0)),
    "xray": (("either",), (0.05, 0.98)),
    "dysp": (("bronc", "either"), (0.1, 0.7, 0.8, 0.9)),
}

ASIA_ARCS = tuple((parent, node) for node, (parents, _) in _NETWORK.items() for parent in parents)
"""The arcs of the network."""


def sample_asia(n: int, *, seed: int) -> dict[str, list[str]]:
    """Draw rows from the Asia network.

    Every node has a random stream of its own, so the rows are the same on every machine.

    Returns
    -------
    dict of str to list of str
        A column of "no" and "yes" for each of the eight variables.
    """
    yes: dict[str, NDArray[np.bool_]] = {}
    for node, (parents, probabilities) in _NETWORK.items():
        configuration: NDArray[np.int64] = np.zeros(n, dtype=np.int64)
        for parent in parents:
            configuration = 2 * configuration + yes[parent]
        yes[node] = _uniform(n, seed, node) < np.array(probabilities)[configuration]
    return {node: np.where(column, "yes", "no").tolist() for node, column in yes.items()}


def _uniform(n: int, seed: int, node: str) -> NDArray[np.float64]:
    """Numbers in [0, 1) from raw 64-bit draws, whose stream NumPy guarantees never to change."""
    stream = np.random.PCG64(np.random.SeedSequence([seed, zlib.crc32(node.encode())]))
    return np.ldexp((stream.random_raw(n) >> np.uint64(11)).astype(np.float64), -53)
