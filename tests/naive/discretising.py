"""Cut points by their definitions: fractions, decimals and counting, a row at a time."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from itertools import pairwise

Number = float | None
Bin = list[float]
"""Its distinct values, ascending."""


def cuts(
    numbers: Mapping[str, Sequence[Number]], categories: Mapping[str, Sequence[str | None]], method: str, bins: int
) -> dict[str, tuple[float, ...]]:
    """Cut points of the columns of numbers; None is missing."""
    values = {name: [x for x in column if x is not None] for name, column in numbers.items()}
    if method == "interval":
        return {name: widths(column, bins) for name, column in values.items()}
    first = bins if method == "quantile" else max(20, 2 * bins)
    found = {name: quantiles(column, first) for name, column in values.items()}
    if method == "information":
        found = merged(numbers, categories, found, bins)
    return {name: tuple(half_way(lower, upper) for lower, upper in pairwise(own)) for name, own in found.items()}


def half_way(lower: Bin, upper: Bin) -> float:
    return rounded(lower[-1], upper[0], (Fraction(lower[-1]) + Fraction(upper[0])) / 2)


def quantiles(column: Sequence[float], bins: int) -> list[Bin]:
    values = sorted(set(column))
    if len(values) <= bins:
        return [[value] for value in values]
    share = {place: Fraction(sum(x < values[place] for x in column), len(column)) for place in range(1, len(values))}
    places = {min((abs(share[place] - Fraction(k, bins)), place) for place in share)[1] for k in range(1, bins)}
    return [values[a:b] for a, b in pairwise([0, *sorted(places), len(values)])]


def widths(column: Sequence[float], bins: int) -> tuple[float, ...]:
    values = sorted(set(column))
    if len(values) <= bins:
        return tuple(half_way([a], [b]) for a, b in pairwise(values))
    least, width = Fraction(values[0]), (Fraction(values[-1]) - Fraction(values[0])) / bins
    number = {x: min(bins - 1, (Fraction(x) - least) // width) for x in values}
    # Where bins are empty, the cut is half way between the ends of those that are not.
    return tuple(
        rounded(a, b, least + width * (number[a] + 1 + number[b]) / 2)
        for a, b in pairwise(values)
        if number[a] < number[b]
    )


def rounded(below: float, above: float, point: Fraction) -> float:
    """Of the decimals with the fewest digits the one nearest to a point."""
    if below < 0 <= above:
        return 0.0
    if abs(point) < 1 and below < (whole := math.copysign(1, point)) <= above:
        return whole
    size = int(f"{float(point):e}".partition("e")[2])
    for digits in range(1, 18):
        fitting = []
        for exponent in range(size - digits - 1, size + 2):
            unit = Fraction(10) ** exponent
            for number in range(point // unit - 2, point // unit + 4):
                short = len(str(abs(number)).rstrip("0")) <= digits
                if short and below < float(f"{number}e{exponent}") <= above:
                    fitting.append((abs(number * unit - point), number * unit))
        if fitting:
            return float(min(fitting)[1])
    raise AssertionError("the greater value itself has few enough digits")


def merged(
    numbers: Mapping[str, Sequence[Number]],
    categories: Mapping[str, Sequence[str | None]],
    found: Mapping[str, list[Bin]],
    bins: int,
) -> dict[str, list[Bin]]:
    """Merge neighbouring bins, two of every column in a round, so that most information is left."""
    now = dict(found)
    while any(len(own) > bins for own in now.values()):
        binned = {name: numbered(numbers[name], own) for name, own in now.items()}
        table: dict[str, Sequence[Hashable]] = {**binned, **categories}
        now = {name: own if len(own) <= bins else best(name, numbers[name], own, table) for name, own in now.items()}
    return now


def best(name: str, column: Sequence[Number], own: list[Bin], table: Mapping[str, Sequence[Hashable]]) -> list[Bin]:
    outcomes = []
    for i in range(len(own) - 1):
        both = own[i] + own[i + 1]
        joined = [*own[:i], both, *own[i + 2 :]]
        others = [other for title, other in table.items() if title != name]
        with localcontext() as context:
            context.prec = 70
            left = sum((information(numbered(column, joined), other) for other in others), Decimal(0))
            # Equal ones differ by the last digits of logarithms.
            outcomes.append((-round(left, 40), sum(x in both for x in column), i, joined))
    return min(outcomes)[3]


def numbered(column: Sequence[Number], own: list[Bin]) -> list[int | None]:
    number = {x: k for k, values in enumerate(own) for x in values}
    return [None if x is None else number[x] for x in column]


def information(one: Sequence[Hashable], other: Sequence[Hashable]) -> Decimal:
    """The rows that have both, times their mutual information in nats."""
    pairs = [(a, b) for a, b in zip(one, other, strict=True) if a is not None and b is not None]
    cells, rows, columns = Counter(pairs), Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    return (
        sum(map(m_ln_m, cells.values()), m_ln_m(len(pairs)))
        - sum(map(m_ln_m, rows.values()))
        - sum(map(m_ln_m, columns.values()))
    )


@cache
def m_ln_m(m: int) -> Decimal:
    with localcontext() as context:
        context.prec = 70
        return Decimal(m) * Decimal(m).ln() if m else Decimal(0)
