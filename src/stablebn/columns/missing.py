"""Handle missing values as the option `missing` says.

They are refused ("error"), left out with their rows ("drop"), made a level ("level"), or left in the table, whose
statistics then use the available rows ("available"). A warning or an error always reports them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from stablebn.columns.arrow.conversion import Columns
from stablebn.columns.column import CategoricalColumn, Column, Mask, Rows
from stablebn.errors import DataError, listed
from stablebn.messages import Caution, tallied
from stablebn.table.table import Name

MISSING = ("error", "drop", "level", "available")


def with_text_for_empty(columns: Columns, missing: str) -> Columns:
    """With missing="level", give columns without values the type text, because not all sources give them a type."""
    if missing != "level":
        return columns
    return {name: c.cast(pa.string()) if pa.types.is_null(c.type) else c for name, c in columns.items()}


def handle_missing(
    rows: Rows,
    columns: dict[Name, Column],
    missing: str,
    cautions: Sequence[Caution] = (),
    *,
    allow_available: bool = True,
) -> tuple[Rows, dict[Name, Column], list[Caution]]:
    """Handle missing values as the option `missing` says.

    Parameters
    ----------
    rows : Rows
    columns : dict of name to CategoricalColumn or NumericColumn
    missing : {"error", "drop", "level", "available"}
    cautions : sequence of Caution
        Earlier warnings. If missing values are refused, the error repeats which texts were taken for missing values.
    allow_available : bool
        Whether the error may suggest missing="available".

    Returns
    -------
    rows : Rows
        The remaining rows.
    columns : dict of name to CategoricalColumn or NumericColumn
        Without missing values, unless missing="available".
    cautions : list of Caution
        The earlier and the new warnings.
    """
    gaps = {name: count for name, column in columns.items() if (count := column.missing_count)}
    if not gaps:
        return rows, columns, [*cautions]
    if missing == "level":
        return rows, _add_levels(rows, columns, gaps), [*cautions, _levels_caution(gaps)]
    if missing == "error":
        raise DataError(
            f"missing values in {tallied(gaps)}, of {rows.count} rows. {_choices(columns, gaps, allow_available)}"
            + "".join(f" {caution}" for caution in cautions if caution.code == "markers"),
            columns=tuple(gaps),
            remedy={"missing": "available"} if allow_available else _without_rows(rows, columns, gaps),
        )
    if missing == "available":
        caution = _available_caution(gaps, rows.count)
        # A row without any value carries no information.
        if len(gaps) == len(columns):
            kept = rows.without(columns, tuple(gaps), all_of_them=True)
            if kept.rows.count < rows.count:
                return kept.rows, kept.columns, [*cautions, caution]
        return rows, columns, [*cautions, caution]
    kept = rows.without(columns, tuple(gaps), all_of_them=False)
    if kept.rows.count == 0:
        raise DataError(
            f'missing="drop" leaves no rows: each of the {rows.count} has a missing value, in {tallied(gaps)}. '
            "Leave out the columns with most of them.",
            columns=tuple(gaps),
            remedy=_without_rows(rows, columns, gaps),
        )
    return kept.rows, kept.columns, [*cautions, _dropped_caution(gaps, rows.count, kept.rows.count)]


def _choices(columns: Mapping[Name, Column], gaps: Mapping[Name, int], allow_available: bool) -> str:
    """List the values of `missing` that are possible for this table."""
    choices = ['missing="drop" to leave out all rows with missing values']
    if allow_available:
        choices.insert(
            0, 'missing="available" to learn each variable with its parents from the rows in which these are known'
        )
    if all(isinstance(columns[name], CategoricalColumn) for name in gaps):
        choices.append('missing="level" to make them a level')
    return f"Say {', or '.join(choices)}."


def _without_rows(rows: Rows, columns: Mapping[Name, Column], gaps: Mapping[Name, int]) -> dict[str, object]:
    """Suggest options that drop incomplete rows, after dropping columns that would cost most rows."""
    # Groups of columns with equally many missing values, the most first, so that column order does not matter.
    counts = sorted(set(gaps.values()), reverse=True)
    groups = [[name for name, missing in gaps.items() if missing == count] for count in counts]
    # For each group, the number of rows with a missing value in it and in no later group.
    last = np.zeros(len(groups), dtype=np.int64)
    for masks in rows.masks({name: columns[name] for name in gaps}):
        free: Mask | bool = True
        for i in reversed(range(len(groups))):
            incomplete = free & np.logical_or.reduce([masks[name] for name in groups[i]])
            last[i] += int(incomplete.sum())
            free &= ~incomplete
    out: list[Name] = []
    for i, group in enumerate(groups):
        if 2 * int(last[i:].sum()) <= rows.count:
            break
        out += group
    return {"missing": "drop", "drop": out} if out else {"missing": "drop"}


def _add_levels(rows: Rows, columns: Mapping[Name, Column], gaps: Mapping[Name, int]) -> dict[Name, Column]:
    filled: dict[Name, Column] = {
        name: c.with_missing_level() if isinstance(c, CategoricalColumn) else c for name, c in columns.items()
    }
    numbers = [name for name in gaps if not isinstance(filled[name], CategoricalColumn)]
    if numbers:
        raise DataError(
            f'missing="level" is for categorical columns, and continuous ones have missing values: '
            f'{listed(numbers)}. Say missing="drop", or leave these columns out.',
            columns=numbers,
            remedy=_without_rows(rows, columns, gaps),
        )
    return filled


def _levels_caution(gaps: Mapping[Name, int]) -> Caution:
    return Caution(
        "missing-level",
        tuple(gaps),
        f"missing values in {tallied(gaps)} are a level of their own, None: "
        'say missing="drop" to leave their rows out instead.',
    )


def _available_caution(gaps: Mapping[Name, int], rows: int) -> Caution:
    return Caution(
        "holes",
        tuple(gaps),
        f"missing values in {tallied(gaps)}, of {rows} rows: each variable is learned from the rows in which it and "
        "its parents are known. That is fair where values are missing by chance; check that they are.",
    )


def _dropped_caution(gaps: Mapping[Name, int], rows: int, kept: int) -> Caution:
    return Caution(
        "dropped-rows",
        tuple(gaps),
        f"{rows - kept} of {rows} rows are left out for missing values in {tallied(gaps)}: "
        "check that the others still represent all of them.",
    )
