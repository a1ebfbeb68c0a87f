"""Signs: a continuous column and its mirror image say the same, also where units mean something.

No score knows a sign, so nothing else may. A column whose values are not distributed symmetrically has a sign of its
own, the one with which its values come first. All others stand twice in the structures, as they are and mirrored, so
that symmetries may turn them round.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stablebn.columns.joint_values import first_image
from stablebn.columns.kinds import distinct_counts
from stablebn.stats.row_source import RowSource
from stablebn.stats.symmetries.distinct_rows import rows_of
from stablebn.stats.symmetries.symmetry import Structure
from stablebn.table.table import ContinuousTable


def points_of(signs: Sequence[int]) -> tuple[list[int], NDArray[np.int64]]:
    """Every variable, and those that have no sign of their own a second time, mirrored; and the signs of these points.

    Parameters
    ----------
    signs : sequence of int
        Of each variable, 0: it has none.
    """
    points = [*range(len(signs)), *(v for v, sign in enumerate(signs) if not sign)]
    return points, np.array([*(sign or 1 for sign in signs), *[-1] * (len(points) - len(signs))], dtype=np.int64)


@dataclass(frozen=True)
class Image:
    """A column in its own units, or a mirror image of it.

    Attributes
    ----------
    column : int
    sign : int
        -1: minus the column.
    mirrored : array or None
        Turned round besides, each of these values, ascending, becoming that which is as far from the other end.
    """

    column: int
    sign: int
    mirrored: NDArray[np.float64] | None = None

    def of(self, block: ContinuousTable) -> NDArray[np.float64]:
        """The value in every row; there is only one zero, and one way to be missing."""
        values: NDArray[np.float64] = self.sign * block.values[self.column] + 0.0
        known = ~np.isnan(values)
        values[~known] = np.nan
        if self.mirrored is not None:
            values[known] = self.mirrored[::-1][np.searchsorted(self.mirrored, values[known])]
        return values


class ColumnsInUnits:
    """Columns as they are but for their signs, by the bits of their values.

    Parameters
    ----------
    source : RowSource
        Of continuous tables.
    """

    def __init__(self, source: RowSource) -> None:
        self._source = source
        self._images: dict[int, list[Image]] = {}

    def points(self, columns: Sequence[int]) -> list[int]:
        """Which of some columns each point is: all, and symmetric ones a second time."""
        return points_of([len(self._images_of(column)) == 1 for column in columns])[0]

    def rows(self, columns: Sequence[int]) -> Structure:
        """The rows of these points as a structure."""
        images = [self._images_of(column) for column in columns]
        points = [own[0] for own in images] + [own[1] for own in images if len(own) > 1]
        return rows_of(self._source, _bits_of_block, points)

    def _images_of(self, column: int) -> list[Image]:
        """The column with the sign that comes first; and, where it cannot be told from it, its mirror image."""
        if column not in self._images:
            found = [*self._source.map_blocks(_counted_in_block, column)]
            values, times = distinct_counts(*(np.concatenate(parts) for parts in zip(*found, strict=True)))
            sign = first_image(values, times) or 1
            if sign < 0:
                values, times = -values[::-1] + 0.0, times[::-1]
            own = [Image(column, sign)]
            if is_symmetric(values, times):
                own.append(Image(column, sign, values))
            self._images[column] = own
        return self._images[column]


def is_symmetric(values: NDArray[np.float64], times: NDArray[np.int64]) -> bool:
    """Whether a column has the same values, as often, once it is mirrored at its middle; none of their bits is lost.

    Parameters
    ----------
    values, times : array
        As of `first_image`.
    """
    if not np.array_equal(times, times[::-1]):
        return False
    # In units in which no sum is too large.
    one = np.ldexp(values, -int(np.frexp(np.abs(values).max())[1]))
    other = one[::-1]
    total = one + other
    # What is lost in a sum of doubles is a double (Knuth).
    rest = total - one
    lost = (one - (total - rest)) + (other - rest)
    return bool((total == total[0]).all() and (lost == lost[0]).all())


def _counted_in_block(block: ContinuousTable, column: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    values = block.values[column]
    known = ~np.isnan(values)
    return distinct_counts(values[known] + 0.0, None if block.weights is None else block.weights[known])


def _bits_of_block(block: ContinuousTable, images: list[Image]) -> tuple[NDArray[np.uint64], NDArray[np.int64] | None]:
    return np.array([image.of(block) for image in images]).view(np.uint64), block.weights
