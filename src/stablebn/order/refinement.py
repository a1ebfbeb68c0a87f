"""Telling columns apart by the data alone, for columns that the sort keys leave tied.

Columns and rows are coloured in turn: a row by the multiset of (colour of column, value) in it, a
column by the multiset of (colour of row, value) in it, until no more columns are told apart. No
layout enters: a multiset is hashed as a sum. What is still tied then is, but for freak cases,
interchangeable in the data, and only there a name may decide; as soon as it has decided for one
column, that column gets a colour of its own and the rest is told apart by the data again.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from stablebn.data.table import CategoricalTable, Codes, Table, Weights

_Hashes = NDArray[np.uint64]


def refined_order(table: Table, tiers: Sequence[int], by_name: Sequence[int]) -> list[int]:
    """Order the columns by tier, inside a tier by the data, and where that cannot decide by name.

    Parameters
    ----------
    table : Table
    tiers : sequence of int
        Tier of each column; lower tiers come first. Equal tiers are to be told apart.
    by_name : sequence of int
        Position of each column when they are sorted by name.
    """
    values = _value_codes(table)
    waiting = _identical_groups(values, tiers, by_name)
    if len({tiers[group[0]] for group in waiting}) == len(waiting):
        return [c for group in sorted(waiting, key=lambda group: tiers[group[0]]) for c in group]

    colouring = _Colouring(values, table.weights, _mix(np.array(tiers, dtype=np.uint64)))
    colouring.refine()

    def rank(group: Sequence[int]) -> tuple[int, int, int]:
        return tiers[group[0]], int(colouring.columns[group[0]]), by_name[group[0]]

    order: list[int] = []
    while waiting:
        waiting.sort(key=rank)
        chosen = waiting.pop(0)
        if waiting and rank(waiting[0])[:2] == rank(chosen)[:2]:
            colouring.single_out(chosen)
            colouring.refine()
        order += chosen
    return order


class _Colouring:
    """Colours of columns, refined until they tell no more columns apart."""

    def __init__(self, values: Sequence[Codes], weights: Weights | None, columns: _Hashes) -> None:
        self._values = values
        self._weights = np.uint64(1) if weights is None else weights.astype(np.uint64)
        self.columns = columns

    def single_out(self, same: Sequence[int]) -> None:
        """Give some columns a colour of their own."""
        self.columns[list(same)] = _mix(~self.columns[list(same)])

    def refine(self) -> None:
        """Recolour until the number of colours no longer grows."""
        colours = 0
        while len(np.unique(self.columns)) > colours:
            colours = len(np.unique(self.columns))
            rows = np.zeros(self._values[0].size, dtype=np.uint64)
            for colour, column in zip(self.columns, self._values, strict=True):
                rows += _mix(column.astype(np.uint64) * _STEP + colour)
            rows = _mix(rows)
            own = [
                (_mix(column.astype(np.uint64) * _STEP + rows) * self._weights).sum(dtype=np.uint64)
                for column in self._values
            ]
            self.columns = _mix(self.columns + _mix(np.array(own, dtype=np.uint64)))


_STEP = np.uint64(0x9E3779B97F4A7C15)


def _mix(x: _Hashes) -> _Hashes:
    """Scatter 64-bit integers (xor-shift and multiply, all modulo 2**64)."""
    x = (x ^ (x >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    x = (x ^ (x >> np.uint64(29))) * np.uint64(0xC2B2AE3D27D4EB4F)
    return x ^ (x >> np.uint64(32))


def _value_codes(table: Table) -> Sequence[Codes]:
    """Values as integers that keep their order: codes of levels, or ranks of numbers (so units do not matter)."""
    if isinstance(table, CategoricalTable):
        return list(table.codes)
    return [np.unique(column, return_inverse=True)[1].astype(np.int32) for column in table.values]


def _identical_groups(values: Sequence[Codes], tiers: Sequence[int], by_name: Sequence[int]) -> list[list[int]]:
    """Columns of one tier with the same codes, each group sorted by name."""
    groups: dict[tuple[int, bytes], list[int]] = {}
    for c in sorted(range(len(tiers)), key=by_name.__getitem__):
        groups.setdefault((tiers[c], values[c].tobytes()), []).append(c)
    return list(groups.values())
