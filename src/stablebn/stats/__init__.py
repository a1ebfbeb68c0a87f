"""Statistics bound to one table: integer counts and exact moments, behind one interface."""

from __future__ import annotations

from stablebn.data.table import CategoricalTable, Table
from stablebn.stats.counts import Counts
from stablebn.stats.moments import Moments
from stablebn.stats.statistics import Statistics

__all__ = ["Counts", "Moments", "Statistics", "statistics_of"]


def statistics_of(table: Table, *, threads: int = 1) -> Counts | Moments:
    """The statistics from which scores, orders and tests of a table are made."""
    if isinstance(table, CategoricalTable):
        return Counts(table, threads=threads)
    return Moments(table, threads=threads)
