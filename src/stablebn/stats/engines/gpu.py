"""The engine "gpu": rows are copied to a GPU and counted there, to the same integers as on the processor."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from stablebn.stats.engines.base import Engine
from stablebn.stats.engines.device import Device
from stablebn.stats.engines.device_counts import CategoricalColumns
from stablebn.stats.engines.device_sums import DeviceSums
from stablebn.stats.engines.disk import BlockSource
from stablebn.stats.engines.memory import TableSource
from stablebn.stats.exact_sums import ExactSums, Part
from stablebn.stats.row_source import Answers, CountQuery, RowSource, SumQuery, SupportQuery, levels_with_missing
from stablebn.stats.standard_units import Standard
from stablebn.table.blocks import AnyTable, BlockTable
from stablebn.table.data_kinds import categorical_part, continuous_part
from stablebn.table.table import Table

Outcome = TypeVar("Outcome")


class GpuSource(RowSource):
    """The rows of another source, copied to a device once.

    Parameters
    ----------
    source : RowSource
    device : Device
    """

    def __init__(self, source: RowSource, device: Device) -> None:
        xp = device.xp
        self.like = source.like
        self.total = source.total
        self.rows = source.rows
        self.memory = source.memory
        self.threads_per_block = source.threads_per_block
        self._source = source
        blocks = [
            [None if array is None else xp.asarray(array) for array in block] for block in source.map_blocks(_arrays)
        ]
        codes, values, weights = (
            parts[0] if parts[0] is None or len(parts) == 1 else xp.concatenate(parts, axis=-1)
            for parts in zip(*blocks, strict=True)
        )
        # CuPy adds up unsigned integers without losing one.
        weights = None if weights is None else weights.astype(xp.uint64)
        like = categorical_part(source.like)
        self._categorical = (
            None if like is None else CategoricalColumns(device, codes, weights, levels_with_missing(like))
        )
        values = xp.empty((0, source.rows)) if values is None else values
        self._sums = DeviceSums(device, values, weights, self._categorical)

    def map_blocks(self, function: Callable[..., Outcome], *arguments: object) -> Iterator[Outcome]:
        """Apply a function to every block and the arguments, on the processor."""
        return self._source.map_blocks(function, *arguments)

    def count(
        self,
        count_queries: Sequence[CountQuery],
        support_queries: Sequence[SupportQuery],
        sum_queries: Sequence[SumQuery] = (),
        standards: Sequence[Standard] = (),
    ) -> Answers:
        """Answer all queries."""
        assert self._categorical is not None, "counts are of categorical columns"
        return (
            self._categorical.crossed(count_queries) if count_queries else [],
            self._categorical.listed(support_queries),
            self._sums.summed(sum_queries, standards),
        )

    def sums(self, parts: Sequence[Part]) -> ExactSums:
        """Return exact sums of columns and of their products; the processor computes them if values are missing."""
        return super().sums(parts) if self.like.holes else self._sums.sums(parts)

    def distinct(self, column: int, standard: Standard, low: int, high: int) -> NDArray[np.int64]:
        """Return the distinct values of a continuous column in standard units that lie in a range, ascending."""
        return self._sums.distinct(column, standard, low, high)


def _arrays(block: Table) -> tuple[NDArray[Any] | None, NDArray[np.float64] | None, NDArray[np.int64] | None]:
    """Return the codes, values and weights of a block."""
    categorical, continuous = categorical_part(block), continuous_part(block)
    return (
        None if categorical is None else categorical.codes,
        None if continuous is None else continuous.values,
        block.weights,
    )


class GpuEngine(Engine):
    """Bring the rows of a table to the GPU of this machine and count them there."""

    def source(self, table: AnyTable, *, threads: int = 1) -> GpuSource:
        """Return a source of the rows of a table.

        Raises
        ------
        MissingExtraError
            If CuPy is not installed.
        OptionError
            If there is no GPU.
        """
        device = Device.gpu()
        if isinstance(table, BlockTable):
            return GpuSource(BlockSource(table, threads=threads), device)
        return GpuSource(TableSource(table, threads=threads), device)
