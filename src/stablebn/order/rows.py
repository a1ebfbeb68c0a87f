"""The rows of a table in canonical order: what is drawn for rows is drawn for them, and never for where they stand.

Columns come in canonical order, levels by how many rows have them, numbers ascending or descending as the data say. So
the order of rows depends on what a table says, and neither on the layout nor on names, labels of levels, units or
signs. Where two columns, two levels or two signs cannot be told apart by that, a symmetry of the table exchanges them,
and names and labels decide between orders in which the table looks the same.

Where units matter, the symmetries are fewer: only those that keep every number or change its sign. A mirror image at
another place than zero is no symmetry of a sample, because an algorithm that knows units can tell the two apart.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stablebn.data.kinds import distinct_counts
from stablebn.data.meetings import first_image
from stablebn.data.table import CategoricalTable, ContinuousTable, MixedTable, Name, Table, Weights
from stablebn.graph.names import rank_names
from stablebn.order.canonical import score_keys
from stablebn.order.refinement import tell_apart
from stablebn.scores.registry import ScoreConfig, scores_from
from stablebn.stats import statistics_of
from stablebn.stats.sources import TableSource
from stablebn.stats.standardised import StandardisedColumns
from stablebn.stats.symmetry import Relation, Structure, TableRows


@dataclass(frozen=True)
class CanonicalRows:
    """The distinct rows of a table in canonical order.

    Attributes
    ----------
    places : int64 array [distinct]
        Where in the table one of the equal rows stands.
    counts : int64 array [distinct]
        How many rows, by weight, are equal to it.
    """

    places: NDArray[np.int64]
    counts: NDArray[np.int64]


def canonical_rows(
    table: Table,
    *,
    unit_free: bool = True,
    relations: Sequence[Relation] = (),
    called: Mapping[Name, Name] | None = None,
    threads: int = 1,
) -> CanonicalRows:
    """Find the distinct rows of a table and put them into canonical order.

    Parameters
    ----------
    table : Table
        No column is constant.
    unit_free : bool
        The order is the same in all units. If False, it is the same for all signs of the columns only.
    relations : sequence of Relation
        Between the columns, given besides the data: names decide only between columns that are interchangeable in
        these too.
    called : mapping of name to name, optional
        The names to decide by where not their own.
    threads : int
    """
    columns = _columns_of(table, unit_free=unit_free)
    keys = _column_keys(table, columns, threads)
    names = [(called or {}).get(name, name) for name in table.names]
    oriented = _oriented(columns, keys, relations, names, table.weights)
    order, begins = _sorted_rows(oriented, table.rows)
    weights = np.ones(table.rows, dtype=np.int64) if table.weights is None else table.weights
    counts = np.add.reduceat(weights[order], begins) if table.rows else np.empty(0, dtype=np.int64)
    return CanonicalRows(order[begins], counts)


@dataclass(frozen=True)
class _Column:
    """A column, as it can stand in canonical rows.

    Attributes
    ----------
    values : integer array [rows]
        Codes of levels; or numbers in standard units, or their places from the middle, by which variables are told
        apart.
    ranks : integer array [rows]
        The same, or places among the numbers of the column, by which rows are sorted.
    shape : hashable
        A key of its distribution, without labels, units and sign.
    sizes : list of pairs of int
        Of a categorical column, keys of its levels: what is missing last, then how many rows there are.
    sign : int
        Of a continuous column, with which it comes first: 1 or -1; 0: both are alike.
    """

    values: NDArray[np.integer]
    ranks: NDArray[np.integer]
    shape: Hashable
    sizes: list[tuple[int, int]]
    sign: int

    @property
    def faces(self) -> int:
        """In how many parts it must be looked at: levels of equal size apart, and numbers without a sign twice."""
        if self.sizes:
            return 1 if len(set(self.sizes)) == len(self.sizes) else len(self.sizes)
        return 1 if self.sign else 2

    def face(self, part: int) -> NDArray[np.integer]:
        """One of these parts."""
        if self.sizes:
            return self.oriented(_ranks_of(self.sizes)) if self.faces == 1 else (self.values == part).astype(np.int32)
        mirrored = (self.sign or 1) * (-1 if part else 1) == -1
        return np.where(self.values == StandardisedColumns.HOLE, self.values, -self.values) if mirrored else self.values

    def face_key(self, part: int) -> tuple[int, ...]:
        """What tells the part apart from others of the column."""
        return self.sizes[part] if self.sizes and self.faces > 1 else ()

    def oriented(self, order: Sequence[int]) -> NDArray[np.integer]:
        """The ranks, given which rank each level has, or whether numbers ascend (0 first) or descend (1 first)."""
        if self.sizes:
            return np.asarray(np.array(order, dtype=np.int64)[self.values])
        if (self.sign or 1) * (1 if order[0] == 0 else -1) == 1:
            return self.ranks
        known = self.values != StandardisedColumns.HOLE
        return np.where(known, self.ranks[known].max() - self.ranks, self.ranks)


def _columns_of(table: Table, *, unit_free: bool) -> list[_Column]:
    """The columns of a table, in its order."""
    if isinstance(table, MixedTable):
        own = {
            name: column
            for part in (table.categorical, table.continuous)
            for name, column in zip(part.names, _columns_of(part, unit_free=unit_free), strict=True)
        }
        return [own[name] for name in table.names]
    if isinstance(table, CategoricalTable):
        return [_categories(table, v) for v in range(len(table.names))]
    if not unit_free:
        return [_numbers_in_units(table, v) for v in range(len(table.names))]
    standardised = StandardisedColumns(TableSource(table))
    return [_numbers(table, standardised, v) for v in range(len(table.names))]


def _categories(table: CategoricalTable, v: int) -> _Column:
    levels = len(table.levels[v])
    hole = v in table.holes
    counts = np.bincount(table.codes[v], weights=table.weights, minlength=levels + hole).astype(np.int64).tolist()
    sizes = [(int(code == levels), -int(count)) for code, count in enumerate(counts)]
    return _Column(table.codes[v], table.codes[v], (0, *sorted(sizes)), sizes, 1)


def _numbers(table: ContinuousTable, standardised: StandardisedColumns, v: int) -> _Column:
    # What is missing comes last.
    _, ranks = np.unique(table.values[v], return_inverse=True)
    _, times = standardised.distribution(v)
    shape = (1, *standardised.shape(v), -int(times.sum()))
    return _Column(standardised.values(v), ranks, shape, [], standardised.sign(v))


def _numbers_in_units(table: ContinuousTable, v: int) -> _Column:
    """A column that only its mirror image at zero equals: columns of one shape have the same numbers but for signs."""
    numbers = table.values[v] + 0.0
    known = ~np.isnan(numbers)
    distinct, times = distinct_counts(numbers[known], None if table.weights is None else table.weights[known])
    sign = first_image(distinct, times)
    shape = (distinct, times) if sign >= 0 else (-distinct[::-1] + 0.0, times[::-1])
    # What is missing comes last.
    ranks = np.searchsorted(distinct, numbers)
    from_the_middle = np.where(known, 2 * ranks + 1 - distinct.size, StandardisedColumns.HOLE)
    return _Column(from_the_middle, ranks, (1, *(tuple(own.tolist()) for own in shape)), [], sign)


def _column_keys(table: Table, columns: Sequence[_Column], threads: int) -> list[int]:
    """A number for each column: the same for two columns only if neither scores nor distributions tell them apart."""
    if len(columns) < 2:
        return [0] * len(columns)
    statistics = statistics_of(table, unit_free=True, threads=threads)
    scores = scores_from(statistics, ScoreConfig())
    by_score = score_keys(scores, unit_free=statistics.kind != "categorical")
    # Kinds first: keys of different kinds cannot be compared.
    return _ranks_of([(column.shape, key) for column, key in zip(columns, by_score, strict=True)])


def _ranks_of(keys: Sequence[Hashable]) -> list[int]:
    """The place of each key among the distinct ones, ascending."""
    place = {key: rank for rank, key in enumerate(sorted(set(keys)))}  # type: ignore[type-var]
    return [place[key] for key in keys]


def _oriented(
    columns: Sequence[_Column],
    keys: Sequence[int],
    relations: Sequence[Relation],
    names: Sequence[Name],
    weights: Weights | None,
) -> list[NDArray[np.integer]]:
    """The columns in canonical order, each with the ranks of its values."""
    points = [(v, part) for v, column in enumerate(columns) for part in range(column.faces)]
    tiers = _ranks_of([(keys[v], columns[v].face_key(part)) for v, part in points])
    order = sorted(range(len(points)), key=tiers.__getitem__)
    if len(set(tiers)) < len(points):
        of_column = [v for v, _ in points]
        together = np.array([[int(v == u) for u in of_column] for v in of_column], dtype=np.int64)
        rows = np.array([columns[v].face(part) for v, part in points], dtype=np.int32)
        structures: list[Structure] = [
            *(relation.of_points(of_column) for relation in relations),
            Relation(together),
            TableRows(rows, weights),
        ]
        by_name = rank_names(names)
        # Levels and signs first, given the names: else where names decide, labels and signs would.
        named = _ranks_of([(by_name[names[v]], columns[v].face_key(part)) for v, part in points])
        first = tell_apart(structures, named, list(range(len(points))))
        place = [0] * len(points)
        for rank, point in enumerate(first.order):
            place[point] = rank
        order = tell_apart(structures, tiers, place, symmetries=first.symmetries).order
    faces: dict[int, list[int]] = {}
    for point in order:
        v, part = points[point]
        faces.setdefault(v, []).append(part)
    return [columns[v].oriented(_ranks(columns[v], parts)) for v, parts in faces.items()]


def _ranks(column: _Column, parts: Sequence[int]) -> list[int]:
    """Which rank each level has, or the order of the two signs."""
    if not column.sizes:
        return list(parts)
    if column.faces == 1:
        return _ranks_of(column.sizes)
    ranks = [0] * len(parts)
    for rank, part in enumerate(parts):
        ranks[part] = rank
    return ranks


def _sorted_rows(columns: Sequence[NDArray[np.integer]], rows: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The order of the rows, and where in it a row begins that is not equal to the one before."""
    keys: list[NDArray[np.int64]] = []
    configurations = 1 << 63
    for column in columns:
        ranks = column.astype(np.int64)
        levels = int(ranks.max(initial=0)) + 1
        # As many columns as one integer holds are one key.
        if configurations * levels >= 1 << 63:
            keys.append(ranks)
            configurations = levels
        else:
            keys[-1] = keys[-1] * levels + ranks
            configurations *= levels
    if not keys:
        return np.arange(rows), np.zeros(min(rows, 1), dtype=np.int64)
    order = np.lexsort(keys[::-1])
    differ = np.zeros(max(rows - 1, 0), dtype=np.bool_)
    for key in keys:
        differ |= np.diff(key[order]) != 0
    return order, np.flatnonzero(np.concatenate([[True], differ])[:rows])
