"""Categorical variables as indicators of their levels: columns of 0 and 1 next to continuous ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from stablebn.data.table import ContinuousTable, MixedTable
from stablebn.stats.moments import integer_products
from stablebn.stats.sources import RowSource
from stablebn.stats.standard_units import Standard, standardised_by, whole_steps
from stablebn.stats.statistics import Blocks

Outcome = TypeVar("Outcome")


@dataclass(frozen=True)
class Indicators:
    """The columns of a categorical variable: which rows have each level but the first of those that occur.

    Which one is left out does not matter to any bit of a score: see `src/core/covariance_blocks.hpp`.

    Attributes
    ----------
    column : int
        Among the categorical columns.
    levels : tuple of int
        Those that have a column.
    """

    column: int
    levels: tuple[int, ...]


@dataclass(frozen=True)
class Number:
    """The column of a continuous variable, in standard units.

    Attributes
    ----------
    column : int
        Among the continuous columns.
    standard : Standard
    """

    column: int
    standard: Standard


def blocks_of(source: RowSource, variables: Sequence[int | Number]) -> Blocks:
    """The products of all columns of variables, of which categorical ones are given by column."""
    listed = [[own] for own in variables if isinstance(own, int)]
    found = source.count([], listed)[1] if listed else []
    counts = {
        column: dict(zip(keys[:, 0].tolist(), sizes.tolist(), strict=True))
        for [column], (keys, sizes) in zip(listed, found, strict=True)
    }
    parts = [own if isinstance(own, Number) else _indicators(own, counts[own]) for own in variables]
    columns: list[list[int]] = []
    end = 0
    for part in parts:
        width = 1 if isinstance(part, Number) else len(part.levels)
        columns.append(list(range(end, end + width)))
        end += width
    frequencies = [
        [] if isinstance(own, Number) else [counts[own][level] for level in sorted(counts[own])] for own in variables
    ]
    if not parts:
        return Blocks(np.empty((0, 0), dtype=object), [], [])
    return Blocks(integer_products(_Columns(source, parts, end)), columns, frequencies)


def _indicators(column: int, counts: Mapping[int, int]) -> Indicators:
    return Indicators(column, tuple(sorted(counts)[1:]))


class _Columns(RowSource):
    """Indicators and standardised columns of the rows of a source, as continuous tables of integers."""

    def __init__(self, source: RowSource, parts: list[Indicators | Number], columns: int) -> None:
        self.like = ContinuousTable(tuple(range(columns)), np.empty((columns, 0)))
        self.total = source.total
        self.rows = source.rows
        self.threads_a_block = source.threads_a_block
        self._source = source
        self._parts = parts

    def each(self, function: Callable[..., Outcome], *arguments: object) -> Iterator[Outcome]:
        """What a function makes of these columns of every block and the arguments."""
        return self._source.each(_of_columns, self._parts, function, *arguments)


def _of_columns(
    block: Any, parts: list[Indicators | Number], function: Callable[..., Outcome], *arguments: object
) -> Outcome:
    categorical, continuous = (block.categorical, block.continuous) if isinstance(block, MixedTable) else (block, block)
    values = []
    for part in parts:
        if isinstance(part, Number):
            own = standardised_by([part.standard], continuous.values[[part.column]], 1)
            values.append(whole_steps(own, part.standard.rows))
        else:
            levels = np.array(part.levels, dtype=np.int64)[:, np.newaxis]
            values.append((categorical.codes[part.column] == levels).astype(np.float64))
    columns = np.concatenate(values)
    return function(ContinuousTable(tuple(range(len(columns))), columns, block.weights), *arguments)
