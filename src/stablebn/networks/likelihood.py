"""Log-likelihood of a table under a network's own parameters."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from stablebn import _core
from stablebn.data import ContinuousTable, Prepared
from stablebn.errors import GraphError
from stablebn.fixed_point import to_float
from stablebn.graph.names import name_key
from stablebn.networks.aligning import level_codes, prepared_for
from stablebn.networks.model import CPT, LinearGaussian, Name, Network


def log_likelihood(network: Network, data: object, *, missing: str = "error", weights: object = None) -> float:
    """Sum over rows of the logarithm of their probability or density; see `Network.log_likelihood`."""
    prepared = prepared_for(network, data, missing=missing, weights=weights)
    return _gaussian(network, prepared) if network.is_continuous else _categorical(network, prepared)


def _categorical(network: Network, prepared: Prepared) -> float:
    """Counts times logarithms, summed as integers: the order of rows and nodes cannot matter."""
    codes = level_codes(network, prepared)
    total = 0
    for node, own in network.items():
        assert isinstance(own, CPT)
        shape = own.probabilities.shape
        cells = np.ravel_multi_index([codes[name] for name in (*own.parents, node)], shape)
        found, place = np.unique(cells, return_inverse=True)
        counts = np.bincount(place, weights=prepared.table.weights).astype(np.int64)
        probabilities = own.probabilities.reshape(-1)[found]
        if (probabilities == 0).any():
            return -math.inf
        for m, probability in zip(counts.tolist(), probabilities.tolist(), strict=True):
            total += m * _core.ln(probability)
    return to_float(total)


def _gaussian(network: Network, prepared: Prepared) -> float:
    table = prepared.table
    assert isinstance(table, ContinuousTable)
    columns: dict[Name, NDArray[np.float64]] = dict(zip(table.names, table.values, strict=True))
    for name, value in prepared.constants.items():
        columns[name] = np.full(table.values.shape[1], value)
    parts = []
    for node, own in network.items():
        assert isinstance(own, LinearGaussian)
        if own.sd == 0:
            raise GraphError(f"node {node!r} has no spread (sd = 0), so its values have no density.")
        residual = columns[node] - own.intercept
        for parent, coefficient in sorted(
            zip(own.parents, own.coefficients, strict=True), key=lambda p: name_key(p[0])
        ):
            residual = residual - coefficient * columns[parent]
        squares = (residual / own.sd) ** 2
        # fsum rounds the exact sum once: the order of rows cannot matter.
        spread = math.fsum(squares if table.weights is None else squares * table.weights)
        parts.append(-table.total * (math.log(own.sd) + math.log(2 * math.pi) / 2) - spread / 2)
    return math.fsum(parts)
