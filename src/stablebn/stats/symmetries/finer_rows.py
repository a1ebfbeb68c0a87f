"""Rows with unrounded continuous values, which distinguish near copies of a column.

Rows are first compared by values that are rounded to 2**-16 standard deviations, so that two columns with smaller
differences look equal. Here values are equal only if no gap separates them that is wider than the rounding of a change
of units.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from stablebn.stats.row_source import RowSource
from stablebn.stats.symmetries.distinct_rows import rows_of
from stablebn.stats.symmetries.symmetry import MOST_WORK, Structure

# The code of a missing value: no index among the values is negative.
_MISSING = -1


class ComparedPoint(Protocol):
    """A column, mirrored or not; it is pickled with the function that reads its values."""

    @property
    def tolerance(self) -> float:
        """Return the largest gap between equal values; 0 if the values are codes."""


SomePoint = TypeVar("SomePoint", bound=ComparedPoint)


class FinerRows:
    """The rows of a table as a structure, computed when it is first used.

    Parameters
    ----------
    source : RowSource
    points : sequence of ComparedPoint
    groups : sequence of sequences of int
        Points that may be exchanged: values of a group are compared with each other.
    values_of_block : callable
        Takes a block and a point; returns the codes or the standardised values, NaN if missing.
    """

    def __init__(
        self,
        source: RowSource,
        points: Sequence[SomePoint],
        groups: Sequence[Sequence[int]],
        values_of_block: Callable[[Any, SomePoint], NDArray[Any]],
    ) -> None:
        self._source = source
        self._points = points
        grouped = {point for group in groups for point in group}
        self._groups = [*groups, *([point] for point in range(len(points)) if point not in grouped)]
        self._values_of_block = values_of_block

    @property
    def is_too_large(self) -> bool:
        """Return whether there are more values than `MOST_WORK`."""
        return self._source.rows * len(self._points) > MOST_WORK

    def keeps(self, symmetry: Mapping[int, int]) -> bool:
        """Return whether the rows stay the same if a symmetry moves the points."""
        moved = [(point, image) for point, image in symmetry.items() if point != image]
        if all(self._are_identical(point, image) for point, image in moved):
            return True
        points = range(len(self._points))
        return self._rows.same(points, [symmetry.get(point, point) for point in points])

    def _are_identical(self, point: int, image: int) -> bool:
        pair = [self._points[point], self._points[image]]
        return all(self._source.map_blocks(_are_equal, self._values_of_block, *pair))

    @cached_property
    def _rows(self) -> Structure:
        starts: list[NDArray[np.float64] | None] = [None] * len(self._points)
        for group in self._groups:
            grouped_points = [self._points[point] for point in group]
            tolerance = max(point.tolerance for point in grouped_points)
            if tolerance:
                found = np.unique(
                    np.concatenate([*self._source.map_blocks(_values, self._values_of_block, grouped_points)])
                )
                first = np.concatenate([[True], np.diff(found) > tolerance])
                for point in group:
                    starts[point] = found[first]
        return rows_of(self._source, _codes_of_block, self._values_of_block, self._points, starts)

    @property
    def cells(self) -> int:
        """Return the number of values that a full pass reads."""
        return self._rows.cells

    def colours(self, classes: Sequence[int], wanted: Sequence[int]) -> list[int]:
        """Return a colour for each wanted point, made from the classes of all."""
        return self._rows.colours(classes, wanted)

    def exchangeable(self, u: int, v: int) -> bool:
        """Return whether the rows stay the same if two points are exchanged."""
        return self._are_identical(u, v) or self._rows.exchangeable(u, v)

    def certificate(self, order: Sequence[int]) -> int:
        """Return a hash of the rows with the points in this order."""
        return self._rows.certificate(order)

    def same(self, order: Sequence[int], other: Sequence[int]) -> bool:
        """Return whether the rows are the same with the points in either order."""
        return self._rows.same(order, other)


def _are_equal(
    block: Any, values_of_block: Callable[..., NDArray[Any]], one: ComparedPoint, other: ComparedPoint
) -> bool:
    return np.array_equal(values_of_block(block, one), values_of_block(block, other), equal_nan=True)


def _values(
    block: Any, values_of_block: Callable[..., NDArray[Any]], points: Sequence[ComparedPoint]
) -> NDArray[np.float64]:
    values: NDArray[np.float64] = np.concatenate([values_of_block(block, point) for point in points])
    known: NDArray[np.float64] = values[~np.isnan(values)]
    return known


def _codes_of_block(
    block: Any,
    values_of_block: Callable[..., NDArray[Any]],
    points: Sequence[ComparedPoint],
    starts: Sequence[NDArray[np.float64] | None],
) -> tuple[NDArray[np.int32], NDArray[np.int64] | None]:
    codes = np.empty((len(points), block.rows), dtype=np.int32)
    for row, point, first in zip(codes, points, starts, strict=True):
        values = values_of_block(block, point)
        if first is None:
            row[:] = values
        else:
            row[:] = np.where(np.isnan(values), _MISSING, np.searchsorted(first, values, side="right") - 1)
    return codes, block.weights
