"""A number that stands for the rows of a table, whatever their order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from stablebn.table.blocks import AnyTable, each_block
from stablebn.table.data_kinds import parts_by_kind
from stablebn.table.table import CategoricalTable, ContinuousTable, Name, Table

Hashes = NDArray[np.uint64]


def digest_of_rows(table: AnyTable, order: Sequence[Name]) -> str:
    """A hash of the rows as a whole: of how often each occurs, in columns that stand in an order, with so many levels.

    Names and labels have no part in it; labels do by their order, which numbers the levels.
    """
    # Modulo 2**64, so that the order of the rows plays no part, nor whether equal ones are counted or repeated.
    return f"{sum(each_block(table, _sum_of_hashes, tuple(order))) % 2**64:016x}"


def _sum_of_hashes(table: Table, order: Sequence[Name]) -> int:
    parts = parts_by_kind(table)
    column_of = {name: column for part in parts for name, column in zip(part.names, _columns(part), strict=True)}
    weights = np.uint64(1) if table.weights is None else table.weights.astype(np.uint64)
    levels = {name: len(own) for part in parts if isinstance(part, CategoricalTable) for name, own in _levels(part)}
    hashes: Hashes = np.zeros(len(column_of[order[0]]) if order else 0, dtype=np.uint64)
    for name in order:
        hashes = _mixed(hashes ^ _mixed(column_of[name]) ^ np.uint64(levels.get(name, 0)))
    return int((hashes * weights).sum(dtype=np.uint64))


def _levels(part: CategoricalTable) -> Iterable[tuple[Name, tuple[Name, ...]]]:
    return zip(part.names, part.levels, strict=True)


def _columns(part: CategoricalTable | ContinuousTable) -> Sequence[Hashes]:
    if isinstance(part, CategoricalTable):
        return [codes.astype(np.uint64) for codes in part.codes]
    # 0.0 is added as -0.0 is equal to it, and has other bits.
    return [(values + 0.0).view(np.uint64) for values in part.values]


def _mixed(values: Hashes) -> Hashes:
    """Each number as another one that tells nothing of it: the finisher of SplitMix64 (Steele, Lea and Flood 2014)."""
    found = values + np.uint64(0x9E3779B97F4A7C15)
    found = (found ^ (found >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    found = (found ^ (found >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return found ^ (found >> np.uint64(31))
