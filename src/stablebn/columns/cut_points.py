"""Compute cut points of continuous columns: by equal counts, by equal widths, or by mutual information.

All decisions use integers and fractions, so that the order of rows and columns and the machine play no part.
"""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import accumulate
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from stablebn.columns.encode import Categories, Encoded, Numbers
from stablebn.table.table import Name, Weights

Cuts: TypeAlias = dict[Name, tuple[float, ...]]
"""Cut points of every continuous column, ascending. A bin begins with its lower cut point and ends before its upper."""

METHODS = ("quantile", "interval", "information")
USUAL_BINS = 3
MOST_BINS = 100

# "information" begins with at least this many bins, and at least twice the requested number, and merges them.
_FEWEST_FINE_BINS = 20

_GREATEST = Fraction(sys.float_info.max)

# This many decimal digits distinguish any two doubles.
_MOST_DIGITS = 17

# Bits of a digit in sums of m ln m: with this size, sums of digits over all cells fit 64 bits.
_DIGIT = 40
_SHIFTS = (0, _DIGIT, 2 * _DIGIT)

# Counts up to this one are looked up by an array; larger ones by binary search.
_MOST_PLACES = 1 << 28

# Cells of a table of counts that are processed at once.
_MOST_CELLS = 1 << 20


class Binning(NamedTuple):
    """Method and number of bins; see `stablebn.discretise`."""

    method: str
    bins: int


class _Distinct(NamedTuple):
    """Distinct values of a column, ascending, and the number of rows of each."""

    values: NDArray[np.float64]
    counts: NDArray[np.int64]


def cut_points(columns: Mapping[Name, Encoded], weights: Weights | None, binning: Binning) -> Cuts:
    """Find the cut points of the continuous columns of a table.

    Parameters
    ----------
    columns : mapping of name to Categories or Numbers
        Values are finite or missing. Only method "information" uses the categorical columns.
    weights : int64 array [rows] or None
    binning : Binning

    Returns
    -------
    dict of name to tuple of float
        No bin is empty. A column with fewer than two distinct values has no cut points.
    """
    distinct = {
        name: _distinct(column.values, weights) for name, column in columns.items() if isinstance(column, Numbers)
    }
    if binning.method == "interval":
        return {name: _equal_widths(own.values.tolist(), binning.bins) for name, own in distinct.items()}
    if binning.method == "quantile":
        starts = {name: _equal_counts(own.counts, binning.bins) for name, own in distinct.items()}
    else:
        finest = max(_FEWEST_FINE_BINS, 2 * binning.bins)
        starts = {name: _equal_counts(own.counts, finest) for name, own in distinct.items()}
        starts = _merged(columns, distinct, starts, weights, binning.bins)
    return {name: _between(distinct[name].values, own) for name, own in starts.items()}


