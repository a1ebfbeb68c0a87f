"""Columns that say the same: identical ones, and copies in another unit or rounded otherwise.

Only their names, or the rounding, tell them apart; so they are found and reported, or merged.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from stablebn.columns.joint_values import meetings, values_and_times
from stablebn.errors import DataError, listed
from stablebn.graph.names import name_key
from stablebn.messages import MOST_SHOWN, Caution
from stablebn.table.blocks import AnyTable, by_kind, each_block, like_of
from stablebn.table.data_kinds import array_of
from stablebn.table.table import CategoricalTable, ContinuousTable, MixedTable, Name, Table

_FEW_ROWS = 500

# By how much copies may differ, relative to their range: about as in collinear columns (specification, section 2).
_ROUNDING = 2.0**-20
_FEW_ROWS_OF_COPIES = 32
# Of the range: what another unit does to a value is far less, what tells copies apart far more.
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
    """The same of a table with columns of one kind."""
    like = like_of(table)
    columns = range(len(like.names))
    # The text of the levels tells 0 from False, which are equal in Python.
    levels = [repr(like.levels[c]) if isinstance(like, CategoricalTable) else "" for c in columns]
    # A few rows tell most columns apart; of the others all rows are looked at.
    groups = _split(_split([[*columns]], [levels]), each_block(table, _few_rows))
    groups = _split(groups, each_block(table, _hashes, [c for group in groups for c in group]))
    # Equal hashes prove nothing: the columns are compared.
    proven: list[list[int]] = []
    while groups:
        pairs = [(group[0], c) for group in groups for c in group[1:]]
        equal = dict(zip(pairs, np.logical_and.reduce([*each_block(table, _are_equal, pairs)]), strict=True))
        proven += [[group[0], *(c for c in group[1:] if equal[group[0], c])] for group in groups]
        rest = [[c for c in group[1:] if not equal[group[0], c]] for group in groups]
        groups = [group for group in rest if len(group) > 1]
    return _named(proven, like.names)


def _split(groups: Sequence[list[int]], found: Iterable[Sequence[object] | Mapping[int, object]]) -> list[list[int]]:
    """Groups of two or more columns of which the same is found each time."""
    apart = [*groups]
    for own in found:
        parts: dict[tuple[int, object], list[int]] = defaultdict(list)
        for number, group in enumerate(apart):
            for c in group:
                parts[number, own[c]].append(c)
        apart = [group for group in parts.values() if len(group) > 1]
    return apart


def _matrix(table: Table) -> NDArray[Any]:
    """The columns of a table of one kind, by bits: a hole is not equal to another."""
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
    """Find the groups of continuous columns that are a x + b of each other, but for rounding.

    A mirror image, a < 0, is a copy: no score, no test and no order can tell the two apart.

    Returns
    -------
    tuple of tuples of names
        Identical columns are among them. Sorted by `name_key`, inside the groups and between them.
    """
    numbers = by_kind(table)[-1]
    names = numbers.names
    if not isinstance(like_of(numbers), ContinuousTable) or not numbers.rows:
        return ()
    limits = _Limits.of(numbers)
    # Of any block: what tells columns apart there tells them apart.
    few = limits.scaled(next(each_block(numbers, _few_values)))
    # How far from the nearer end: there a mirror image is too.
    places = np.minimum(few[:, 0], 1 - few[:, 0])
    order = np.argsort(places, kind="stable")
    ends = np.searchsorted(places[order], places[order] + 2 * _ROUNDING, side="right")
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


class _Limits(NamedTuple):
    """Halves of the least and the greatest value of each column, [columns, 1]: so no difference overflows."""

    least: NDArray[np.float64]
    greatest: NDArray[np.float64]

    @classmethod
    def of(cls, table: AnyTable) -> _Limits:
        """The limits of the columns of a table; a hole has no part in them."""
        least, greatest = zip(*each_block(table, _ends), strict=True)
        return cls(np.fmin.reduce(least) / 2, np.fmax.reduce(greatest) / 2)

    def scaled(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Columns moved and scaled to the range from 0 to 1, holes at -1."""
        scaled: NDArray[np.float64] = (values / 2 - self.least) / (self.greatest - self.least)
        return np.nan_to_num(scaled, copy=False, nan=-1.0)

    def only(self, columns: Sequence[int]) -> _Limits:
        """Those of some columns."""
        return _Limits(self.least[columns], self.greatest[columns])


def _ends(block: Table) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    values = _values(block)
    return np.fmin.reduce(values, axis=1, keepdims=True), np.fmax.reduce(values, axis=1, keepdims=True)


