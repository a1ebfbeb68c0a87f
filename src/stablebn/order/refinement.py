"""Telling columns apart by the data alone, for columns that the sort keys leave tied.

Columns and rows are coloured in turn: a row by the multiset of (class of column, value) in it, a
column by the multiset of (colour of row, value) in it, until no class of columns splits any more.
No layout enters: a multiset is hashed as a sum. What is still tied then is, but for freak cases,
interchangeable in the data, and only there a name may decide; as soon as it has decided for one
column, that column is a class of its own and the rest is told apart by the data again.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

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
    groups = _identical_groups(values, tiers, by_name)
    partition = _OrderedPartition(values, table.weights, tiers)
    while tied := partition.first_tie(groups):
        if not partition.refine():
            # What is left is up to the name, for one group; after it the data may speak again.
            partition.put_first(min(tied, key=lambda group: by_name[group[0]]))
    return [c for group in sorted(groups, key=partition.rank) for c in group]


class _OrderedPartition:
    """Classes of columns in a fixed order, each of which is only ever split, never moved."""

    def __init__(self, values: Sequence[Codes], weights: Weights | None, ranks: Sequence[int]) -> None:
        self._values = values
        self._weights = np.uint64(1) if weights is None else weights.astype(np.uint64)
        self._ranks = np.array(ranks, dtype=np.int64)

    def rank(self, group: Sequence[int]) -> int:
        """Place of a group's class."""
        return int(self._ranks[group[0]])

    def first_tie(self, groups: Sequence[Sequence[int]]) -> list[Sequence[int]]:
        """The groups of the first class that holds more than one; none if all are told apart."""
        for _, tied in groupby(sorted(groups, key=self.rank), self.rank):
            found = list(tied)
            if len(found) > 1:
                return found
        return []

    def put_first(self, group: Sequence[int]) -> None:
        """Split a group off its class, before the others."""
        self._ranks = 2 * self._ranks
        self._ranks[list(group)] -= 1

    def refine(self) -> bool:
        """Colour the rows by the classes of columns and the columns by those of rows; whether a class was split."""
        rows: _Hashes = np.zeros(self._values[0].size, dtype=np.uint64)
        for colour, column in zip(_mix(self._ranks.astype(np.uint64)), self._values, strict=True):
            rows += _mix(column.astype(np.uint64) * _STEP + colour)
        rows = _mix(rows)
        colours = [
            int((_mix(column.astype(np.uint64) * _STEP + rows) * self._weights).sum(dtype=np.uint64))
            for column in self._values
        ]
        before = len(set(self._ranks.tolist()))
        keys = list(zip(self._ranks.tolist(), colours, strict=True))
        rank = {key: place for place, key in enumerate(sorted(set(keys)))}
        self._ranks = np.array([rank[key] for key in keys], dtype=np.int64)
        return len(rank) > before


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
