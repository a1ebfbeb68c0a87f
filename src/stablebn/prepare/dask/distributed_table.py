"""Prepare a table on a Dask cluster: the workers read files or hold a Dask dataframe, and keep the encoded rows."""

from __future__ import annotations

import copy
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import pyarrow as pa

from stablebn.columns.column import OpenedRows, OpenedTable
from stablebn.columns.error_collector import ErrorCollector
from stablebn.columns.kinds import UserKinds, family
from stablebn.columns.selection import ColumnSelection
from stablebn.columns.weights import WeightColumn, weight_column
from stablebn.errors import DataError, DataProblem, OptionError, listed
from stablebn.io.batches import (
    MANY_ROWS,
    Batches,
    FilePart,
    FileParts,
    Types,
    can_come_in_parts,
    comes_in_parts,
    is_text,
    open_as_batches,
    open_file_parts,
    parts_of_files,
)
from stablebn.io.csv.dialect import Dialect
from stablebn.io.sources import read
from stablebn.messages import Caution
from stablebn.prepare import out_of_core as stored
from stablebn.prepare.dask.workers import DaskCluster, Partitions
from stablebn.prepare.out_of_core import Encoding, Filled, OutOfCoreRows, counted, fill, kept_columns
from stablebn.prepare.spool import SpooledRows, SpoolInMemory, too_many_texts
from stablebn.prepare.spooled_columns import SpooledColumn
from stablebn.table.blocks import BlockTable
from stablebn.table.table import Name, Table
from stablebn.table.temporary_folders import Folder

Outcome = TypeVar("Outcome")

# Parts per thread: few enough that their summaries are cheap, many enough for equal shares.
_PARTS_A_THREAD = 4


