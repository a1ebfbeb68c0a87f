"""The walk from a source to a table that can be learned from."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from stablebn.columns.column import CategoricalColumn, OpenedTable
from stablebn.columns.cut_points import Binning, Cuts
from stablebn.columns.duplicates import DUPLICATES, copied_columns, identical_columns, merge, report_duplicates
from stablebn.columns.error_collector import ErrorCollector
from stablebn.columns.kinds import Decision, Kind, KindsOption, family, parse_kinds
from stablebn.columns.levels import Levels, declare, named_categorical, parse_levels
from stablebn.columns.missing import MISSING, handle_missing, with_text_for_empty
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
from stablebn.columns.selection import ColumnSelection
from stablebn.columns.weights import split_weights
from stablebn.errors import OptionError, one_of
from stablebn.io.batches import contents_of
from stablebn.io.csv.dialect import Dialect
from stablebn.io.sources import read
from stablebn.prepare.cache import Cache
from stablebn.prepare.dask.workers import DaskCluster
from stablebn.prepare.discretize import discretised
from stablebn.prepare.in_memory import HeldRows, HeldTable, held_columns
from stablebn.prepare.incremental import GrowingTable
from stablebn.prepare.kind_inference import decide_kinds
from stablebn.prepare.out_of_core import in_parts, open_stored, size_class
from stablebn.prepare.prepared import Prepared
from stablebn.prepare.read_options import ReadingOptions, TableOptions
from stablebn.table.block_files import BlockFiles
from stablebn.table.blocks import BlockTable, like_of
from stablebn.table.memory_limit import USUAL_MEMORY
from stablebn.table.table import Name
from stablebn.table.temporary_folders import Folder
from stablebn.threads import cores, run_interruptibly

logger = logging.getLogger(__name__)


def prepare(
    source: object,
    *,
    names: Sequence[Name] | None = None,
    kinds: KindsOption = None,
    missing: str = "error",
    duplicates: str = "keep",
    weights: object = None,
    discretise: Binning | Mapping[Name, tuple[float, ...]] | None = None,
    columns: object = None,
    drop: object = None,
    keep: object = None,
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    na_values: Sequence[str] | str | None = None,
    levels: object = None,
    learned: Mapping[Name, Decision] | None = None,
    learned_levels: Levels | None = None,
    allow_available: bool = True,
    few_rows_will_do: bool = False,
    threads: int = 1,
    watch: Callable[[str, int], None] | None = None,
    memory: int | None = None,
    cache: Path | None = None,
    cluster: DaskCluster | None = None,
) -> Prepared:
    """Read, check and encode a table.

    Parameters
    ----------
    source : frame, array, dict or path
        A pandas or polars DataFrame (the index of a pandas frame is not data), a PyArrow Table or
        RecordBatch, a 2-D NumPy array with `names`, a structured array, a dict of columns, or the path of
        a file of which `stablebn.io.registry` knows the format.
    names : sequence of hashable, optional
        Names of the columns of a 2-D NumPy array.
    kinds : mapping of name to {"categorical", "continuous"}, or one of these, optional
        Decides for the columns it names; `...` stands for all others that can have that kind, and one kind alone is
        that of all that can. What is not said is decided by type and values (`stablebn.columns.kinds`).
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
    keep : the same
        Columns to learn from though they look like ids, free text or dates.
    sep, decimal, encoding : str, optional
        How a text file is written; by default recognised, by the rules of `stablebn.io.csv.dialect`.
    na_values : sequence of str, or text with commas between, optional
        The texts of a file that stand for a missing value; by default those of `stablebn.columns.na_values`.
    levels : mapping of name to values, or "declared", optional
        Levels that count whether they occur or not; columns that are named are categorical. "declared": those of
        columns whose type has categories. By default levels are the values that occur.
    learned : mapping of name to Decision, optional
        What was decided for another table: it holds for the columns of that name of which nothing else is said.
    learned_levels : mapping of name to values, optional
        The same of levels.
    allow_available : bool
        Whether an error may offer missing="available".
    few_rows_will_do : bool
        Whether continuous columns may have fewer rows than learning needs.
    threads : int
        How many threads read and encode; with more than one, PyArrow takes as many as it likes for files.
    watch : callable, optional
        Called with what is under way, and of how many rows.
    memory : int, optional
        Read the table in parts, and use so many bytes of memory at most.
    cache : Path, optional
        The folder for a table that is read in parts; by default one that is removed again.
    cluster : DaskCluster, optional
        Whose workers read the table and keep its rows.

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
    problems = ErrorCollector()
    choice = ColumnSelection(columns, drop, keep, besides=weights)

    def tell(stage: str, count: int) -> None:
        if watch is not None:
            watch(stage, count)

    kept: Cache | None = None
    is_held = (
        cluster is None
        and not isinstance(source, GrowingTable)
        and not run_interruptibly(lambda: in_parts(source, memory, cache))
    )
    if discretise is not None and not is_held:
        raise OptionError(
            "discretise= needs all values of a column at once, and this table is not held in memory. Put them into "
            "bins before, say with the cuts of sb.discretise of some rows, or learn from the table in memory."
        )
    tell("reading", 0)
    dialect = Dialect(sep, decimal, encoding, na_values)
    opened: OpenedTable
    if cluster is not None:
        # Here and not above: few have a cluster, and all wait for imports.
        from stablebn.prepare.dask.distributed_table import open_spread

        opened = open_spread(
            source, cluster, dialect, choice, weights, missing, names=names, memory=memory or USUAL_MEMORY
        )
    elif isinstance(source, GrowingTable):
        opened = source.opened(memory or USUAL_MEMORY, lambda: Folder(cache))
    elif not is_held:
        contents = None if cache is None or learned or learned_levels else contents_of(source)
        if cache is not None and contents is not None:
            options = {"kinds": kinds, "missing": missing, "duplicates": duplicates, "weights": weights}
            options |= {
                "columns": choice.columns,
                "drop": choice.drop,
                "keep": choice.keep,
                "levels": levels,
                "few_rows_will_do": few_rows_will_do,
            }
            options |= {"names": names, "dialect": dialect, "memory": size_class(memory or USUAL_MEMORY)}
            kept = Cache(cache, contents, options)
            if (before := kept.find(memory or USUAL_MEMORY)) is not None:
                return before
        opened = open_stored(
            source,
            dialect,
            choice,
            weights,
            missing,
            names=names,
            memory=memory or USUAL_MEMORY,
            folder=lambda: Folder(cache),
            threads=threads,
        )
    else:
        opened = _held(source, names, dialect, choice, weights, missing, problems, threads)
    said = parse_kinds(kinds, choice.kept(opened.names), opened.types).with_learned(learned or {}, opened.types)
    categorical: dict[Name, Kind] = dict.fromkeys(named_categorical(levels, tuple(opened.types)), "categorical")
    said = said._replace(kinds={**categorical, **said.kinds}, na_values=dialect.na_values)
    # What cannot be is refused before the rows are read.
    parse_levels(levels, opened.types, {}, learned_levels)
    if isinstance(discretise, Mapping):
        numbers = [name for name in discretise if name in opened.types and family(opened.types[name]) != "text"]
        said = said._replace(kinds={**said.kinds, **dict.fromkeys(numbers, "continuous")})

    def raise_problems() -> None:
        problems.raise_all(opened.names, choice, kinds if isinstance(kinds, Mapping) else {})

    found = opened.rows(said, problems)
    rows, count = found.rows, found.count
    declared = parse_levels(levels, opened.types, {} if levels is None else found.categories(), learned_levels)
    with problems.collected():
        check_size(opened.types, count)
    if not opened.types or problems.helpless:
        raise_problems()
    check_total(found.total)
    if is_held:
        check_rows_in_memory(count)
    tell("encoding", count)
    decided = decide_kinds(rows, said, missing, problems)
    encoded, decisions = decided.columns, decided.decisions
    cautions = [*opened.cautions, *report_decisions(decisions), *decided.cautions]

    cuts: Cuts = {}
    with problems.collected():
        check_finite(encoded)
    if discretise is not None and not problems.found:
        tell("discretising", count)
        assert isinstance(rows, HeldRows)
        binned, cuts = discretised(held_columns(encoded), rows.weights, discretise)
        encoded = {**binned}
        decisions |= {
            name: Decision("categorical", f"{decisions[name].why}, in {len(points) + 1} bins", plain=True)
            for name, points in cuts.items()
            if name in encoded
        }
    with problems.collected():
        rows, encoded, cautions = handle_missing(rows, encoded, missing, cautions, allow_available=allow_available)
    varying = {name: column for name, column in encoded.items() if not column.is_constant}
    if not few_rows_will_do:
        with problems.collected():
            check_gaussian_rows(varying, rows)
    with problems.collected():
        with_levels, declared = declare(encoded, declared)
        varying = {name: with_levels[name] for name in varying}
    raise_problems()

    constants = {name: column.constant_value for name, column in encoded.items() if column.is_constant}
    kind_of: dict[Name, Kind] = {
        name: "categorical" if isinstance(column, CategoricalColumn) else "continuous"
        for name, column in encoded.items()
    }
    table = rows.tabulate(varying, may_have_holes=missing == "available")
    written = table.open_block if isinstance(table, BlockTable) else None
    identical, copies = identical_columns(table), copied_columns(table)
    cautions += [
        *report_levels(varying, rows.total),
        *report_constants(tuple(constants)),
        *report_duplicates(identical, copies, duplicates),
        *report_few_rows(varying, rows.total),
    ]
    merged: dict[Name, tuple[Name, ...]] = {}
    if duplicates == "merge":
        in_copies = {name for group in copies for name in group}
        table, merged = merge(table, [*copies, *(group for group in identical if group[0] not in in_copies)])
    for caution in cautions:
        logger.info("%s", caution)
    prepared = Prepared(
        names=tuple(opened.types),
        left_out=tuple(name for name in opened.names if name not in opened.types),
        table=like_of(table),
        blocks=replace(table, memory=memory or USUAL_MEMORY) if isinstance(table, BlockTable) else None,
        kinds=kind_of,
        decisions={
            name: Decision(own.kind, "a single value", plain=True) if name in constants else own
            for name, own in decisions.items()
        },
        constants=constants,
        identical=identical,
        copies=copies,
        merged=merged,
        cuts=cuts,
        levels=declared,
        rows=count,
        warnings=tuple(cautions),
    )
    if kept is not None and isinstance(written, BlockFiles):
        kept.keep(source, written, prepared)
    return prepared


def prepare_as(table: TableOptions, reading: ReadingOptions, **rest: Any) -> Prepared:
    """Read, check and encode a table as its options say; `rest` are the other options of `prepare`."""
    return prepare(
        table.data,
        names=table.names,
        weights=table.weights,
        kinds=reading.kinds,
        levels=reading.levels,
        missing=reading.missing,
        columns=reading.columns,
        drop=reading.drop,
        keep=reading.keep,
        sep=reading.sep,
        decimal=reading.decimal,
        encoding=reading.encoding,
        na_values=reading.na_values,
        threads=reading.threads or cores(),
        **rest,
    )


def _held(
    source: object,
    names: Sequence[Name] | None,
    dialect: Dialect,
    choice: ColumnSelection,
    weights: object,
    missing: str,
    problems: ErrorCollector,
    threads: int,
) -> HeldTable:
    """A table that is read into memory."""
    found = read(source, names=names, dialect=dialect, choice=choice, problems=problems, threads=threads)
    variables, weight_column = split_weights(found.columns, weights)
    variables = with_text_for_empty(variables, missing)
    return HeldTable(found.names, found.cautions, variables, weight_column, found.with_categories, threads)
