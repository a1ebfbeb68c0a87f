"""Align the columns and levels of a table with those of a network."""

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
"""Stands for the index of a level that a network does not know."""

# Number of stack frames up to the caller of `Network.log_likelihood`, to whom the warning is attributed.
_CALLERS = 6


def prepared_for(network: Network, reading: TableReading) -> Prepared:
    """Read a table whose columns are the nodes of the network, with the kinds of the nodes."""
    reading = with_own_reading(reading)
    if reading.names is None and isinstance(reading.data, np.ndarray) and reading.data.dtype.names is None:
        reading = replace(reading, names=network.nodes)
    _check_kinds(network, reading.kinds)
    kinds = {node: Decision(kind, "as in the network", plain=True) for node, kind in network.kinds.items()}
    prepared = prepare(
        reading.data,
        reading.part(ReadOptions),
        like=Schema(kinds, cuts=network.cuts),
        offer_available=False,
        allow_few_rows=True,
    ).held()
    if prepared.table.holes:
        raise OptionError('missing="available" is for learning: a likelihood needs complete rows. Say missing="drop".')
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
    """Raise `OptionError` if `kinds` contradicts the network; a node with `cuts` may be called continuous."""
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
        kinds_there = ", ".join(f"{node!r} is {network.kinds[node]}" for node in other)
        raise OptionError(
            f"kinds= and the network differ: in the network {kinds_there}. Leave these columns out of kinds=."
        )


def aligned(
    network: Network, prepared: Prepared
) -> tuple[dict[Name, NDArray[np.int64]], dict[Name, NDArray[np.float64]]]:
    """Return the columns of a table in the form that the network needs.

    Returns
    -------
    codes : dict of name to int64 array [rows]
        For every categorical node, indices of the levels of the network, which are matched as values or else as text;
        -1 for a level that the network does not know.
    numbers : dict of name to float64 array [rows]
        For every continuous node, its values.
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
            codes[name] = np.full(rows, _level_indices(name, own, (prepared.constants[name],))[0])
        else:
            column = categorical.names.index(name)
            codes[name] = _level_indices(name, own, categorical.levels[column])[categorical.codes[column]]
    return codes, numbers


def parts_of(table: Table) -> tuple[CategoricalTable, ContinuousTable]:
    """Return the categorical and the continuous columns of a table; either may be empty."""
    if isinstance(table, MixedTable):
        return table.categorical, table.continuous
    if isinstance(table, CategoricalTable):
        return table, ContinuousTable((), np.empty((0, table.codes.shape[1])), table.weights)
    return CategoricalTable((), np.empty((0, table.values.shape[1]), dtype=np.uint8), (), table.weights), table


def _level_indices(name: Name, own: CPT, levels: tuple[Hashable, ...]) -> NDArray[np.int64]:
    """Return the index in the network of each level of a column; warn about unknown levels."""
    by_value = {(type(level), level): index for index, level in enumerate(own.levels)}
    by_text = {str(level): index for index, level in enumerate(own.levels)}
    indices = [by_value.get((type(level), level), by_text.get(str(level), UNSEEN)) for level in levels]
    unknown = [level for level, index in zip(levels, indices, strict=True) if index == UNSEEN]
    if unknown:
        warn(
            f"column {name!r} has levels that the network does not know, whose rows are impossible under it: "
            f"{listed(unknown)}. Its levels are {listed(own.levels)}; declare all there can be with levels= when it is "
            'learned or fitted, and say method="bde" for probabilities above 0.',
            UnseenLevelWarning,
            stacklevel=_CALLERS,
        )
    return np.array(indices, dtype=np.int64)