def bin_codes(values: NDArray[np.float64], cuts: Sequence[float] | NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the number of the bin of each value; for a missing value, one more than that of the last bin."""
    codes = np.searchsorted(np.asarray(cuts, dtype=np.float64), values, side="right")
    return np.where(np.isnan(values), len(cuts) + 1, codes)


def _distinct(values: NDArray[np.float64], weights: Weights | None) -> _Distinct:
    present = ~np.isnan(values)
    numbers = values[present]
    if weights is None:
        return _Distinct(*np.unique(numbers, return_counts=True))
    found, place = np.unique(numbers, return_inverse=True)
    return _Distinct(found, np.bincount(place, weights=weights[present], minlength=found.size).astype(np.int64))


def _equal_counts(counts: NDArray[np.int64], bins: int) -> list[int]:
    """Return the indices of the values with which the bins after the first one begin, for equal counts.

    Cut k stands where the number of rows below it is nearest to k / bins of all; of two such cuts, the lower one.
    """
    if counts.size <= bins:
        return list(range(1, counts.size))
    # All numbers are multiplied by the number of bins, so that they are integers.
    below, total = np.cumsum(counts)[:-1] * bins, int(counts.sum())
    starts = set()
    for k in range(1, bins):
        after = int(np.searchsorted(below, k * total))
        near = [place for place in (after - 1, after) if 0 <= place < below.size]
        starts.add(1 + min(near, key=lambda place: abs(int(below[place]) - k * total)))
    return sorted(starts)


def _equal_widths(values: list[float], bins: int) -> tuple[float, ...]:
    """Return cut points at equal distances, exact until they are rounded; at most one between two values."""
    if len(values) <= bins:
        return _between(np.array(values), range(1, len(values)))
    least, width = Fraction(values[0]), Fraction(values[-1]) - Fraction(values[0])
    points: dict[int, list[Fraction]] = {}
    for k in range(1, bins):
        point = least + width * k / bins
        points.setdefault(bisect_left(values, point), []).append(point)
    return tuple(_roundest(values[at - 1], values[at], (cuts[0] + cuts[-1]) / 2) for at, cuts in points.items())


def _between(values: NDArray[np.float64], starts: Sequence[int]) -> tuple[float, ...]:
    """Return cut points half way between each value (by index) with which a bin begins and the value before it."""
    pairs = [(float(values[at - 1]), float(values[at])) for at in starts]
    return tuple(_roundest(below, above, (Fraction(below) + Fraction(above)) / 2) for below, above in pairs)


def _roundest(below: float, above: float, point: Fraction) -> float:
    """Return the number in (below, above] with the fewest digits and, of these, the one nearest to a point.

    >>> _roundest(1.237, 1.2411, Fraction("1.239")), _roundest(2.5, 100.5, Fraction("51.5"))
    (1.24, 50.0)
    >>> _roundest(-7.5, 0.5, Fraction("-3.5")), _roundest(0.2, 0.3, Fraction("0.25"))
    (0.0, 0.3)
    >>> _roundest(0.0, 1.0, Fraction("0.5"))
    1.0
    """
    if below < 0 <= above:
        return 0.0
    first_digit = (Decimal(point.numerator) / Decimal(point.denominator)).adjusted()
    exponents = [first_digit - digits for digits in range(_MOST_DIGITS)]
    # A whole number such as 1 is preferred to a fraction such as 0.5.
    for exponent in [0, *exponents] if first_digit < 0 else exponents:
        unit = Fraction(10) ** exponent
        lower = point // unit * unit
        for number in sorted((lower, lower + unit), key=lambda number: abs(number - point)):
            # Compared as doubles, as data values will be: 0.3 is not above the value 0.3.
            if abs(number) <= _GREATEST and below < float(number) <= above:
                return float(number)
    return above


def _merged(
    columns: Mapping[Name, Encoded],
    distinct: Mapping[Name, _Distinct],
    starts: Mapping[Name, Sequence[int]],
    weights: Weights | None,
    bins: int,
) -> dict[Name, list[int]]:
    """Merge bins until `bins` are left, each time the two neighbours whose merging loses least mutual information.

    In every round, each column with too many bins has two of them merged; losses are computed before the round.
    """
    names = list(starts)
    found = [[0, *starts[name]] for name in names]
    rows = [distinct[name].counts for name in names]
    codes = [
        bin_codes(column.values, distinct[name].values[list(starts[name])])
        for name, column in columns.items()
        if isinstance(column, Numbers)
    ]
    categories = [column for column in columns.values() if isinstance(column, Categories) and column.levels]
    codes += [column.codes.astype(np.int64) for column in categories]
    sizes = [*map(len, found), *(len(column.levels) for column in categories)]
    counts = _joint_counts(codes, sizes, len(names), weights)

    while any(len(own) > bins for own in found):
        firsts = np.concatenate([[0], np.cumsum([*map(len, found), *sizes[len(names) :]])[:-1]])
        losses = _losses(counts, firsts)
        stays = np.ones(counts.shape[1], dtype=np.bool_)
        for own, first, own_rows in zip(found, firsts.tolist(), rows, strict=False):
            if len(own) > bins:
                size = np.add.reduceat(own_rows, own).tolist()
                # If losses are equal, the smallest bins are merged.
                least = min(range(len(own) - 1), key=lambda i: (losses[first + i], size[i] + size[i + 1]))
                stays[first + least + 1] = False
                del own[least + 1]
        left = np.flatnonzero(stays)
        counts = np.add.reduceat(counts, left[: sum(map(len, found))], axis=0, dtype=counts.dtype)
        counts = np.add.reduceat(counts, left, axis=1, dtype=counts.dtype)
    return {name: own[1:] for name, own in zip(names, found, strict=True)}


def _joint_counts(
    codes: Sequence[NDArray[np.int64]], sizes: Sequence[int], merging: int, weights: Weights | None
) -> NDArray[np.integer[Any]]:
    """Count the rows of each pair of bins: one of the first `merging` columns, whose bins are merged, and one of any.

    The counts of a column with itself are 0.
    """
    first = list(accumulate(sizes, initial=0))
    # 32 bits are used if they suffice, because there may be many bins.
    fit_32_bits = weights is None or weights.sum() < 1 << 31
    dtype: type[np.integer[Any]] = np.int32 if fit_32_bits else np.int64
    counts = np.zeros((first[merging], first[-1]), dtype=dtype)
    for u in range(merging):
        for v in range(u + 1, len(codes)):
            # Each column has one more bin for missing values, which are not counted.
            shape = sizes[u] + 1, sizes[v] + 1
            cells = np.bincount(codes[u] * shape[1] + codes[v], weights=weights, minlength=shape[0] * shape[1])
            joint = cells.astype(dtype).reshape(shape)[:-1, :-1]
            counts[first[u] : first[u + 1], first[v] : first[v + 1]] = joint
            if v < merging:
                counts[first[v] : first[v + 1], first[u] : first[u + 1]] = joint.T
    return counts


def _losses(counts: NDArray[np.integer[Any]], firsts: NDArray[np.int64]) -> list[int]:
    """Return the mutual information that each bin loses when it is merged with the next one, in units of 2**-62 nats.

    The mutual information is multiplied by the number of rows and summed over the other columns. Of its sums of
    m ln m, only those over the cells and over the bins themselves change.
    """
    # Sizes are computed per other column, because rows with a missing value there are not counted.
    sizes = np.add.reduceat(counts, firsts, axis=1, dtype=counts.dtype)
    single = [a - b for a, b in zip(_sums(counts), _sums(sizes), strict=True)]
    merged = zip(_sums(counts[:-1] + counts[1:]), _sums(sizes[:-1] + sizes[1:]), strict=True)
    return [single[i] + single[i + 1] - (a - b) for i, (a, b) in enumerate(merged)]


def _sums(counts: NDArray[np.integer[Any]]) -> list[int]:
    """Return the sum of m ln m over each row of counts, in units of 2**-62."""
    # Imported here so that errors in the data are reported without loading the core.
    from stablebn import _core

    # Processed in parts, because there may be more cells than values in the table.
    parts = np.array_split(counts, -(-counts.size // _MOST_CELLS)) if counts.size else []
    greatest = int(counts.max(initial=0))
    place = np.zeros(greatest + 1 if greatest <= _MOST_PLACES else 0, dtype=np.int64)
    if place.size:
        for part in parts:
            place[part] = 1
        occurring = np.flatnonzero(place)
        place[occurring] = np.arange(occurring.size)
    else:
        occurring = np.unique(np.concatenate([np.unique(part) for part in parts]))
    values = [m * _core.ln_of_integer(m) if m else 0 for m in occurring.tolist()]
    # Each value is split into three digits, whose sums fit int64.
    digits = [
        np.array([(value >> shift) & ((1 << _DIGIT) - 1) for value in values], dtype=np.int64) for shift in _SHIFTS
    ]
    found: list[int] = []
    for part in parts:
        where = place[part] if place.size else np.searchsorted(occurring, part)
        lowest, middle, highest = (digit[where].sum(axis=1).tolist() for digit in digits)
        found += [a + (b << _DIGIT) + (c << 2 * _DIGIT) for a, b, c in zip(lowest, middle, highest, strict=True)]
    return found
