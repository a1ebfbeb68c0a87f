"""The interface of an engine: how it makes a row source of a prepared table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

from stablebn.stats.row_source import RowSource
from stablebn.table.blocks import AnyTable

if TYPE_CHECKING:
    from stablebn.prepare.dask.workers import DaskCluster


class Engine(ABC):
    """Count and sum the rows of tables in one particular way.

    Attributes
    ----------
    has_workers : bool
        Whether the workers of a cluster read the table: only then `client=` can be given, and `cache=` cannot.
    """

    has_workers: ClassVar[bool] = False

    def cluster(self, client: object) -> DaskCluster | None:
        """Return the cluster whose workers read the table; None if this process reads it."""
        return None

    @abstractmethod
    def source(self, table: AnyTable, *, threads: int = 1) -> RowSource:
        """Return a source of the rows of a table, in memory or in blocks."""
