"""The walk from a source to a table that can be learned from."""

from __future__ import annotations

import logging
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from stablebn.data.checks import (
    check_finite,
    check_gaussian_rows,
    check_identifiers,
    check_size,
    check_total,
    check_types,
    report_constants,
)
from stablebn.data.choosing import Choice
from stablebn.data.cut_points import Binning, Cuts
from stablebn.data.dialect import Dialect
from stablebn.data.discretising import discretised
from stablebn.data.duplicates import DUPLICATES, copied_columns, identical_columns, merge, report_duplicates
from stablebn.data.encoding import encode, tabulate
from stablebn.data.kinds import Kind, decide_kinds, family
from stablebn.data.missing import MISSING, settle_missing, with_types
from stablebn.data.reading import read
from stablebn.data.table import Name, Table, total_weight
from stablebn.data.weights import rows_with_weight, set_weights_apart
from stablebn.data.wording import Caution
from stablebn.errors import one_of

logger = logging.getLogger("stablebn.data")


@dataclass(frozen=True)
class Prepared:
    """A table ready to be learned from, and what was found on the way.

    Attributes
    ----------
    names : tuple of hashable
        All variables, in column order.
    table : CategoricalTable, ContinuousTable or MixedTable
        The columns that take part in the search, in column order: not the constant ones, and of merged ones
        only the one that stands. Without any column it is categorical.
    kinds : dict of name to {"categorical", "continuous"}
        Of all variables.
    constants : dict of name to value
        Columns with a single value, in column order, and that value.
    identical : tuple of tuples of names
        Groups of columns with the same value in every row, sorted by name; without the constants.
    copies : tuple of tuples of names
        Groups of continuous columns that are the same but for unit and rounding, identical ones among them.
    merged : dict of name to tuple of names
        Columns that stand for others, and the names of these others. Empty unless duplicates were merged.
    cuts : dict of name to tuple of float
        Cut points of the columns that were made categorical. Empty unless that was asked for.
    rows : int
        Rows of the source, used or not.
    warnings : tuple of Caution
    """

    names: tuple[Name, ...]
    table: Table
    kinds: dict[Name, Kind]
    constants: dict[Name, Hashable]
    identical: tuple[tuple[Name, ...], ...]
    copies: tuple[tuple[Name, ...], ...]
    merged: dict[Name, tuple[Name, ...]]
    cuts: Cuts
    rows: int
    warnings: tuple[Caution, ...]


def prepare(
    source: object,
    *,
    names: Sequence[Name] | None = None,
    kinds: Mapping[Name, Kind] | None = None,
    missing: str = "error",
    duplicates: str = "keep",
    weights: object = None,
    discretise: Binning | Mapping[Name, tuple[float, ...]] | None = None,
    columns: object = None,
    drop: object = None,
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
) -> Prepared:
    """Read, check and encode a table.

    Parameters
    ----------
    source : frame, array, dict or path
        A pandas or polars DataFrame (the index of a pandas frame is not data), a PyArrow Table or
        RecordBatch, a 2-D NumPy array with `names`, a structured array, a dict of columns, or the path of
        a file of which `stablebn.data.files` knows the format.
    names : sequence of hashable, optional
        Names of the columns of a 2-D NumPy array.
    kinds : mapping of name to {"categorical", "continuous"}, optional
        Decides for the columns it names. Of the others, text, categories, booleans and integers with at
        most 25 distinct values are categorical, floats continuous.
    missing : {"error", "drop", "level", "available"}, default "error"
        Of a missing value (null or NaN): raise, leave out its row, make it a level, None, the last, or leave it as a
        hole in the table; only rows without any value are left out then.
    duplicates : {"keep", "merge", "error"}, default "keep"
        Of identical columns, and of continuous ones that are copies in another unit or rounded otherwise: keep all,
        keep one (the first by name; of copies that with the least values), or raise.
    weights : name of a column, or sequence of int, optional
        How many rows each row stands for. A row with weight 0 is as if it were not there.
    discretise : Binning or mapping of name to cut points, optional
        Make continuous columns categorical: all of them, or those with these cut points. Text is taken as it stands.
    columns, drop : sequence of names, or text with commas between names, optional
        The columns to use, and those to leave out.
    sep, decimal, encoding : str, optional
        How a text file is written; by default recognised, by the rules of `stablebn.data.dialect`.

    Returns
    -------
    Prepared

    Raises
    ------
    DataError
        The table cannot be learned from as it is.
    OptionError
        An option has a value it cannot take.

    Examples
    --------
    >>> prepared = prepare({"rain": ["no", "yes", "no"], "wet": [False, True, True]})
    >>> prepared.table.levels
    (('no', 'yes'), (False, True))
    """
    one_of("missing", missing, MISSING)
    one_of("duplicates", duplicates, DUPLICATES)
    asked = {} if kinds is None else kinds

    found = read(
        source, names=names, dialect=Dialect(sep, decimal, encoding), choice=Choice(columns, drop, besides=weights)
    )
    variables, weight_column = set_weights_apart(found.columns, weights)
    variables = with_types(variables, missing)
    check_size(variables)
    rows = len(next(iter(variables.values())))
    variables, counts = rows_with_weight(variables, weight_column)
    check_total(rows, counts)
    check_types(variables)
    if isinstance(discretise, Mapping):
        numbers = [name for name in discretise if name in variables and family(variables[name].type) != "text"]
        asked = {**asked, **dict.fromkeys(numbers, "continuous")}
    decided = decide_kinds(variables, asked)

    encoded = encode(variables, decided)
    cuts: Cuts = {}
    if discretise is not None:
        encoded, cuts = discretised(encoded, counts, discretise)
        decided = {name: "categorical" if name in cuts else kind for name, kind in decided.items()}
    encoded, counts, cautions = settle_missing(encoded, counts, missing, found.cautions)
    used = len(next(iter(encoded.values())))
    total = total_weight(used, counts)
    check_finite(encoded)
    check_identifiers(encoded, [name for name in asked if name not in cuts], total)
    constants = {name: column.first for name, column in encoded.items() if column.is_constant}
    varying = {name: column for name, column in encoded.items() if not column.is_constant}
    check_gaussian_rows(varying, counts, total)

    table = tabulate(varying, used, counts, may_have_holes=missing == "available")
    identical, copies = identical_columns(table), copied_columns(table)
    cautions += [*report_constants(tuple(constants)), *report_duplicates(identical, copies, duplicates)]
    merged: dict[Name, tuple[Name, ...]] = {}
    if duplicates == "merge":
        in_copies = {name for group in copies for name in group}
        table, merged = merge(table, [*copies, *(group for group in identical if group[0] not in in_copies)])
    for caution in cautions:
        logger.info("%s", caution)
    return Prepared(
        names=tuple(variables),
        table=table,
        kinds=decided,
        constants=constants,
        identical=identical,
        copies=copies,
        merged=merged,
        cuts=cuts,
        rows=rows,
        warnings=tuple(cautions),
    )
