"""Statistics of incomplete mixed tables."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from stablebn import _core
from stablebn.stats import counts as counting
from stablebn.stats.base import ColumnProducts
from stablebn.stats.engines.memory import TableSource
from stablebn.stats.exact_sums import known_values
from stablebn.stats.incomplete import AvailableMoments
from stablebn.stats.mixed import MixedColumns, floors_of
from stablebn.stats.moments import Moments
from stablebn.stats.standard_units import standard_bits, standard_of, standardised_by
from stablebn.table.table import ContinuousTable, MixedTable

if TYPE_CHECKING:
    from typing_extensions import Self


class AvailableMixedStatistics(MixedColumns):
    """Counts and moments of categorical and continuous variables, of each set over the rows in which it is known.

    Parameters
    ----------
    table : MixedTable
        No column is constant.
    unit_free : bool
        Whether orders must not depend on units.
    threads : int

    Attributes
    ----------
    compiled : _core.AvailableMixed
        The columns from which the core makes scores and tests.
    """

    has_missing = True

    def __init__(self, table: MixedTable, *, unit_free: bool = False, threads: int = 1) -> None:
        categorical, continuous = table.categorical, table.continuous
        self.unit_free = unit_free
        self.has_units = not unit_free
        self.total = table.total
        self.threads = threads
        known = ~np.isnan(continuous.values)
        known_columns = [known_values(continuous, c) for c in range(len(continuous.names))]
        standards = [
            standard_of(Moments(ContinuousTable((name,), values[np.newaxis], weights)), 0, self.total)
            for name, (values, weights) in zip(continuous.names, known_columns, strict=True)
        ]
        standardised = standardised_by(standards, np.where(known, continuous.values, 0.0), threads)
        bits = standard_bits(self.total)
        floors = [
            floors_of(column[there][np.newaxis], bits)[0] for column, there in zip(standardised, known, strict=True)
        ]
        standardised[~known] = _core.AvailableMixed.HOLE
        levels = [len(labels) + (v in categorical.holes) for v, labels in enumerate(categorical.levels)]
        holes = [v in categorical.holes for v in range(len(levels))]
        counts = _core.Counts(categorical.codes, levels, table.weights, threads, counting.LIMITS, holes)
        self._hold(TableSource(table, threads=threads), standards)
        order = self.column_order
        self.compiled = _core.AvailableMixed(counts, standardised, bits, floors, order)
        self._number(order)

    def reordered(self, order: Sequence[int]) -> Self:
        """Return the statistics with the variables renumbered: new variable i is old variable order[i]."""
        statistics = copy(self)
        statistics.compiled = self.compiled.reordered(list(order))
        statistics._number([self._columns[v] for v in order])
        return statistics

    def in_memory(self, purpose: str) -> AvailableMixedStatistics:
        """Return these statistics, which have the rows in memory; `purpose` is not used."""
        return self

    def _correlations(self) -> NDArray[np.int64]:
        return AvailableMoments(self._table.continuous, unit_free=True).correlations()

    def column_products(self) -> ColumnProducts:
        """Raise `ValueError`: products of incomplete columns would have different rows for each pair."""
        raise ValueError("incomplete columns have no single matrix of products")
