"""The canonical order of rows, so that random draws of rows do not depend on the layout of a table.

Rows are sorted by the columns in canonical order, with levels ordered by frequency and numbers ascending or descending
by a rule of the data. So the order of rows does not depend on the layout, on names, labels of levels, units or signs.
If two columns, levels or signs cannot be distinguished, a symmetry of the table exchanges them, and names and labels
decide between orders in which the table is the same.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stablebn import _core
from stablebn.canonical.order import score_keys
from stablebn.canonical.refinement import RefinedOrder, refine_order
from stablebn.columns.joint_values import first_image
from stablebn.columns.kinds import distinct_counts
from stablebn.graph.names import rank_names
from stablebn.scores.registry import ScoreConfig, scores_from
from stablebn.stats import statistics_of
from stablebn.stats.correlations import StandardisedColumns, StandardPoint
from stablebn.stats.engines.memory import TableSource
from stablebn.stats.symmetries.finer_rows import FinerRows
from stablebn.stats.symmetries.signs import is_symmetric
from stablebn.stats.symmetries.symmetry import Relation, Structure, TableRows
from stablebn.table.data_kinds import kind_of, parts_by_kind
from stablebn.table.table import CategoricalTable, ContinuousTable, Name, Table


@dataclass(frozen=True)
class CanonicalRows:
    """The distinct rows of a table in canonical order.

    Attributes
    ----------
    places : int64 array [distinct]
        Index in the table of one of the equal rows.
    counts : int64 array [distinct]
        Number of rows, by weight, that are equal to it.
    mirrored : tuple of names
        Continuous columns with a symmetric distribution that the canonical order mirrors at their middle.
    """

    places: NDArray[np.int64]
    counts: NDArray[np.int64]
    mirrored: tuple[Name, ...] = ()


def canonical_rows(
    table: Table,
    *,
    relations: Sequence[Relation] = (),
    called: Mapping[Name, Name] | None = None,
    threads: int = 1,
) -> CanonicalRows:
    """Find the distinct rows of a table and put them into canonical order.

    Parameters
    ----------
    table : Table
        No column is constant.
    relations : sequence of Relation
        Relations between the columns, given in addition to the data: names decide only between columns that are
        interchangeable in these too.
    called : mapping of name to name, optional
        Names that replace the names of columns in decisions.
    threads : int
    """
    columns = _columns_of(table)
    keys = _column_keys(table, columns, threads)
    names = [(called or {}).get(name, name) for name in table.names]
    faces = _canonical_faces(table, columns, keys, relations, names)
    oriented = [columns[v].oriented(_ranks(columns[v], parts)) for v, parts in faces.items()]
    mirrored = [
        table.names[v] for v, parts in faces.items() if columns[v].symmetric and parts[0] != (columns[v].own_sign < 0)
    ]
    order, begins = _sorted_rows(oriented, table.rows)
    weights = np.ones(table.rows, dtype=np.int64) if table.weights is None else table.weights
    counts = np.add.reduceat(weights[order], begins) if table.rows else np.empty(0, dtype=np.int64)
    return CanonicalRows(order[begins], counts, tuple(mirrored))


@dataclass(frozen=True)
class _RowColumn:
    """A column with the values by which rows are sorted.

    Attributes
    ----------
    values : integer array [rows]
        Codes of levels, or numbers in standard units, by which columns are distinguished.
    ranks : integer array [rows]
        Codes of levels, or ranks of the numbers of the column, by which rows are sorted.
    shape : hashable
        A key of the distribution without labels, units and sign.
    sizes : list of pairs of int
        Keys of the levels of a categorical column: known before missing, then the number of rows.
    sign : int
        Canonical sign of a continuous column, 1 or -1; 0 if the distribution is symmetric.
    own_sign : int
        If symmetric, the sign with which the values in their own units sort first.
    symmetric : bool
        Whether the column equals its mirror image in distribution, bit by bit.
    exact : StandardPoint or None
        The unrounded numbers of a continuous column.
    """

    values: NDArray[np.integer]
    ranks: NDArray[np.integer]
    shape: Hashable
    sizes: list[tuple[int, int]]
    sign: int
    own_sign: int = 1
    symmetric: bool = False
    exact: StandardPoint | None = None

    @property
    def faces(self) -> int:
        """Return the number of points of the column: its levels if some tie, 2 for numbers without a sign, else 1."""
        if self.sizes:
            return 1 if len(set(self.sizes)) == len(self.sizes) else len(self.sizes)
        return 1 if self.sign else 2

    def face(self, part: int) -> NDArray[np.integer]:
        """Return the values of one of these points."""
        if self.sizes:
            return self.oriented(_ranks_of(self.sizes)) if self.faces == 1 else (self.values == part).astype(np.int32)
        if self.sign_of(part) == 1:
            return self.values
        return np.where(self.values == StandardisedColumns.MISSING, self.values, -self.values)

    def sign_of(self, part: int) -> int:
        """Return the sign of a continuous column in one of these points."""
        return (self.sign or 1) * (-1 if part else 1)

    def face_key(self, part: int) -> tuple[int, ...]:
        """Return a key that distinguishes the point from others of the column."""
        return self.sizes[part] if self.sizes and self.faces > 1 else ()

    def oriented(self, order: Sequence[int]) -> NDArray[np.integer]:
        """Return the ranks, given the rank of each level, or whether numbers ascend (0 first) or descend (1 first)."""
        if self.sizes:
            return np.asarray(np.array(order, dtype=np.int64)[self.values])
        if self.sign_of(order[0]) == 1:
            return self.ranks
        known = self.values != StandardisedColumns.MISSING
        return np.where(known, self.ranks[known].max() - self.ranks, self.ranks)


@dataclass(frozen=True)
class _Face:
    """A point of a column, with unrounded values."""

    column: _RowColumn
    part: int

    @property
    def tolerance(self) -> float:
        """Return the largest gap between equal values, as in `finer_rows.ComparedPoint`."""
        return 0.0 if self.column.exact is None else self.column.exact.tolerance

    def of(self, table: Table) -> NDArray[np.number[Any]]:
        """Return the codes or the standardised values."""
        if self.column.exact is None:
            return self.column.face(self.part)
        return replace(self.column.exact, sign=self.column.sign_of(self.part)).of(table)


def _columns_of(table: Table) -> list[_RowColumn]:
    """Return the columns of a table, in its order."""
    columns = {
        name: column
        for part in parts_by_kind(table)
        for name, column in zip(part.names, _columns_of_part(part), strict=True)
    }
    return [columns[name] for name in table.names]


def _columns_of_part(table: CategoricalTable | ContinuousTable) -> list[_RowColumn]:
    """Return the columns of a table of a single kind."""
    if isinstance(table, CategoricalTable):
        make = partial(_categories, table)
    else:
        make = partial(_numbers, table, StandardisedColumns(TableSource(table)))
    columns = []
    for v in range(len(table.names)):
        # A limit of time is not heard while NumPy sorts.
        _core.check_time()
        columns.append(make(v))
    return columns


def _categories(table: CategoricalTable, v: int) -> _RowColumn:
    levels = len(table.levels[v])
    has_missing = v in table.holes
    counts = (
        np.bincount(table.codes[v], weights=table.weights, minlength=levels + has_missing).astype(np.int64).tolist()
    )
    sizes = [(int(code == levels), -int(count)) for code, count in enumerate(counts)]
    return _RowColumn(table.codes[v], table.codes[v], (0, *sorted(sizes)), sizes, 1)


def _numbers(table: ContinuousTable, standardised: StandardisedColumns, v: int) -> _RowColumn:
    # Missing values come last.
    _, ranks = np.unique(table.values[v], return_inverse=True)
    _, times = standardised.distribution(v)
    shape = (1, *standardised.shape(v), -int(times.sum()))
    sign = standardised.sign(v)
    exact = standardised.point(v, 1)
    if sign:
        return _RowColumn(standardised.values(v), ranks, shape, [], sign, exact=exact)
    distribution = _distribution(table, v)
    own_sign = first_image(*distribution) or 1
    return _RowColumn(standardised.values(v), ranks, shape, [], sign, own_sign, is_symmetric(*distribution), exact)


def _distribution(table: ContinuousTable, v: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the distinct known values of a column, ascending, and the number of rows of each."""
    known = ~np.isnan(table.values[v])
    return distinct_counts(table.values[v, known] + 0.0, None if table.weights is None else table.weights[known])


