"""Check a table before learning: relabelled copies, columns that are functions of others, rare levels.

Findings depend on the values alone; columns are listed in the order of their names.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from stablebn.errors import listed
from stablebn.graph.names import name_key
from stablebn.messages import tallied
from stablebn.table.table import CategoricalTable, MixedTable, Name, Table

Severity: TypeAlias = Literal["error", "warning", "note"]

# A level in fewer rows than this is reported as rare.
FEWEST_ROWS_OF_LEVEL = 5

# A functional relation is reported only if there are this many rows per level of the cause: with fewer, it may hold by
# chance.
FEWEST_ROWS_OF_CAUSE = 5

# A functional relation is reported only if each cause explains at least this many rows: with fewer, exceptions may be
# absent by chance.
FEWEST_ROWS_EXPLAINED = 20

# This many rows refute most relations that are not functions; they are checked first.
FIRST_ROWS = 500

# Functions of one column are searched among at most this many columns: the work grows with their square.
MOST_COLUMNS = 500

# Functions of two columns are searched among at most this many columns: the work grows with their third power.
MOST_COLUMNS_OF_PAIRS = 40


@dataclass(frozen=True)
class Finding:
    """Result of a check of a table.

    Attributes
    ----------
    code : str
        Identifies the check.
    severity : {"error", "warning", "note"}
        With an error, the table cannot be learned from; a warning should be examined.
    columns : tuple of hashable
        The columns concerned, sorted by name.
    message : str
        The finding, and what to do about it.
    remedy : mapping of option to value
        Options that fix it; empty if no option does, or nothing needs to be done.
    """

    code: str
    severity: Severity
    columns: tuple[Name, ...]
    message: str
    remedy: Mapping[str, object] = field(default_factory=dict)


def findings_in(table: Table) -> Iterator[Finding]:
    """Yield the findings in the categorical columns of a table, and between these and the continuous ones."""
    if isinstance(table, MixedTable):
        yield from _intervals(table)
        table = table.categorical
    if not isinstance(table, CategoricalTable) or not table.names:
        return
    table = table.select(sorted(range(len(table.names)), key=lambda c: name_key(table.names[c])))
    if len(table.names) > MOST_COLUMNS:
        yield Finding(
            "function",
            "note",
            (),
            "copies under other labels and columns that follow from others were not looked for among "
            f"{len(table.names)} categorical columns: choose at most {MOST_COLUMNS} with columns=.",
        )
        yield from _rare_levels(table)
        return
    copies, functions = _functions(table)
    yield from _report_copies(copies, table)
    yield from _report_functions(functions, [[table.names[c] for c in group] for group in copies])
    yield from _functions_of_pairs(table, {child for children in functions.values() for child in children}, copies)
    yield from _rare_levels(table)


def _functions(table: CategoricalTable) -> tuple[list[list[int]], dict[Name, list[Name]]]:
    """Return groups of columns with one-to-one levels, and for each column those that are functions of it."""
    n = len(table.names)
    sizes = _sizes(table)
    follows = np.zeros((n, n), dtype=bool)
    few = np.ascontiguousarray(table.codes[:, :FIRST_ROWS])
    for cause in range(n):
        # One row per level of the cause. A function of the cause has in every row its value in the row of the level.
        row_of = np.zeros(sizes[cause], dtype=np.int64)
        row_of[few[cause]] = np.arange(few.shape[1])
        perhaps = (few == few[:, row_of[few[cause]]]).all(axis=1)
        for effect in np.flatnonzero(perhaps).tolist():
            if cause != effect and sizes[effect] <= sizes[cause]:
                follows[cause, effect] = _is_function(table.codes[cause], sizes[cause], table.codes[effect])
        for effect in range(n):
            if cause != effect and not follows[cause, effect] and {cause, effect} & table.holes:
                follows[cause, effect] = _is_function_of_known(table, cause, effect)
    groups: dict[int, list[int]] = defaultdict(list)
    for c in range(n):
        groups[next((other for other in range(c) if follows[c, other] and follows[other, c]), c)].append(c)
    rows = table.total
    varies = [_explained_rows(None, table, e) >= FEWEST_ROWS_EXPLAINED for e in range(n)]
    functions = {}
    for cause in range(n):
        effects = [e for e in range(n) if follows[cause, e] and not follows[e, cause] and varies[e]]
        if effects and sizes[cause] * FEWEST_ROWS_OF_CAUSE <= rows:
            functions[table.names[cause]] = [table.names[e] for e in effects]
    return [group for group in groups.values() if len(group) > 1], functions


def _sizes(table: CategoricalTable) -> list[int]:
    """Return the number of codes of each column; missing values have a code too."""
    return [len(levels) + (c in table.holes) for c, levels in enumerate(table.levels)]


def _is_function(cause: NDArray[np.integer], size: int, effect: NDArray[np.integer]) -> bool:
    """Return whether each code of a cause occurs with a single code of the effect."""
    for rows in (slice(0, FIRST_ROWS), slice(None)):
        seen = np.full(size, -1, dtype=np.int64)
        seen[cause[rows]] = effect[rows]
        if not np.array_equal(seen[cause[rows]], effect[rows]):
            return False
    return True


def _is_function_of_known(table: CategoricalTable, cause: int, effect: int) -> bool:
    """Return whether a column is a function of another, and varies, in the rows in which both are known."""
    size, values = len(table.levels[cause]), len(table.levels[effect])
    for rows in (slice(0, FIRST_ROWS), slice(None)):
        known = (table.codes[cause, rows] < size) & (table.codes[effect, rows] < values)
        joint = table.codes[cause, rows][known].astype(np.int64) * values + table.codes[effect, rows][known]
        weights = None if table.weights is None else table.weights[rows][known]
        counts = np.bincount(joint, weights, minlength=size * values).reshape(size, values)
        if ((counts > 0).sum(axis=1) > 1).any():
            return False
    return bool(
        counts.sum() - counts.sum(axis=0).max() >= FEWEST_ROWS_EXPLAINED and size * FEWEST_ROWS_OF_CAUSE <= counts.sum()
    )


def _intervals(table: MixedTable) -> Iterator[Finding]:
    """Report categorical columns whose levels are intervals of a continuous column, as after discretisation."""
    categorical, continuous = table.categorical, table.continuous
    if len(table.names) > MOST_COLUMNS:
        return
    causes: dict[int, list[Name]] = defaultdict(list)
    for name, values in sorted(zip(continuous.names, continuous.values, strict=True), key=lambda own: name_key(own[0])):
        for c in sorted(range(len(categorical.names)), key=lambda c: name_key(categorical.names[c])):
            if all(_are_intervals(categorical, c, values, rows) for rows in (slice(0, FIRST_ROWS), slice(None))):
                known = ~np.isnan(values) & (categorical.codes[c] < len(categorical.levels[c]))
                if _rows_of_others(categorical, c, known) >= FEWEST_ROWS_EXPLAINED:
                    causes[c].append(name)
    effects: dict[tuple[Name, ...], list[Name]] = defaultdict(list)
    for c, names in causes.items():
        effects[tuple(names)].append(categorical.names[c])
    for found, children in effects.items():
        own = sorted(children, key=name_key)
        each = " (each alone)" if len(found) > 1 else ""
        yield Finding(
            "function",
            "warning",
            (*found, *own),
            f"{listed(own)} {'follows' if len(own) == 1 else 'follow'} from {listed(found)}{each}: each level is an "
            "interval of values there. An arc between them says no more than that; leave out what is derived.",
            {"drop": own},
        )


def _are_intervals(table: CategoricalTable, column: int, values: NDArray[np.float64], rows: slice) -> bool:
    """Return whether the values of a continuous column split into disjoint intervals by the levels of a column."""
    codes, values = table.codes[column, rows], values[rows]
    known = (codes < len(table.levels[column])) & ~np.isnan(values)
    codes, values = codes[known], values[known]
    order = np.argsort(values, kind="stable")
    codes, values = codes[order], values[order]
    borders = np.flatnonzero(codes[1:] != codes[:-1])
    return len(borders) < max(1, np.unique(codes).size) and bool((values[borders] < values[borders + 1]).all())


def _rows_of_others(table: CategoricalTable, column: int, known: NDArray[np.bool_]) -> int:
    """Count the known rows, by weight, that do not have the most frequent value."""
    counts = np.bincount(table.codes[column][known], None if table.weights is None else table.weights[known])
    return int(counts.sum() - counts.max(initial=0))


def _explained_rows(cause: int | None, table: CategoricalTable, effect: int) -> int:
    """Count the rows, by weight, that do not have the most frequent value of the effect for their value of the cause.

    If the effect is a function of this cause and a second one, only these rows show that the second one is needed.
    If the cause is None, they show that the effect varies.
    """
    sizes = _sizes(table)
    codes = table.codes[effect].astype(np.int64)
    groups = 1 if cause is None else sizes[cause]
    joint = codes if cause is None else table.codes[cause].astype(np.int64) * sizes[effect] + codes
    counts = np.bincount(joint, table.weights, minlength=groups * sizes[effect]).reshape(groups, -1)
    return int(counts.sum() - counts.max(axis=1).sum())


def _report_copies(groups: Sequence[Sequence[int]], table: CategoricalTable) -> Iterator[Finding]:
    for group in groups:
        first = table.codes[group[0]]
        if all(table.levels[c] == table.levels[group[0]] and np.array_equal(table.codes[c], first) for c in group[1:]):
            # Identical columns are reported by `report_duplicates`.
            continue
        names = tuple(table.names[c] for c in group)
        where = " where they are known" if set(group) & table.holes else ""
        yield Finding(
            "relabelled",
            "warning",
            names,
            f"the same under other labels{where}: {listed(names)}. Leave out all but one: the data cannot tell between "
            "them.",
            {"drop": list(names[1:])},
        )


def _report_functions(functions: Mapping[Name, Sequence[Name]], copies: Sequence[Sequence[Name]]) -> Iterator[Finding]:
    others = {group[0]: tuple(group[1:]) for group in copies}
    doubles = {name for own in others.values() for name in own}
    for cause, effects in functions.items():
        if cause in doubles:
            # A function of a copy is the same relation.
            continue
        yield Finding(
            "function",
            "warning",
            (cause, *others.get(cause, ()), *effects),
            f"{listed(effects)} {'follows' if len(effects) == 1 else 'follow'} from {cause!r}: each of its levels has "
            "one value there. An arc between them says no more than that; leave out what is derived.",
            {"drop": list(effects)},
        )


def _functions_of_pairs(
    table: CategoricalTable, known: set[Name], copies: Sequence[Sequence[int]]
) -> Iterator[Finding]:
    """Report columns that are functions of two others and of neither alone, one finding per set of three."""
    doubles = {c for group in copies for c in group[1:]}
    columns = [c for c in range(len(table.names)) if c not in doubles]
    if len(columns) > MOST_COLUMNS_OF_PAIRS:
        return
    sizes = _sizes(table)
    relations: dict[frozenset[int], list[tuple[int, int, int]]] = defaultdict(list)
    for one, other in combinations(columns, 2):
        cells = sizes[one] * sizes[other]
        if cells * FEWEST_ROWS_OF_CAUSE > table.total:
            continue
        effects = [c for c in columns if c not in (one, other) and table.names[c] not in known]
        # Functions of one of the two have been reported (`known`).
        for rows in (slice(0, FIRST_ROWS), slice(None)):
            if effects:
                joint = table.codes[one, rows].astype(np.int64) * sizes[other] + table.codes[other, rows]
                effects = [c for c in effects if _is_function(joint, cells, table.codes[c, rows])]
        for effect in effects:
            if min(_explained_rows(cause, table, effect) for cause in (one, other)) >= FEWEST_ROWS_EXPLAINED:
                relations[frozenset((one, other, effect))].append((effect, one, other))
    # If each of the three is a function of the other two, report the one with the most rows to explain.
    found = (max(ways, key=lambda way: _explained_rows(None, table, way[0])) for ways in relations.values())
    for places in sorted(found):
        name, *causes = (table.names[c] for c in places)
        yield Finding(
            "function",
            "warning",
            tuple(sorted((name, *causes), key=name_key)),
            f"{name!r} follows from two others together: {listed(causes)}. If it was computed from them, leave it out.",
            {"drop": [name]},
        )


def _rare_levels(table: CategoricalTable) -> Iterator[Finding]:
    rare = {}
    for name, codes, levels in zip(table.names, table.codes, table.levels, strict=True):
        counts = np.bincount(codes, table.weights, minlength=len(levels))[: len(levels)]
        few = int(((counts > 0) & (counts < FEWEST_ROWS_OF_LEVEL)).sum())
        if few:
            rare[name] = f"{few} of {len(levels)}"
    if rare:
        yield Finding(
            "rare-levels",
            "note",
            tuple(rare),
            f"levels in fewer than {FEWEST_ROWS_OF_LEVEL} rows: {tallied(rare)}. They cost parameters and say little: "
            "join them with others.",
        )
