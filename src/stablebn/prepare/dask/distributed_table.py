"""Tables whose rows are with the workers of a Dask cluster: files that they read, or a Dask dataframe."""

from __future__ import annotations

import copy
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import pyarrow as pa

from stablebn.columns.column import Counted, Source
from stablebn.columns.error_collector import Problems
from stablebn.columns.kinds import Told, family
from stablebn.columns.selection import Choice
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
from stablebn.prepare.dask.workers import Cluster, Partitions
from stablebn.prepare.out_of_core import Encoding, Filled, OutOfCoreRows, counted, fill, kept_columns
from stablebn.prepare.spool import SpooledRows, SpoolInMemory, too_many_texts
from stablebn.prepare.spooled_columns import SpooledColumn
from stablebn.table.blocks import BlockTable
from stablebn.table.table import Name, Table
from stablebn.table.temporary_folders import Folder

Outcome = TypeVar("Outcome")

# So many parts for each thread: few enough to be told of, many enough for equal shares.
_PARTS_A_THREAD = 4


@dataclass
class SpreadTable(Source):
    """A table whose parts workers can read.

    Attributes
    ----------
    parts : Partitions
        What workers can open.
    with_categories : set of names
        The columns whose own type says which categories there are.
    weights : WeightColumn or None
    memory : int
        Bytes for rows at once, here and with each worker.
    """

    names: list[Name]
    types: Mapping[Name, pa.DataType]
    cautions: list[Caution]
    parts: Partitions
    with_categories: set[Name]
    weights: WeightColumn | None
    memory: int
    problems: Sequence[DataProblem] = ()

    def rows(self, said: Told, problems: Problems) -> Counted:
        """Have the workers read their parts; each keeps its own, and tells what is known of the columns."""
        problems.found += self.problems
        parts = self.parts.made(_stocked, dict(self.types), self.weights, said, self.memory)
        told = parts.in_order(_told)
        damaged: set[Name] = set().union(*(own.filled.damaged for own in told))
        problems.found += {problem.message: problem for own in told for problem in own.problems}.values()
        count = sum(own.filled.count for own in told)
        if self.weights is not None:
            weights = WeightColumn.of_all([(own.weights, own.filled.count) for own in told if own.weights is not None])
            weights.check(count)
        self.types = {name: type_ for name, type_ in self.types.items() if name not in damaged}
        names = [name for name in told[0].columns if name not in damaged]
        columns = {name: SpooledColumn.of_all([own.columns[name] for own in told]) for name in names}
        for name in too_many_texts(columns, self.memory // stored.SHARE_OF_TEXTS):
            columns[name].unlist()
        spool = SpreadStock(
            parts.made(_placed, columns),
            columns,
            self.weights is not None,
            sum(own.count for own in told),
            sum(own.total for own in told),
            max(own.heaviest for own in told),
        )
        return counted(spool, self.types, self.with_categories, count, self.memory, Folder, SpreadRows)


@dataclass
class SpreadStock(SpooledRows):
    """Rows as they came, with workers."""

    parts: Partitions
    columns: dict[Name, SpooledColumn]
    weighted: bool
    count: int
    total: int
    heaviest: int

    def each(self, function: Callable[..., Outcome], *arguments: object) -> Iterator[Outcome]:
        """What a function makes of the rows of every part."""
        return self.parts.each(function, *arguments)


class SpreadRows(OutOfCoreRows):
    """Rows with workers."""

    def _tabulated(self, encoding: Encoding) -> BlockTable:
        """Have the workers encode the rows; each keeps its own."""
        assert isinstance(self.spool, SpreadStock)
        blocks = self.spool.parts.made(_encoded, encoding)
        rows = blocks.in_order(_rows_of)
        # A part may have lost all of its rows.
        there = [place for place, count in enumerate(rows) if count]
        blocks = blocks.chosen(there)
        return BlockTable(
            encoding.layout.like(),
            tuple(rows[place] for place in there),
            self.total,
            encoding.layout.weighted,
            blocks.fetch,
            elsewhere=blocks,
        )


def open_spread(
    source: object,
    cluster: Cluster,
    dialect: Dialect,
    choice: Choice,
    weights: object,
    missing: str,
    *,
    names: Sequence[Name] | None,
    memory: int,
) -> SpreadTable:
    """Open a table that workers read.

    Parameters
    ----------
    source : path or dask.dataframe.DataFrame
        A file, folder or pattern, which workers see under this name.
    cluster : Cluster
    dialect, choice, weights, missing, names, memory
        As in `open_out_of_core`.
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
            f'engine="dask" reads Parquet and Arrow files or a Dask dataframe, not {type(source).__name__}: say '
            "dask.dataframe.from_pandas(frame, npartitions=8), or leave the engine out."
        )
    wanted = [name for name in choice.of(found.names) if name in found.types]
    column = weight_column(weights, {name: found.types[name] for name in wanted})
    types = {name: found.types[name] for name in wanted if column is None or name != column.name}
    if missing == "level":
        # Only some sources give columns without any value a type.
        types = {name: pa.string() if pa.types.is_null(type_) else type_ for name, type_ in types.items()}
    return SpreadTable(
        found.names, types, [], found.parts, found.with_categories, column, memory, tuple(found.problems)
    )


@dataclass(frozen=True)
class _Found:
    """What a source has: its columns, the parts, and what cannot be read."""

    names: list[Name]
    types: Types
    with_categories: set[Name]
    parts: Partitions
    problems: list[DataProblem]


def is_dask_frame(source: object) -> bool:
    """Whether this is a Dask dataframe."""
    frames = sys.modules.get("dask.dataframe")
    return frames is not None and isinstance(source, frames.DataFrame)


def _found_in_files(path: str, cluster: Cluster) -> _Found:
    if is_text(path) or not (comes_in_parts(path) or can_come_in_parts(path) or not os.path.splitext(path)[1]):
        raise OptionError(
            f'engine="dask" reads Parquet and Arrow files, and {path!r} is none. Write the table as Parquet first.'
        )
    # By a worker: files need not be seen from here.
    files: FileParts = Partitions.of(cluster, [path]).made(parts_of_files).fetch(0)
    shares = _shared_out(files.parts, files.rows, _PARTS_A_THREAD * cluster.threads)
    parts = Partitions.of(cluster, [_Files(tuple(own)) for own in shares])
    return _Found(list(files.types), files.types, files.with_categories, parts, [])


def _shared_out(parts: Sequence[FilePart], rows: Sequence[int], shares: int) -> Iterator[list[FilePart]]:
    """Neighbours together, so that there are about so many shares, or more where they would be large."""
    enough = min(-(-sum(rows) // shares), MANY_ROWS)
    share: list[FilePart] = []
    count = 0
    for part, own in zip(parts, rows, strict=True):
        if share and count + own > enough:
            yield share
            share, count = [], 0
        if share and share[-1].path == part.path:
            share[-1] = FilePart(part.path, (*share[-1].groups, *part.groups), part.mark)
        else:
            share.append(part)
        count += own
    if share or not parts:
        yield share


@dataclass(frozen=True)
class _Files:
    """Parts of files that one worker reads."""

    parts: tuple[FilePart, ...]


@dataclass(frozen=True)
class _Columns:
    """What a worker has read of a Dask dataframe."""

    names: list[Name]
    columns: dict[Name, pa.ChunkedArray]
    with_categories: set[Name]
    problems: list[DataProblem]

    def __sizeof__(self) -> int:
        """How many bytes the columns take: by this Dask knows when there are too many."""
        return sum(own.nbytes for own in self.columns.values())


def _found_in_frame(frame: Any, cluster: Cluster, choice: Choice) -> _Found:
    from dask.delayed import delayed

    read_by_worker = delayed(_read_frame, pure=False)
    futures = cluster.client.compute([read_by_worker(part, choice) for part in frame.to_delayed()])
    parts = Partitions(cluster, futures)
    told = parts.in_order(_what_was_read)
    types: Types = {}
    problems: dict[str, DataProblem] = {}
    for place, own in enumerate(told):
        if own.names != told[0].names:
            raise DataError(f"columns of partition {place} are not those of partition 0. Make them the same.")
        problems |= {problem.message: problem for problem in own.problems}
    unreadable = {name for own in told for name in own.names if own.types.get(name) is None}
    for name in told[0].names:
        if name not in unreadable:
            types[name] = _common_type(name, [own.types[name] for own in told])
    with_categories = set().union(*(own.with_categories for own in told))
    return _Found(told[0].names, types, with_categories, parts, list(problems.values()))


def _read_frame(part: object, choice: Choice) -> _Columns:
    """The columns of a partition that are wanted."""
    problems = Problems()
    found = read(part, choice=choice, problems=problems)
    return _Columns(found.names, found.columns, found.with_categories, problems.found)


@dataclass(frozen=True)
class _Told:
    """What is known of the columns of a partition of a Dask dataframe."""

    names: list[Name]
    types: Types
    with_categories: set[Name]
    problems: list[DataProblem]


def _what_was_read(part: _Columns) -> _Told:
    opened, _ = open_as_batches(part.columns, Dialect(), None)
    return _Told(part.names, opened.types, part.with_categories, part.problems)


def _common_type(name: Name, types: Sequence[pa.DataType]) -> pa.DataType:
    """The type of a column: a part without any value can have any, and integers beside missing values are floats."""
    distinct = list(dict.fromkeys(own for own in types if not pa.types.is_null(own)))
    if len(distinct) <= 1:
        return distinct[0] if distinct else pa.null()
    families = {family(own) for own in distinct}
    if families == {"text"}:
        return pa.string()
    if families <= {"integer", "float"} and not any(map(pa.types.is_dictionary, distinct)):
        return pa.float64() if "float" in families else pa.int64()
    raise DataError(
        f"column {name!r} has different types in partitions of the Dask dataframe: {listed(list(map(str, distinct)))}. "
        "Give it one, by astype.",
        columns=(name,),
        remedy={"drop": (name,)},
    )


@dataclass
class _Stocked:
    """What a worker keeps of a part, and what it tells of it.

    Attributes
    ----------
    spool : SpoolInMemory
    filled : Filled
    weights : WeightColumn or None
    problems : list of DataProblem
    """

    spool: SpoolInMemory
    filled: Filled
    weights: WeightColumn | None
    problems: list[DataProblem]

    def __sizeof__(self) -> int:
        """How many bytes the rows take."""
        return sys.getsizeof(self.spool)


def _opened(part: _Files | _Columns, types: Mapping[Name, pa.DataType]) -> Batches:
    """A part as a table."""
    if isinstance(part, _Files):
        return open_file_parts(part.parts)
    columns = {name: _as_common(own, types.get(name, own.type)) for name, own in part.columns.items()}
    return open_as_batches(columns, Dialect(), None)[0]


def _as_common(column: pa.ChunkedArray, type_: pa.DataType) -> pa.ChunkedArray:
    """Numbers as those of the other partitions are."""
    numbers = family(type_) in ("integer", "float") and not pa.types.is_dictionary(type_)
    return column.cast(type_) if numbers and column.type != type_ else column


def _stocked(
    part: _Files | _Columns,
    types: Mapping[Name, pa.DataType],
    weights: WeightColumn | None,
    said: Told,
    memory: int,
) -> _Stocked:
    """The rows of a part as they came."""
    problems = Problems()
    own_weights = copy.deepcopy(weights)
    kept = kept_columns(types, said)
    spool = SpoolInMemory(
        {name: own.type for name, own in kept.items()},
        weighted=weights is not None,
        most_text=memory // stored.SHARE_OF_TEXTS,
    )
    # No part, no rows: there are files, and none of them has any.
    if isinstance(part, _Files) and not part.parts:
        return _Stocked(spool, Filled(0, set()), own_weights, [])
    filled = fill(spool, _opened(part, types), types, kept, own_weights, memory, problems)
    return _Stocked(spool, filled, own_weights, problems.found)


@dataclass(frozen=True)
class _Summary:
    """What is known of the rows of a part."""

    columns: dict[Name, SpooledColumn]
    count: int
    total: int
    heaviest: int
    filled: Filled
    weights: WeightColumn | None
    problems: list[DataProblem]


def _told(part: _Stocked) -> _Summary:
    spool = part.spool
    return _Summary(spool.columns, spool.count, spool.total, spool.heaviest, part.filled, part.weights, part.problems)


def _placed(part: _Stocked, columns: Mapping[Name, SpooledColumn]) -> SpoolInMemory:
    return part.spool.placed(columns)


def _encoded(spool: SpoolInMemory, encoding: Encoding) -> Table:
    """The rows of a part as a block."""
    return encoding.table_of(spool)


def _rows_of(block: Table) -> int:
    return block.rows
