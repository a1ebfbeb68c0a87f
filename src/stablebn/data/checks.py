"""What a table must be to be learned from; every complaint names the columns and the remedy."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
import pyarrow as pa

from stablebn.data.encoding import Categories, Encoded, Numbers
from stablebn.data.kinds import family
from stablebn.data.reading import Columns
from stablebn.data.table import MixedTable, Name, Weights, total_weight
from stablebn.data.wording import Caution, kinds_option, tallied
from stablebn.errors import DataError, listed

# Above, sums of counts would no longer fit the integers they are computed in.
MOST_ROWS = 2**28

# A Gaussian family needs N > |S| + 2 (SPEC 2): with one candidate parent, 4 rows.
FEWEST_GAUSSIAN_ROWS = 4

# More levels than this, and than nine tenths of the rows, name the rows rather than describe them.
MOST_LEVELS_UNASKED = 25


def check_size(columns: Columns) -> None:
    """Raise unless there are two columns and a row at least."""
    if len(columns) < 2:
        found = f"only one, {listed(tuple(columns))}" if columns else "none"
        raise DataError(f"a network needs at least two columns, and the table has {found}. Add columns.")
    if len(next(iter(columns.values()))) == 0:
        raise DataError(f"the table has columns {listed(tuple(columns))} but no rows. Add rows.")


def check_types(columns: Columns) -> None:
    """Raise if a column holds neither text, booleans, integers nor floats."""
    unusable = {name: column.type for name, column in columns.items() if family(column.type) is None}
    if unusable:
        remedies = dict.fromkeys(_remedy(type_) for type_ in unusable.values())
        raise DataError(f"columns of types that cannot be used: {tallied(unusable)}. {' '.join(remedies)}")


def _remedy(type_: pa.DataType) -> str:
    if pa.types.is_null(type_):
        return "Leave out columns without any value."
    if pa.types.is_decimal(type_):
        return "Cast decimals to float."
    if pa.types.is_temporal(type_):
        return "Convert dates and times to text (a category) or to numbers."
    return "Convert what is neither text nor a number to text (a category) or to numbers."


def check_total(rows: int, weights: Weights | None) -> None:
    """Raise if the rows, counted with their weights, are too many."""
    # A sum of int64 could wrap around; this one is exact as far as the limit.
    total = rows if weights is None else int(weights.sum(dtype=np.float64))
    if total > MOST_ROWS:
        raise DataError(
            f"the table stands for {total} rows, more than 2**28: take a sample, or scale the weights down."
        )


def check_finite(columns: Mapping[Name, Encoded]) -> None:
    """Raise if a continuous column holds an infinity."""
    infinite = {
        name: int(np.isinf(column.values).sum())
        for name, column in columns.items()
        if isinstance(column, Numbers) and np.isinf(column.values).any()
    }
    if infinite:
        raise DataError(f"infinite values in {tallied(infinite)}. Make them missing or finite, or leave the rows out.")


def check_identifiers(columns: Mapping[Name, Encoded], asked: Collection[Name], total: int) -> None:
    """Raise if nearly every row has a category of its own, and the user has not asked for that."""
    levels = {name: len(column.levels) for name, column in columns.items() if isinstance(column, Categories)}
    identifiers = {
        name: f"{count} levels in {total} rows"
        for name, count in levels.items()
        if name not in asked and count > MOST_LEVELS_UNASKED and 10 * count > 9 * total
    }
    if identifiers:
        raise DataError(
            f"columns that identify rows rather than describe them: {tallied(identifiers)}. "
            f"Leave them out, or say {kinds_option(list(identifiers), 'categorical')}."
        )


def report_constants(constants: tuple[Name, ...]) -> list[Caution]:
    """Say which columns have a single value."""
    if not constants:
        return []
    message = f"columns with a single value stay alone in the graph: {listed(constants)}; you can leave them out."
    return [Caution("constant", constants, message)]


def mixed_refused(table: MixedTable) -> DataError:
    """The error of those who can do with one kind of columns only."""
    categorical, continuous = table.categorical.names, table.continuous.names
    return DataError(
        f"categorical columns ({listed(categorical)}) and continuous columns ({listed(continuous)}) "
        "cannot be learned from together. Choose columns of one kind, or say how to read those that hold "
        f"numbers, for example {kinds_option(continuous[:1], 'categorical')}, or make categories of them with "
        "stablebn.discretise."
    )


def check_gaussian_rows(columns: Mapping[Name, Encoded], weights: Weights | None, total: int) -> None:
    """Raise if there are too few rows for continuous columns, or in one of them too few values."""
    numbers = {name: column for name, column in columns.items() if isinstance(column, Numbers)}
    if total < FEWEST_GAUSSIAN_ROWS and numbers:
        raise DataError(
            f"continuous columns need at least {FEWEST_GAUSSIAN_ROWS} rows, and there are {total}. Add rows."
        )
    known = {
        name: total_weight(int((~column.missing).sum()), None if weights is None else weights[~column.missing])
        for name, column in numbers.items()
    }
    few = {name: count for name, count in known.items() if count < FEWEST_GAUSSIAN_ROWS}
    if few:
        raise DataError(
            f"continuous columns need at least {FEWEST_GAUSSIAN_ROWS} values, and there are fewer in {tallied(few)}. "
            "Leave these columns out."
        )
