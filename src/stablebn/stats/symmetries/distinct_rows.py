"""The distinct rows of a source as a structure, fetched block by block unless there are too many."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stablebn import _core
from stablebn.stats.row_source import RowSource
from stablebn.stats.symmetries.symmetry import MOST_WORK, Structure, TableRows


class ManyRows:
    """Rows with too many distinct ones to fetch: only one pass for colours, which add up, is within `MOST_WORK`.

    Parameters
    ----------
    source, codes_of_block, arguments
        As in `rows_of`.
    """

    cells = MOST_WORK + 1

    def __init__(self, source: RowSource, codes_of_block: Callable[..., Any], *arguments: object) -> None:
        self._source = source
        self._codes_of_block = codes_of_block
        self._arguments = arguments

    def colours(self, classes: Sequence[int], wanted: Sequence[int]) -> list[int]:
        """Return a colour for each wanted variable, made from the classes of all."""
        found = [0] * len(classes)
        for colours in self._source.map_blocks(
            _colours, list(classes), list(wanted), self._codes_of_block, *self._arguments
        ):
            found = [(colour + more) % 2**64 for colour, more in zip(found, colours, strict=True)]
        return found

    def exchangeable(self, u: int, v: int) -> bool:
        """Raise `AssertionError`: the limit of work ends before this is called."""
        raise AssertionError

    def certificate(self, order: Sequence[int]) -> int:
        """Not supported for so many rows: callers stop at `MOST_WORK` before they need this."""
        raise AssertionError

    def same(self, order: Sequence[int], other: Sequence[int]) -> bool:
        """Not supported for so many rows: callers stop at `MOST_WORK` before they need this."""
        raise AssertionError


def rows_of(source: RowSource, codes_of_block: Callable[..., Any], *arguments: object) -> Structure:
    """Return the rows of a source as a structure.

    Parameters
    ----------
    source : RowSource
    codes_of_block : callable
        Takes a block and the arguments; returns the codes [n, rows], and the weights or None.
    """
    codes: NDArray[Any] | None = None
    weights: NDArray[np.int64] = np.empty(0, dtype=np.int64)
    for more, times in source.map_blocks(_distinct, codes_of_block, *arguments):
        if codes is None:
            codes, weights = more, times
            continue
        codes, weights = _made_distinct(np.concatenate([codes, more], axis=1), np.concatenate([weights, times]))
        if codes.size > MOST_WORK:
            return ManyRows(source, codes_of_block, *arguments)
    assert codes is not None, "a table has rows"
    return TableRows(codes, weights)


def _colours(
    block: Any, classes: list[int], wanted: list[int], codes_of_block: Callable[..., Any], *arguments: object
) -> list[int]:
    codes, weights = codes_of_block(block, *arguments)
    return _core.DistinctRows(np.ascontiguousarray(codes), weights).colours(classes, wanted)


def _distinct(
    block: Any, codes_of_block: Callable[..., Any], *arguments: object
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    return _made_distinct(*codes_of_block(block, *arguments))


def _made_distinct(codes: NDArray[Any], weights: NDArray[np.int64] | None) -> tuple[NDArray[Any], NDArray[np.int64]]:
    rows = _core.DistinctRows(np.ascontiguousarray(codes), weights)
    return codes[:, rows.places], rows.weights
