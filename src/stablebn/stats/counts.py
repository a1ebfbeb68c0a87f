"""Joint counts of categorical variables."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stablebn.data.table import CategoricalTable
from stablebn.kernels import counting

Terms = NDArray[np.int64]
"""Limbs of fixed-point numbers, one row (hi, lo) a variable."""

# Below this many row visits starting a thread costs more than it saves.
_WORTH_A_THREAD = 1_000_000


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

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self.threads)

    def states(self, variables: Sequence[int]) -> int:
        """Number of joint configurations of some variables, seen or not."""
        return math.prod(int(self.levels[v]) for v in variables)

    def reordered(self, order: Sequence[int]) -> Counts:
        """The counts of the same variables renumbered so that new i is old order[i]."""
        return Counts(self.table.select(order), threads=self.threads)

    def partition(self, variables: Sequence[int]) -> tuple[NDArray[np.int32], int]:
        """Group number of every row by the values of some variables, and the number of groups."""
        group: NDArray[np.int32] = np.zeros(self.table.codes.shape[1], dtype=np.int32)
        groups = 1
        for v in variables:
            group, groups = counting.split_groups(group, groups, self.table.codes[v], self.levels[v])
        return group, int(groups)

    def cells(self, variables: Sequence[int]) -> NDArray[np.int64]:
        """The positive counts of the joint table of some variables, in no particular order."""
        group, groups = self.partition(variables)
        counts: NDArray[np.int64] = counting.group_counts(group, groups, self._weights)
        return counts[counts > 0]

    def entropies_extended(self, base: Sequence[int], candidates: NDArray[np.int64], table: NDArray[np.int64]) -> Terms:
        """Sum of m ln m over the cells of base + u, for each candidate u (other rows are 0)."""
        return self._extended(base, candidates, counting.extensions_m_ln_m, lambda part: table)

    def dirichlet_terms_extended(
        self, base: Sequence[int], candidates: NDArray[np.int64], priors: NDArray[np.float64]
    ) -> Terms:
        """Sum of the Dirichlet terms over the cells of base + u, with `priors` [n] indexed by u."""
        return self._extended(base, candidates, counting.extensions_ln_rising, lambda part: priors[part])

    def _extended(
        self,
        base: Sequence[int],
        candidates: NDArray[np.int64],
        kernel: Callable[..., None],
        argument: Callable[[NDArray[np.int64]], NDArray[Any]],
    ) -> Terms:
        out = np.zeros((self.n, 2), dtype=np.int64)
        group, groups = self.partition(base)

        def count(part: NDArray[np.int64]) -> None:
            kernel(group, groups, self.table.codes, self.levels, part, self._weights, argument(part), out)

        if self.threads > 1 and group.size * candidates.size > _WORTH_A_THREAD:
            # Each thread writes rows of its own: who finishes first cannot matter.
            list(self._pool.map(count, np.array_split(candidates, self.threads)))
        else:
            count(candidates)
        return out
