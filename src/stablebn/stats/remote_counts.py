"""Joint counts of categorical variables, queried from a row source."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from stablebn import _core
from stablebn.columns.encode import narrow
from stablebn.stats import counts as counting
from stablebn.stats.base import ColumnProducts
from stablebn.stats.counts import Counts, text_of_counts
from stablebn.stats.indicators import column_products_of
from stablebn.stats.row_source import RowSource, levels_with_missing
from stablebn.stats.symmetries.distinct_rows import rows_of
from stablebn.stats.symmetries.symmetry import Structure
from stablebn.stats.symmetries.unique_rows import MOST_CONFIGURATIONS, ROWS_TO_COLLAPSE
from stablebn.table.table import CategoricalTable, Codes, Weights

if TYPE_CHECKING:
    from typing_extensions import Self

LANES = 16
"""Number of threads that query at once. While one pass runs, their queries are collected for the next pass."""


def counts_of(source: RowSource, *, threads: int = 1) -> Counts:
    """Return the counts of a source; if only few distinct rows are possible, they are fetched and counted here."""
    like = source.like
    assert isinstance(like, CategoricalTable)
    configurations = math.prod(levels_with_missing(like))
    if like.names and configurations <= min(MOST_CONFIGURATIONS, source.total / ROWS_TO_COLLAPSE):
        return Counts(distinct_rows(source, like), threads=threads)
    return RemoteCounts(source, like, threads=threads)


def distinct_rows(source: RowSource, like: CategoricalTable) -> CategoricalTable:
    """Return the distinct rows of a source with few of them, each weighted by how often it occurs."""
    levels = levels_with_missing(like)
    [(keys, counts)] = source.count([], [range(len(levels))])[1]
    codes = narrow(np.array(np.unravel_index(keys[:, 0].astype(np.int64), levels)), max(levels) - 1)
    return CategoricalTable(like.names, codes, like.levels, counts, like.holes)


class RemoteCounts(Counts):
    """Integer joint counts that are queried from a row source.

    Parameters
    ----------
    source : RowSource
    like : CategoricalTable
        The table without rows.
    threads : int
    """

    def __init__(self, source: RowSource, like: CategoricalTable, *, threads: int = 1) -> None:
        n = len(like.names)
        holes = [v in like.holes for v in range(n)] if like.holes else []
        levels = levels_with_missing(like)
        lanes = max(threads, LANES)
        self._source = source
        compiled = _core.Counts.of_source(source, levels, source.total, lanes, counting.LIMITS, holes)
        self._take(like, range(n), compiled)

    def reordered(self, order: Sequence[int]) -> Self:
        """Return the counts with the variables renumbered: new variable i is old variable order[i]."""
        counts = super().reordered(order)
        counts._source = self._source
        return counts

    def sort_key(self, v: int) -> Hashable:
        """Return the text of the value counts, as Python prints a dict: {'no': 5, 'yes': 3}."""
        levels = self._table.levels[self._columns[v]]
        [(keys, counts)] = self._source.count([], [[self._columns[v]]])[1]
        found = dict(zip(keys[:, 0].tolist(), counts.tolist(), strict=True))
        return text_of_counts(levels, [found.get(code, 0) for code in range(len(levels))])

    @property
    def values(self) -> int:
        """Return the number of values in the rows that are counted."""
        return self.n * self._source.rows

    def structures(self) -> list[Structure]:
        """Return the rows by code. Variables with equal sort keys have the same levels, and so the same codes."""
        return [rows_of(self._source, _codes_of_block, list(self._columns))]

    def column_products(self) -> ColumnProducts:
        """Return the products of the indicators of all levels but one of each variable."""
        return column_products_of(self._source, list(self._columns))


def _codes_of_block(block: CategoricalTable, columns: list[int]) -> tuple[Codes, Weights | None]:
    return block.codes[columns], block.weights
