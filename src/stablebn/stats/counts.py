"""Joint counts of categorical variables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from stablebn.data.table import CategoricalTable
from stablebn.kernels import bitsets, counting
from stablebn.kernels.cells import MOST_PLACES, joint_cells
from stablebn.stats.crew import crew

if TYPE_CHECKING:
    from stablebn.stats.joint import JointTables

Terms = NDArray[np.int64]
"""Limbs of fixed-point numbers, one row (hi, lo) a variable."""

# Measured, in nanoseconds: a row by histogram, and a bit of a level.
_ROW_BY_HISTOGRAM = 1 / 1.4
_ROW_TO_BIT = 1 / 14

WIDEST = 128
"""Variables with more levels have no bits, and no rows in joint tables."""
# Measured: up to so many cells, bits are counted in less time than rows.
MOST_CELLS_FOR_BITS = 500

_NO_TABLE = np.empty((0, 2), dtype=np.int64)
_NO_PRIORS = np.empty(0, dtype=np.float64)


class Counts:
    """Integer contingency counts of any set of a table's variables.

    Parameters
    ----------
    table : CategoricalTable
    threads : int
        How many threads count at once. The counts are the same integers for any number.
    """

    def __init__(self, table: CategoricalTable, *, threads: int = 1) -> None:
        self.table = table
        self.crew = crew(threads)
        self.total = table.total
        self.n = len(table.names)
        self._level_numbers = [len(levels) for levels in table.levels]
        self.levels = np.array(self._level_numbers, dtype=np.int64)
        self.weights = np.empty(0, dtype=np.int64) if table.weights is None else table.weights
        self.narrow = self.levels <= WIDEST
        self.wide = [v for v, size in enumerate(self._level_numbers) if size > WIDEST]
        lengths = np.where(self.narrow, self.levels, 0)
        self.first = np.cumsum(lengths) - lengths
        self._renumbered: dict[tuple[int, ...], Counts] = {}

    def states(self, variables: Sequence[int]) -> int:
        """Number of joint configurations of some variables, seen or not."""
        return math.prod([self._level_numbers[v] for v in variables])

    def reordered(self, order: Sequence[int]) -> Counts:
        """The counts of the same variables renumbered so that new i is old order[i]; the same object if asked again."""
        key = tuple(order)
        if key not in self._renumbered:
            counts = Counts(self.table.select(order))
            counts.crew = self.crew
            # Bits and rows of tables stay where they are: only where each variable's start is renumbered.
            counts.first = self.first[list(order)]
            counts.__dict__["packed"] = self.packed
            counts.__dict__["tables"] = self.tables.renumbered(counts)
            self._renumbered[key] = counts
        return self._renumbered[key]

    @cached_property
    def tables(self) -> JointTables:
        """The joint tables, shared by all scores and tests."""
        # Here and not above: each needs the other.
        from stablebn.stats.joint import JointTables

        return JointTables(self)

    @cached_property
    def packed(self) -> NDArray[np.uint64]:
        """Rows of every level of the narrow variables as bits, those of v from first[v] on; none with weights."""
        if self.weights.size:
            return np.empty((0, 0), dtype=np.uint64)
        rows = self.table.codes.shape[1]
        packed = np.empty((int(self.levels[self.narrow].sum()), -(-rows // bitsets.WORD)), dtype=np.uint64)

        def pack(variables: NDArray[np.int64]) -> None:
            bitsets.pack_levels(self.table.codes, self.first, self.levels, variables, packed)

        self.crew.share(pack, self.narrow.nonzero()[0], _ROW_TO_BIT * rows * len(packed))
        return packed

    def partition(self, variables: Sequence[int]) -> tuple[NDArray[np.int32], int]:
        """Group number of every row by the values of some variables, and the number of groups."""
        group: NDArray[np.int32] = np.zeros(self.table.codes.shape[1], dtype=np.int32)
        groups = 1
        for v in variables:
            group, groups = counting.split_groups(group, groups, self.table.codes[v], self.levels[v])
        return group, int(groups)

    def cells(self, variables: Sequence[int]) -> NDArray[np.int64]:
        """The positive counts of the joint table of some variables, in no particular order."""
        counts: NDArray[np.int64]
        if len(variables) and self.states(variables) <= min(self.table.codes.shape[1], MOST_PLACES):
            counts = joint_cells(np.array(variables, dtype=np.int64), *self.rows)
        else:
            counts = counting.group_counts(*self.partition(variables), self.weights)
        return counts[counts > 0]

    def extension_sums(
        self,
        base: Sequence[int],
        candidates: NDArray[np.int64],
        *,
        table: NDArray[np.int64] = _NO_TABLE,
        priors: NDArray[np.float64] = _NO_PRIORS,
    ) -> Terms:
        """Sum over the cells of base + u, for each candidate u (other rows are 0).

        Parameters
        ----------
        base : sequence of int
        candidates : int64 array
        table : int64 array [T, 2]
            Limbs of m ln m, to be summed where there are no priors.
        priors : float64 array [n]
            Prior count of a cell by candidate, for sums of Dirichlet terms.
        """
        out = np.zeros((self.n, 2), dtype=np.int64)
        group, groups = self.partition(base)

        def count(part: NDArray[np.int64]) -> None:
            own = priors[part] if priors.size else priors
            counting.extension_sums(group, groups, self.table.codes, self.levels, part, self.weights, table, own, out)

        self.crew.share(count, candidates, _ROW_BY_HISTOGRAM * group.size * candidates.size)
        return out

    @cached_property
    def rows(self) -> tuple[object, ...]:
        """The rows in every form that `kernels.contingency` may want; bits only where all variables have them."""
        packed = np.empty((0, 0), dtype=np.uint64) if self.wide else self.packed
        return self.table.codes, packed, self.first, self.levels, self.weights, MOST_CELLS_FOR_BITS
