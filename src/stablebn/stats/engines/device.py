"""The device on which rows are counted and added up: a GPU, or NumPy as its twin for tests.

`cuda.py` has the kernels for the GPU. All other code works on arrays of CuPy and of NumPy alike, so that tests run it
on a machine without a GPU.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stablebn.errors import MissingExtraError, OptionError
from stablebn.stats.row_source import CountQuery


@dataclass(frozen=True)
class Device:
    """Array library and kernels of a device.

    Attributes
    ----------
    xp : module
        CuPy or NumPy.
    crossed : callable
        Takes bits [height, words] and count queries; returns for each query the number of rows in each intersection
        of a configuration and a level, [m, K].
    histograms : callable
        Takes codes [n, rows], levels [n], weights [rows] or None, and lists of variables. Returns, in an array of the
        device, the rows by weight of all configurations of the first list, the last variable fastest, then of the next.
    sums : callable
        Takes integers [rows, columns], weights [rows] or None, the order of the rows by stratum (None: as they are),
        the start of each stratum and the end of the last, and pairs of columns. Returns, in an array of the device,
        the sums of products in each stratum by weight, [strata, pairs, 2]: integers of 128 bits, lower half first.
    """

    xp: Any
    crossed: Callable[[Any, Sequence[CountQuery]], list[NDArray[np.int64]]]
    histograms: Callable[[Any, Sequence[int], Any, Sequence[Sequence[int]]], Any]
    sums: Callable[[Any, Any, Any, Any, NDArray[np.int32]], Any]

    @classmethod
    def gpu(cls) -> Device:
        """Return the GPU of this machine."""
        try:
            import cupy
        except ImportError:
            raise MissingExtraError("CuPy", "gpu") from None
        from stablebn.stats.engines import cuda

        try:
            cupy.cuda.runtime.getDeviceCount()
        except cupy.cuda.runtime.CUDARuntimeError as error:
            raise OptionError(
                f"engine='gpu' finds no GPU here: {error}. Leave it out to count on the processor."
            ) from None
        return cls(cupy, cuda.crossed, cuda.histograms, cuda.sums)

    @classmethod
    def twin(cls) -> Device:
        """Return NumPy in place of a GPU."""
        return cls(np, _crossed, _histograms, _sums)

    def here(self, array: Any) -> NDArray[Any]:
        """Copy an array of the device to the memory of this process."""
        return np.ascontiguousarray(array if self.xp is np else self.xp.asnumpy(array))


def _crossed(bits: NDArray[np.uint64], count_queries: Sequence[CountQuery]) -> list[NDArray[np.int64]]:
    found = []
    for configurations, levels in count_queries:
        counts = np.empty((len(levels), len(configurations)), dtype=np.int64)
        for k, configuration in enumerate(configurations):
            rows = np.bitwise_and.reduce(bits[configuration], axis=0)
            counts[:, k] = np.unpackbits((bits[levels] & rows).view(np.uint8), axis=1).sum(axis=1, dtype=np.int64)
        found.append(counts)
    return found


def _histograms(
    codes: NDArray[Any], levels: Sequence[int], weights: NDArray[np.uint64] | None, lists: Sequence[Sequence[int]]
) -> NDArray[np.uint64]:
    found = []
    for variables in lists:
        keys = np.zeros(codes.shape[1], dtype=np.int64)
        for v in variables:
            keys = keys * levels[v] + codes[v]
        counts = np.zeros(math.prod(levels[v] for v in variables), dtype=np.uint64)
        np.add.at(counts, keys, np.uint64(1) if weights is None else weights)
        found.append(counts)
    return np.concatenate(found)


def _sums(
    values: NDArray[np.int64],
    weights: NDArray[np.uint64] | None,
    order: NDArray[np.int64] | None,
    starts: NDArray[np.int64],
    pairs: NDArray[np.int32],
) -> NDArray[np.uint64]:
    rows = slice(None) if order is None else order
    found = np.empty((len(starts) - 1, len(pairs), 2), dtype=np.uint64)
    for at, (x, y) in enumerate(pairs):
        # Python integers have no limits.
        products = values[rows, x].astype(object) * values[rows, y]
        if weights is not None:
            products *= weights[rows]
        sums = np.add.reduceat(products, starts[:-1])
        found[:, at] = [[int(total) >> shift & (1 << 64) - 1 for shift in (0, 64)] for total in sums]
    return found