def _column_keys(table: Table, columns: Sequence[_RowColumn], threads: int) -> list[int]:
    """Return a number per column, equal for two columns only if scores and distributions do not distinguish them."""
    if len(columns) < 2:
        return [0] * len(columns)
    statistics = statistics_of(table, unit_free=True, threads=threads)
    scores = scores_from(statistics, ScoreConfig())
    by_score = score_keys(scores, unit_free=kind_of(table).has_units)
    # The key starts with the kind, because keys of different kinds cannot be compared.
    return _ranks_of([(column.shape, key) for column, key in zip(columns, by_score, strict=True)])


def _ranks_of(keys: Sequence[Hashable]) -> list[int]:
    """Return the rank of each key among the distinct keys."""
    place = {key: rank for rank, key in enumerate(sorted(set(keys)))}  # type: ignore[type-var]
    return [place[key] for key in keys]


def _canonical_faces(
    table: Table,
    columns: Sequence[_RowColumn],
    keys: Sequence[int],
    relations: Sequence[Relation],
    names: Sequence[Name],
) -> dict[int, list[int]]:
    """Order the columns canonically, and the points of each: its levels, or its two signs."""
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
            TableRows(rows, table.weights),
        ]
        by_name = rank_names(names)
        # Decide levels and signs first, given the names: otherwise they would decide where names must.
        named = _ranks_of([(by_name[names[v]], columns[v].face_key(part)) for v, part in points])
        # Standardised values do not distinguish two symmetric signs; the values in their own units may, in their bits.
        by_own_sign = _ranks_of([(v, -part if columns[v].own_sign < 0 else part) for v, part in points])
        refined = _refined_order(structures, tiers, named, by_own_sign)
        if refined.interchangeable and kind_of(table).has_units:
            faces = [_Face(columns[v], part) for v, part in points]
            finer = FinerRows(TableSource(table), faces, refined.interchangeable, lambda block, face: face.of(block))
            if not finer.is_too_large and not all(map(finer.keeps, refined.generators())):
                refined = _refined_order([*structures, finer], tiers, named, by_own_sign)
        order = refined.order
    parts_of: dict[int, list[int]] = {}
    for point in order:
        v, part = points[point]
        parts_of.setdefault(v, []).append(part)
    return parts_of


def _refined_order(
    structures: Sequence[Structure], tiers: Sequence[int], named: Sequence[int], by_own_sign: Sequence[int]
) -> RefinedOrder:
    """Order the points by tiers, structures and names; equal signs by the values in their own units."""
    first = refine_order(structures, named, by_own_sign)
    place = [0] * len(named)
    for rank, point in enumerate(first.order):
        place[point] = rank
    return refine_order(structures, tiers, place, symmetries=first.symmetries)


def _ranks(column: _RowColumn, parts: Sequence[int]) -> list[int]:
    """Return the rank of each level, or the order of the two signs."""
    if not column.sizes:
        return list(parts)
    if column.faces == 1:
        return _ranks_of(column.sizes)
    ranks = [0] * len(parts)
    for rank, part in enumerate(parts):
        ranks[part] = rank
    return ranks


def _sorted_rows(columns: Sequence[NDArray[np.integer]], rows: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the sorted indices of the rows, and the positions at which a new distinct row begins."""
    keys: list[NDArray[np.int64]] = []
    configurations = 1 << 63
    for column in columns:
        ranks = column.astype(np.int64)
        levels = int(ranks.max(initial=0)) + 1
        # Combine as many columns as fit into one integer.
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
