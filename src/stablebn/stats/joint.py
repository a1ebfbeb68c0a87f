"""Joint tables of sets of categorical variables, kept by set.

The table of a set says how often each of its configurations meets each level of every other variable. From it follow
the score of every family made of that set, whichever of its variables is the child, and the changes of that score
with every parent more: so the searches in different orders, which differ in directions, count a set once.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stablebn.kernels import bitsets, counting, joint
from stablebn.stats.counts import Counts
from stablebn.stats.variable_sets import bit, members

MOST_CONFIGURATIONS = 4096
_MOST_CELLS = 1 << 22
MOST_BYTES = 1 << 28
_LARGEST_BUNDLE = 256
# Measured, in nanoseconds: a row of one configuration and level by bits, and a row of a bundle by histogram.
BITS_COST = 1 / 900
HISTOGRAM_COST = 1 / 2
# Nanoseconds and cells up to which tables are small: see `JointTables.most_small`.
_SMALL_COST = 1_000_000
_SMALL_CELLS = 1 << 16


class JointTable(NamedTuple):
    """Counts of one set of variables with every other.

    Attributes
    ----------
    members : int64 array [x]
        The variables of the set, ascending.
    sizes : int64 array [K]
        Rows of each configuration, the last variable fastest.
    counts : int32 array [L, K]
        In row (u, level), how many of them have that level of u; rows of the set's members mean nothing.
    """

    members: NDArray[np.int64]
    sizes: NDArray[np.int64]
    counts: NDArray[np.int32]


Nearby = Callable[[int], JointTable | None]
"""Where the table of a set may be."""


def nothing(variables: int) -> None:
    """Nowhere."""


class JointTables:
    """The joint tables of a table's variables, each counted once, by bits or by histograms, whichever is quicker.

    Parameters
    ----------
    counts : Counts
        Must outlive the tables.

    Attributes
    ----------
    cost : float
        Nanoseconds to count one configuration with all levels by bits.
    """

    def __init__(self, counts: Counts) -> None:
        # The counts have these tables: a cycle of large arrays would wait for the garbage collector.
        self._counts = weakref.proxy(counts)
        self._codes = counts.table.codes
        self._weights = counts.weights
        self._rows = int(self._codes.shape[1])
        self.levels = counts.levels
        self.narrow = counts.narrow
        self.wide = counts.wide
        self.first = counts.first
        self.with_rows = self.narrow.nonzero()[0]
        self._wide = sum(map(bit, self.wide))
        self._height = int(self.levels[self.narrow].sum())
        self.cost = BITS_COST * self._rows * self._height
        self._tables: dict[int, JointTable] = {}
        self._under_way: set[int] = set()
        self._bytes = 0
        self._lock = Lock()

    def renumbered(self, counts: Counts) -> JointTables:
        """The tables of the same counts with the variables renumbered."""
        tables = JointTables(counts)
        # Rows of tables stay where they are, as the bits do.
        tables.__dict__.update(level_sizes=self.level_sizes, pairs=self.pairs)
        return tables

    @cached_property
    def pairs(self) -> NDArray[np.int32]:
        """Counts of all pairs of levels of different variables: [L, L]."""
        pairs = np.zeros((self._height, self._height), dtype=np.int32)
        narrow = self.with_rows
        if self._weights.size:
            for v in narrow.tolist():
                pairs[:, self._columns(v)] = self._by_histogram([v]).counts
        else:
            first, levels, sizes, packed = (
                self.first[narrow],
                self.levels[narrow],
                self.level_sizes,
                self._counts.packed,
            )

            def count(variables: NDArray[np.int64]) -> None:
                joint.pair_counts(packed, first, levels, sizes, variables, pairs)

            self._counts.crew.share(count, np.arange(narrow.size), self._cost_of_bits(self._height / 2))
        return pairs

    @cached_property
    def level_sizes(self) -> NDArray[np.int64]:
        """Rows of every level: [L]."""
        if not self._weights.size:
            return np.asarray(bitsets.set_sizes(self._counts.packed))
        sizes = np.empty(self._height, dtype=np.int64)
        for v in self.with_rows.tolist():
            sizes[self._columns(v)] = counting.group_counts(self._codes[v], int(self.levels[v]), self._weights)
        return sizes

    def table(self, variables: int, nearby: Nearby = nothing) -> JointTable | None:
        """The table of a set that is not empty, from `nearby` if it is there; None where it would be too large."""
        found = self._find(variables, nearby)
        if found is None:
            inside = members(variables)
            if variables & self._wide or not self._fits(self._counts.states(inside)):
                return None
            with self._lock:
                other_is_at_it = variables in self._under_way
                self._under_way.add(variables)
            if other_is_at_it:
                self._counts.crew.wait_for(lambda: variables not in self._under_way)
                return self.table(variables, nearby)
            try:
                found = self._count(variables, inside, nearby)
                self._keep(variables, found)
            finally:
                self._under_way.discard(variables)
                self._counts.crew.tell()
        return found

    def _find(self, variables: int, nearby: Nearby) -> JointTable | None:
        return self._tables.get(variables) or nearby(variables)

    def _fits(self, configurations: int) -> bool:
        return configurations <= MOST_CONFIGURATIONS and configurations * self._height <= _MOST_CELLS

    def _keep(self, variables: int, table: JointTable) -> None:
        with self._lock:
            self._tables[variables] = table
            self._bytes += table.counts.nbytes
            while self._bytes > MOST_BYTES and len(self._tables) > 1:
                self._bytes -= self._tables.pop(next(iter(self._tables))).counts.nbytes

    def _count(self, variables: int, inside: list[int], nearby: Nearby) -> JointTable:
        if len(inside) == 1:
            columns = self._columns(inside[0])
            return JointTable(
                np.array(inside), self.level_sizes[columns].copy(), np.ascontiguousarray(self.pairs[:, columns])
            )
        if self._weights.size:
            return self._by_histogram(inside)
        # One level of one variable need not be counted, which saves most where the levels are few.
        known = [v for v in inside if self._find(variables ^ bit(v), nearby)]
        if not known and len(inside) > 2 and self._counts.states(inside) > self.most_for_bits:
            return self._by_histogram(inside)
        joining = min(known or inside, key=self._level_numbers.__getitem__)
        smaller = self.table(variables ^ bit(joining), nearby)
        assert smaller is not None  # A part of what fits.
        family, place = np.array(inside), inside.index(joining)
        sizes = np.zeros(smaller.sizes.size * self._level_numbers[joining], dtype=np.int64)
        counts = np.zeros((self._height, sizes.size), dtype=np.int32)

        def extend(variables: NDArray[np.int64]) -> bool:
            counted: bool = joint.extend_table(
                smaller.counts,
                family,
                place,
                variables,
                self.first,
                self.levels,
                self._counts.packed,
                self.most_for_bits,
                sizes,
                counts,
            )
            return counted

        cost = self._cost_of_bits(sizes.size - smaller.sizes.size)
        if all(self._counts.crew.share(extend, self.with_rows, cost)):
            return JointTable(family, sizes, counts)
        return self._by_histogram(inside)

    def _by_histogram(self, inside: list[int]) -> JointTable:
        family = np.array(inside)
        configurations = self._counts.states(inside)
        groups = joint.group_rows(self._codes, family, self.levels)
        counts = np.zeros((self._height, configurations), dtype=np.int32)
        bundles = self._bundles

        def count(which: NDArray[np.int64]) -> None:
            joint.count_bundles(
                groups,
                configurations,
                which,
                bundles.codes,
                bundles.sizes,
                bundles.variables,
                bundles.starts,
                self.first,
                self.levels,
                self._weights,
                counts,
            )

        cost = HISTOGRAM_COST * self._rows * bundles.sizes.size
        self._counts.crew.share(count, np.arange(bundles.sizes.size), cost)
        # Every row has one level of any variable, here also of those of the set.
        sizes = counts[self._columns(inside[0])].sum(axis=0, dtype=np.int64)
        return JointTable(family, sizes, counts)

    @cached_property
    def most_small(self) -> int:
        """Most configurations of a table that is better counted on the spot than shared between threads."""
        if self.wide or not self._height:
            return 0
        most = min(MOST_CONFIGURATIONS, min(_SMALL_CELLS, MOST_BYTES) // self._height)
        if self._weights.size:
            # Every table takes one pass over all rows.
            return most if self._rows * self.with_rows.size <= _SMALL_COST else 0
        return min(most, int(_SMALL_COST / self.cost))

    @cached_property
    def rows_with_weights(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """Codes and weights of the rows of which small tables are counted; none where that is done by bits."""
        codes = self._codes if self._weights.size else self._codes[:0, :0]
        return np.ascontiguousarray(codes, dtype=np.uint8), self._weights

    def _cost_of_bits(self, configurations: float) -> float:
        """Nanoseconds to count that many configurations."""
        return BITS_COST * self._rows * configurations * (self._height - len(self._level_numbers))

    def _columns(self, v: int) -> slice:
        return slice(self.first[v], self.first[v] + self.levels[v])

    @cached_property
    def _level_numbers(self) -> list[int]:
        return [int(size) for size in self.levels]

    @cached_property
    def most_for_bits(self) -> float:
        """Configurations beyond which a histogram is quicker than bits."""
        by_bits = BITS_COST * (self._height - self.with_rows.size)
        return HISTOGRAM_COST * len(self._bundled) / by_bits

    @cached_property
    def _bundled(self) -> list[list[int]]:
        """The variables in bundles, each with the next ones as long as a byte holds their joint code."""
        bundles: list[list[int]] = [[]]
        size = 1
        for v in self.with_rows.tolist():
            size *= self._level_numbers[v]
            if size > _LARGEST_BUNDLE:
                bundles.append([])
                size = self._level_numbers[v]
            bundles[-1].append(v)
        return bundles

    @cached_property
    def _bundles(self) -> Bundles:
        codes = np.empty((len(self._bundled), self._rows), dtype=np.uint8)
        for own, bundle in zip(codes, self._bundled, strict=True):
            own[:] = joint.group_rows(self._codes, np.array(bundle), self.levels)
        return Bundles(
            codes=codes,
            sizes=np.array([self._counts.states(bundle) for bundle in self._bundled]),
            variables=np.concatenate(self._bundled),
            starts=np.cumsum([0, *map(len, self._bundled)]),
        )


@dataclass(frozen=True)
class Bundles:
    """Variables made one, several at a time.

    Attributes
    ----------
    codes : uint8 array [B, rows]
    sizes : int64 array [B]
        Number of codes.
    variables, starts : int64 array [any], int64 array [B + 1]
        The variables of all bundles, the last of each fastest, and where those of each bundle start.
    """

    codes: NDArray[np.uint8]
    sizes: NDArray[np.int64]
    variables: NDArray[np.int64]
    starts: NDArray[np.int64]
