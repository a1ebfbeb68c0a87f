"""A table's columns as a network names and numbers them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

import numpy as np
from numpy.typing import NDArray

from stablebn.data import CategoricalTable, Kind, Prepared, prepare
from stablebn.errors import DataError, OptionError, listed
from stablebn.networks.model import CPT, Name, Network


def prepared_for(network: Network, data: object, *, missing: str = "error", weights: object = None) -> Prepared:
    """A table whose columns are the network's nodes, of the network's kind."""
    kind: Kind = "continuous" if network.is_continuous else "categorical"
    names = None if not isinstance(data, np.ndarray) else list(network.nodes)
    prepared = prepare(data, names=names, kinds=dict.fromkeys(network.nodes, kind), missing=missing, weights=weights)
    if prepared.table.holes:
        raise OptionError(
            'missing="available" is for learning: a network tells how likely whole rows are. Say missing="drop".'
        )
    alien = [name for name in prepared.names if name not in network]
    if alien:
        raise DataError(f"columns that are not in the network: {listed(alien)}. Leave them out.")
    return prepared


def level_codes(network: Network, prepared: Prepared) -> Mapping[Name, NDArray[np.int64]]:
    """Every column as positions in its node's levels, matched as values or else as text."""
    table = prepared.table
    assert isinstance(table, CategoricalTable)
    rows = table.codes.shape[1]
    codes: dict[Name, NDArray[np.int64]] = {}
    for name in network.nodes:
        own = network[name]
        assert isinstance(own, CPT)
        if name in prepared.constants:
            codes[name] = np.full(rows, _positions(name, own, (prepared.constants[name],))[0])
        else:
            place = table.names.index(name)
            codes[name] = _positions(name, own, table.levels[place])[table.codes[place]]
    return codes


def _positions(name: Name, own: CPT, levels: tuple[Hashable, ...]) -> NDArray[np.int64]:
    by_value = {(type(level), level): place for place, level in enumerate(own.levels)}
    by_text = {str(level): place for place, level in enumerate(own.levels)}
    places = [by_value.get((type(level), level), by_text.get(str(level))) for level in levels]
    unknown = [level for level, place in zip(levels, places, strict=True) if place is None]
    if unknown:
        raise DataError(
            f"column {name!r} has values that the network does not know: {listed(unknown)}. "
            f"Its levels are {listed(own.levels)}."
        )
    return np.array(places, dtype=np.int64)
