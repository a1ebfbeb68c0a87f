"""Statistics of categorical and continuous variables, queried from a row source."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from stablebn import _core
from stablebn.stats import counts as counting
from stablebn.stats.mixed import SMALLEST_RESIDUAL, MixedStatistics, floor_of, is_tiny_gap_among
from stablebn.stats.moments import Moments
from stablebn.stats.remote_counts import LANES
from stablebn.stats.row_source import Answers, ContinuousPart, CountQuery, RowSource, SumQuery, SupportQuery
from stablebn.stats.standard_units import Standard, standard_bits, standard_of, standardised_by
from stablebn.table.table import ContinuousTable, MixedTable

# Number of values of the first block by which a narrow range is chosen.
_FEW_VALUES = 256


class RemoteMixedStatistics(MixedStatistics):
    """Counts and sums of categorical and continuous variables that are queried from a row source.

    Parameters
    ----------
    source : RowSource
        A source of mixed tables without missing values.
    unit_free : bool
    threads : int
    """

    def __init__(self, source: RowSource, *, unit_free: bool = False, threads: int = 1) -> None:
        assert isinstance(source.like, MixedTable)
        part = ContinuousPart(source)
        self._moments = Moments(part, threads=threads)
        self.unit_free = unit_free
        self.has_units = not unit_free
        self.total = source.total
        self.threads = threads
        columns = range(len(part.like.names))
        standards = [standard_of(self._moments, v, source.total) for v in columns]
        levels = [len(labels) for labels in source.like.categorical.levels]
        self._hold(source, standards)
        standardised = _Standardised(source, standards)
        counts = _core.Counts.of_source(standardised, levels, source.total, max(threads, LANES), counting.LIMITS)
        order = self.column_order
        floors = [_floor(part, v, standard) for v, standard in enumerate(standards)]
        self.compiled = _core.ConditionalGaussian.of_source(counts, standard_bits(source.total), floors, order)
        self._number(order)

    def in_memory(self, purpose: str) -> MixedStatistics:
        """Return statistics of the same variables with the rows in memory; `purpose` is for error messages.

        Raises
        ------
        OptionError
            If the rows need more memory than they may take.
        """
        table = self._source.fetch(purpose)
        assert isinstance(table, MixedTable)
        statistics = MixedStatistics(table, unit_free=self.unit_free, threads=self.threads)
        statistics.has_units = self.has_units
        place = {column: v for v, column in enumerate(statistics.column_order)}
        return statistics.reordered([place[column] for column in self._columns])


class _Standardised:
    """Answer the queries of the core, with continuous columns in standard units."""

    def __init__(self, source: RowSource, standards: list[Standard]) -> None:
        self._source = source
        self._standards = standards

    def count(
        self,
        count_queries: Sequence[CountQuery],
        support_queries: Sequence[SupportQuery],
        sum_queries: Sequence[SumQuery],
    ) -> Answers:
        """Answer all queries in one pass."""
        return self._source.count(count_queries, support_queries, sum_queries, self._standards)


def _floor(part: RowSource, v: int, standard: Standard) -> float:
    """Return the least variance that a column can have in a stratum, as `floors_of` does."""
    few = next(iter(part.map_blocks(_few_values, v, standard)))
    low, high = int(few[len(few) // 2 - len(few) // 64]), int(few[len(few) // 2 + len(few) // 64])
    if is_tiny_gap_among(part.distinct(v, standard, low, high), standard.bits):
        return SMALLEST_RESIDUAL
    info = np.iinfo(np.int64)
    return floor_of(part.distinct(v, standard, int(info.min), int(info.max)), standard.bits)


def _few_values(block: ContinuousTable, v: int, standard: Standard) -> NDArray[np.int64]:
    values = block.values[[v], :: max(block.rows // _FEW_VALUES, 1)]
    return np.sort(standardised_by([standard], np.ascontiguousarray(values), 1)[0])
