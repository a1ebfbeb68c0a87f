"""Exact sums of columns on a device, over all rows and in strata: integer matrix products (`matrix_products.py`)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stablebn.stats.engines.device import Device
from stablebn.stats.engines.device_counts import CategoricalColumns, Strata
from stablebn.stats.engines.matrix_products import (
    DIGIT_BITS,
    LIMB_BITS,
    WORD_BITS,
    add_shifted,
    products_of_tiles,
    rows_of_tile,
    slices,
    words_for,
)
from stablebn.stats.exact_sums import KEPT_BITS, ExactSums, Indicators, Number, Part, Values, width
from stablebn.stats.row_source import SumQuery, SupportSums
from stablebn.stats.standard_units import Standard, whole_steps

# Numbers that are computed at once: 1 GiB.
_NUMBERS_AT_ONCE = 1 << 27
# Number of rows in all cached strata, 8 bytes each.
_KEPT_ROWS = 1 << 29
# Sums of products are stored in two parts; number of bits of the lower part.
_CARRY = 32

# The format of a double.
_MANTISSA_BITS = 52
_EXPONENTS = 0x7FF
_LOWEST_EXPONENT = -1074


@dataclass(frozen=True)
class _DeviceColumns:
    """Columns that are cut into the same number of slices.

    Attributes
    ----------
    places : list of int
        Indices of the columns among all whose products are computed.
    values : callable
        Returns the values [columns, end - start] of the rows from start to end.
    powers : list of int
        For each column the least e such that every |x| < 2**e.
    lowest : list of int
        For each column the exponent of the greatest power of two that divides all values.
    """

    places: list[int]
    values: Callable[[int, int], Any]
    powers: list[int]
    lowest: list[int]

    @property
    def tops(self) -> list[int]:
        """Return, per column, the exponent e for which all values times 2**-e are below 1/2 in magnitude."""
        return [power + 1 for power in self.powers]

    @property
    def slices(self) -> int:
        """Return the number of slices that hold all bits that are kept."""
        deepest = max(top - lowest for top, lowest in zip(self.tops, self.lowest, strict=True))
        return -(-min(deepest, KEPT_BITS) // LIMB_BITS)

    def sliced(self, xp: Any, start: int, end: int) -> Iterator[Any]:
        """Yield the slices of all columns, the most significant first."""
        # Scale in two steps: a single power of two may be beyond the range of a double.
        halves = [-top >> 1 for top in self.tops]
        once = xp.asarray([math.ldexp(1.0, half) for half in halves])[:, None]
        twice = xp.asarray([math.ldexp(1.0, -top - half) for top, half in zip(self.tops, halves, strict=True)])[:, None]
        scaled = self.values(start, end) * once * twice
        if max(top - lowest for top, lowest in zip(self.tops, self.lowest, strict=True)) > KEPT_BITS:
            scaled = xp.rint(scaled * 2.0**KEPT_BITS) * 2.0**-KEPT_BITS
        return slices(xp, scaled, self.slices)


class DeviceSums:
    """Exact sums of columns, and of their products, on a device.

    Parameters
    ----------
    device : Device
    values : float64 array [n, rows], on the device
        The continuous columns, without missing values.
    weights : uint64 array [rows], on the device, or None
    categorical : CategoricalColumns or None
    """

    def __init__(self, device: Device, values: Any, weights: Any, categorical: CategoricalColumns | None) -> None:
        self._device = device
        self._values = values
        self._rows = int(values.shape[1])
        self._categorical = categorical
        self._weights = weights
        self._total = self._rows if weights is None else int(weights.sum())
        bits = 0 if weights is None else int(weights.max()).bit_length()
        self._digits = range(0, max(bits, 1), DIGIT_BITS)
        self._standardised: dict[int, tuple[Standard, Any]] = {}
        self._known_rows: tuple[list[Standard], Any] | None = None
        self._known_strata: dict[tuple[int, ...], Strata] = {}

    def sums(self, parts: Sequence[Part]) -> ExactSums:
        """Return the exact sums of columns, and of the products of every two of them."""
        xp = self._device.xp
        groups = [*self._groups(parts)]
        n = sum(map(width, parts))
        # Start of each slice of each group among the rows of a tile; the last row of a tile is 1, for plain sums.
        places: list[list[int]] = []
        height = 0
        for group in groups:
            places.append([height + s * len(group.places) for s in range(group.slices)])
            height += group.slices * len(group.places)
        halves = self._products(groups, height + 1)
        deepest = max((group.slices for group in groups), default=1)
        words = xp.zeros(
            (words_for(2 * LIMB_BITS * (deepest - 1) + _CARRY + self._digits[-1]), n + 1, n), dtype=xp.int64
        )
        ends = [(group.places, starts) for group, starts in zip(groups, places, strict=True)]
        for left, starts in [*ends, ([n], [height])]:
            for right, others in ends:
                cells = xp.asarray(left)[:, None], xp.asarray(right)
                own_words = xp.zeros((len(words), len(left), len(right)), dtype=xp.int64)
                for place in range(len(starts) + len(others) - 1):
                    # Slice s is in units of 2**(top - (s + 1) * LIMB_BITS): convert to units of the last slice.
                    pairs = [(s, place - s) for s in range(len(starts)) if 0 <= place - s < len(others)]
                    shift = LIMB_BITS * (len(starts) + len(others) - 2 - place)
                    for digit, both in zip(self._digits, halves, strict=True):
                        for half, carry in zip(both, (_CARRY, 0), strict=True):
                            found = sum(
                                half[starts[s] : starts[s] + len(left), others[t] : others[t] + len(right)]
                                for s, t in pairs
                            )
                            add_shifted(own_words, found, shift + carry + digit)
                words[:, cells[0], cells[1]] = own_words
        u, v = np.tril_indices(n)
        every = self._device.here(words)
        cross, plain = _as_integers(every[:, u, v]), _as_integers(every[:, n])
        numerators = np.empty((n, n), dtype=object)
        numerators[u, v] = numerators[v, u] = cross * self._total - plain[u] * plain[v]
        exponents, powers = [0] * n, [0] * n
        for group in groups:
            for place, top, power in zip(group.places, group.tops, group.powers, strict=True):
                exponents[place], powers[place] = top - group.slices * LIMB_BITS, power
        return ExactSums(self._total, plain, numerators, exponents, powers)

    def _groups(self, parts: Sequence[Part]) -> Iterator[_DeviceColumns]:
        """Yield the columns in groups: values, values in standard units, indicators."""
        xp = self._device.xp
        ends = np.cumsum([width(part) for part in parts]).tolist()
        plain = [(end - 1, part.column) for end, part in zip(ends, parts, strict=True) if isinstance(part, Values)]
        if plain:
            columns = [column for _, column in plain]
            chosen = self._values if columns == [*range(len(self._values))] else self._values[xp.asarray(columns)]
            yield self._ranged([place for place, _ in plain], lambda start, end: chosen[:, start:end])
        numbers = [(end - 1, part) for end, part in zip(ends, parts, strict=True) if isinstance(part, Number)]
        if numbers:
            standardised_columns = [
                (self._column(part.column, part.standard), part.standard.rows) for _, part in numbers
            ]

            def steps(start: int, end: int) -> Any:
                return xp.stack([whole_steps(column[start:end], rows) for column, rows in standardised_columns])

            yield self._ranged([place for place, _ in numbers], steps)
        levels = [
            (end - width(part) + at, part.column, level)
            for end, part in zip(ends, parts, strict=True)
            if isinstance(part, Indicators)
            for at, level in enumerate(part.levels)
        ]
        if levels:
            assert self._categorical is not None, "levels are of categorical columns"
            codes = self._categorical.codes
            which = xp.asarray([column for _, column, _ in levels])
            level = xp.asarray([level for *_, level in levels], dtype=codes.dtype)[:, None]

            def indicators(start: int, end: int) -> Any:
                return (codes[which, start:end] == level).astype(xp.float64)

            yield _DeviceColumns([place for place, *_ in levels], indicators, [1] * len(levels), [0] * len(levels))

    def _ranged(self, places: list[int], values: Callable[[int, int], Any]) -> _DeviceColumns:
        """Return columns with the range of bits of their values."""
        powers = np.full(len(places), _LOWEST_EXPONENT, dtype=np.int64)
        lowest = np.full(len(places), 1024, dtype=np.int64)
        at_once = max(_NUMBERS_AT_ONCE // 4 // len(places), 1)
        for start in range(0, self._rows, at_once):
            own_powers, own_lowest = self._bit_ranges(values(start, min(start + at_once, self._rows)))
            powers, lowest = np.maximum(powers, own_powers), np.minimum(lowest, own_lowest)
        return _DeviceColumns(places, values, powers.tolist(), lowest.tolist())

    def _bit_ranges(self, values: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return per column the least e with every |x| < 2**e, and the exponent of the lowest bit set in any value."""
        xp = self._device.xp
        largest = self._device.here(xp.abs(values).max(axis=1))
        powers = np.where(largest > 0, np.frexp(largest)[1], _LOWEST_EXPONENT).astype(np.int64)
        bits = xp.ascontiguousarray(values).view(xp.int64)
        written = bits >> _MANTISSA_BITS & _EXPONENTS
        mantissa = bits & ((1 << _MANTISSA_BITS) - 1) | (written > 0).astype(xp.int64) << _MANTISSA_BITS
        # The lowest bit alone as a double: its exponent is the index of the bit.
        last = (mantissa & -mantissa).astype(xp.float64).view(xp.int64) >> _MANTISSA_BITS
        # A subnormal number has the smallest exponent and no leading bit.
        exponent = xp.maximum(written, 1) - 1075 + last - 1023
        return powers, self._device.here(xp.where(mantissa == 0, 1024, exponent).min(axis=1)).astype(np.int64)

    def _products(self, groups: Sequence[_DeviceColumns], height: int) -> list[tuple[Any, Any]]:
        """Return high and low halves of the sums of products of all slices, [height, height], per digit of weights."""
        xp = self._device.xp
        size = rows_of_tile(weighted=self._weights is not None)
        tiles = max(min(_NUMBERS_AT_ONCE // (height * max(size, height)), -(-self._rows // size)), 1)
        halves = [(xp.zeros((height, height), xp.int64), xp.zeros((height, height), xp.int64)) for _ in self._digits]
        for start in range(0, self._rows, tiles * size):
            end = min(start + tiles * size, self._rows)
            # Rows beyond the last are zero.
            sliced = xp.zeros((height, tiles * size))
            at = 0
            for group in groups:
                for part in group.sliced(xp, start, end):
                    sliced[at : at + len(part), : end - start] = part
                    at += len(part)
            sliced[-1, : end - start] = 1
            in_tiles = sliced.reshape(height, tiles, size).swapaxes(0, 1)
            for digit, (high, low) in zip(self._digits, halves, strict=True):
                weighed = in_tiles
                if self._weights is not None:
                    weights = xp.zeros(tiles * size)
                    weights[: end - start] = self._digit(start, end, digit)
                    weighed = in_tiles * weights.reshape(tiles, 1, size)
                found = products_of_tiles(xp, weighed, in_tiles)
                high += (found >> _CARRY).sum(axis=0)
                low += (found & ((1 << _CARRY) - 1)).sum(axis=0)
        return halves

    def _digit(self, start: int, end: int, shift: int) -> Any:
        """Return a digit of the weights of some rows."""
        return self._weights[start:end].astype(self._device.xp.int64) >> shift & ((1 << DIGIT_BITS) - 1)

    def distinct(self, column: int, standard: Standard, low: int, high: int) -> NDArray[np.int64]:
        """Return the distinct values of a column in standard units that lie in a range, ascending."""
        values = self._column(column, standard)
        return self._device.here(self._device.xp.unique(values[(values >= low) & (values <= high)]))

    def summed(self, sum_queries: Sequence[SumQuery], standards: Sequence[Standard]) -> list[SupportSums]:
        """Return, for each query, the configurations that occur and the sums in each."""
        if not sum_queries:
            return []
        values = self._row_by_row(standards)
        ones = len(standards)
        pairs_of: dict[tuple[int, ...], dict[tuple[int, int], int]] = {}
        for variables, x, y in sum_queries:
            pairs = pairs_of.setdefault(tuple(variables), {})
            for pair in ((x, ones), (x, y)):
                pairs.setdefault(pair, len(pairs))
        strata = {variables: self._strata(variables) for variables in pairs_of}
        sums = [
            self._device.sums(values, self._weights, *strata[variables][:2], np.array([*pairs], dtype=np.int32))
            for variables, pairs in pairs_of.items()
        ]
        words = {
            variables: _words(self._device.here(stratum_sums))
            for variables, stratum_sums in zip(pairs_of, sums, strict=True)
        }
        answers = []
        for variables, x, y in sum_queries:
            key = tuple(variables)
            places = [pairs_of[key][x, ones], pairs_of[key][x, y]]
            answers.append((strata[key].keys, np.ascontiguousarray(words[key][:, places])))
        return answers

    def _strata(self, variables: tuple[int, ...]) -> Strata:
        """Sort the rows by the configuration of some variables; the latest results are cached."""
        known = self._known_strata.pop(variables, None)
        if known is None:
            assert self._categorical is not None, "strata are of categorical columns"
            known = self._categorical.strata(variables)
        self._known_strata[variables] = known
        while len(self._known_strata) > max(_KEPT_ROWS // self._rows, 1):
            del self._known_strata[next(iter(self._known_strata))]
        return known

    def _row_by_row(self, standards: Sequence[Standard]) -> Any:
        """Return all columns in standard units and a column of ones, [rows, columns + 1]."""
        known = self._known_rows
        if known is None or known[0] != list(standards):
            xp = self._device.xp
            values = xp.ones((self._rows, len(standards) + 1), dtype=xp.int64)
            for column, standard in enumerate(standards):
                values[:, column] = self._column(column, standard)
            self._known_rows = known = list(standards), values
            self._standardised.clear()
        return known[1]

    def _column(self, column: int, standard: Standard) -> Any:
        """Return a column in standard units, as integers in steps of 2**-bits."""
        known = self._standardised.get(column)
        if known is None or known[0] != standard:
            values = standardised(self._device.xp, self._values[column], standard)
            self._standardised[column] = known = standard, values
        return known[1]


def standardised(xp: Any, values: Any, standard: Standard) -> Any:
    """Return (x - mean) / deviation in steps of 2**-bits, by the operations of `src/core/counting/strata.cpp`."""
    # Two factors, because the power itself may be beyond the range of a double.
    half = int(-standard.power / 2)
    scaled = values * math.ldexp(1.0, half) * math.ldexp(1.0, -standard.power - half)
    high, low = _two_sum(scaled, -standard.mean[0])
    high, low = _two_sum(high, low + (0.0 - standard.mean[1]))
    steps = [math.ldexp(part, standard.bits) for part in standard.inverse]
    product, error = _two_product(high, steps[0])
    high, low = _two_sum(product, error + (high * steps[1] + low * steps[0]))
    whole = xp.rint(high)
    return whole.astype(xp.int64) + xp.rint((high - whole) + low).astype(xp.int64)


def _two_sum(a: Any, b: Any) -> tuple[Any, Any]:
    """Return the sum of doubles and its rounding error, both exact (Knuth)."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


def _two_product(a: Any, b: float) -> tuple[Any, Any]:
    """Return the product of doubles and its rounding error, both exact (Dekker)."""
    splitter = float((1 << 27) + 1)
    p = a * b
    t = splitter * a
    a_high = t - (t - a)
    a_low = a - a_high
    t_b = splitter * b
    b_high = t_b - (t_b - b)
    b_low = b - b_high
    return p, ((a_high * b_high - p) + a_high * b_low + a_low * b_high) + a_low * b_low


def _words(halves: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Convert integers of 128 bits, [..., 2], lower half first, to three words of 40 bits, the last with the sign."""
    low, high = halves[..., 0], halves[..., 1]
    mask = np.uint64((1 << WORD_BITS) - 1)
    middle = (low >> np.uint64(WORD_BITS) | high << np.uint64(64 - WORD_BITS)) & mask
    last = high.view(np.int64) >> 2 * WORD_BITS - 64
    return np.stack([(low & mask).view(np.int64), middle.view(np.int64), last], axis=-1)


def _as_integers(words: NDArray[np.int64]) -> NDArray[np.object_]:
    """Convert words [words, ...] to Python integers."""
    found = np.zeros(words.shape[1:], dtype=object)
    for place, word in enumerate(words):
        if word.any():
            found += word.astype(object) << WORD_BITS * place
    return found
