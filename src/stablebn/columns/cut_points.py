"""Where to cut continuous columns into bins: by counts, by widths, or by what the columns say of each other.

All is decided by integers and fractions, so that neither the order of rows and columns nor the machine has a say.
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

# "information" begins with this many bins, or with twice as many as are wanted: from fewer there is little to choose.
_FEWEST_FINE_BINS = 20

_GREATEST = Fraction(sys.float_info.max)

# That tell any two doubles apart.
_MOST_DIGITS = 17

# Bits of a digit of a sum of m ln m: sums of as many as there are cells fit 64 bits.
_DIGIT = 40
_SHIFTS = (0, _DIGIT, 2 * _DIGIT)

# Counts up to this many have a place each, by which they are looked up.
_MOST_PLACES = 1 << 28

# Of a part of a table of counts that is looked up at once.
_MOST_CELLS = 1 << 20


class Binning(NamedTuple):
    """How to make bins; see `stablebn.discretise`."""

    method: str
    bins: int


class _Distinct(NamedTuple):
    """The values of a column, ascending, and in how many rows each stands."""

    values: NDArray[np.float64]
    counts: NDArray[np.int64]


def cut_points(columns: Mapping[Name, Encoded], weights: Weights | None, binning: Binning) -> Cuts:
    """Find the cut points of the continuous columns of a table.

    Parameters
    ----------
    columns : mapping of name to Categories or Numbers
        Finite or missing. The categorical ones have a say in "information".
    weights : int64 array [rows] or None
    binning : Binning

    Returns
    -------
    dict of name to tuple of float
        No bin is empty. A column of one value, or of none, has no cut points.
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
    """The number of the bin of every value, one more than the last where it is missing."""
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
    """The values, by their place, with which a bin begins, but for the first bin: by equal counts.

    Cut k of so many bins stands where the rows below it are nearest to k / bins of all; of two such places the lower.
    """
    if counts.size <= bins:
        return list(range(1, counts.size))
    # In units of a bin-th of a row all is whole.
    below, total = np.cumsum(counts)[:-1] * bins, int(counts.sum())
    starts = set()
    for k in range(1, bins):
        after = int(np.searchsorted(below, k * total))
        near = [place for place in (after - 1, after) if 0 <= place < below.size]
        starts.add(1 + min(near, key=lambda place: abs(int(below[place]) - k * total)))
    return sorted(starts)


def _equal_widths(values: list[float], bins: int) -> tuple[float, ...]:
    """Cut points at equal distances, exact until they are rounded; of those between the same two values only one."""
    if len(values) <= bins:
        return _between(np.array(values), range(1, len(values)))
    least, width = Fraction(values[0]), Fraction(values[-1]) - Fraction(values[0])
    points: dict[int, list[Fraction]] = {}
    for k in range(1, bins):
        point = least + width * k / bins
        points.setdefault(bisect_left(values, point), []).append(point)
    return tuple(_roundest(values[at - 1], values[at], (own[0] + own[-1]) / 2) for at, own in points.items())


def _between(values: NDArray[np.float64], starts: Sequence[int]) -> tuple[float, ...]:
    """Cut points half way between the values, by their place, with which bins begin and those before them."""
    pairs = [(float(values[at - 1]), float(values[at])) for at in starts]
    return tuple(_roundest(below, above, (Fraction(below) + Fraction(above)) / 2) for below, above in pairs)


def _roundest(below: float, above: float, point: Fraction) -> float:
    """The number with the fewest digits, and then nearest to a point, that is above one value and not above another.

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
    # 1 before 0.5: nobody counts the digits of a whole number as those of a fraction.
    for exponent in [0, *exponents] if first_digit < 0 else exponents:
        unit = Fraction(10) ** exponent
        lower = point // unit * unit
        for number in sorted((lower, lower + unit), key=lambda number: abs(number - point)):
            # As doubles, which are what is compared with values: 0.3 is not above the value 0.3.
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
    """Merge bins until so many are left, each time the two neighbours that say least of the other columns.

    In every round, each column with too many bins has two of them merged, all seen from the bins before the round.
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
                # Where nothing is known of other columns, the smallest bins are merged.
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
    """In how many rows bins meet: those of the first columns, which are to be merged, and those of all columns.

    A column is not held against itself: there it has zeros.
    """
    first = list(accumulate(sizes, initial=0))
    # There may be many bins, and the rows rarely need more than 32 bits.
    fit_32_bits = weights is None or weights.sum() < 1 << 31
    dtype: type[np.integer[Any]] = np.int32 if fit_32_bits else np.int64
    counts = np.zeros((first[merging], first[-1]), dtype=dtype)
    for u in range(merging):
        for v in range(u + 1, len(codes)):
            # One more of each for missing values, which do not count.
            shape = sizes[u] + 1, sizes[v] + 1
            cells = np.bincount(codes[u] * shape[1] + codes[v], weights=weights, minlength=shape[0] * shape[1])
            met = cells.astype(dtype).reshape(shape)[:-1, :-1]
            counts[first[u] : first[u + 1], first[v] : first[v + 1]] = met
            if v < merging:
                counts[first[v] : first[v + 1], first[u] : first[u + 1]] = met.T
    return counts


def _losses(counts: NDArray[np.integer[Any]], firsts: NDArray[np.int64]) -> list[int]:
    """By how much less bins say of the other columns once the next one is merged with them, in units of 2**-62 nats.

    It is the rows times the mutual information, summed over the other columns: of the sums of m ln m, only those over
    cells and over the bins themselves change.
    """
    # A bin has fewer rows with a column that has missing values there.
    sizes = np.add.reduceat(counts, firsts, axis=1, dtype=counts.dtype)
    own = [a - b for a, b in zip(_sums(counts), _sums(sizes), strict=True)]
    both = zip(_sums(counts[:-1] + counts[1:]), _sums(sizes[:-1] + sizes[1:]), strict=True)
    return [own[i] + own[i + 1] - (a - b) for i, (a, b) in enumerate(both)]


def _sums(counts: NDArray[np.integer[Any]]) -> list[int]:
    """The sum of m ln m over each row of counts, in units of 2**-62."""
    # Here and not above: errors in the data are told without the core.
    from stablebn import _core

    # Some rows at a time: there may be more cells than in the table itself.
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
    # In three digits, so that sums of them are int64 too.
    digits = [
        np.array([(value >> shift) & ((1 << _DIGIT) - 1) for value in values], dtype=np.int64) for shift in _SHIFTS
    ]
    found: list[int] = []
    for part in parts:
        where = place[part] if place.size else np.searchsorted(occurring, part)
        lowest, middle, highest = (digit[where].sum(axis=1).tolist() for digit in digits)
        found += [a + (b << _DIGIT) + (c << 2 * _DIGIT) for a, b, c in zip(lowest, middle, highest, strict=True)]
    return found
