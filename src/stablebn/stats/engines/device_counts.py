"""Categorical columns on a device: intersections of bits and integer histograms."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stablebn import _core
from stablebn.stats.engines.device import Device
from stablebn.stats.row_source import CountQuery, Support, SupportQuery

# Joint tables with more cells are counted by sorting rows instead of histograms.
_MOST_CELLS = 1 << 24
# Cells of all histograms of one launch.
_CELLS_AT_ONCE = 1 << 26
# Keys of more configurations do not fit into an integer of the device.
_MOST_KEYS = 1 << 62
_WORD = 64
_BITS_AT_ONCE = 1 << 30


class Strata(NamedTuple):
    """Rows sorted by the configuration of some variables; rows with the same configuration are a stratum.

    Attributes
    ----------
    order : array of int64 [rows], on the device, or None
        The rows of the first stratum, then those of the second and so on; None if rows are in order already.
    starts : array of int64 [strata + 1], on the device
        Start of each stratum, and the end of the last.
    keys : uint64 array [strata, words]
        The configuration of each stratum, as the core writes it.
    """

    order: Any
    starts: Any
    keys: NDArray[np.uint64]


class CategoricalColumns:
    """Codes of categorical columns on a device, and the packed bits of every level if rows have no weights.

    Parameters
    ----------
    device : Device
    codes : array [n, rows], on the device
    weights : uint64 array [rows], on the device, or None
    levels : list of int
        Number of levels of each column, missing values being one more.
    """

    def __init__(self, device: Device, codes: Any, weights: Any, levels: list[int]) -> None:
        xp = device.xp
        self._device = device
        self.codes = codes
        self._weights = weights
        self._levels = levels
        most = _core.CountingLimits().most_levels
        narrow = [v for v, count in enumerate(levels) if count <= most]
        self._first = dict(zip(narrow, np.cumsum([0, *(levels[v] for v in narrow)]).tolist(), strict=False))
        self._variable = [v for v in narrow for _ in range(levels[v])]
        has_bits = weights is None
        self._bits = xp.concatenate([self._packed(v) for v in narrow] or [xp.zeros((0, 1))]) if has_bits else None

    def _packed(self, v: int) -> Any:
        """Return the rows of every level of a variable as bits; row i is bit i % 64 of word i // 64."""
        xp = self._device.xp
        rows, words = self.codes.shape[1], -(-self.codes.shape[1] // _WORD)
        packed = xp.empty((self._levels[v], words), dtype=xp.uint64)
        # CuPy packs less than 2**31 bits at once.
        levels_at_once = max(_BITS_AT_ONCE // (words * _WORD), 1)
        words_at_once = _BITS_AT_ONCE // _WORD
        for first in range(0, self._levels[v], levels_at_once):
            levels = xp.arange(first, min(first + levels_at_once, self._levels[v]), dtype=self.codes.dtype)[:, None]
            for start in range(0, words, words_at_once):
                end = min(start + words_at_once, words)
                padded = xp.zeros((len(levels), (end - start) * _WORD), dtype=xp.bool_)
                codes = self.codes[v, start * _WORD : min(end * _WORD, rows)]
                padded[:, : codes.size] = codes == levels
                bits = xp.packbits(padded.reshape(-1), bitorder="little").view(xp.uint64)
                packed[first : first + len(levels), start:end] = bits.reshape(len(levels), -1)
        return packed

    def crossed(self, count_queries: Sequence[CountQuery]) -> list[NDArray[np.int64]]:
        """Return, for each query, the number of rows with a configuration and a level."""
        if self._bits is not None:
            return self._device.crossed(self._bits, count_queries)
        # Rows with weights are counted by histograms of the variables of the configurations and one other variable.
        variables_of_queries = [self._members_and_others(*query) for query in count_queries]
        tables = self._tables([[*members, u] for members, others in variables_of_queries for u in others])
        return [
            self._from_tables(query, members, {u: next(tables) for u in others})
            for query, (members, others) in zip(count_queries, variables_of_queries, strict=True)
        ]

    def _members_and_others(
        self, configurations: NDArray[np.int32], levels: NDArray[np.int32]
    ) -> tuple[list[int], list[int]]:
        """Return the variables of the configurations, and the variables of the levels."""
        if not len(configurations):
            return [], []
        return (
            [self._variable[level] for level in configurations[0]],
            sorted({self._variable[level] for level in levels.tolist()}),
        )

    def _from_tables(self, query: CountQuery, members: list[int], tables: dict[int, NDArray[np.int64]]) -> Any:
        """Answer a query from the joint table with each other variable."""
        configurations, levels = query
        found = np.zeros((len(levels), len(configurations)), dtype=np.int64)
        if not members:
            return found
        firsts = np.array([self._first[v] for v in members])
        places = np.ravel_multi_index(tuple((configurations - firsts).T), [self._levels[v] for v in members])
        for u, table in tables.items():
            is_level_of_u = np.array([self._variable[level] == u for level in levels.tolist()])
            found[is_level_of_u] = table.reshape(-1, self._levels[u])[places][
                :, levels[is_level_of_u] - self._first[u]
            ].T
        return found

    def _cells(self, variables: Sequence[int]) -> int:
        return math.prod(self._levels[v] for v in variables)

    def _batches(self, lists: Sequence[Sequence[int]]) -> Iterator[tuple[list[Sequence[int]], Any]]:
        """Yield lists of variables whose histograms fit into one launch, with these histograms one after another."""
        batch: list[Sequence[int]] = []
        cells = 0
        for variables in lists:
            if batch and cells + self._cells(variables) > _CELLS_AT_ONCE:
                yield batch, self._device.histograms(self.codes, self._levels, self._weights, batch)
                batch, cells = [], 0
            batch.append(variables)
            cells += self._cells(variables)
        if batch:
            yield batch, self._device.histograms(self.codes, self._levels, self._weights, batch)

    def _tables(self, lists: Sequence[Sequence[int]]) -> Iterator[NDArray[np.int64]]:
        """Yield the number of rows, by weight, of every configuration of each list of variables."""
        for batch, cells in self._batches(lists):
            counts = self._device.here(cells).astype(np.int64)
            yield from np.split(counts, np.cumsum([self._cells(variables) for variables in batch])[:-1])

    def listed(self, support_queries: Sequence[SupportQuery]) -> list[Support]:
        """Return, for each query, the configurations that occur and the number of rows of each."""
        few = [list(variables) for variables in support_queries if self._cells(variables) <= _MOST_CELLS]
        by_histograms = self._occurring(few)
        return [
            next(by_histograms) if self._cells(variables) <= _MOST_CELLS else self._by_sorting(list(variables))
            for variables in support_queries
        ]

    def _occurring(self, lists: Sequence[list[int]]) -> Iterator[Support]:
        """Answer support queries with few enough cells for histograms."""
        xp = self._device.xp
        for batch, cells in self._batches(lists):
            # Most cells may be empty: only the others are copied from the device.
            there = xp.flatnonzero(cells)
            places, counts = self._device.here(there), self._device.here(cells[there]).astype(np.int64)
            starts = np.cumsum([0, *(self._cells(variables) for variables in batch)])
            bounds = np.searchsorted(places, starts).tolist()
            for start, begin, end in zip(starts.tolist(), bounds, bounds[1:], strict=False):
                yield (places[begin:end] - start).astype(np.uint64)[:, np.newaxis], counts[begin:end]

    def _by_sorting(self, variables: list[int]) -> Support:
        """Answer a support query with too many cells for a histogram."""
        xp = self._device.xp
        strata = self.strata(variables)
        if self._weights is None:
            return strata.keys, self._device.here(strata.starts[1:] - strata.starts[:-1])
        # Cumulative sums do not wrap around; their differences are the sums of the strata.
        before = xp.concatenate([xp.zeros(1, dtype=xp.uint64), xp.cumsum(self._weights[strata.order])])
        return strata.keys, self._device.here(before[strata.starts[1:]] - before[strata.starts[:-1]]).astype(np.int64)

    def strata(self, variables: Sequence[int]) -> Strata:
        """Sort the rows by the configuration of some variables."""
        xp = self._device.xp
        rows = self.codes.shape[1]
        if not variables:
            return Strata(None, xp.asarray([0, rows]), np.zeros((1, 1), dtype=np.uint64))
        groups, most = xp.zeros(rows, dtype=xp.int64), 1
        for v in variables:
            if most * self._levels[v] > _MOST_KEYS:
                distinct, groups = xp.unique(groups, return_inverse=True)
                groups, most = groups.reshape(-1), len(distinct)
            groups, most = groups * self._levels[v] + self.codes[v], most * self._levels[v]
        order = xp.argsort(groups)
        ascending = groups[order]
        is_first = xp.ones(rows, dtype=xp.bool_)
        is_first[1:] = ascending[1:] != ascending[:-1]
        starts = xp.flatnonzero(is_first)
        codes = self._device.here(self.codes[xp.asarray(list(variables))][:, order[starts]])
        keys = _core.configuration_keys(codes, [self._levels[v] for v in variables])
        return Strata(order, xp.concatenate([starts, xp.asarray([rows])]), keys)
