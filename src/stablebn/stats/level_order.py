"""The levels of categorical variables in an order that the data decide, and neither labels nor the layout.

The most frequent level comes first. Levels of one column that are equally frequent are told apart by the rows that they
share with all others, as `order/refinement.py` tells variables apart: levels are coloured by the colours of those they
meet, and how often, until no colour splits any more. Where colours end, one of them is put first and the rest is
coloured again. Levels that a symmetry of the table exchanges are the same whichever comes first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from stablebn.data.table import CategoricalTable
from stablebn.graph.names import rank_names
from stablebn.stats.standardised import StandardisedColumns

# Of two levels either one may be left out: the other column is the same but for its sign, and no bit of a determinant
# depends on signs.
_FEWEST_LEVELS = 3


def level_orders(table: CategoricalTable, numbers: StandardisedColumns | None, columns: int = 0) -> list[list[int]]:
    """The codes of every column that occur, in canonical order.

    Parameters
    ----------
    table : CategoricalTable
        Without holes.
    numbers : StandardisedColumns or None
        Continuous columns of the same rows.
    columns : int
        How many these are.
    """
    counts = [
        np.bincount(codes, table.weights, minlength=len(levels)).astype(np.int64).tolist()
        for codes, levels in zip(table.codes, table.levels, strict=True)
    ]
    tied = {v for v, own in enumerate(counts) if len({*filter(None, own)}) < sum(map(bool, own))}
    if not any(sum(map(bool, counts[v])) >= _FEWEST_LEVELS for v in tied):
        return [sorted(filter(own.__getitem__, range(len(own))), key=lambda code: -own[code]) for own in counts]
    colours = _Colours(table, counts, sorted(tied), numbers, columns).found()
    return [
        sorted(filter(own.__getitem__, range(len(own))), key=lambda code: (-own[code], colours[v, code]))
        for v, own in enumerate(counts)
    ]


class _Colours:
    """Colours of levels, by which more and more of them differ.

    Parameters
    ----------
    table, numbers, columns
        As above.
    counts : sequence of lists of int
        Rows of each level of each column.
    tied : sequence of int
        Columns with levels that are equally frequent: those of others need not be told apart.
    """

    def __init__(
        self,
        table: CategoricalTable,
        counts: Sequence[Sequence[int]],
        tied: Sequence[int],
        numbers: StandardisedColumns | None,
        columns: int,
    ) -> None:
        self._points = [(v, code) for v, own in enumerate(counts) for code, count in enumerate(own) if count]
        self._places = {point: place for place, point in enumerate(self._points)}
        self._tied = [place for place, (v, _) in enumerate(self._points) if v in tied]
        self._matter = [
            place for place in self._tied if sum(map(bool, counts[self._points[place][0]])) >= _FEWEST_LEVELS
        ]
        by_name = rank_names(table.names)
        self._by_name = [(by_name[table.names[v]], code) for v, code in self._points]
        keys: list[Hashable] = [(sorted(counts[v]), counts[v][code]) for v, code in self._points]
        self._colours = _ranks([repr(key) for key in keys])
        self._joint = {v: _joint_counts(table, counts, v) for v in tied}
        self._sums = [
            _sums(table, [self._points[place] for place in self._tied], numbers, x) if numbers is not None else []
            for x in range(columns)
        ]

    def found(self) -> dict[tuple[int, int], tuple[int, int]]:
        """The colours of all levels, and their places by name where colours are the same."""
        self._refine()
        while (tie := self._first_tie()) is not None:
            # Before all that have its colour, after all that have a lower one.
            self._colours = [2 * own + 1 for own in self._colours]
            self._colours[tie] -= 1
            self._refine()
        return {point: (own, point[1]) for point, own in zip(self._points, self._colours, strict=True)}

    def _first_tie(self) -> int | None:
        """The first by name of those that have the lowest colour that two levels of one column have."""
        times = Counter((self._points[place][0], self._colours[place]) for place in self._matter)
        shared = {colour for (_, colour), levels in times.items() if levels > 1}
        if not shared:
            return None
        members = [place for place in self._matter if self._colours[place] == min(shared)]
        return min(members, key=self._by_name.__getitem__)

    def _refine(self) -> None:
        while True:
            keys: list[Hashable] = [(own,) for own in self._colours]
            for row, place in enumerate(self._tied):
                v, code = self._points[place]
                met = [
                    (self._points[other][0] == v, self._colours[other], int(rows))
                    for other, rows in enumerate(self._joint[v][code])
                ]
                sums = sorted(own[row] for own in self._sums)
                keys[place] = (self._colours[place], sorted(met), sums)
            finer = _ranks(keys)
            if len(set(finer)) == len(set(self._colours)):
                return
            self._colours = finer


def _joint_counts(table: CategoricalTable, counts: Sequence[Sequence[int]], v: int) -> dict[int, NDArray[np.int64]]:
    """For each level of a column, its rows in each level that occurs of each column."""
    own = len(counts[v])
    parts = []
    for u, of_levels in enumerate(counts):
        cells = table.codes[v].astype(np.int64) * len(of_levels) + table.codes[u]
        joint = np.bincount(cells, table.weights, minlength=own * len(of_levels)).reshape(own, -1)
        parts.append(joint[:, np.flatnonzero(of_levels)])
    return dict(enumerate(np.concatenate(parts, axis=1).astype(np.int64)))


def _sums(
    table: CategoricalTable, points: Sequence[tuple[int, int]], numbers: StandardisedColumns, x: int
) -> list[tuple[Hashable, int]]:
    """Of a continuous column the shape, and the sum of its values in some levels; its size if it has no sign."""
    sign = numbers.sign(x)
    values = numbers.values(x, sign or 1)
    if table.weights is not None:
        values = values * table.weights
    sums = [int(values[table.codes[v] == code].sum()) for v, code in points]
    return [(numbers.shape(x), own if sign else abs(own)) for own in sums]


def _ranks(keys: Sequence[Hashable]) -> list[int]:
    """The place of each key among the distinct ones, ascending."""
    place: dict[str, int] = {}
    ordered = sorted(range(len(keys)), key=keys.__getitem__)  # type: ignore[arg-type]
    ranks = [0] * len(keys)
    for point in ordered:
        ranks[point] = place.setdefault(repr(keys[point]), len(place))
    return ranks
