"""Statistics bound to one table: integer counts and exact moments, of strata too, behind one interface."""

from __future__ import annotations

from typing import TypeAlias

from stablebn.stats.base import Statistics
from stablebn.stats.correlations import MeasuredMoments, StandardisedMoments
from stablebn.stats.counts import Counts
from stablebn.stats.engines.dask import ElsewhereSource
from stablebn.stats.incomplete import AvailableMoments
from stablebn.stats.incomplete_mixed import AvailableMixedStatistics
from stablebn.stats.mixed import MixedStatistics
from stablebn.stats.moments import Moments
from stablebn.stats.remote_counts import counts_of
from stablebn.stats.remote_mixed import AskedMixed
from stablebn.stats.row_source import BlockSource, RowSource, TableSource
from stablebn.table.blocks import AnyTable, BlockTable
from stablebn.table.table import CategoricalTable, MixedTable

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
    """The statistics from which scores, orders and tests of a table are made, or of rows that somebody else has."""
    if isinstance(table, BlockTable):
        table = BlockSource(table, threads=threads) if table.remote is None else ElsewhereSource(table)
    if isinstance(table, RowSource):
        return _asked_statistics(table, unit_free=unit_free, threads=threads)
    if isinstance(table, CategoricalTable):
        return Counts(table, threads=threads)
    if isinstance(table, MixedTable):
        if table.holes:
            return AvailableMixedStatistics(table, unit_free=unit_free, threads=threads)
        return MixedStatistics(table, unit_free=unit_free, threads=threads)
    if table.holes:
        return AvailableMoments(table, unit_free=unit_free, threads=threads)
    moments = Moments(table, threads=threads)
    return StandardisedMoments(moments) if unit_free else moments


def _asked_statistics(source: RowSource, *, unit_free: bool = False, threads: int = 1) -> AnyStatistics:
    if source.like.holes:
        return statistics_of(source.fetch('missing="available"'), unit_free=unit_free, threads=threads)
    if isinstance(source.like, CategoricalTable):
        return counts_of(source, threads=threads)
    if isinstance(source.like, MixedTable):
        return AskedMixed(source, unit_free=unit_free, threads=threads)
    moments = Moments(source, threads=threads)
    return StandardisedMoments(moments) if unit_free else moments


def source_of(table: AnyTable, engine: str, *, threads: int = 1) -> RowSource:
    """The rows of a table, for an engine to count."""
    # Here and not above: few runs need it.
    from stablebn.stats.engines.device import Device
    from stablebn.stats.engines.gpu import GpuSource

    assert engine == "gpu"
    device = Device.gpu()
    if isinstance(table, BlockTable):
        return GpuSource(BlockSource(table, threads=threads), device)
    return GpuSource(TableSource(table, threads=threads), device)
