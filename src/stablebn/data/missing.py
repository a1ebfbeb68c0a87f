"""Missing values: refused, left out with their rows, a level of their own, or left as holes; never silently."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from stablebn.data.encoding import Categories, Encoded, Mask
from stablebn.data.reading import Columns
from stablebn.data.table import Name, Weights
from stablebn.data.wording import Caution, tallied
from stablebn.errors import DataError, listed

MISSING = ("error", "drop", "level", "available")


def with_types(columns: Columns, missing: str) -> Columns:
    """Where a missing value is a level, columns without any value as text: only some sources give them a type."""
    if missing != "level":
        return columns
    return {name: own.cast(pa.string()) if pa.types.is_null(own.type) else own for name, own in columns.items()}


def settle_missing(
    columns: dict[Name, Encoded],
    weights: Weights | None,
    missing: str,
    cautions: Sequence[Caution] = (),
    *,
    holes_will_do: bool = True,
) -> tuple[dict[Name, Encoded], Weights | None, list[Caution]]:
    """Do with missing values as the user says.

    Parameters
    ----------
    columns : dict of name to Categories or Numbers
    weights : int64 array [rows] or None
    missing : {"error", "drop", "level", "available"}
    cautions : sequence of Caution
        What was said before: which texts were taken for missing values is told again where those are refused.
    holes_will_do : bool
        Whether an error may offer to leave missing values as holes.

    Returns
    -------
    columns : dict of name to Categories or Numbers
        Without missing values, but for those that are left as holes.
    weights : int64 array [rows left] or None
    cautions : list of Caution
        Those before, and what is said here.
    """
    masks = {name: column.missing for name, column in columns.items() if column.has_missing}
    if not masks:
        return columns, weights, [*cautions]
    gaps = {name: int(mask.sum()) for name, mask in masks.items()}
    if missing == "level":
        return _add_levels(columns, gaps), weights, [*cautions, _levels_caution(gaps)]
    rows = len(next(iter(masks.values())))
    if missing == "error":
        raise DataError(
            f'missing values in {tallied(gaps)}, of {rows} rows. Say missing="available" to learn each variable with '
            'its parents from the rows in which these are known, missing="drop" to leave out all rows with missing '
            'values, or missing="level" to make them a level (categorical columns only).'
            + "".join(f" {own}" for own in cautions if own.code == "markers"),
            columns=tuple(gaps),
            remedy={"missing": "available"} if holes_will_do else _without_rows(masks),
        )
    if missing == "available":
        caution = _holes_caution(gaps, rows)
        kept = ~np.logical_and.reduce(list(masks.values()))
        if len(masks) < len(columns) or kept.all():
            return columns, weights, [*cautions, caution]
    else:
        kept = ~np.logical_or.reduce(list(masks.values()))
        caution = _dropped_caution(gaps, kept, _without_rows(masks))
    columns = {name: column.keep(kept) for name, column in columns.items()}
    return columns, weights if weights is None else weights[kept], [*cautions, caution]


def _without_rows(masks: Mapping[Name, Mask]) -> dict[str, object]:
    """Options that leave out rows, and columns that are so empty that most rows would go."""
    gaps = np.array([mask for mask in masks.values() if mask.any()])
    names = [name for name, mask in masks.items() if mask.any()]
    out: list[Name] = []
    while 2 * int(gaps.any(axis=0).sum()) > gaps.shape[1]:
        # Equally empty columns go together, so that their order does not matter.
        counts = gaps.sum(axis=1)
        emptiest = counts == counts.max()
        out += [name for name, goes in zip(names, emptiest, strict=True) if goes]
        names = [name for name, goes in zip(names, emptiest, strict=True) if not goes]
        gaps = gaps[~emptiest]
    return {"missing": "drop", "drop": out} if out else {"missing": "drop"}


def _add_levels(columns: Mapping[Name, Encoded], gaps: Mapping[Name, int]) -> dict[Name, Encoded]:
    filled = {name: c.with_missing_level() if isinstance(c, Categories) else c for name, c in columns.items()}
    numbers = [name for name in gaps if not isinstance(filled[name], Categories)]
    if numbers:
        raise DataError(
            f'missing="level" is for categorical columns, and continuous ones have missing values: '
            f'{listed(numbers)}. Say missing="drop", or leave these columns out.',
            columns=numbers,
            remedy=_without_rows({name: columns[name].missing for name in columns}),
        )
    return filled


def _levels_caution(gaps: Mapping[Name, int]) -> Caution:
    return Caution(
        "missing-level",
        tuple(gaps),
        f"missing values in {tallied(gaps)} are a level of their own, None: "
        'say missing="drop" to leave their rows out instead.',
    )


def _holes_caution(gaps: Mapping[Name, int], rows: int) -> Caution:
    return Caution(
        "holes",
        tuple(gaps),
        f"missing values in {tallied(gaps)}, of {rows} rows: each variable is learned from the rows in which it and "
        "its parents are known. That is fair where values are missing by chance; check that they are.",
    )


def _dropped_caution(gaps: Mapping[Name, int], complete: Mask, remedy: Mapping[str, object]) -> Caution:
    rows, kept = len(complete), int(complete.sum())
    if kept == 0:
        raise DataError(
            f'missing="drop" leaves no rows: each of the {rows} has a missing value, in {tallied(gaps)}. '
            "Leave out the columns with most of them.",
            columns=tuple(gaps),
            remedy=remedy,
        )
    return Caution(
        "dropped-rows",
        tuple(gaps),
        f"{rows - kept} of {rows} rows are left out for missing values in {tallied(gaps)}: "
        "check that the others still speak for the whole.",
    )
