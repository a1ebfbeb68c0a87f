"""Samples of networks."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from stablebn import _core
from stablebn.data.checks import MOST_ROWS
from stablebn.errors import GraphError, listed
from stablebn.graph.names import name_key
from stablebn.networks.model import CPT, LinearGaussian, Name, Network
from stablebn.networks.streams import Stream
from stablebn.options import at_least


def sample(network: Network, n: int, *, seed: int) -> pa.Table:
    """Draw rows from a network; see `Network.sample`."""
    at_least(1, most=MOST_ROWS)("n", n)
    columns = [str(name) for name in network.nodes]
    if len(set(columns)) < len(columns):
        raise GraphError(f"names that are the same as text cannot be columns of a table: {listed(network.nodes)}.")
    drawn = _numbers(network, n, seed) if network.is_continuous else _levels(network, n, seed)
    return pa.table([drawn[name] for name in network.nodes], names=columns)


def _levels(network: Network, n: int, seed: int) -> dict[Name, pa.Array]:
    codes: dict[Name, NDArray[np.int16]] = {}
    columns: dict[Name, pa.Array] = {}
    for node in network.dag.topological_order():
        own = network[node]
        assert isinstance(own, CPT)
        configurations = np.zeros(n, dtype=np.int64)
        for parent, levels in zip(own.parents, own.probabilities.shape, strict=False):
            # The last parent changes fastest.
            configurations *= levels
            configurations += codes[parent]
        cumulative = np.cumsum(own.probabilities.reshape(-1, len(own.levels)), axis=1)
        codes[node] = _core.draw_levels(Stream(seed, node).raw(n), configurations, cumulative)
        columns[node] = pa.DictionaryArray.from_arrays(pa.array(codes[node]), pa.array(own.levels))
    return columns


def _numbers(network: Network, n: int, seed: int) -> dict[Name, NDArray[np.float64]]:
    columns: dict[Name, NDArray[np.float64]] = {}
    for node in network.dag.topological_order():
        own = network[node]
        assert isinstance(own, LinearGaussian)
        values = own.sd * Stream(seed, node).normal(n) + own.intercept
        # In the order of names: how a file lists the parents must not change the last bit.
        for parent, coefficient in sorted(
            zip(own.parents, own.coefficients, strict=True), key=lambda p: name_key(p[0])
        ):
            values += coefficient * columns[parent]
        columns[node] = values
    return columns
