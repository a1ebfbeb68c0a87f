"""Compute the log-likelihood of a table under the parameters of a network."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from stablebn import _core
from stablebn.errors import GraphError
from stablebn.fixed_point import to_float
from stablebn.networks.align_table import UNSEEN, aligned, prepared_for
from stablebn.networks.model import CPT, ConditionalGaussian, Level, Name, Network
from stablebn.prepare.prepared import Prepared
from stablebn.prepare.read_options import TableReading
from stablebn.table.table import Weights


def log_likelihood(network: Network, reading: TableReading) -> float:
    """Sum the logarithms of the probabilities or densities of the rows; see `Network.log_likelihood`."""
    return log_likelihood_of(network, prepared_for(network, reading))


def log_likelihood_of(network: Network, prepared: Prepared) -> float:
    """Like `log_likelihood`, for a table prepared by `prepared_for`."""
    return log_likelihood_of_codes(network, *aligned(network, prepared), prepared.table.weights)


def log_likelihood_of_codes(
    network: Network,
    codes: Mapping[Name, NDArray[np.int64]],
    numbers: Mapping[Name, NDArray[np.float64]],
    weights: Weights | None,
) -> float:
    """Like `log_likelihood`, for columns aligned by `aligned`."""
    if any((own == UNSEEN).any() for own in codes.values()):
        return -math.inf
    # Counts times logarithms are summed as integers, and densities by `fsum`, which rounds once, so that the order of
    # rows and nodes does not matter.
    levels = {node: own.levels for node, own in network.items() if isinstance(own, CPT)}
    exact = 0
    densities = []
    for node, own in network.items():
        if not isinstance(own, CPT):
            densities.append(_density(node, own.conditional(), codes, numbers, weights, levels))
            continue
        of_node = _probability(node, own, codes, weights)
        if of_node is None:
            return -math.inf
        exact += of_node
    return math.fsum([to_float(exact), *densities])


def _probability(node: Name, own: CPT, codes: Mapping[Name, NDArray[np.int64]], weights: Weights | None) -> int | None:
    """Return the contribution of a categorical node in units of `fixed_point`; None if a row is impossible."""
    cells = np.ravel_multi_index([codes[name] for name in (*own.parents, node)], own.probabilities.shape)
    found, counts = _counted(cells, weights)
    probabilities = own.probabilities.reshape(-1)[found]
    if (probabilities == 0).any():
        return None
    return sum(m * _core.ln(probability) for m, probability in zip(counts, probabilities.tolist(), strict=True))


def _density(
    node: Name,
    own: ConditionalGaussian,
    codes: Mapping[Name, NDArray[np.int64]],
    numbers: Mapping[Name, NDArray[np.float64]],
    weights: Weights | None,
    levels: Mapping[Name, Sequence[Level]],
) -> float:
    """Return the contribution of a continuous node."""
    values = numbers[node]
    # Without categorical parents every row has configuration 0.
    configurations = np.zeros(values.size, dtype=np.int64)
    if own.categorical_parents:
        configurations = np.ravel_multi_index([codes[name] for name in own.categorical_parents], own.sds.shape)
    found, counts = _counted(configurations, weights)
    sds, intercepts = own.sds.reshape(-1), own.intercepts.reshape(-1)
    if (sds[found] == 0).any():
        where = _spelled(int(found[sds[found] == 0][0]), own, levels)
        raise GraphError(f"node {node!r} has no spread (sd = 0){where}, so its values have no density.")
    residual = values - intercepts[configurations]
    for parent, coefficients in own.terms():
        residual = residual - coefficients.reshape(-1)[configurations] * numbers[parent]
    squares = (residual / sds[configurations]) ** 2
    spread = math.fsum(squares if weights is None else squares * weights)
    factors = [
        -m * (math.log(sd) + math.log(2 * math.pi) / 2) for m, sd in zip(counts, sds[found].tolist(), strict=True)
    ]
    return math.fsum(factors) - spread / 2


def _spelled(number: int, own: ConditionalGaussian, levels: Mapping[Name, Sequence[Level]]) -> str:
    """Describe a configuration of the categorical parents; empty if there are none."""
    if not own.categorical_parents:
        return ""
    parents = zip(own.categorical_parents, np.unravel_index(number, own.sds.shape), strict=True)
    return " for " + ", ".join(f"{parent}={levels[parent][int(level)]!r}" for parent, level in parents)


def _counted(cells: NDArray[np.int64], weights: Weights | None) -> tuple[NDArray[np.int64], list[int]]:
    """Return the cells that occur, and the number of rows of each, by weight."""
    occurring, indices = np.unique(cells, return_inverse=True)
    return occurring, np.bincount(indices, weights=weights).astype(np.int64).tolist()
