"""Prepared tables with other rows, such as bootstrap samples, equal to those of a frame with these rows."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from stablebn.canonical.rows import CanonicalRows
from stablebn.columns.encode import narrow
from stablebn.columns.requirements import FEWEST_GAUSSIAN_ROWS
from stablebn.errors import DataError
from stablebn.messages import tallied
from stablebn.networks.align_table import parts_of
from stablebn.prepare.prepared import Prepared
from stablebn.stats.symmetries.signs import Image
from stablebn.table.data_kinds import map_parts
from stablebn.table.table import CategoricalTable, Codes, ContinuousTable, MixedTable, Name, Table, Weights

# If there is at most one distinct row per this number of rows, weighted rows are faster than repeated rows. The core
# counts the latter by bits, which takes a tenth of the time per row (alarm).
_ROWS_PER_DISTINCT_ROW = 8
# Number of sampled rows that show most levels.
_FEW_ROWS = 512


@dataclass(frozen=True)
class ChosenRows:
    """Rows chosen from a table, possibly more than once.

    Attributes
    ----------
    places : int64 array [rows]
        Index of each row in the table.
    weights : int64 array [rows], all positive, or None
        How often each row is chosen; None if once.
    """

    places: NDArray[np.int64]
    weights: Weights | None


def chosen_rows(distinct: CanonicalRows, times: NDArray[np.int64]) -> ChosenRows:
    """Return rows, given how often each distinct row is chosen: repeated, or with weights if that is faster."""
    drawn = times > 0
    if times.size * _ROWS_PER_DISTINCT_ROW <= int(times.sum()):
        return ChosenRows(distinct.places[drawn], times[drawn])
    return ChosenRows(np.repeat(distinct.places, times), None)


def in_canonical_signs(prepared: Prepared, rows: CanonicalRows) -> Prepared:
    """Mirror the symmetric columns that the canonical order of rows mirrors.

    A sample of a symmetric column need not be symmetric. Such a column is replaced by its mirror image, which has the
    same values equally often.
    """
    if not rows.mirrored:
        return prepared
    return replace(prepared, table=map_parts(prepared.table, lambda part: _mirrored(part, rows.mirrored)))


def _mirrored(table: CategoricalTable | ContinuousTable, names: Collection[Name]) -> CategoricalTable | ContinuousTable:
    """Mirror the continuous columns of these names."""
    if not isinstance(table, ContinuousTable):
        return table
    values = table.values.copy()
    for v, name in enumerate(table.names):
        if name in names:
            values[v] = Image(v, 1, np.unique(values[v][~np.isnan(values[v])] + 0.0)).of(table)
    return replace(table, values=values)


def with_rows(prepared: Prepared, rows: ChosenRows, columns: Sequence[Name] | None = None) -> Prepared:
    """Return the table with chosen rows only.

    Levels that do not occur in these rows are dropped unless they are declared, and constant columns are excluded.

    Parameters
    ----------
    prepared : Prepared
    rows : ChosenRows
    columns : sequence of names, optional
        Another order of the columns.

    Raises
    ------
    DataError
        If a continuous column has too few values.
    """
    table = prepared.table
    if columns is not None:
        place = {name: column for column, name in enumerate(table.names)}
        table = table.select([place[name] for name in columns])
    varying = _with_rows(table, rows, prepared.levels)
    left = set(varying.names)
    alone = {name: _first_value(table, name, rows) for name in table.names if name not in left}
    return replace(
        prepared, table=varying, constants={**prepared.constants, **alone}, identical=(), copies=(), warnings=()
    )


def _first_value(table: Table, name: Name, rows: ChosenRows) -> Hashable:
    """Return the first known value of a column; None if there is none."""
    categorical, continuous = parts_of(table)
    if name in continuous.names:
        values = continuous.values[continuous.names.index(name), rows.places]
        known = values[~np.isnan(values)]
        return float(known[0]) if known.size else None
    v = categorical.names.index(name)
    codes, levels = categorical.codes[v, rows.places], categorical.levels[v]
    occurring = codes[codes < len(levels)]
    return levels[int(occurring[0])] if occurring.size else None


def _with_rows(table: Table, rows: ChosenRows, declared: Collection[Name]) -> Table:
    if isinstance(table, CategoricalTable):
        return _categories(table, rows, declared)
    if isinstance(table, ContinuousTable):
        return _numbers(table, rows)
    categorical, continuous = _categories(table.categorical, rows, declared), _numbers(table.continuous, rows)
    if not continuous.names:
        return categorical
    if not categorical.names:
        return continuous
    left = {*categorical.names, *continuous.names}
    return MixedTable(tuple(name for name in table.names if name in left), categorical, continuous)


def _categories(table: CategoricalTable, rows: ChosenRows, declared: Collection[Name]) -> CategoricalTable:
    codes = table.codes.take(rows.places, axis=1)
    seen_at_once = _seen_at_once(codes, table)
    levels, holes = list(table.levels), set(table.holes)
    varying = set(range(len(levels)))
    for v, labels in enumerate(table.levels):
        if v in seen_at_once:
            continue
        occurs = np.bincount(codes[v], minlength=len(labels) + 1) > 0
        if not occurs[len(labels)]:
            holes.discard(v)
        if occurs[: len(labels)].sum() < 2:
            varying.discard(v)
        elif table.names[v] not in declared and not occurs[: len(labels)].all():
            codes[v] = (np.cumsum(occurs) - 1)[codes[v]]
            levels[v] = tuple(level for level, used in zip(labels, occurs, strict=False) if used)
    found = CategoricalTable(table.names, codes, tuple(levels), rows.weights, frozenset(holes))
    if len(varying) < len(levels):
        found = found.select(sorted(varying))
    greatest = max((len(labels) - 1 + (v in found.holes) for v, labels in enumerate(found.levels)), default=0)
    return replace(found, codes=narrow(found.codes, greatest))


def _seen_at_once(codes: Codes, table: CategoricalTable) -> set[int]:
    """Return the complete columns of which a few rows show every level."""
    if not table.names:
        return set()
    few = codes[:, :: max(1, codes.shape[1] // _FEW_ROWS)]
    # Each column has one count more than levels, for missing values.
    places = np.cumsum([0, *(len(labels) + 1 for labels in table.levels)])
    seen = np.bincount((few + places[:-1, np.newaxis]).ravel(), minlength=int(places[-1])) > 0
    seen[places[1:] - 1] = True
    all_seen = np.logical_and.reduceat(seen, places[:-1])
    return set(np.flatnonzero(all_seen).tolist()) - table.holes


def _numbers(table: ContinuousTable, rows: ChosenRows) -> ContinuousTable:
    values = table.values.take(rows.places, axis=1)
    known = {v: ~np.isnan(values[v]) for v in table.holes}
    holes = frozenset(v for v, is_known in known.items() if not is_known.all())
    few = {
        table.names[v]: count
        for v in holes
        if (count := int((known[v] if rows.weights is None else rows.weights[known[v]]).sum())) < FEWEST_GAUSSIAN_ROWS
    }
    if few:
        raise DataError(
            f"continuous columns need at least {FEWEST_GAUSSIAN_ROWS} values, and there are fewer in {tallied(few)}."
        )
    found = ContinuousTable(table.names, values, rows.weights, holes)
    varying = [v for v, column in enumerate(values) if not _is_constant(column[known[v]] if v in holes else column)]
    return found if len(varying) == len(values) else found.select(varying)


def _is_constant(values: NDArray[np.float64]) -> bool:
    return bool(values[0] == values[-1]) and bool((values == values[0]).all())
