"""Networks and helpers for the tests of file formats."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from stablebn.networks.formats import GRAPH_WRITERS, NETWORK_READERS, NETWORK_WRITERS, read_network_file
from stablebn.networks.model import CPT, ConditionalGaussian, LinearGaussian, Network

SHARED = Path(__file__).resolve().parents[2].parent / "shared"
NETWORK_FILES = sorted((SHARED / "networks").glob("*"))
WITH_SHARED = pytest.mark.skipif(not NETWORK_FILES, reason="the networks are not there: no ../shared/networks")
CATEGORICAL_ENDINGS = tuple(NETWORK_WRITERS)
ENDINGS_OF_ANY_KIND = (".xdsl", ".json")
GRAPH_WRITE_ENDINGS = tuple(GRAPH_WRITERS)

RAIN = Network(
    {
        "wet": CPT(
            ("low", "mid", "high"), ("rain", "pump"), np.array([[[0.1, 0.2, 0.7]] * 2, [[0.5, 0.25, 0.25]] * 2])
        ),
        "rain": CPT(("yes", "no"), (), np.array([1 / 3, 2 / 3])),
        "pump": CPT(("on", "off"), ("rain",), np.array([[1e-05, 0.99999], [0.3, 0.7]])),
    },
    "garden",
)
HEIGHT = Network(
    {
        "child": LinearGaussian(("mother", "father"), (0.1 + 0.2, -1e-05), -1 / 3, 2.5),
        "mother": LinearGaussian((), (), 165.0, 6.0),
        "father": LinearGaussian(("mother",), (-0.0,), -0.0, 0.0),
    }
)
MIXED = Network(
    {
        "pressure": ConditionalGaussian(
            ("sex", "drug"),
            ("age", "weight"),
            np.array([[120.0, -0.0, 1 / 3], [0.1 + 0.2, 1e-300, -5.0]]),
            np.arange(12).reshape(2, 3, 2) / 7 - 1,
            np.array([[1.0, 0.0, 2.5], [1e-5, 1e5, 0.7]]),
        ),
        "sex": CPT(("f", "m"), (), np.array([0.5, 0.5])),
        "drug": CPT(("none", "low", "very high"), ("sex",), np.array([[0.1, 0.2, 0.7], [0.5, 0.25, 0.25]])),
        "age": LinearGaussian((), (), 40.0, 12.5),
        "weight": ConditionalGaussian(("sex",), (), np.array([62.0, 80.0]), np.empty((2, 0)), np.array([8.0, 11.0])),
    },
    "clinic",
)


@lru_cache(maxsize=4)
def shared_network(path: Path) -> Network:
    """Read one of the shared networks, once for all tests of it."""
    return read_network_file(path)


def read_text(text: str, ending: str, *, normalise: bool = False) -> Network:
    """Read a network from the text of a file 'net' with this ending."""
    return NETWORK_READERS[ending](text, f"net{ending}", normalise=normalise)


def same_bits(network: Network, other: Network) -> bool:
    """Return whether two networks have equal nodes, order, parents, levels and bits of all numbers."""
    return network.nodes == other.nodes and all(
        own == other[node] and _bytes(own) == _bytes(other[node]) for node, own in network.items()
    )


def _bytes(own: CPT | LinearGaussian | ConditionalGaussian) -> bytes:
    if isinstance(own, CPT):
        return own.probabilities.tobytes()
    gaussian = own.conditional()
    return b"".join(part.tobytes() for part in (gaussian.coefficients, gaussian.intercepts, gaussian.sds))
