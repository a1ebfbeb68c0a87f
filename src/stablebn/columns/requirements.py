"""What a table must be to be learned from; every complaint names the columns and the remedy."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations_with_replacement

import numpy as np
import pyarrow as pa

from stablebn.columns.column import CategoricalColumn, Column, NumericColumn, Rows
from stablebn.columns.kinds import MOST_CODES, Decision
from stablebn.errors import DataError, listed
from stablebn.graph.names import name_key
from stablebn.messages import Caution, tallied
from stablebn.table.table import Name, Weights

MOST_ROWS = 2**40
"""Rows by weight: above, sums would no longer fit the integers they are computed in (docs/core.md)."""

MOST_ROWS_IN_MEMORY = 2**28
"""Rows that are held in memory at once, or drawn: places of rows are integers of 32 bits."""

# A Gaussian family needs N > |S| + 2 (specification, section 2): with one candidate parent, 4 rows.
FEWEST_GAUSSIAN_ROWS = 4

# By chance alone there must be so many arcs, and one for so many columns, until there is something to say.
FEWEST_CHANCE_ARCS = 3
COLUMNS_PER_CHANCE_ARC = 4


def check_size(columns: Collection[Name], rows: int) -> None:
    """Raise unless there are two columns and a row at least."""
    if len(columns) < 2:
        found = f"only one, {listed(tuple(columns))}" if columns else "none"
        raise DataError(f"a network needs at least two columns, and the table has {found}. Add columns.")
    if rows == 0:
        raise DataError(f"the table has columns {listed(tuple(columns))} but no rows. Add rows.")


def refuse_types(unusable: Mapping[Name, pa.DataType]) -> None:
    """Raise for columns of types that cannot be used, if there are any."""
    if unusable:
        remedies = dict.fromkeys(_remedy(type_) for type_ in unusable.values())
        raise DataError(
            f"columns of types that cannot be used: {tallied(unusable)}. {' '.join(remedies)}",
            columns=tuple(unusable),
            remedy={"drop": tuple(unusable)},
        )


def refuse_unlisted(names: Sequence[Name]) -> None:
    """Raise for columns of text of which memory does not hold all that are different, if there are any."""
    if names:
        raise DataError(
            f"more different texts than fit into the memory that there is: {listed(names)}. If they name rows, leave "
            "the columns out; otherwise give more memory=.",
            columns=names,
            remedy={"drop": tuple(names)},
        )


def _remedy(type_: pa.DataType) -> str:
    if pa.types.is_null(type_):
        return "Leave out columns without any value."
    if pa.types.is_temporal(type_):
        return "Convert dates and times to text (a category) or to numbers."
    return "Convert what is neither text nor a number to text (a category) or to numbers."


def check_total(total: int) -> None:
    """Raise if the rows, counted with their weights, are too many."""
    if total > MOST_ROWS:
        raise DataError(f"the table stands for {total} rows, more than 2**40: learn from a sample of them.")


def check_rows_in_memory(rows: int) -> None:
    """Raise if so many rows cannot be held in memory at once."""
    if rows > MOST_ROWS_IN_MEMORY:
        raise DataError(
            f"the table has {rows} rows, more than the 2**28 that can be held in memory: say memory= to learn from it "
            "block by block, or give each distinct row once, with weights."
        )


def total_of(rows: int, weights: Weights | None) -> int:
    """How many rows there are, counted with their weights; exact as far as the limit."""
    # A sum of int64 could wrap around.
    return rows if weights is None else int(weights.sum(dtype=np.float64))


def check_finite(columns: Mapping[Name, Column]) -> None:
    """Raise if a continuous column holds an infinity."""
    found = {name: column.infinite for name, column in columns.items() if isinstance(column, NumericColumn)}
    infinite = {name: count for name, count in found.items() if count}
    if infinite:
        raise DataError(
            f"infinite values in {tallied(infinite)}. Make them missing or finite, or leave the rows or columns out.",
            columns=tuple(infinite),
            remedy={"drop": tuple(infinite)},
        )


def report_constants(constants: tuple[Name, ...]) -> list[Caution]:
    """Say which columns have a single value."""
    if not constants:
        return []
    told = listed(sorted(constants, key=name_key))
    message = f"columns with a single value stay alone in the graph: {told}; you can leave them out."
    return [Caution("constant", constants, message)]


def report_decisions(decisions: Mapping[Name, Decision]) -> list[Caution]:
    """Say what was decided for columns whose type does not say it."""
    cautions = []
    aside = {name: decision.why for name, decision in decisions.items() if decision.kind is None}
    if aside:
        message = (
            f"set aside, alone in the graph: {tallied(aside)}. Say keep= to learn from one, "
            "or drop= to leave it out altogether."
        )
        cautions.append(Caution("set-aside", tuple(aside), message))
    noted = {name: str(own) for name, own in decisions.items() if own.kind is not None and not own.plain}
    if noted:
        message = f"decided by their values: {tallied(noted)}. Say kinds= if that is wrong."
        cautions.append(Caution("kinds", tuple(noted), message))
    return cautions


def report_levels(columns: Mapping[Name, Column], total: int) -> list[Caution]:
    """Say which categorical columns have so many levels that two such have more joint cells than there are rows."""
    many = {
        name: f"{len(column.levels)} levels"
        for name, column in columns.items()
        if isinstance(column, CategoricalColumn) and len(column.levels) > MOST_CODES and len(column.levels) ** 2 > total
    }
    if not many:
        return []
    message = (
        f"as categories these columns are too fine for {total} rows, and arcs of theirs will hardly be found: "
        f"{tallied(many)}. Join levels, or say that numbers are continuous."
    )
    return [Caution("many-levels", tuple(many), message)]


def report_few_rows(columns: Mapping[Name, Column], total: int) -> list[Caution]:
    """Say that rows are too few for the columns: that noise alone would give many arcs."""
    # Degrees of freedom that a column brings to a pair: one less than its levels.
    sizes = Counter(len(own.levels) - 1 if isinstance(own, CategoricalColumn) else 1 for own in columns.values())
    expected = 0.0
    for (one, many), (other, more) in combinations_with_replacement(sorted(sizes.items()), 2):
        pairs = many * (many - 1) // 2 if one == other else many * more
        expected += pairs * _chance(one * other, total)
    if expected < max(FEWEST_CHANCE_ARCS, len(columns) / COLUMNS_PER_CHANCE_ARC):
        return []
    message = (
        f"{total} rows are few for {len(columns)} columns: among as many columns of mere noise BIC would join about "
        f"{expected:.0f} pairs. Do not trust single arcs; add rows, or leave columns out."
    )
    return [Caution("few-rows", (), message)]


def _chance(df: int, total: int) -> float:
    """How likely an arc that costs `df` parameters gains more than its penalty where there is nothing to gain.

    Twice the gain is distributed as chi square, and must be above df ln N (Wilson and Hilferty's approximation).
    """
    spread = 2 / (9 * df)
    return math.erfc((math.log(total) ** (1 / 3) - (1 - spread)) / math.sqrt(2 * spread)) / 2


def check_gaussian_rows(columns: Mapping[Name, Column], rows: Rows) -> None:
    """Raise if there are too few rows for continuous columns, or in one of them too few values."""
    numbers = {name: column for name, column in columns.items() if isinstance(column, NumericColumn)}
    if rows.total < FEWEST_GAUSSIAN_ROWS and numbers:
        raise DataError(
            f"continuous columns need at least {FEWEST_GAUSSIAN_ROWS} rows, and there are {rows.total}. Add rows."
        )
    known = {name: rows.known(column) for name, column in numbers.items()}
    few = {name: count for name, count in known.items() if count < FEWEST_GAUSSIAN_ROWS}
    if few:
        raise DataError(
            f"continuous columns need at least {FEWEST_GAUSSIAN_ROWS} values, and there are fewer in {tallied(few)}. "
            "Leave these columns out."
        )
