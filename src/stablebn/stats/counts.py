"""Joint counts of categorical variables."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from stablebn.data.table import CategoricalTable
from stablebn.kernels import bitsets, contingency, counting

Terms = NDArray[np.int64]
"""Limbs of fixed-point numbers, one row (hi, lo) a variable."""

# Measured: bits look at 440 rows a nanosecond and cell, a histogram at 1.4 rows a nanosecond whatever the cells.
MOST_CELLS_FOR_BITS = 300
_CELL_BY_BITS = 1 / 440
_ROW_BY_HISTOGRAM = 1 / 1.4
# Nanoseconds of work below which handing it to a second thread costs more than it saves.
_WORTH_A_THREAD = 200_000

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
        self.threads = threads
        self.total = table.total
        self.n = len(table.names)
        self.levels = np.array([len(levels) for levels in table.levels], dtype=np.int64)
        self._weights = np.empty(0, dtype=np.int64) if table.weights is None else table.weights

    def states(self, variables: Sequence[int]) -> int:
        """Number of joint configurations of some variables, seen or not."""
        return math.prod(int(self.levels[v]) for v in variables)

    def reordered(self, order: Sequence[int]) -> Counts:
        """The counts of the same variables renumbered so that new i is old order[i]."""
        counts = Counts(self.table.select(order), threads=self.threads)
        if "_packed" in self.__dict__:
            # The bits stay where they are; only where each variable's levels start is renumbered.
            counts.__dict__.update(
                _packed=self._packed, _level_sizes=self._level_sizes, _first=self._first[list(order)]
            )
        return counts

    def partition(self, variables: Sequence[int]) -> tuple[NDArray[np.int32], int]:
        """Group number of every row by the values of some variables, and the number of groups."""
        group: NDArray[np.int32] = np.zeros(self.table.codes.shape[1], dtype=np.int32)
        groups = 1
        for v in variables:
            group, groups = counting.split_groups(group, groups, self.table.codes[v], self.levels[v])
        return group, int(groups)

    def cells(self, variables: Sequence[int]) -> NDArray[np.int64]:
        """The positive counts of the joint table of some variables, in no particular order."""
        if not self._weights.size and self.states(variables) <= MOST_CELLS_FOR_BITS:
            return self._row_sets(variables)[1]
        group, groups = self.partition(variables)
        counts: NDArray[np.int64] = counting.group_counts(group, groups, self._weights)
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
        cells = min(self.states(base), self.table.codes.shape[1]) * (self.levels[candidates] - 1)
        # Bits know no weights.
        few = (cells <= MOST_CELLS_FOR_BITS) & (not self._weights.size)
        by_bits, by_histogram = candidates[few], candidates[~few]
        if by_bits.size:
            sets, sizes = self._row_sets(base)

            def count_bits(part: NDArray[np.int64]) -> None:
                own = priors[part] if priors.size else priors
                bitsets.extension_sums(sets, sizes, self._packed, self._first, self.levels, part, table, own, out)

            self._in_threads(count_bits, by_bits, _CELL_BY_BITS * int(cells[few].sum()) * self.table.codes.shape[1])
        if by_histogram.size:
            group, groups = self.partition(base)

            def count_rows(part: NDArray[np.int64]) -> None:
                own = priors[part] if priors.size else priors
                counting.extension_sums(
                    group, groups, self.table.codes, self.levels, part, self._weights, table, own, out
                )

            self._in_threads(count_rows, by_histogram, _ROW_BY_HISTOGRAM * group.size * by_histogram.size)
        return out

    def likelihood_changes(
        self, child: int, parents: Sequence[int], table: NDArray[np.int64]
    ) -> tuple[int, int, Terms] | None:
        """Log-likelihood of a family, and its change with one parent more or less; None where bits do not pay.

        Parameters
        ----------
        child, parents : int, sequence of int
            With at least one parent.
        table : int64 array [T, 2]
            Limbs of m ln m.

        Returns
        -------
        hi, lo : int
        changes : int64 array [n, 2]
            Limbs in row u, for u not a parent and for u a parent; the child's row is 0.
        """
        # Many configurations may never occur, which only shows when their sets are made: that much is worth a try.
        if self._weights.size or self.states([*parents, child]) * self._mean_levels > 4 * MOST_CELLS_FOR_BITS:
            return None
        out = np.zeros((self.n, 2), dtype=np.int64)
        pays, hi, lo = bitsets.likelihood_changes(
            child,
            np.array(parents, dtype=np.int64),
            self.table.codes.shape[1],
            self._packed,
            self._first,
            self.levels,
            table,
            int(MOST_CELLS_FOR_BITS / self._mean_levels),
            out,
        )
        return (hi, lo, out) if pays else None

    def associations(
        self,
        x: int,
        given: Sequence[int],
        candidates: NDArray[np.int64],
        table: NDArray[np.int64],
        *,
        pearson: bool,
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """G2 or X2 of x and each candidate given some variables, and its adjusted degrees of freedom.

        Parameters
        ----------
        x, given, candidates : int, sequence of int, int64 array
        table : int64 array [T, 2]
            Limbs of m ln m.
        pearson : bool
            X2, else G2.
        """
        statistics, adjusted = contingency.associations(
            x, np.array(given, dtype=np.int64), candidates, pearson, table, *self._everything
        )
        return statistics, adjusted

    def search_subsets(
        self,
        x: int,
        y: int,
        pool: NDArray[np.int64],
        always: NDArray[np.int64],
        places: NDArray[np.int64],
        most: int,
        critical: NDArray[np.float64],
        table: NDArray[np.int64],
        *,
        adjust: bool,
        largest: float,
        pearson: bool,
    ) -> tuple[int, int, float, float]:
        """What `contingency.search_subsets` finds."""
        found: tuple[int, int, float, float] = contingency.search_subsets(
            x, y, pool, always, places, most, critical, adjust, largest, pearson, table, *self._everything
        )
        return found

    @cached_property
    def _everything(self) -> tuple[object, ...]:
        """The rows in every form that a count of associations may want."""
        # Bits know no weights.
        packed = np.empty((0, 0), dtype=np.uint64) if self._weights.size else self._packed
        return self.table.codes, packed, self._first, self.levels, self._weights, MOST_CELLS_FOR_BITS

    @cached_property
    def _mean_levels(self) -> float:
        """Mean number of levels to count of a variable: the last one is what the others leave."""
        return float(self.levels.mean()) - 1

    def _in_threads(
        self, count: Callable[[NDArray[np.int64]], None], candidates: NDArray[np.int64], cost: float
    ) -> None:
        """Share the candidates among threads. Each writes rows of its own: who finishes first cannot matter."""
        if self.threads > 1 and cost > _WORTH_A_THREAD:
            list(self._pool.map(count, [candidates[part :: self.threads] for part in range(self.threads)]))
        else:
            count(candidates)

    def _row_sets(self, variables: Sequence[int]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """Rows, as bits, of each configuration of some variables that occurs, and their numbers."""
        if not variables:
            everything = np.full((1, self._packed.shape[1]), ~np.uint64(0))
            return everything, np.array([self.table.codes.shape[1]], dtype=np.int64)
        start, *others = variables
        first, last = self._first[start], self._first[start] + self.levels[start]
        sets, sizes = self._packed[first:last], self._level_sizes[first:last]
        for v in others:
            first = self._first[v]
            sets, sizes = bitsets.intersect_levels(sets, self._packed[first : first + self.levels[v]])
        return sets, sizes

    @cached_property
    def _level_sizes(self) -> NDArray[np.int64]:
        """Rows of every level of every variable."""
        sizes: NDArray[np.int64] = bitsets.set_sizes(self._packed)
        return sizes

    @cached_property
    def _first(self) -> NDArray[np.int64]:
        """Where the levels of each variable start in `_packed`."""
        return np.cumsum(self.levels) - self.levels

    @cached_property
    def _packed(self) -> NDArray[np.uint64]:
        """Rows of every level of every variable, as bits."""
        return bitsets.packed_levels(self.table.codes, self.levels)

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self.threads)
