"""Read, check and encode a table: open the source, summarise it, infer kinds, encode the columns, check the table."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from stablebn.columns.column import CategoricalColumn, Column, OpenedRows, OpenedTable, Rows
from stablebn.columns.duplicates import copied_columns, identical_columns, merge, report_duplicates
from stablebn.columns.error_collector import ErrorCollector
from stablebn.columns.kinds import Decision, Kind, UserKinds, family, parse_kinds
from stablebn.columns.levels import Levels, declare, named_categorical, parse_levels
from stablebn.columns.missing import handle_missing
from stablebn.columns.requirements import (
    check_finite,
    check_gaussian_rows,
    check_rows_in_memory,
    check_size,
    check_total,
    report_constants,
    report_decisions,
    report_few_rows,
    report_levels,
)
from stablebn.errors import OptionError
from stablebn.messages import Caution
from stablebn.prepare.in_memory import RowsInMemory, columns_in_memory
from stablebn.prepare.kind_inference import decide_kinds
from stablebn.prepare.open_source import fits_in_memory, open_source
from stablebn.prepare.prepared import Prepared, Schema
from stablebn.prepare.read_options import ReadOptions, SpooledTable, Storage
from stablebn.table.block_files import BlockFiles
from stablebn.table.blocks import BlockTable, like_of
from stablebn.table.table import Name

if TYPE_CHECKING:
    from stablebn.columns.cut_points import Binning, Cuts
    from stablebn.prepare.cache import Cache

logger = logging.getLogger(__name__)

Bins: TypeAlias = "Binning | Mapping[Name, tuple[float, ...]] | None"
"""How continuous columns are discretised: by a method, by cut points, or not at all."""

_AS_GIVEN, _IN_MEMORY, _ANY_SCHEMA = ReadOptions(), Storage(), Schema()


def prepare(
    source: object,
    read: ReadOptions = _AS_GIVEN,
    storage: Storage = _IN_MEMORY,
    *,
    like: Schema = _ANY_SCHEMA,
    progress: Callable[[str, int], None] | None = None,
    offer_available: bool = True,
    allow_few_rows: bool = False,
) -> Prepared:
    """Read, check and encode a table.

    Parameters
    ----------
    source : frame, array, dict, path or iterator
        As `data` of `stablebn.learn`.
    read : ReadOptions
    storage : Storage
    like : Schema, optional
        Kinds, levels and cut points of another table. They hold for the columns of the same name, unless `read` says
        otherwise.
    progress : callable, optional
        Called with the name of the stage and a number of rows.
    offer_available : bool
        Whether an error may recommend missing="available".
    allow_few_rows : bool
        Whether continuous columns may have fewer rows than learning needs.

    Returns
    -------
    Prepared

    Raises
    ------
    DataError
        The table cannot be used as it is. The error lists all problems, with the options that solve them.
    OptionError
        An option has a value that it cannot have.

    Examples
    --------
    >>> prepared = prepare({"rain": ["no", "yes", "no"], "wet": [False, True, True]})
    >>> prepared.table.levels
    (('no', 'yes'), (False, True))
    """
    read, errors, report = read.with_lists(), ErrorCollector(), progress or _report_nothing
    in_memory = fits_in_memory(source, storage)
    bins = _bins(read, like, in_memory=in_memory)
    report("reading", 0)
    cache = None if in_memory else _cache(source, read, storage, like, allow_few_rows=allow_few_rows)
    cached = None if cache is None else cache.find(storage.row_memory)
    if cached is not None:
        return cached
    opened = open_source(source, read, storage, errors, in_memory=in_memory)
    wanted = _wanted_kinds(opened, read, like, bins)
    summary = _summarise(opened, wanted, read, errors)
    if in_memory:
        check_rows_in_memory(summary.count)
    report("encoding", summary.count)
    columns = _infer_kinds(opened, summary, wanted, read, errors)
    if bins is not None and not errors.found:
        report("discretising", summary.count)
        _discretise(columns, bins)
    _encode(columns, opened, summary, read, like, errors, offer_available=offer_available)
    _check_columns(columns, opened, read, errors, allow_few_rows=allow_few_rows)
    prepared, files = _tabulate(columns, opened, summary, read, storage)
    if cache is not None and files is not None:
        cache.keep(source, files, prepared)
    return prepared


@dataclass
class _EncodedColumns:
    """The columns of a table on their way to the encoded table.

    Attributes
    ----------
    varying : dict of name to Column
        The columns with at least two values.
    levels : mapping of name to values
        The declared levels.
    """

    rows: Rows
    encoded: dict[Name, Column]
    decisions: dict[Name, Decision]
    warnings: list[Caution]
    cuts: Cuts = field(default_factory=dict)
    varying: dict[Name, Column] = field(default_factory=dict)
    levels: Levels = field(default_factory=dict)


def _report_nothing(stage: str, count: int) -> None:
    """Ignore progress."""


def _bins(read: ReadOptions, like: Schema, *, in_memory: bool) -> Bins:
    """Return how to discretise: as the options say, else with the cut points of the other table."""
    bins = read.binning or like.cuts or None
    if bins is not None and not in_memory:
        raise OptionError(
            "discretise= needs all values of a column at once, and this table is not held in memory. Put them into "
            "bins before, say with the cuts of sb.discretise of some rows, or learn from the table in memory."
        )
    return bins


def _cache(source: object, read: ReadOptions, storage: Storage, like: Schema, *, allow_few_rows: bool) -> Cache | None:
    """Return the cache of prepared tables for a source; `None` if this table cannot be cached."""
    if storage.folder is None or storage.engine == "dask" or isinstance(source, SpooledTable):
        return None
    if like.decisions or like.levels:
        return None
    # Imported here because it takes time, and few tables are kept.
    from stablebn.prepare.cache import cache_for

    return cache_for(source, read, storage, allow_few_rows=allow_few_rows)


def _wanted_kinds(opened: OpenedTable, read: ReadOptions, like: Schema, bins: Bins) -> UserKinds:
    """Return the kinds that the user, the declared levels, or the other table decide, before any row is read."""
    kept = read.choice.kept(opened.names)
    wanted = parse_kinds(read.kinds, kept, opened.types).with_learned(like.decisions, opened.types)
    categorical: dict[Name, Kind] = dict.fromkeys(named_categorical(read.levels, tuple(opened.types)), "categorical")
    wanted = wanted._replace(kinds={**categorical, **wanted.kinds}, na_values=read.dialect.na_values)
    # Refuse impossible levels before the rows are read.
    parse_levels(read.levels, opened.types, {}, like.levels)
    if isinstance(bins, Mapping):
        numbers = [name for name in bins if name in opened.types and family(opened.types[name]) != "text"]
        wanted = wanted._replace(kinds={**wanted.kinds, **dict.fromkeys(numbers, "continuous")})
    return wanted


def _summarise(opened: OpenedTable, wanted: UserKinds, read: ReadOptions, errors: ErrorCollector) -> OpenedRows:
    """Read the rows, or what must be known of them; raise an error if nothing can be learned from so few."""
    summary = opened.rows(wanted, errors)
    with errors.collected():
        check_size(opened.types, summary.count)
    if not opened.types or errors.helpless:
        _raise_all(errors, opened, read)
    check_total(summary.total)
    return summary


def _infer_kinds(
    opened: OpenedTable, summary: OpenedRows, wanted: UserKinds, read: ReadOptions, errors: ErrorCollector
) -> _EncodedColumns:
    """Decide the kind of every column, with the reason, and encode the columns by it."""
    decided = decide_kinds(summary.rows, wanted, read.missing, errors)
    with errors.collected():
        check_finite(decided.columns)
    warnings = [*opened.cautions, *report_decisions(decided.decisions), *decided.cautions]
    return _EncodedColumns(summary.rows, decided.columns, decided.decisions, warnings)


def _discretise(columns: _EncodedColumns, bins: Binning | Mapping[Name, tuple[float, ...]]) -> None:
    """Replace continuous columns by categorical ones."""
    # Imported here because it takes time, and few tables are discretised.
    from stablebn.prepare.discretize import discretised

    assert isinstance(columns.rows, RowsInMemory)
    binned, columns.cuts = discretised(columns_in_memory(columns.encoded), columns.rows.weights, bins)
    columns.encoded = {**binned}
    columns.decisions |= {
        name: Decision("categorical", f"{columns.decisions[name].why}, in {len(points) + 1} bins", plain=True)
        for name, points in columns.cuts.items()
        if name in columns.encoded
    }


def _encode(
    columns: _EncodedColumns,
    opened: OpenedTable,
    summary: OpenedRows,
    read: ReadOptions,
    like: Schema,
    errors: ErrorCollector,
    *,
    offer_available: bool,
) -> None:
    """Treat missing values as the options say, and find the declared levels and the columns that vary."""
    categories = {} if read.levels is None else summary.categories()
    columns.levels = parse_levels(read.levels, opened.types, categories, like.levels)
    with errors.collected():
        columns.rows, columns.encoded, columns.warnings = handle_missing(
            columns.rows, columns.encoded, read.missing, columns.warnings, allow_available=offer_available
        )
    columns.varying = {name: column for name, column in columns.encoded.items() if not column.is_constant}


def _check_columns(
    columns: _EncodedColumns, opened: OpenedTable, read: ReadOptions, errors: ErrorCollector, *, allow_few_rows: bool
) -> None:
    """Add declared levels; raise one error for everything that is wrong with the table."""
    if not allow_few_rows:
        with errors.collected():
            check_gaussian_rows(columns.varying, columns.rows)
    with errors.collected():
        with_levels, columns.levels = declare(columns.encoded, columns.levels)
        columns.varying = {name: with_levels[name] for name in columns.varying}
    _raise_all(errors, opened, read)


def _raise_all(errors: ErrorCollector, opened: OpenedTable, read: ReadOptions) -> None:
    errors.raise_all(opened.names, read.choice, read.kinds if isinstance(read.kinds, Mapping) else {})


def _tabulate(
    columns: _EncodedColumns, opened: OpenedTable, summary: OpenedRows, read: ReadOptions, storage: Storage
) -> tuple[Prepared, BlockFiles | None]:
    """Put the columns into a table, find duplicates, and collect the warnings; return the files of blocks too."""
    table = columns.rows.tabulate(columns.varying, may_have_holes=read.missing == "available")
    block_files = table.open_block if isinstance(table, BlockTable) else None
    constants = {name: column.constant_value for name, column in columns.encoded.items() if column.is_constant}
    identical, copies = identical_columns(table), copied_columns(table)
    warnings = [
        *columns.warnings,
        *report_levels(columns.varying, columns.rows.total),
        *report_constants(tuple(constants)),
        *report_duplicates(identical, copies, read.duplicates),
        *report_few_rows(columns.varying, columns.rows.total),
    ]
    merged: dict[Name, tuple[Name, ...]] = {}
    if read.duplicates == "merge":
        in_copies = {name for group in copies for name in group}
        table, merged = merge(table, [*copies, *(group for group in identical if group[0] not in in_copies)])
    for warning in warnings:
        logger.info("%s", warning)
    prepared = Prepared(
        names=tuple(opened.types),
        left_out=tuple(name for name in opened.names if name not in opened.types),
        table=like_of(table),
        blocks=replace(table, memory=storage.row_memory) if isinstance(table, BlockTable) else None,
        kinds=_kinds_of(columns.encoded),
        decisions={
            name: Decision(decision.kind, "a single value", plain=True) if name in constants else decision
            for name, decision in columns.decisions.items()
        },
        constants=constants,
        identical=identical,
        copies=copies,
        merged=merged,
        cuts=columns.cuts,
        levels=columns.levels,
        rows=summary.count,
        warnings=tuple(warnings),
    )
    return prepared, block_files if isinstance(block_files, BlockFiles) else None


def _kinds_of(columns: Mapping[Name, Column]) -> dict[Name, Kind]:
    return {
        name: "categorical" if isinstance(column, CategoricalColumn) else "continuous"
        for name, column in columns.items()
    }
