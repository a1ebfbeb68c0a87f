"""Categorical variables as indicators of their levels: columns of 0 and 1 next to continuous ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stablebn.data.table import CategoricalTable, ContinuousTable
from stablebn.stats.moments import Moments
from stablebn.stats.statistics import Blocks


@dataclass(frozen=True)
class Block:
    """The columns of one variable.

    Attributes
    ----------
    values : float64 array [columns, rows]
    frequencies : list of int
        How many rows, by weight, each indicator has; empty of a continuous variable.
    """

    values: NDArray[np.float64]
    frequencies: list[int]


def indicators(table: CategoricalTable, column: int, order: Sequence[int]) -> Block:
    """Which rows have each level of a column but the first.

    Parameters
    ----------
    table : CategoricalTable
    column : int
    order : sequence of int
        The codes that occur, in canonical order (`level_orders`): which one is left out, which cannot matter but to the
        last bits, is up to the data. A declared level that no row has is no column, as it does not vary.
    """
    codes = table.codes[column]
    rest = np.array(order[1:], dtype=np.int64)
    counts = np.bincount(codes, weights=table.weights).astype(np.int64)
    return Block((codes == rest[:, None]).astype(np.float64), counts[rest].tolist())


def correlated(blocks: Sequence[Block], weights: NDArray[np.int64] | None, threads: int) -> Blocks:
    """The correlations of all columns of variables."""
    if not blocks:
        return Blocks(np.empty((0, 0)), [], [])
    values = np.concatenate([block.values for block in blocks])
    names = tuple(range(len(values)))
    moments = Moments(ContinuousTable(names, values, weights), threads=threads)
    ends = np.cumsum([len(block.values) for block in blocks]).tolist()
    columns = [list(range(end - len(block.values), end)) for end, block in zip(ends, blocks, strict=True)]
    return Blocks(moments.blocks().correlations, columns, [block.frequencies for block in blocks])
