"""Statistics of one table: integer counts and exact moments, the same for every engine that counts the rows."""

from __future__ import annotations

from typing import TypeAlias

from stablebn.stats.base import Statistics
from stablebn.stats.correlations import MeasuredMoments, StandardisedMoments
from stablebn.stats.counts import Counts
from stablebn.stats.engines.registry import source_of
from stablebn.stats.incomplete import AvailableMoments
from stablebn.stats.incomplete_mixed import AvailableMixedStatistics
from stablebn.stats.mixed import MixedStatistics
from stablebn.stats.moments import Moments
from stablebn.stats.row_source import RowSource
from stablebn.table.blocks import AnyTable
from stablebn.table.data_kinds import kind_of

__all__ = [
    "AnyStatistics",
    "AvailableMixedStatistics",
    "AvailableMoments",
    "Counts",
    "MeasuredMoments",
    "MixedStatistics",
    "Moments",
    "StandardisedMoments",
    "Statistics",
    "source_of",
    "statistics_of",
]

AnyStatistics: TypeAlias = Counts | Moments | AvailableMoments | MixedStatistics | AvailableMixedStatistics
"""Statistics of any table."""


def statistics_of(table: AnyTable | RowSource, *, unit_free: bool = False, threads: int = 1) -> AnyStatistics:
    """Return the statistics of which scores, orders and tests are made, of a table or of the rows of an engine."""
    source = table if isinstance(table, RowSource) else source_of(table, threads=threads)
    in_memory = source.in_memory
    if in_memory is None and source.like.holes:
        in_memory = source.fetch('missing="available"')
    kind = kind_of(source.like)
    statistics: AnyStatistics = (
        kind.source_statistics(source, unit_free=unit_free, threads=threads)
        if in_memory is None
        else kind.statistics(in_memory, unit_free=unit_free, threads=threads)
    )
    return statistics
