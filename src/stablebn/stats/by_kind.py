"""The statistics of each kind of data; `stablebn.table.data_kinds` names them."""

from __future__ import annotations

from stablebn.stats.correlations import StandardisedMoments
from stablebn.stats.counts import Counts
from stablebn.stats.incomplete import AvailableMoments
from stablebn.stats.incomplete_mixed import AvailableMixedStatistics
from stablebn.stats.mixed import MixedStatistics
from stablebn.stats.moments import Moments
from stablebn.stats.remote_counts import counts_of
from stablebn.stats.remote_mixed import RemoteMixedStatistics
from stablebn.stats.row_source import RowSource
from stablebn.table.table import CategoricalTable, ContinuousTable, MixedTable


def categorical(table: CategoricalTable, *, unit_free: bool, threads: int) -> Counts:
    """Count a categorical table; its variables have no units."""
    return Counts(table, threads=threads)


def categorical_source(source: RowSource, *, unit_free: bool, threads: int) -> Counts:
    """Count the rows of a source of categorical tables; its variables have no units."""
    return counts_of(source, threads=threads)


def continuous(table: ContinuousTable, *, unit_free: bool, threads: int) -> Moments | AvailableMoments:
    """Compute the moments of a continuous table."""
    if table.holes:
        return AvailableMoments(table, unit_free=unit_free, threads=threads)
    moments = Moments(table, threads=threads)
    return StandardisedMoments(moments) if unit_free else moments


def continuous_source(source: RowSource, *, unit_free: bool, threads: int) -> Moments:
    """Compute the moments of a source of continuous tables without missing values."""
    moments = Moments(source, threads=threads)
    return StandardisedMoments(moments) if unit_free else moments


def mixed(table: MixedTable, *, unit_free: bool, threads: int) -> MixedStatistics | AvailableMixedStatistics:
    """Compute the counts and moments of a mixed table."""
    statistics = AvailableMixedStatistics if table.holes else MixedStatistics
    return statistics(table, unit_free=unit_free, threads=threads)


def mixed_source(source: RowSource, *, unit_free: bool, threads: int) -> MixedStatistics:
    """Compute the counts and moments of a source of mixed tables without missing values."""
    return RemoteMixedStatistics(source, unit_free=unit_free, threads=threads)
