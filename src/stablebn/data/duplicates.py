"""Columns that say the same: identical ones, and copies in another unit or rounded otherwise.

Only their names, or the rounding, tell them apart; so they are found and reported, or merged.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from stablebn.data.table import CategoricalTable, ContinuousTable, MixedTable, Name, Table
from stablebn.data.wording import MOST_SHOWN, Caution
from stablebn.errors import DataError, listed
from stablebn.graph.names import name_key

_FEW_ROWS = 500

# What copies may differ by, in terms of their range: scores count columns as collinear from about here (SPEC 2).
_ROUNDING = 2.0**-20
_FEW_ROWS_OF_COPIES = 32
# Of the range: what another unit does to a value is far less, what tells copies apart far more.
_STEPS = 2.0**40

DUPLICATES = ("keep", "merge", "error")


def identical_columns(table: Table) -> tuple[tuple[Name, ...], ...]:
    """Find the groups of columns with the same value in every row.

    Parameters
    ----------
    table : Table

    Returns
    -------
    tuple of tuples of names
        Sorted by `name_key`, inside the groups and between them.
    """
    if isinstance(table, MixedTable):
        return _by_first_name([*identical_columns(table.categorical), *identical_columns(table.continuous)])
    # By bits, as a hole is not equal to another.
    matrix = table.codes if isinstance(table, CategoricalTable) else table.values.view(np.uint64)
    buckets: dict[object, list[list[int]]] = defaultdict(list)
    # A few rows tell most columns apart; of the others all rows are looked at.
    few = [matrix[c, :: -(-matrix.shape[1] // _FEW_ROWS)].tobytes() for c in range(len(table.names))]
    times = Counter(few)
    for c in range(len(table.names)):
        # The text of the levels tells 0 from False, which are equal in Python.
        levels = repr(table.levels[c]) if isinstance(table, CategoricalTable) else ""
        groups = buckets[levels, few[c], hash(matrix[c].tobytes()) if times[few[c]] > 1 else 0]
        # Equal hashes prove nothing: the columns are compared.
        twins = next((group for group in groups if np.array_equal(matrix[group[0]], matrix[c])), None)
        if twins is None:
            groups.append([c])
        else:
            twins.append(c)
    return _named([group for groups in buckets.values() for group in groups], table.names)


def copied_columns(table: Table) -> tuple[tuple[Name, ...], ...]:
    """Find the groups of continuous columns that are a x + b of each other, but for rounding.

    A mirror image, a < 0, is a copy: no score, no test and no order can tell the two apart.

    Returns
    -------
    tuple of tuples of names
        Identical columns are among them. Sorted by `name_key`, inside the groups and between them.
    """
    if isinstance(table, MixedTable):
        return copied_columns(table.continuous)
    if not isinstance(table, ContinuousTable):
        return ()
    values = table.values
    n, rows = values.shape
    few = _in_unit_range(values, every=-(-rows // _FEW_ROWS_OF_COPIES))
    # How far from the nearer end: there a mirror image is too.
    places = np.minimum(few[:, 0], 1 - few[:, 0])
    order = np.argsort(places, kind="stable")
    ends = np.searchsorted(places[order], places[order] + 2 * _ROUNDING, side="right")
    group_of = list(range(n))
    for at, u in enumerate(order.tolist()):
        near = order[at + 1 : ends[at]]
        for v in near[_are_copies(few[u], few[near])].tolist():
            if group_of[u] != group_of[v] and _are_copies(*_in_unit_range(values[[u, v]])):
                joined = group_of[v]
                group_of = [group_of[u] if group == joined else group for group in group_of]
    groups: dict[int, list[int]] = defaultdict(list)
    for c, group in enumerate(group_of):
        groups[group].append(c)
    return _named(list(groups.values()), table.names)


def _in_unit_range(values: NDArray[np.float64], every: int = 1) -> NDArray[np.float64]:
    """Columns moved and scaled to the range from 0 to 1, holes at -1; of their rows only every so many."""
    # Halves, so that no difference overflows.
    least, greatest = np.nanmin(values, axis=1, keepdims=True) / 2, np.nanmax(values, axis=1, keepdims=True) / 2
    scaled: NDArray[np.float64] = (values[:, ::every] / 2 - least) / (greatest - least)
    return np.nan_to_num(scaled, copy=False, nan=-1.0)


def _are_copies(column: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether a column is, but for rounding, another one or its mirror image; all in the range from 0 to 1."""
    # A hole is one in the mirror too.
    mirrored = np.where(column < 0, column, 1 - column)
    distances = [np.abs(others - image).max(axis=-1) for image in (column, mirrored)]
    alike: NDArray[np.bool_] = np.minimum(*distances) <= _ROUNDING
    return alike


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
                "only rounding decides between columns that are copies but for their unit, unless "
                f'duplicates="merge" is said: {_shown(copies)}.'
            )
        cautions.append(Caution("copies", _all_of(copies), message))
    return cautions


def _shown(groups: Sequence[Sequence[Name]]) -> str:
    rest = len(groups) - MOST_SHOWN
    return "; ".join(map(listed, groups[:MOST_SHOWN])) + (f"; and {rest} more groups" if rest > 0 else "")


def _all_of(groups: Sequence[Sequence[Name]]) -> tuple[Name, ...]:
    return tuple(name for group in groups for name in group)


def merge(table: Table, groups: Sequence[tuple[Name, ...]]) -> tuple[Table, dict[Name, tuple[Name, ...]]]:
    """Keep one column of each group: of copies that with the least values, so that names change no score.

    Least without units first, so that of columns that differ by their rounding one stands in any units. Of identical
    columns it is the first by name, and of mirror images that have the same values, which have the same scores.

    Returns
    -------
    table : Table
    merged : dict of name to tuple of names
        The names that each column kept stands for, besides its own.
    """
    merged = {}
    for group in groups:
        stands = min(group, key=lambda name: _own_values(table, name))
        merged[stands] = tuple(name for name in group if name != stands)
    absorbed = {name for others in merged.values() for name in others}
    return table.select([c for c, name in enumerate(table.names) if name not in absorbed]), merged


def _own_values(table: Table, name: Name) -> tuple[list[float], list[float]]:
    """The values of a continuous column, ascending, without units and as they are; of identical ones none."""
    numbers = table.continuous if isinstance(table, MixedTable) else table
    if isinstance(numbers, CategoricalTable) or name not in numbers.names:
        return [], []
    own = numbers.values[numbers.names.index(name)]
    values = np.unique(own[~np.isnan(own)])
    steps = np.unique(np.rint(_in_unit_range(values[None])[0] * _STEPS))
    return min(steps.tolist(), (_STEPS - steps[::-1]).tolist()), values.tolist()
