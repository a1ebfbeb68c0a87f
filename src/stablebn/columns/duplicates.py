"""Find columns that are identical, or copies of each other in another unit or rounding; report or merge them.

Only their names, or the rounding, distinguish such columns, and neither may decide the graph unnoticed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from stablebn.columns.joint_values import joint_values, values_and_times
from stablebn.errors import DataError, listed
from stablebn.graph.names import name_key
from stablebn.messages import MOST_SHOWN, Caution
from stablebn.table.blocks import AnyTable, by_kind, each_block, like_of
from stablebn.table.data_kinds import array_of
from stablebn.table.table import CategoricalTable, ContinuousTable, MixedTable, Name, Table

_FEW_ROWS = 500

# Copies may differ by this fraction of their range: about as much as collinear columns (specification, section 2).
_ROUNDING = 2.0**-20
_FEW_ROWS_OF_COPIES = 32
# Steps per range when the values of copies are compared: another unit changes a value by far less than a step, and
# values of copies that differ do so by far more.
_STEPS = 2.0**40

SomeTable = TypeVar("SomeTable", bound=AnyTable)

DUPLICATES = ("keep", "merge", "error")


def identical_columns(table: AnyTable) -> tuple[tuple[Name, ...], ...]:
    """Find the groups of columns with the same value in every row.

    Parameters
    ----------
    table : Table or BlockTable

    Returns
    -------
    tuple of tuples of names
        Sorted by `name_key`, inside the groups and between them.
    """
    return _by_first_name([group for part in by_kind(table) for group in _identical(part)])


def _identical(table: AnyTable) -> tuple[tuple[Name, ...], ...]:
    """Find groups of identical columns in a table with columns of one kind."""
    like = like_of(table)
    columns = range(len(like.names))
    # The text of the levels distinguishes 0 from False, which are equal in Python.
    levels = [repr(like.levels[c]) if isinstance(like, CategoricalTable) else "" for c in columns]
    # A few rows distinguish most columns; the others are compared in all rows.
    groups = _split(_split([[*columns]], [levels]), each_block(table, _few_rows))
    groups = _split(groups, each_block(table, _hashes, [c for group in groups for c in group]))
    # Equal hashes do not prove equality, so the columns are compared.
    proven: list[list[int]] = []
    while groups:
        pairs = [(group[0], c) for group in groups for c in group[1:]]
        equal = dict(zip(pairs, np.logical_and.reduce([*each_block(table, _are_equal, pairs)]), strict=True))
        proven += [[group[0], *(c for c in group[1:] if equal[group[0], c])] for group in groups]
        rest = [[c for c in group[1:] if not equal[group[0], c]] for group in groups]
        groups = [group for group in rest if len(group) > 1]
    return _named(proven, like.names)


def _split(groups: Sequence[list[int]], keys: Iterable[Sequence[object] | Mapping[int, object]]) -> list[list[int]]:
    """Split groups of columns until the columns of a group have equal keys throughout; drop single columns."""
    result = [*groups]
    for key_of in keys:
        parts: dict[tuple[int, object], list[int]] = defaultdict(list)
        for number, group in enumerate(result):
            for c in group:
                parts[number, key_of[c]].append(c)
        result = [group for group in parts.values() if len(group) > 1]
    return result


def _matrix(table: Table) -> NDArray[Any]:
    """Return the columns of a table of one kind in a form that compares by bits."""
    assert not isinstance(table, MixedTable)
    array = array_of(table)
    return array.view(np.uint64) if array.dtype == np.float64 else array


def _few_rows(block: Table) -> list[bytes]:
    return [column.tobytes() for column in _matrix(block)[:, :: -(-block.rows // _FEW_ROWS) or 1]]


def _hashes(block: Table, columns: Sequence[int]) -> dict[int, bytes]:
    matrix = _matrix(block)
    return {c: blake2b(np.ascontiguousarray(matrix[c]).data, digest_size=16).digest() for c in columns}


def _are_equal(block: Table, pairs: Sequence[tuple[int, int]]) -> list[bool]:
    matrix = _matrix(block)
    return [np.array_equal(matrix[a], matrix[b]) for a, b in pairs]


def copied_columns(table: AnyTable) -> tuple[tuple[Name, ...], ...]:
    """Find the groups of continuous columns that are a x + b of each other, except for rounding.

    A mirror image (a < 0) is a copy too: no score, test or order distinguishes the two.

    Returns
    -------
    tuple of tuples of names
        Includes identical columns. Sorted by `name_key`, inside the groups and between them.
    """
    numbers = by_kind(table)[-1]
    names = numbers.names
    if not isinstance(like_of(numbers), ContinuousTable) or not numbers.rows:
        return ()
    limits = _ValueRanges.of(numbers)
    # Values from any one block: columns that differ there are no copies.
    few = limits.scaled(next(each_block(numbers, _few_values)))
    # The distance of the first value from the nearer end of the range is the same for a mirror image. Only columns
    # with about the same distance can be copies.
    distance = np.minimum(few[:, 0], 1 - few[:, 0])
    order = np.argsort(distance, kind="stable")
    ends = np.searchsorted(distance[order], distance[order] + 2 * _ROUNDING, side="right")
    group_of = list(range(len(names)))
    for at, u in enumerate(order.tolist()):
        near = order[at + 1 : ends[at]]
        if not near.size:
            continue
        like_few = near[_distances(few[u], few[near]).min(axis=0) <= _ROUNDING].tolist()
        others = [v for v in like_few if group_of[v] != group_of[u]]
        if not others:
            continue
        farthest = np.maximum.reduce([*each_block(numbers, _farthest, limits, u, others)])
        for v in (v for v, far in zip(others, farthest.min(axis=0), strict=True) if far <= _ROUNDING):
            joined = group_of[v]
            group_of = [group_of[u] if group == joined else group for group in group_of]
    groups: dict[int, list[int]] = defaultdict(list)
    for c, group in enumerate(group_of):
        groups[group].append(c)
    return _named(list(groups.values()), names)


def _few_values(block: Table) -> NDArray[np.float64]:
    few: NDArray[np.float64] = _values(block)[:, :: -(-block.rows // _FEW_ROWS_OF_COPIES)]
    return few


def _values(table: Table) -> NDArray[np.float64]:
    assert isinstance(table, ContinuousTable)
    return table.values


class _ValueRanges(NamedTuple):
    """Half of the least and of the greatest value of each column, [columns, 1]; halved so that no range overflows."""

    least: NDArray[np.float64]
    greatest: NDArray[np.float64]

    @classmethod
    def of(cls, table: AnyTable) -> _ValueRanges:
        """Compute the ranges of the columns of a table, ignoring missing values."""
        least, greatest = zip(*each_block(table, _ends), strict=True)
        return cls(np.fmin.reduce(least) / 2, np.fmax.reduce(greatest) / 2)

    def scaled(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Scale columns to the range from 0 to 1; missing values become -1."""
        scaled: NDArray[np.float64] = (values / 2 - self.least) / (self.greatest - self.least)
        return np.nan_to_num(scaled, copy=False, nan=-1.0)

    def only(self, columns: Sequence[int]) -> _ValueRanges:
        """Return the ranges of some columns."""
        return _ValueRanges(self.least[columns], self.greatest[columns])


