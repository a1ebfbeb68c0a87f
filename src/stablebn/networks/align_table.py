"""A table's columns as a network names and numbers them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from warnings import warn

import numpy as np
from numpy.typing import NDArray

from stablebn.columns.kinds import Decision
from stablebn.errors import DataError, OptionError, UnseenLevelWarning, listed
from stablebn.networks.model import CPT, Name, Network
from stablebn.prepare.prepare import prepare
from stablebn.prepare.prepared import Prepared, Schema
from stablebn.prepare.read_options import ReadOptions, TableReading, with_own_reading
from stablebn.table.table import CategoricalTable, ContinuousTable, MixedTable, Table

UNSEEN = -1
"""The position of a level that a network does not know."""

# How far up the warning's reader is: who called `Network.log_likelihood`.
_CALLERS = 6


def prepared_for(network: Network, asked: TableReading) -> Prepared:
    """Read a table whose columns are the network's nodes, each of its node's kind."""
    asked = with_own_reading(asked)
    if asked.names is None and isinstance(asked.data, np.ndarray) and asked.data.dtype.names is None:
        asked = replace(asked, names=network.nodes)
    _check_kinds(network, asked.kinds)
    kinds = {node: Decision(kind, "as in the network", plain=True) for node, kind in network.kinds.items()}
    prepared = prepare(
        asked.data,
        asked.part(ReadOptions),
        like=Schema(kinds, cuts=network.cuts),
        offer_available=False,
        allow_few_rows=True,
    ).held()
    if prepared.table.holes:
        raise OptionError(
            'missing="available" is for learning: a network tells how likely whole rows are. Say missing="drop".'
        )
    lacking = [name for name in network.nodes if name not in prepared.names]
    if lacking:
        raise DataError(
            f"the table lacks columns of the network: {listed(lacking)}. Its columns: {listed(prepared.names)}."
        )
    empty = [name for name in prepared.aside if name in network]
    if empty:
        raise DataError(f"columns without any value: {listed(empty)}. The network needs them.")
    alien = [name for name in prepared.names if name not in network]
    if alien:
        raise DataError(f"columns that are not in the network: {listed(alien)}. Leave them out with drop=.")
    return prepared


def _check_kinds(network: Network, kinds: object) -> None:
    """Raise `OptionError` if `kinds` and the network differ; the continuous columns that it bins may be so called."""
    if not isinstance(kinds, Mapping):
        return
    other = [
        node
        for node, kind in network.kinds.items()
        if isinstance(kinds.get(node), str)
        and kinds[node] != kind
        and not (node in network.cuts and kinds[node] == "continuous")
    ]
    if other:
        told = ", ".join(f"{node!r} is {network.kinds[node]}" for node in other)
        raise OptionError(f"kinds= and the network differ: in the network {told}. Leave these columns out of kinds=.")


def aligned(
    network: Network, prepared: Prepared
) -> tuple[dict[Name, NDArray[np.int64]], dict[Name, NDArray[np.float64]]]:
    """The columns of a table for a network.

    Returns
    -------
    codes : dict of name to int64 array [rows]
        Of every categorical node, positions in its levels, which are matched as values or else as text; -1 of a level
        that the network does not know.
    numbers : dict of name to float64 array [rows]
        Of every continuous node.
    """
    categorical, continuous = parts_of(prepared.table)
    rows = continuous.values.shape[1]
    codes: dict[Name, NDArray[np.int64]] = {}
    numbers: dict[Name, NDArray[np.float64]] = {}
    for name, own in network.items():
        fixed = name in prepared.constants
        if not isinstance(own, CPT):
            numbers[name] = (
                np.full(rows, prepared.constants[name], dtype=np.float64)
                if fixed
                else continuous.values[continuous.names.index(name)]
            )
        elif fixed:
            codes[name] = np.full(rows, _positions(name, own, (prepared.constants[name],))[0])
        else:
            place = categorical.names.index(name)
            codes[name] = _positions(name, own, categorical.levels[place])[categorical.codes[place]]
    return codes, numbers


def parts_of(table: Table) -> tuple[CategoricalTable, ContinuousTable]:
    """The categorical columns of a table and the continuous ones; a part may be without columns."""
    if isinstance(table, MixedTable):
        return table.categorical, table.continuous
    if isinstance(table, CategoricalTable):
        return table, ContinuousTable((), np.empty((0, table.codes.shape[1])), table.weights)
    return CategoricalTable((), np.empty((0, table.values.shape[1]), dtype=np.uint8), (), table.weights), table


def _positions(name: Name, own: CPT, levels: tuple[Hashable, ...]) -> NDArray[np.int64]:
    by_value = {(type(level), level): place for place, level in enumerate(own.levels)}
    by_text = {str(level): place for place, level in enumerate(own.levels)}
    places = [by_value.get((type(level), level), by_text.get(str(level), UNSEEN)) for level in levels]
    unknown = [level for level, place in zip(levels, places, strict=True) if place == UNSEEN]
    if unknown:
        warn(
            f"column {name!r} has levels that the network does not know, whose rows are impossible under it: "
            f"{listed(unknown)}. Its levels are {listed(own.levels)}; declare all there can be with levels= when it is "
            'learned or fitted, and say method="bde" for probabilities above 0.',
            UnseenLevelWarning,
            stacklevel=_CALLERS,
        )
    return np.array(places, dtype=np.int64)
