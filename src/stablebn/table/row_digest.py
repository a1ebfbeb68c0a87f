"""Compute a digest of the rows of a table that does not depend on their order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from stablebn.table.blocks import AnyTable, each_block
from stablebn.table.data_kinds import parts_by_kind
from stablebn.table.table import CategoricalTable, ContinuousTable, Name, Table

Hashes = NDArray[np.uint64]


def digest_of_rows(table: AnyTable, order: Sequence[Name]) -> str:
    """Return a hash of how often each row occurs, with the columns in the given order.

    The hash depends on the codes, values and numbers of levels. It does not depend on names, or on labels except
    through their order, which numbers the levels.
    """
    # A sum modulo 2**64 depends neither on the order of the rows nor on whether equal rows are weighted or repeated.
    return f"{sum(each_block(table, _sum_of_hashes, tuple(order))) % 2**64:016x}"


def _sum_of_hashes(table: Table, order: Sequence[Name]) -> int:
    parts = parts_by_kind(table)
    column_of = {name: column for part in parts for name, column in zip(part.names, _columns(part), strict=True)}
    weights = np.uint64(1) if table.weights is None else table.weights.astype(np.uint64)
    levels = {name: len(each) for part in parts if isinstance(part, CategoricalTable) for name, each in _levels(part)}
    hashes: Hashes = np.zeros(len(column_of[order[0]]) if order else 0, dtype=np.uint64)
    for name in order:
        hashes = _mixed(hashes ^ _mixed(column_of[name]) ^ np.uint64(levels.get(name, 0)))
    return int((hashes * weights).sum(dtype=np.uint64))


def _levels(part: CategoricalTable) -> Iterable[tuple[Name, tuple[Name, ...]]]:
    return zip(part.names, part.levels, strict=True)


def _columns(part: CategoricalTable | ContinuousTable) -> Sequence[Hashes]:
    if isinstance(part, CategoricalTable):
        return [codes.astype(np.uint64) for codes in part.codes]
    # Adding 0.0 turns -0.0 into 0.0, which is equal but has other bits.
    return [(values + 0.0).view(np.uint64) for values in part.values]


def _mixed(values: Hashes) -> Hashes:
    """Hash each number with the finisher of SplitMix64 (Steele, Lea and Flood 2014)."""
    mixed = values + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