def _farthest(block: Table, limits: _Limits, u: int, others: Sequence[int]) -> NDArray[np.float64]:
    """How far, at most, a column and its mirror image are from each of some others, [2, others]."""
    values = _values(block)
    own = limits.only([u]).scaled(values[[u]])[0]
    return np.stack([_distances(own, limits.only([v]).scaled(values[[v]])[0]) for v in others], axis=1)


def _distances(column: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
    """How far, at most, a column and its mirror image are from others; all in the range from 0 to 1."""
    # A hole is one in the mirror too.
    mirrored = np.where(column < 0, column, 1 - column)
    return np.array([np.abs(others - image).max(axis=-1) for image in (column, mirrored)])


def _named(groups: Sequence[Sequence[int]], names: Sequence[Name]) -> tuple[tuple[Name, ...], ...]:
    """Groups of two or more, by name."""
    several = [group for group in groups if len(group) > 1]
    return _by_first_name([tuple(sorted((names[c] for c in group), key=name_key)) for group in several])


def _by_first_name(groups: Sequence[tuple[Name, ...]]) -> tuple[tuple[Name, ...], ...]:
    return tuple(sorted(groups, key=lambda group: name_key(group[0])))


def report_duplicates(
    identical: Sequence[tuple[Name, ...]], copies: Sequence[tuple[Name, ...]], duplicates: str
) -> list[Caution]:
    """Say that columns are identical, or copies; raise if duplicates are an error."""
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
            message = (
                f'only names decide between identical columns, unless duplicates="merge" is said: {_shown(identical)}.'
            )
        cautions.append(Caution("identical", _all_of(identical), message))
    if copies:
        if duplicates == "merge":
            message = f"columns that are copies but for unit and rounding are learned as one: {_shown(copies)}."
        else:
            message = (
                "only rounding, or their names, can decide between columns that are copies but for their unit, unless "
                f'duplicates="merge" is said: {_shown(copies)}.'
            )
        cautions.append(Caution("copies", _all_of(copies), message))
    return cautions


def _shown(groups: Sequence[Sequence[Name]]) -> str:
    rest = len(groups) - MOST_SHOWN
    return "; ".join(map(listed, groups[:MOST_SHOWN])) + (f"; and {rest} more groups" if rest > 0 else "")


def _all_of(groups: Sequence[Sequence[Name]]) -> tuple[Name, ...]:
    return tuple(name for group in groups for name in group)


def merge(table: SomeTable, groups: Sequence[tuple[Name, ...]]) -> tuple[SomeTable, dict[Name, tuple[Name, ...]]]:
    """Keep one column of each group: of copies that with the least values, so that names change no score.

    Least without units first, so that of columns that differ by their rounding one stands in any units. Of several that
    have the same values, mirror images say, the other columns tell which it is. Of identical columns it is the first by
    name, and of those that meet all others alike: mirror images of which no order and no score knows which it is.

    Returns
    -------
    table : Table or BlockTable
    merged : dict of name to tuple of names
        The names that each column kept stands for, besides its own.
    """
    merged = {}
    for group in groups:
        stands = _that_stands(table, group)
        merged[stands] = tuple(name for name in group if name != stands)
    absorbed = {name for others in merged.values() for name in others}
    left = table.select([c for c, name in enumerate(table.names) if name not in absorbed])
    return cast("SomeTable", left), merged


def _that_stands(table: AnyTable, group: tuple[Name, ...]) -> Name:
    """The column of a group of copies that is kept."""
    values = {name: _own_values(table, name) for name in group}
    least = min(values.values())
    tied = [name for name in group if values[name] == least]
    if len(tied) > 1:
        same = identical_columns(table.select([table.names.index(name) for name in tied]))
        seconds = {name for names in same for name in names[1:]}
        tied = [name for name in tied if name not in seconds]
    if len(tied) == 1:
        return tied[0]
    others = [name for name in table.names if name not in group]
    return min(tied, key=lambda name: meetings(table, name, others))


def _own_values(table: AnyTable, name: Name) -> tuple[list[float], list[float], list[int]]:
    """Of a continuous column its values, ascending, without units and as they are, and how many rows have each.

    Of identical columns of categories none.
    """
    numbers = by_kind(table)[-1]
    if not isinstance(like_of(numbers), ContinuousTable) or name not in numbers.names:
        return [], [], []
    values, times = values_and_times(numbers, name)
    scaled = _Limits(values[:1, None] / 2, values[-1:, None] / 2).scaled(values[None])
    steps = np.unique(np.rint(scaled[0] * _STEPS))
    return min(steps.tolist(), (_STEPS - steps[::-1]).tolist()), values.tolist(), times.tolist()
