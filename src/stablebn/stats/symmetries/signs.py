"""Signs of continuous columns: a column and its mirror image are equivalent, even if units matter.

No score depends on signs, so no other decision may. A column with an asymmetric distribution has a canonical sign, the
one with which its values sort first. All other columns appear twice in the structures, as they are and mirrored, so
that a symmetry may change their signs.
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
    """Return all variables, then those without a canonical sign a second time, mirrored; and the signs of these points.

    Parameters
    ----------
    signs : sequence of int
        The canonical sign of each variable; 0 if it has none.
    """
    points = [*range(len(signs)), *(v for v, sign in enumerate(signs) if not sign)]
    return points, np.array([*(sign or 1 for sign in signs), *[-1] * (len(points) - len(signs))], dtype=np.int64)


@dataclass(frozen=True)
class Image:
    """A column in its own units, or its mirror image.

    Attributes
    ----------
    column : int
    sign : int
        1 or -1, by which values are multiplied.
    mirrored : array or None
        The distinct values, ascending, if the column is also reversed: the first becomes the last, and so on.
    """

    column: int
    sign: int
    mirrored: NDArray[np.float64] | None = None

    def of(self, block: ContinuousTable) -> NDArray[np.float64]:
        """Return the value in every row, with a single zero and a single NaN."""
        values: NDArray[np.float64] = self.sign * block.values[self.column] + 0.0
        known = ~np.isnan(values)
        values[~known] = np.nan
        if self.mirrored is not None:
            values[known] = self.mirrored[::-1][np.searchsorted(self.mirrored, values[known])]
        return values


class ColumnsInUnits:
    """Columns in their own units up to signs, compared by the bits of their values.

    Parameters
    ----------
    source : RowSource
        A source of continuous tables.
    """

    def __init__(self, source: RowSource) -> None:
        self._source = source
        self._images: dict[int, list[Image]] = {}

    def points(self, columns: Sequence[int]) -> list[int]:
        """Return the column of each point: all columns, then the symmetric ones a second time."""
        return points_of([len(self._images_of(column)) == 1 for column in columns])[0]

    def rows(self, columns: Sequence[int]) -> Structure:
        """Return the rows of these points as a structure."""
        images = [self._images_of(column) for column in columns]
        points = [column_images[0] for column_images in images] + [
            column_images[1] for column_images in images if len(column_images) > 1
        ]
        return rows_of(self._source, _bits_of_block, points)

    def _images_of(self, column: int) -> list[Image]:
        """Return the column with its canonical sign; and its mirror image, if the distribution is symmetric."""
        if column not in self._images:
            found = [*self._source.map_blocks(_counted_in_block, column)]
            values, times = distinct_counts(*(np.concatenate(parts) for parts in zip(*found, strict=True)))
            sign = first_image(values, times) or 1
            if sign < 0:
                values, times = -values[::-1] + 0.0, times[::-1]
            column_images = [Image(column, sign)]
            if is_symmetric(values, times):
                column_images.append(Image(column, sign, values))
            self._images[column] = column_images
        return self._images[column]


def is_symmetric(values: NDArray[np.float64], times: NDArray[np.int64]) -> bool:
    """Return whether a column has the same values equally often, bit by bit, once it is mirrored at its middle.

    Parameters
    ----------
    values, times : array
        As in `first_image`.
    """
    if not np.array_equal(times, times[::-1]):
        return False
    # Scale so that no sum overflows.
    one = np.ldexp(values, -int(np.frexp(np.abs(values).max())[1]))
    other = one[::-1]
    total = one + other
    # The rounding error of a sum of doubles is a double (Knuth).
    rest = total - one
    lost = (one - (total - rest)) + (other - rest)
    return bool((total == total[0]).all() and (lost == lost[0]).all())


def _counted_in_block(block: ContinuousTable, column: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    values = block.values[column]
    known = ~np.isnan(values)
    return distinct_counts(values[known] + 0.0, None if block.weights is None else block.weights[known])


def _bits_of_block(block: ContinuousTable, images: list[Image]) -> tuple[NDArray[np.uint64], NDArray[np.int64] | None]:
    return np.array([image.of(block) for image in images]).view(np.uint64), block.weights
