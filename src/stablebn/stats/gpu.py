"""Rows on a GPU: intersections of bits and integer histograms there give the same integers as they do here.

What is written for the device in so many words is in `cuda.py`; all else is array code that NumPy runs as well as CuPy.
A twin of NumPy alone takes the same paths where there is no GPU: tests run it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from stablebn import _core
from stablebn.data.table import CategoricalTable, ContinuousTable, MixedTable, Table
from stablebn.errors import MissingExtraError, OptionError
from stablebn.stats.sources import Answers, Crossing, Listed, Listing, RowSource, Summing, levels_with_holes
from stablebn.stats.standard_units import Standard

Outcome = TypeVar("Outcome")

# Histograms of more cells are made by sorting.
_MOST_CELLS = 1 << 24
# Of so many questions about single levels one is made.
_MANY = 8
_WORD = 64


@dataclass(frozen=True)
class Device:
    """Who counts.

    Attributes
    ----------
    xp : module
        CuPy, or NumPy.
    crossed : callable
        Of bits [height, words] and crossings, the rows in each intersection of a configuration and a level, [m, K].
    """

    xp: Any
    crossed: Callable[[Any, Sequence[Crossing]], list[NDArray[np.int64]]]

    @classmethod
    def gpu(cls) -> Device:
        """The GPU of this machine."""
        try:
            import cupy
        except ImportError:
            raise MissingExtraError("CuPy", "gpu") from None
        from stablebn.stats.cuda import crossed

        try:
            cupy.cuda.runtime.getDeviceCount()
        except cupy.cuda.runtime.CUDARuntimeError as error:
            raise OptionError(
                f"engine='gpu' finds no GPU here: {error}. Leave it out to count on the processor."
            ) from None
        return cls(cupy, crossed)

    @classmethod
    def twin(cls) -> Device:
        """NumPy in place of a GPU."""
        return cls(np, _crossed)


def _crossed(bits: NDArray[np.uint64], crossings: Sequence[Crossing]) -> list[NDArray[np.int64]]:
    found = []
    for configurations, levels in crossings:
        counts = np.empty((len(levels), len(configurations)), dtype=np.int64)
        for k, configuration in enumerate(configurations):
            rows = np.bitwise_and.reduce(bits[configuration], axis=0)
            counts[:, k] = np.unpackbits((bits[levels] & rows).view(np.uint8), axis=1).sum(axis=1, dtype=np.int64)
        found.append(counts)
    return found


class GpuSource(RowSource):
    """The rows of another source, brought to a device once.

    Parameters
    ----------
    source : RowSource
    device : Device
    """

    def __init__(self, source: RowSource, device: Device) -> None:
        self.like = source.like
        self.total = source.total
        self.rows = source.rows
        self.memory = source.memory
        self.threads_a_block = source.threads_a_block
        self._source = source
        self._device = device
        self._categorical = None if isinstance(source.like, ContinuousTable) else _OnDevice(source, device)

    def each(self, function: Callable[..., Outcome], *arguments: object) -> Iterator[Outcome]:
        """What a function makes of every block and the arguments, here and not on the device."""
        return self._source.each(function, *arguments)

    def count(
        self,
        crossings: Sequence[Crossing],
        listings: Sequence[Listing],
        summings: Sequence[Summing] = (),
        standards: Sequence[Standard] = (),
    ) -> Answers:
        """The answers to all questions; sums in strata are added up here."""
        assert self._categorical is not None, "counts are of categorical columns"
        summed = self._source.count([], [], summings, standards)[2] if summings else []
        return self._categorical.crossed(crossings), [self._categorical.listed(own) for own in listings], summed


class _OnDevice:
    """Categorical columns on a device: codes, and where no row has a weight the bits of every level."""

    def __init__(self, source: RowSource, device: Device) -> None:
        xp = device.xp
        self._device = device
        like = source.like.categorical if isinstance(source.like, MixedTable) else source.like
        assert isinstance(like, CategoricalTable)
        self._levels = levels_with_holes(like)
        blocks = list(source.each(_codes_and_weights))
        self._codes = xp.concatenate([xp.asarray(codes) for codes, _ in blocks], axis=1)
        weights = [own for _, own in blocks if own is not None]
        # CuPy adds up unsigned integers without losing one.
        self._weights = xp.concatenate([xp.asarray(own.astype(np.uint64)) for own in weights]) if weights else None
        most = _core.CountingLimits().most_levels
        self._narrow = [v for v, own in enumerate(self._levels) if own <= most]
        self._first = dict(
            zip(self._narrow, np.cumsum([0, *(self._levels[v] for v in self._narrow)]).tolist(), strict=False)
        )
        self._variable = [v for v in self._narrow for _ in range(self._levels[v])]
        self._bits = None if weights else xp.concatenate([self._packed(v) for v in self._narrow] or [xp.zeros((0, 1))])

    def _packed(self, v: int) -> Any:
        """The rows of every level of a variable as bits, row i being bit i % 64 of word i // 64."""
        xp = self._device.xp
        rows = self._codes.shape[1]
        padded = xp.zeros((self._levels[v], -(-rows // _WORD) * _WORD), dtype=xp.bool_)
        padded[:, :rows] = self._codes[v] == xp.arange(self._levels[v], dtype=self._codes.dtype)[:, None]
        return xp.packbits(padded.reshape(-1), bitorder="little").view(xp.uint64).reshape(self._levels[v], -1)

    def crossed(self, crossings: Sequence[Crossing]) -> list[NDArray[np.int64]]:
        """The rows that have all levels of a configuration and a level more."""
        if self._bits is None:
            return [self._by_weights(*own) for own in crossings]
        # All pairs at once: one look at the bits of all levels instead of one for each variable.
        alone = [k for k, (configurations, _) in enumerate(crossings) if configurations.shape[1] == 1]
        if len(alone) < _MANY:
            return self._device.crossed(self._bits, crossings)
        configurations = np.concatenate([crossings[k][0] for k in alone])
        levels = np.unique(np.concatenate([crossings[k][1] for k in alone]))
        others = [own for own in crossings if own[0].shape[1] != 1]
        together, *rest = self._device.crossed(self._bits, [(configurations, levels), *others])
        found: list[NDArray[np.int64]] = []
        first = 0
        for own, which in crossings:
            if own.shape[1] != 1:
                found.append(rest.pop(0))
                continue
            found.append(np.ascontiguousarray(together[np.searchsorted(levels, which), first : first + len(own)]))
            first += len(own)
        return found

    def _by_weights(self, configurations: NDArray[np.int32], levels: NDArray[np.int32]) -> NDArray[np.int64]:
        """The same by histograms, of rows with weights."""
        found = np.zeros((len(levels), len(configurations)), dtype=np.int64)
        if not found.size:
            return found
        members = [self._variable[level] for level in configurations[0]]
        firsts = np.array([self._first[v] for v in members])
        sizes = [self._levels[v] for v in members]
        places = np.ravel_multi_index(tuple((configurations - firsts).T), sizes)
        for u in sorted({self._variable[level] for level in levels.tolist()}):
            table = self._histogram([*members, u]).reshape(-1, self._levels[u])
            own = np.array([self._variable[level] == u for level in levels.tolist()])
            found[own] = table[places][:, levels[own] - self._first[u]].T
        return found

    def _keys(self, variables: Sequence[int]) -> Any:
        """Configurations as integers, the last variable fastest, where one integer holds them."""
        xp = self._device.xp
        keys = xp.zeros(self._codes.shape[1], dtype=xp.int64)
        for v in variables:
            keys = keys * self._levels[v] + self._codes[v]
        return keys

    def _histogram(self, variables: Sequence[int]) -> NDArray[np.int64]:
        """Rows of every configuration, by weight."""
        xp = self._device.xp
        cells = int(np.prod([self._levels[v] for v in variables], dtype=object)) if variables else 1
        keys = self._keys(variables)
        if self._weights is None:
            return self._here(xp.bincount(keys, minlength=cells).astype(xp.int64))
        counts = xp.zeros(cells, dtype=xp.uint64)
        xp.add.at(counts, keys, self._weights)
        return self._here(counts.astype(xp.int64))

    def listed(self, listing: Listing) -> Listed:
        """The configurations that occur, and the rows of each."""
        variables = list(listing)
        cells = int(np.prod([self._levels[v] for v in variables], dtype=object)) if variables else 1
        if cells <= _MOST_CELLS:
            counts = self._histogram(variables)
            occurring = np.flatnonzero(counts)
            return occurring.astype(np.uint64)[:, np.newaxis], counts[occurring]
        return self._by_sorting(variables)

    def _by_sorting(self, variables: list[int]) -> Listed:
        """The same where there may be very many: groups are split by one variable after the other."""
        xp = self._device.xp
        groups = xp.zeros(self._codes.shape[1], dtype=xp.int64)
        for v in variables:
            _, groups = xp.unique(groups * self._levels[v] + self._codes[v], return_inverse=True)
            groups = groups.reshape(-1)
        _, rows = xp.unique(groups, return_index=True)
        if self._weights is None:
            counts = xp.bincount(groups).astype(xp.int64)
        else:
            sums = xp.zeros(int(groups.max()) + 1, dtype=xp.uint64)
            xp.add.at(sums, groups, self._weights)
            counts = sums.astype(xp.int64)
        codes = self._here(self._codes[xp.asarray(variables)][:, rows])
        return _core.configuration_keys(codes, [self._levels[v] for v in variables]), self._here(counts)

    def _here(self, array: Any) -> NDArray[Any]:
        """An array of the device as one of this process."""
        return np.ascontiguousarray(array if self._device.xp is np else self._device.xp.asnumpy(array))


def _codes_and_weights(block: Table) -> tuple[NDArray[Any], NDArray[np.int64] | None]:
    categorical = block.categorical if isinstance(block, MixedTable) else block
    assert isinstance(categorical, CategoricalTable)
    return categorical.codes, categorical.weights
