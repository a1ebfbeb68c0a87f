"""Identical columns: only their names tell them apart, so they are found and reported, or merged."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np

from stablebn.data.table import CategoricalTable, Name, Table
from stablebn.data.wording import MOST_SHOWN, Caution
from stablebn.errors import DataError, listed
from stablebn.graph.names import name_key

_FEW_ROWS = 500

DUPLICATES = ("keep", "merge", "error")


def identical_columns(table: Table) -> tuple[tuple[Name, ...], ...]:
    """Find the groups of columns with the same value in every row.

    Parameters
    ----------
    table : CategoricalTable or ContinuousTable

    Returns
    -------
    tuple of tuples of names
        Sorted by `name_key`, inside the groups and between them.
    """
    matrix = table.codes if isinstance(table, CategoricalTable) else table.values
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
    named = [
        tuple(sorted((table.names[c] for c in group), key=name_key))
        for groups in buckets.values()
        for group in groups
        if len(group) > 1
    ]
    return tuple(sorted(named, key=lambda group: name_key(group[0])))


def report_identical(groups: tuple[tuple[Name, ...], ...], duplicates: str) -> list[Caution]:
    """Say that columns are identical; raise if duplicates are an error."""
    if not groups:
        return []
    rest = len(groups) - MOST_SHOWN
    shown = "; ".join(map(listed, groups[:MOST_SHOWN])) + (f"; and {rest} more groups" if rest > 0 else "")
    if duplicates == "error":
        raise DataError(f'identical columns: {shown}. Leave out all but one, or say duplicates="merge".')
    if duplicates == "merge":
        message = f"identical columns are learned as one, the first by name: {shown}."
    else:
        message = f'only names decide between identical columns, unless duplicates="merge" is said: {shown}.'
    return [Caution("identical", tuple(name for group in groups for name in group), message)]


def merge(table: Table, groups: tuple[tuple[Name, ...], ...]) -> tuple[Table, dict[Name, tuple[Name, ...]]]:
    """Keep one column of each group, the first by name.

    Returns
    -------
    table : Table
    merged : dict of name to tuple of names
        The names that each column kept stands for, besides its own.
    """
    merged = {group[0]: group[1:] for group in groups}
    absorbed = {name for others in merged.values() for name in others}
    return table.select([c for c, name in enumerate(table.names) if name not in absorbed]), merged