def _ends(block: Table) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    values = _values(block)
    return np.fmin.reduce(values, axis=1, keepdims=True), np.fmax.reduce(values, axis=1, keepdims=True)


def _farthest(block: Table, limits: _ValueRanges, u: int, others: Sequence[int]) -> NDArray[np.float64]:
    """Return the greatest distances of a column, and of its mirror image, from other columns, [2, others]."""
    values = _values(block)
    column = limits.only([u]).scaled(values[[u]])[0]
    return np.stack([_distances(column, limits.only([v]).scaled(values[[v]])[0]) for v in others], axis=1)


def _distances(column: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the greatest distances of a column, and of its mirror image, from others; all are scaled to 0 to 1."""
    # A missing value (-1) stays one in the mirror image.
    mirrored = np.where(column < 0, column, 1 - column)
    return np.array([np.abs(others - image).max(axis=-1) for image in (column, mirrored)])


def _named(groups: Sequence[Sequence[int]], names: Sequence[Name]) -> tuple[tuple[Name, ...], ...]:
    """Return the groups of two or more columns, by name."""
    several = [group for group in groups if len(group) > 1]
    return _by_first_name([tuple(sorted((names[c] for c in group), key=name_key)) for group in several])


def _by_first_name(groups: Sequence[tuple[Name, ...]]) -> tuple[tuple[Name, ...], ...]:
    return tuple(sorted(groups, key=lambda group: name_key(group[0])))


def report_duplicates(
    identical: Sequence[tuple[Name, ...]], copies: Sequence[tuple[Name, ...]], duplicates: str
) -> list[Caution]:
    """Warn that columns are identical or copies; raise `DataError` if duplicates are an error."""
    copies = [group for group in copies if group not in identical]
    if (identical or copies) and duplicates == "error":
        found = [
            f"{what}: {_shown(groups)}"
            for what, groups in (("identical columns", identical), ("copies but for unit and rounding", copies))
            if groups
        ]
        raise DataError(
            f'{"; ".join(found)}. Leave out all but one, or say duplicates="merge".',
            columns=_all_of([*identical, *copies]),
            remedy={"duplicates": "merge"},
        )
    cautions = []
    if identical:
        if duplicates == "merge":
            message = f"identical columns are learned as one, the first by name: {_shown(identical)}."
        else:
            message = f'only names decide between identical columns, unless duplicates="merge": {_shown(identical)}.'
        cautions.append(Caution("identical", _all_of(identical), message))
    if copies:
        if duplicates == "merge":
            message = f"columns that are copies but for unit and rounding are learned as one: {_shown(copies)}."
        else:
            message = (
                "only rounding, or their names, can decide between columns that are copies but for their unit, unless "
                f'duplicates="merge": {_shown(copies)}.'
            )
        cautions.append(Caution("copies", _all_of(copies), message))
    return cautions


def _shown(groups: Sequence[Sequence[Name]]) -> str:
    rest = len(groups) - MOST_SHOWN
    return "; ".join(map(listed, groups[:MOST_SHOWN])) + (f"; and {rest} more groups" if rest > 0 else "")


def _all_of(groups: Sequence[Sequence[Name]]) -> tuple[Name, ...]:
    return tuple(name for group in groups for name in group)


def merge(table: SomeTable, groups: Sequence[tuple[Name, ...]]) -> tuple[SomeTable, dict[Name, tuple[Name, ...]]]:
    """Keep one column of each group, chosen by values so that names change no score.

    Of copies, the column with the least values is kept. Values are compared without units first, so that the same
    column is kept in any units. Columns with equal values, such as mirror images, are compared by their joint values
    with the other columns. If these are equal too (identical columns, or mirror images that no order and no score
    distinguishes), the first one by name is kept.

    Returns
    -------
    table : Table or BlockTable
    merged : dict of name to tuple of names
        For each kept column, the names of the columns merged into it.
    """
    merged = {}
    for group in groups:
        kept = _column_to_keep(table, group)
        merged[kept] = tuple(name for name in group if name != kept)
    absorbed = {name for others in merged.values() for name in others}
    left = table.select([c for c, name in enumerate(table.names) if name not in absorbed])
    return cast("SomeTable", left), merged


def _column_to_keep(table: AnyTable, group: tuple[Name, ...]) -> Name:
    """Choose the column of a group of copies that is kept."""
    values = {name: _sort_key(table, name) for name in group}
    least = min(values.values())
    tied = [name for name in group if values[name] == least]
    if len(tied) > 1:
        same = identical_columns(table.select([table.names.index(name) for name in tied]))
        seconds = {name for names in same for name in names[1:]}
        tied = [name for name in tied if name not in seconds]
    if len(tied) == 1:
        return tied[0]
    others = [name for name in table.names if name not in group]
    return min(tied, key=lambda name: joint_values(table, name, others))


def _sort_key(table: AnyTable, name: Name) -> tuple[list[float], list[float], list[int]]:
    """Return the sorted values of a continuous column without units and with them, and the number of rows of each.

    For a categorical column all are empty, because only identical categorical columns are merged.
    """
    numbers = by_kind(table)[-1]
    if not isinstance(like_of(numbers), ContinuousTable) or name not in numbers.names:
        return [], [], []
    values, times = values_and_times(numbers, name)
    scaled = _ValueRanges(values[:1, None] / 2, values[-1:, None] / 2).scaled(values[None])
    steps = np.unique(np.rint(scaled[0] * _STEPS))
    return min(steps.tolist(), (_STEPS - steps[::-1]).tolist()), values.tolist(), times.tolist()
