"""Exact sums of columns and of products of columns: values as they are, in standard units, or indicators of levels.

Every column is written as integers times a power of two and cut into slices of few bits, whose products are added as
integers. The sums are exact, so that the order of rows, the blocks and the number of threads cannot change a bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from stablebn import _core
from stablebn._core import CARRY, SLICE_WIDTH
from stablebn.stats.standard_units import Standard, standardised_by, whole_steps
from stablebn.table.data_kinds import categorical_part, continuous_part
from stablebn.table.table import ContinuousTable, Table

# Values are exact to 2**-120 of the column's largest value, far below the precision of a double.
_DEEPEST_BITS = 121
KEPT_BITS = -(-_DEEPEST_BITS // SLICE_WIDTH) * SLICE_WIDTH
"""Number of bits below the top of a column that are kept; values are rounded to the nearest there."""


@dataclass(frozen=True)
class Values:
    """A continuous column in its own units.

    Attributes
    ----------
    column : int
        Its index among the continuous columns.
    """

    column: int


@dataclass(frozen=True)
class Number:
    """A continuous column in small steps of its standard units (`whole_steps`).

    Attributes
    ----------
    column : int
        Its index among the continuous columns.
    standard : Standard
    """

    column: int
    standard: Standard


@dataclass(frozen=True)
class Indicators:
    """Indicator columns of a categorical variable, one per level that occurs except the first.

    The choice of the level without a column changes no bit of a score
    (`src/core/mixed_scores/covariance_blocks.hpp`).

    Attributes
    ----------
    column : int
        Its index among the categorical columns.
    levels : tuple of int
        Codes of the levels that have a column.
    """

    column: int
    levels: tuple[int, ...]


Part: TypeAlias = Values | Number | Indicators


@dataclass(frozen=True)
class ExactSums:
    """Sums over rows, by weight w, of columns x; each column has integers in a unit of its own.

    Attributes
    ----------
    total : int
        N, the sum of w.
    plain : array of int [n]
        The sums of w x.
    numerators : array of int [n, n]
        N sum(w x y) - sum(w x) sum(w y).
    exponents : list of int
        For each column the power of two of its unit.
    powers : list of int
        For each column the least e such that every |x| < 2**e.
    """

    total: int
    plain: NDArray[np.object_]
    numerators: NDArray[np.object_]
    exponents: list[int]
    powers: list[int]

    def integer_products(self) -> NDArray[np.object_]:
        """Return the numerators of columns of integers, in units of 1."""
        shifts = np.add.outer(self.exponents, self.exponents).astype(object)
        products: NDArray[np.object_] = (self.numerators << np.maximum(shifts, 0)) >> np.maximum(-shifts, 0)
        return products


def sums_of_blocks(map_blocks: Callable[..., Iterator[Any]], parts: Sequence[Part], threads: int) -> ExactSums:
    """Add up exact sums over all blocks.

    If values are missing, `parts` is a single column, and the sums are over its known values.

    Parameters
    ----------
    map_blocks : callable
        Applies a function to every block and some arguments.
    parts : sequence of Values, Number or Indicators
    threads : int
        Number of threads that read a block.
    """
    part_list = list(parts)
    n = sum(map(width, part_list))
    total = 0
    ranges = np.tile(np.array([[-(1 << 62), 1 << 62]]), (n, 1))
    for rows, block_ranges in map_blocks(_bit_ranges, part_list, threads):
        total += rows
        ranges = np.stack(
            [np.maximum(ranges[:, 0], block_ranges[:, 0]), np.minimum(ranges[:, 1], block_ranges[:, 1])], axis=1
        )
    # One bit above the largest value, so that no slice leaves half of its range.
    tops = ranges[:, 0] + 1
    depth = int((tops - ranges[:, 1]).max(initial=1))
    slices = -(-min(depth, _DEEPEST_BITS) // SLICE_WIDTH)
    halves: dict[int, NDArray[np.int64]] = {}
    for found in map_blocks(_sums_of_products, part_list, tops, slices, threads):
        _core.check_time()
        for shift, both in found.items():
            if shift in halves:
                both = both + halves[shift]
                # The low halves of very many blocks would overflow.
                both[0] += both[1] >> CARRY
                both[1] &= (1 << CARRY) - 1
            halves[shift] = both
    u, v = np.tril_indices(n)
    plain = np.zeros(n, dtype=object)
    cross = np.zeros(u.size, dtype=object)
    for shift, both in halves.items():
        _core.check_time()
        # The sums of few rows fit into 64 bits: then the two halves are one number.
        largest = max(int(both[0].max(initial=0)), -int(both[0].min(initial=0)))
        fit = largest * slices < 1 << 61 - CARRY
        parts_of_sums = [((both[0] << CARRY) + both[1], 0)] if fit else [(both[0], CARRY), (both[1], 0)]
        # Slice s of a column is in units of 2**(top - (s + 1) * SLICE_WIDTH): convert to those of the last slice.
        for half, carry in parts_of_sums:
            blocks = half[:-1, :-1].reshape(slices, n, slices, n)
            for place in range(2 * slices - 1):
                _core.check_time()
                alike = range(max(0, place - slices + 1), min(slices, place + 1))
                part = sum(blocks[s, u, place - s, v] for s in alike)
                cross += np.asarray(part).astype(object) << shift + carry + SLICE_WIDTH * (2 * slices - 2 - place)
            for s, row in enumerate(half[-1, :-1].reshape(slices, n)):
                plain += row.astype(object) << shift + carry + SLICE_WIDTH * (slices - 1 - s)
    numerators = np.empty((n, n), dtype=object)
    numerators[u, v] = numerators[v, u] = cross * total - plain[u] * plain[v]
    return ExactSums(total, plain, numerators, [int(top) - slices * SLICE_WIDTH for top in tops], ranges[:, 0].tolist())


def width(part: Part) -> int:
    """Return the number of columns of a part."""
    return len(part.levels) if isinstance(part, Indicators) else 1


def _bit_ranges(block: Table, parts: list[Part], threads: int) -> tuple[int, NDArray[np.int64]]:
    """Return the number of rows by weight, and the range of bits of each column."""
    values, weights = _columns(block, parts)
    rows = values.shape[1] if weights is None else int(weights.sum())
    return rows, _core.bit_ranges(values, threads)


def _columns(block: Table, parts: list[Part]) -> tuple[NDArray[np.float64], NDArray[np.int64] | None]:
    """Return the columns, or the known values of a single incomplete column, and the weights."""
    categorical, continuous = categorical_part(block), continuous_part(block)
    plain = [part.column for part in parts if isinstance(part, Values)]
    if len(plain) == len(parts):
        assert continuous is not None
        if not continuous.holes.isdisjoint(plain):
            [column] = plain
            values, weights = known_values(continuous, column)
            return values[np.newaxis], weights
        every = plain == [*range(len(continuous.names))]
        return (continuous.values if every else continuous.values[plain]), block.weights
    found = []
    for part in parts:
        if isinstance(part, Indicators):
            assert categorical is not None
            levels = np.array(part.levels, dtype=np.int64)[:, np.newaxis]
            found.append((categorical.codes[part.column] == levels).astype(np.float64))
            continue
        assert continuous is not None
        if isinstance(part, Number):
            standardised = standardised_by([part.standard], continuous.values[[part.column]], 1)
            found.append(whole_steps(standardised, part.standard.rows))
        else:
            found.append(continuous.values[[part.column]])
    return np.concatenate(found), block.weights


def known_values(block: ContinuousTable, column: int) -> tuple[NDArray[np.float64], NDArray[np.int64] | None]:
    """Return the known values of a column, and their weights."""
    values = block.values[column]
    if column not in block.holes:
        return values, block.weights
    known = ~np.isnan(values)
    return values[known], None if block.weights is None else block.weights[known]


def _digits(weights: NDArray[np.int64] | None) -> Iterator[tuple[NDArray[np.int32], int]]:
    """Yield the base-16 digits of the weights, each with its shift; an empty digit if every weight is 1."""
    if weights is None:
        yield np.empty(0, dtype=np.int32), 0
        return
    shift = 0
    while (weights >> shift).any():
        yield (weights >> shift & 0xF).astype(np.int32), shift
        shift += 4


def _sums_of_products(
    block: Table, parts: list[Part], tops: NDArray[np.int64], slices: int, threads: int
) -> dict[int, NDArray[np.int64]]:
    """Return the high and low halves of the sums of products of all slices, by shift."""
    values, weights = _columns(block, parts)
    found = {}
    for digits, shift in _digits(weights):
        found[shift] = _core.sums_of_products(values, tops, slices, digits, threads)
    return found
