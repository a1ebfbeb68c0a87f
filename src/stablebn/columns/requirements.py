"""Check that a table can be learned from, and warn about its columns; each message names columns and remedy."""

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
"""Most rows of a table, by weight: with more, sums would not fit the integers that hold them (docs/core.md)."""

MOST_ROWS_IN_MEMORY = 2**28
"""Most rows that are in memory at once, or sampled: row numbers are integers of 32 bits."""

# A Gaussian family needs N > |S| + 2 (specification, section 2): with one candidate parent, 4 rows.
FEWEST_GAUSSIAN_ROWS = 4

# Too few rows are reported if at least this many arcs are expected by chance, and one per this many columns.
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
    """Raise `DataError` if there are columns of unsupported types."""
    if unusable:
        remedies = dict.fromkeys(_remedy(type_) for type_ in unusable.values())
        raise DataError(
            f"columns of types that cannot be used: {tallied(unusable)}. {' '.join(remedies)}",
            columns=tuple(unusable),
            remedy={"drop": tuple(unusable)},
        )


def refuse_unlisted(names: Sequence[Name]) -> None:
    """Raise `DataError` if there are columns of text whose distinct values do not fit into memory."""
    if names:
        raise DataError(
            f"more different texts than fit into the memory that there is: {listed(names)}. If they name rows, leave "
            "the columns out; otherwise increase memory=.",
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
    """Raise `DataError` if there are too many rows, by weight."""
    if total > MOST_ROWS:
        raise DataError(f"the table stands for {total} rows, more than 2**40: learn from a sample of them.")


def check_rows_in_memory(rows: int) -> None:
    """Raise `DataError` if there are too many rows to be in memory at once."""
    if rows > MOST_ROWS_IN_MEMORY:
        raise DataError(
            f"the table has {rows} rows, more than the 2**28 that can be in memory at once: say memory= to "
            "learn from it block by block, or give each distinct row once, with weights."
        )


def total_of(rows: int, weights: Weights | None) -> int:
    """Return the number of rows, by weight; it is exact up to `MOST_ROWS`."""
    # The sum is a float because a sum of int64 could wrap around.
    return rows if weights is None else int(weights.sum(dtype=np.float64))


def check_finite(columns: Mapping[Name, Column]) -> None:
    """Raise `DataError` if a continuous column has an infinite value."""
    found = {name: column.infinite for name, column in columns.items() if isinstance(column, NumericColumn)}
    infinite = {name: count for name, count in found.items() if count}
    if infinite:
        raise DataError(
            f"infinite values in {tallied(infinite)}. Make them missing or finite, or leave the rows or columns out.",
            columns=tuple(infinite),
            remedy={"drop": tuple(infinite)},
        )


def report_constants(constants: tuple[Name, ...]) -> list[Caution]:
    """Warn about columns with a single value."""
    if not constants:
        return []
    names = listed(sorted(constants, key=name_key))
    message = f"columns with a single value stay alone in the graph: {names}; you can leave them out."
    return [Caution("constant", constants, message)]


def report_decisions(decisions: Mapping[Name, Decision]) -> list[Caution]:
    """Warn about excluded columns, and about kinds that were inferred from the values."""
    cautions = []
    excluded = {name: decision.why for name, decision in decisions.items() if decision.kind is None}
    if excluded:
        message = (
            f"set aside, alone in the graph: {tallied(excluded)}. Say keep= to learn from one, "
            "or drop= to leave it out altogether."
        )
        cautions.append(Caution("set-aside", tuple(excluded), message))
    noted = {name: str(decision) for name, decision in decisions.items() if decision.kind and not decision.plain}
    if noted:
        message = f"decided by their values: {tallied(noted)}. Say kinds= if that is wrong."
        cautions.append(Caution("kinds", tuple(noted), message))
    return cautions


def report_levels(columns: Mapping[Name, Column], total: int) -> list[Caution]:
    """Warn about categorical columns with many levels: two such columns have more joint cells than there are rows."""
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
    """Warn that there are too few rows for the columns, so that noise alone would give many arcs."""
    # Degrees of freedom that a column contributes to a pair: one less than its levels.
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
    """Return the probability that BIC adds an arc with `df` parameters between independent variables.

    Twice the gain has a chi square distribution, and must exceed df ln N (Wilson and Hilferty's approximation).
    """
    spread = 2 / (9 * df)
    return math.erfc((math.log(total) ** (1 / 3) - (1 - spread)) / math.sqrt(2 * spread)) / 2


def check_gaussian_rows(columns: Mapping[Name, Column], rows: Rows) -> None:
    """Raise `DataError` if there are too few rows for continuous columns, or too few values in one of them."""
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
