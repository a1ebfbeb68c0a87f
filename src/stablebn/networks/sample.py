"""Draw samples from networks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from stablebn import _core
from stablebn.columns.requirements import MOST_ROWS_IN_MEMORY
from stablebn.errors import GraphError, listed, shown
from stablebn.networks.model import CPT, ConditionalGaussian, Name, Network
from stablebn.networks.random_streams import Stream
from stablebn.options import at_least


def sample(network: Network, n: int, *, seed: int) -> pa.Table:
    """Draw rows from a network; see `Network.sample`."""
    at_least(1, most=MOST_ROWS_IN_MEMORY)("n", n)
    columns = [str(name) for name in network.nodes]
    if len(set(columns)) < len(columns):
        raise GraphError(f"names that are the same as text cannot be columns of a table: {listed(network.nodes)}.")
    codes: dict[Name, NDArray[np.int16]] = {}
    numbers: dict[Name, NDArray[np.float64]] = {}
    drawn: dict[Name, pa.Array | NDArray[np.float64]] = {}
    for node in network.dag.topological_order():
        own, stream = network[node], Stream(seed, node)
        if isinstance(own, CPT):
            codes[node] = _levels(own, n, stream, codes)
            drawn[node] = pa.DictionaryArray.from_arrays(pa.array(codes[node]), _values(node, own.levels))
        else:
            drawn[node] = numbers[node] = _numbers(own.conditional(), n, stream, codes, numbers)
    return pa.table([drawn[name] for name in network.nodes], names=columns)


def _values(node: Name, levels: Sequence[object]) -> pa.Array:
    """Return the levels as values of a column; raise `GraphError` if it cannot hold them unchanged."""
    try:
        values = pa.array(levels)
    except (pa.ArrowException, OverflowError):
        values = None
    # Arrow converts integers beside floats to floats.
    if values is None or [str(value) for value in values.to_pylist()] != [str(level) for level in levels]:
        raise GraphError(
            f"a column of a table cannot hold the levels of node {shown(node)} together: {listed(levels)}. "
            "Give them one type, for instance text."
        )
    return values


def _levels(own: CPT, n: int, stream: Stream, codes: Mapping[Name, NDArray[np.int16]]) -> NDArray[np.int16]:
    configurations = np.zeros(n, dtype=np.int64)
    for parent, levels in zip(own.parents, own.probabilities.shape, strict=False):
        # The last parent changes fastest.
        configurations *= levels
        configurations += codes[parent]
    cumulative = np.cumsum(own.probabilities.reshape(-1, len(own.levels)), axis=1)
    return _core.draw_levels(stream.raw(n), configurations, cumulative)


def _numbers(
    own: ConditionalGaussian,
    n: int,
    stream: Stream,
    codes: Mapping[Name, NDArray[np.int16]],
    numbers: Mapping[Name, NDArray[np.float64]],
) -> NDArray[np.float64]:
    # Without categorical parents the index is the empty tuple, which selects the only number.
    configurations = tuple(codes[parent] for parent in own.categorical_parents)
    values = own.sds[configurations] * stream.normal(n) + own.intercepts[configurations]
    for parent, coefficients in own.terms():
        values += coefficients[configurations] * numbers[parent]
    return values