@dataclass
class SpreadTable(OpenedTable):
    """Table whose parts the workers can read.

    Attributes
    ----------
    parts : Partitions
        Descriptions of the parts that workers can open.
    with_categories : set of names
        Columns whose type lists their categories.
    weights : WeightColumn or None
    memory : int
        Most bytes of rows in memory at once, in this process and in each worker.
    """

    names: list[Name]
    types: Mapping[Name, pa.DataType]
    cautions: list[Caution]
    parts: Partitions
    with_categories: set[Name]
    weights: WeightColumn | None
    memory: int
    problems: Sequence[DataProblem] = ()

    def rows(self, user_kinds: UserKinds, problems: ErrorCollector) -> OpenedRows:
        """Let each worker read and keep its parts, and combine their summaries of the columns."""
        problems.found += self.problems
        parts = self.parts.map(_stocked, dict(self.types), self.weights, user_kinds, self.memory)
        summaries = parts.in_order(_summary_of)
        damaged: set[Name] = set().union(*(part.filled.damaged for part in summaries))
        problems.found += {problem.message: problem for part in summaries for problem in part.problems}.values()
        count = sum(part.filled.count for part in summaries)
        if self.weights is not None:
            weights = WeightColumn.of_all(
                [(part.weights, part.filled.count) for part in summaries if part.weights is not None]
            )
            weights.check(count)
        self.types = {name: type_ for name, type_ in self.types.items() if name not in damaged}
        names = [name for name in summaries[0].columns if name not in damaged]
        columns = {name: SpooledColumn.of_all([part.columns[name] for part in summaries]) for name in names}
        for name in too_many_texts(columns, self.memory // stored.SHARE_OF_TEXTS):
            columns[name].unlist()
        spool = SpreadStock(
            parts.map(_placed, columns),
            columns,
            self.weights is not None,
            sum(part.count for part in summaries),
            sum(part.total for part in summaries),
            max(part.heaviest for part in summaries),
        )
        return counted(spool, self.types, self.with_categories, count, self.memory, Folder, SpreadRows)


@dataclass
class SpreadStock(SpooledRows):
    """Spool of unencoded rows that are on the workers."""

    parts: Partitions
    columns: dict[Name, SpooledColumn]
    weighted: bool
    count: int
    total: int
    heaviest: int

    def each(self, function: Callable[..., Outcome], *arguments: object) -> Iterator[Outcome]:
        """Apply a function to the rows of every part, on the workers."""
        return self.parts.each(function, *arguments)


class SpreadRows(OutOfCoreRows):
    """Rows that are on the workers."""

    def _tabulated(self, encoding: Encoding) -> BlockTable:
        """Let each worker encode its rows and keep the blocks."""
        assert isinstance(self.spool, SpreadStock)
        blocks = self.spool.parts.map(_encoded, encoding)
        rows = blocks.in_order(_rows_of)
        # All rows of a part may have been left out.
        filled = [number for number, count in enumerate(rows) if count]
        blocks = blocks.chosen(filled)
        return BlockTable(
            encoding.layout.like(),
            tuple(rows[number] for number in filled),
            self.total,
            encoding.layout.weighted,
            blocks.fetch,
            remote=blocks,
        )


def open_spread(
    source: object,
    cluster: DaskCluster,
    dialect: Dialect,
    choice: ColumnSelection,
    weights: object,
    missing: str,
    *,
    names: Sequence[Name] | None,
    memory: int,
) -> SpreadTable:
    """Open a table that the workers of a cluster read.

    Parameters
    ----------
    source : path or dask.dataframe.DataFrame
        A file, folder or pattern; workers must see the files under the same names.
    cluster : DaskCluster
    dialect, choice, weights, missing, names, memory
        As in `stablebn.prepare.out_of_core.open_out_of_core`.
    """
    if names is not None:
        raise OptionError("names= goes with a NumPy array; this source has column names of its own. Leave it out.")
    dialect.refuse("a table on a Dask cluster")
    if isinstance(source, str | os.PathLike):
        found = _found_in_files(os.fsdecode(source), cluster)
    elif is_dask_frame(source):
        found = _found_in_frame(source, cluster, choice)
    else:
        raise OptionError(
            f'engine="dask" reads Parquet and Arrow files or a Dask dataframe, not {type(source).__name__}: use '
            "dask.dataframe.from_pandas(frame, npartitions=8), or leave the engine out."
        )
    wanted = [name for name in choice.of(found.names) if name in found.types]
    column = weight_column(weights, {name: found.types[name] for name in wanted})
    types = {name: found.types[name] for name in wanted if column is None or name != column.name}
    if missing == "level":
        # Some sources give columns without values no type.
        types = {name: pa.string() if pa.types.is_null(type_) else type_ for name, type_ in types.items()}
    return SpreadTable(
        found.names, types, [], found.parts, found.with_categories, column, memory, tuple(found.problems)
    )


@dataclass(frozen=True)
class _PartsOnWorkers:
    """Columns and parts of a source, and the problems of columns that cannot be read."""

    names: list[Name]
    types: Types
    with_categories: set[Name]
    parts: Partitions
    problems: list[DataProblem]


def is_dask_frame(source: object) -> bool:
    """Return whether a source is a Dask dataframe."""
    frames = sys.modules.get("dask.dataframe")
    return frames is not None and isinstance(source, frames.DataFrame)


def _found_in_files(path: str, cluster: DaskCluster) -> _PartsOnWorkers:
    if is_text(path) or not (comes_in_parts(path) or can_come_in_parts(path) or not os.path.splitext(path)[1]):
        raise OptionError(
            f'engine="dask" reads Parquet and Arrow files, and {path!r} is none. Write the table as Parquet first.'
        )
    # A worker lists the files, because this process may not see them.
    files: FileParts = Partitions.of(cluster, [path]).map(parts_of_files).fetch(0)
    shares = _shared_out(files.parts, files.rows, _PARTS_A_THREAD * cluster.threads)
    parts = Partitions.of(cluster, [_Files(tuple(share)) for share in shares])
    return _PartsOnWorkers(list(files.types), files.types, files.with_categories, parts, [])


def _shared_out(parts: Sequence[FilePart], rows: Sequence[int], shares: int) -> Iterator[list[FilePart]]:
    """Group neighbouring parts into about `shares` shares of at most `MANY_ROWS` rows."""
    enough = min(-(-sum(rows) // shares), MANY_ROWS)
    share: list[FilePart] = []
    count = 0
    for part, part_rows in zip(parts, rows, strict=True):
        if share and count + part_rows > enough:
            yield share
            share, count = [], 0
        if share and share[-1].path == part.path:
            share[-1] = FilePart(part.path, (*share[-1].groups, *part.groups), part.mark)
        else:
            share.append(part)
        count += part_rows
    if share or not parts:
        yield share


@dataclass(frozen=True)
class _Files:
    """Parts of files that one worker reads."""

    parts: tuple[FilePart, ...]


@dataclass(frozen=True)
class _FrameColumns:
    """Columns of a partition of a Dask dataframe that a worker has read."""

    names: list[Name]
    columns: dict[Name, pa.ChunkedArray]
    with_categories: set[Name]
    problems: list[DataProblem]

    def __sizeof__(self) -> int:
        """Return the number of bytes of the columns, which Dask uses to limit memory."""
        return sum(column.nbytes for column in self.columns.values())


def _found_in_frame(frame: Any, cluster: DaskCluster, choice: ColumnSelection) -> _PartsOnWorkers:
    from dask.delayed import delayed

    read_by_worker = delayed(_read_frame, pure=False)
    futures = cluster.client.compute([read_by_worker(part, choice) for part in frame.to_delayed()])
    parts = Partitions(cluster, futures)
    summaries = parts.in_order(_frame_summary)
    types: Types = {}
    problems: dict[str, DataProblem] = {}
    for number, summary in enumerate(summaries):
        if summary.names != summaries[0].names:
            raise DataError(f"columns of partition {number} are not those of partition 0. Make them the same.")
        problems |= {problem.message: problem for problem in summary.problems}
    unreadable = {name for summary in summaries for name in summary.names if summary.types.get(name) is None}
    for name in summaries[0].names:
        if name not in unreadable:
            types[name] = _common_type(name, [summary.types[name] for summary in summaries])
    with_categories = set().union(*(summary.with_categories for summary in summaries))
    return _PartsOnWorkers(summaries[0].names, types, with_categories, parts, list(problems.values()))


def _read_frame(part: object, choice: ColumnSelection) -> _FrameColumns:
    """Read the selected columns of a partition."""
    problems = ErrorCollector()
    found = read(part, choice=choice, problems=problems)
    return _FrameColumns(found.names, found.columns, found.with_categories, problems.found)


@dataclass(frozen=True)
class _FrameSummary:
    """Names and types of the columns of a partition of a Dask dataframe, and its problems."""

    names: list[Name]
    types: Types
    with_categories: set[Name]
    problems: list[DataProblem]


def _frame_summary(part: _FrameColumns) -> _FrameSummary:
    opened, _ = open_as_batches(part.columns, Dialect(), None)
    return _FrameSummary(part.names, opened.types, part.with_categories, part.problems)


def _common_type(name: Name, types: Sequence[pa.DataType]) -> pa.DataType:
    """Return the common type of a column of all partitions.

    A partition without values fits any type; integers are floats in partitions with missing values.
    """
    distinct = list(dict.fromkeys(type_ for type_ in types if not pa.types.is_null(type_)))
    if len(distinct) <= 1:
        return distinct[0] if distinct else pa.null()
    families = {family(type_) for type_ in distinct}
    if families == {"text"}:
        return pa.string()
    if families <= {"integer", "float"} and not any(map(pa.types.is_dictionary, distinct)):
        return pa.float64() if "float" in families else pa.int64()
    raise DataError(
        f"column {name!r} has different types in partitions of the Dask dataframe: {listed(list(map(str, distinct)))}. "
        "Use astype to give it one type.",
        columns=(name,),
        remedy={"drop": (name,)},
    )


@dataclass
class _Stocked:
    """Rows of a part that a worker keeps, and the problems of the part."""

    spool: SpoolInMemory
    filled: Filled
    weights: WeightColumn | None
    problems: list[DataProblem]

    def __sizeof__(self) -> int:
        """Return the number of bytes of the rows."""
        return sys.getsizeof(self.spool)


def _opened(part: _Files | _FrameColumns, types: Mapping[Name, pa.DataType]) -> Batches:
    """Open a part as a table."""
    if isinstance(part, _Files):
        return open_file_parts(part.parts)
    columns = {name: _as_common(column, types.get(name, column.type)) for name, column in part.columns.items()}
    return open_as_batches(columns, Dialect(), None)[0]


def _as_common(column: pa.ChunkedArray, type_: pa.DataType) -> pa.ChunkedArray:
    """Convert numbers to the common type of all partitions."""
    numbers = family(type_) in ("integer", "float") and not pa.types.is_dictionary(type_)
    return column.cast(type_) if numbers and column.type != type_ else column


def _stocked(
    part: _Files | _FrameColumns,
    types: Mapping[Name, pa.DataType],
    weights: WeightColumn | None,
    user_kinds: UserKinds,
    memory: int,
) -> _Stocked:
    """Read the rows of a part into a spool."""
    problems = ErrorCollector()
    own_weights = copy.deepcopy(weights)
    kept = kept_columns(types, user_kinds)
    spool = SpoolInMemory(
        {name: column.type for name, column in kept.items()},
        weighted=weights is not None,
        most_text=memory // stored.SHARE_OF_TEXTS,
    )
    # If no file has rows, there is a single share without parts.
    if isinstance(part, _Files) and not part.parts:
        return _Stocked(spool, Filled(0, set()), own_weights, [])
    filled = fill(spool, _opened(part, types), types, kept, own_weights, memory, problems)
    return _Stocked(spool, filled, own_weights, problems.found)


@dataclass(frozen=True)
class _PartSummary:
    """Summary of the rows of a part."""

    columns: dict[Name, SpooledColumn]
    count: int
    total: int
    heaviest: int
    filled: Filled
    weights: WeightColumn | None
    problems: list[DataProblem]


def _summary_of(part: _Stocked) -> _PartSummary:
    spool = part.spool
    return _PartSummary(
        spool.columns, spool.count, spool.total, spool.heaviest, part.filled, part.weights, part.problems
    )


def _placed(part: _Stocked, columns: Mapping[Name, SpooledColumn]) -> SpoolInMemory:
    return part.spool.placed(columns)


def _encoded(spool: SpoolInMemory, encoding: Encoding) -> Table:
    """Encode the rows of a part as a block."""
    return encoding.table_of(spool)


def _rows_of(block: Table) -> int:
    return block.rows
