"""Distinguish columns with equal values by their joint values with the other columns.

Names, the signs of other columns and the labels of levels play no part.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from stablebn.columns.kinds import AnyNumber, distinct_counts
from stablebn.table.blocks import AnyTable, by_kind, each_block, like_of
from stablebn.table.table import CategoricalTable, ContinuousTable, Name, Table


def first_image(values: NDArray[AnyNumber], times: NDArray[np.int64]) -> int:
    """Return which comes first in sorted order: 1 the column, -1 its mirror image, 0 if they are equal.

    Parameters
    ----------
    values : array
        The distinct values of the column, ascending.
    times : array
        Number of rows of each value.
    """
    for image, mirrored in ((values, -values[::-1]), (times, times[::-1])):
        different = np.flatnonzero(image != mirrored)
        if different.size:
            return 1 if image[different[0]] < mirrored[different[0]] else -1
    return 0


def values_and_times(table: AnyTable, name: Name) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the distinct values of a continuous column, ascending, and the number of rows of each, by weight."""
    blocks = [*each_block(table, _counted_values, name)]
    return distinct_counts(*(np.concatenate(parts) for parts in zip(*blocks, strict=True)))


def joint_values(table: AnyTable, name: Name, others: Sequence[Name]) -> list[list[bytes]]:
    """Return, for each of the other columns, a sort key of its joint counts with a continuous column; sorted."""
    values, _ = values_and_times(table, name)
    found = []
    for part in by_kind(table):
        like = like_of(part)
        for column, other in enumerate(part.names):
            if other not in others:
                continue
            if isinstance(like, CategoricalTable):
                pairs = _pairs(table, name, values, other, None, len(like.levels[column]) + 1)
                found.append(_with_levels(*pairs))
            else:
                theirs, times = values_and_times(table, other)
                pairs = _pairs(table, name, values, other, theirs, len(theirs) + 1)
                sign = first_image(theirs, times)
                found.append(min(_with_numbers(*pairs, len(theirs), own) for own in ([sign] if sign else [1, -1])))
    return sorted(found)


def _with_numbers(
    ranks: NDArray[np.int64], codes: NDArray[np.int64], times: NDArray[np.int64], values: int, sign: int
) -> list[bytes]:
    """Sort value pairs canonically; `values` is the number of values of the other column, sign -1 reverses it."""
    if sign < 0:
        # The code of a missing value stays the last one.
        codes = np.where(codes == values, codes, values - 1 - codes)
    order = np.lexsort((codes, ranks))
    return [_bytes(own[order]) for own in (ranks, codes, times)]


def _with_levels(ranks: NDArray[np.int64], codes: NDArray[np.int64], times: NDArray[np.int64]) -> list[bytes]:
    """Sort the pairs of each level, and the levels by their pairs, so that labels play no part."""
    return sorted(_bytes(ranks[codes == code]) + _bytes(times[codes == code]) for code in np.unique(codes))


def _bytes(numbers: NDArray[np.int64]) -> bytes:
    """Convert integers to big-endian bytes, which are equal on every machine."""
    return numbers.astype(">i8").tobytes()


def _pairs(
    table: AnyTable,
    name: Name,
    values: NDArray[np.float64],
    other: Name,
    theirs: NDArray[np.float64] | None,
    width: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the pairs of ranks and codes that occur, and the number of rows of each."""
    blocks = [*each_block(table, _pairs_of_block, name, values, other, theirs, width)]
    pairs, times = distinct_counts(*(np.concatenate(parts) for parts in zip(*blocks, strict=True)))
    return pairs // width, pairs % width, times


def _pairs_of_block(
    block: Table,
    name: Name,
    values: NDArray[np.float64],
    other: Name,
    theirs: NDArray[np.float64] | None,
    width: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return distinct_counts(_codes(block, name, values) * width + _codes(block, other, theirs), block.weights)


def _codes(block: Table, name: Name, values: NDArray[np.float64] | None) -> NDArray[np.int64]:
    """Return codes of a categorical column, or ranks of the values of a continuous one; missing values come last."""
    part, column = _column(block, name)
    if values is None:
        assert isinstance(part, CategoricalTable)
        return np.asarray(part.codes[column], dtype=np.int64)
    assert isinstance(part, ContinuousTable)
    return np.asarray(np.searchsorted(values, part.values[column]), dtype=np.int64)


def _counted_values(block: Table, name: Name) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    part, column = _column(block, name)
    assert isinstance(part, ContinuousTable)
    values = part.values[column]
    known = ~np.isnan(values)
    return distinct_counts(values[known] + 0.0, None if block.weights is None else block.weights[known])


def _column(block: Table, name: Name) -> tuple[Table, int]:
    """Return the part of a block that has a column, and the index of the column there."""
    part = next(part for part in by_kind(block) if name in part.names)
    return like_of(part), part.names.index(name)
