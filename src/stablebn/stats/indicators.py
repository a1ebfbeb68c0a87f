"""Categorical variables as indicators of their levels: columns of 0 and 1 next to continuous ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stablebn.data.table import CategoricalTable
from stablebn.stats.moments import integer_products
from stablebn.stats.standard_units import whole_steps
from stablebn.stats.statistics import Blocks


@dataclass(frozen=True)
class Block:
    """The columns of one variable.

    Attributes
    ----------
    values : float64 array [columns, rows]
        Integers.
    frequencies : list of int
        How many rows, by weight, each level has, the one without a column first; empty of a continuous variable.
    """

    values: NDArray[np.float64]
    frequencies: list[int]


def indicators(table: CategoricalTable, column: int) -> Block:
    """Which rows have each level of a column but the first of those that occur: a declared one may not.

    Which one is left out does not matter to any bit of a score: see `src/core/covariance_blocks.hpp`.
    """
    codes = table.codes[column]
    counts = np.bincount(codes, weights=table.weights).astype(np.int64)
    levels = np.flatnonzero(counts)
    return Block((codes == levels[1:, None]).astype(np.float64), counts[levels].tolist())


def number(standardised: NDArray[np.int64]) -> Block:
    """A continuous column, of which the standardised values are given."""
    return Block(whole_steps(standardised)[np.newaxis], [])


def blocks_of(blocks: Sequence[Block], weights: NDArray[np.int64] | None, total: int, threads: int) -> Blocks:
    """The products of all columns of variables."""
    if not blocks:
        return Blocks(np.empty((0, 0), dtype=object), [], [])
    values = np.concatenate([block.values for block in blocks])
    ends = np.cumsum([len(block.values) for block in blocks]).tolist()
    columns = [list(range(end - len(block.values), end)) for end, block in zip(ends, blocks, strict=True)]
    products = integer_products(values, weights, total, threads)
    return Blocks(products, columns, [block.frequencies for block in blocks])
