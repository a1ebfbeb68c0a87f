"""The options that say how to read a table, and where to keep it while it is read.

Every public function that reads a table takes the options of `ReadingOptions`. To add one, add a field there.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from stablebn.columns.cut_points import METHODS, MOST_BINS, USUAL_BINS, Binning
from stablebn.columns.duplicates import DUPLICATES
from stablebn.columns.kinds import Kind
from stablebn.columns.levels import check_levels
from stablebn.columns.missing import MISSING
from stablebn.columns.na_values import check_na_values
from stablebn.columns.selection import ColumnSelection
from stablebn.errors import OptionError, listed, shown
from stablebn.io.csv.dialect import DECIMALS, Dialect, check_encoding, check_sep
from stablebn.options import Options, about, at_least, choice, is_path, option, options_of, text
from stablebn.table.memory_limit import USUAL_MEMORY, bytes_of, check_memory
from stablebn.threads import cores

if TYPE_CHECKING:
    from stablebn.columns.column import OpenedTable
    from stablebn.prepare.dask.workers import DaskCluster
    from stablebn.table.temporary_folders import Folder

SomeTable = TypeVar("SomeTable", bound="TableOptions")


@dataclass(frozen=True)
class RowOptions(Options):
    """The column names and the row weights that come with a table."""

    _: KW_ONLY
    names: Sequence[Hashable] | None = option(
        None, "Column names of a NumPy array.", command_type=None, in_studies=False, recorded=False
    )
    weights: object = option(
        None,
        "The number of rows that each row stands for: integers, or the name of a column.",
        command_type=str,
        in_studies=False,
        recorded=False,
        group="Columns",
        command_help="The column with the number of rows that each row stands for.",
    )


@dataclass(frozen=True)
class TableOptions(RowOptions):
    """The table."""

    data: object = field(
        # Frames have an == of their own.
        compare=False,
        metadata=about(
            "The table: pandas, polars, PyArrow, a NumPy array with names, a dict of columns, or the path of a "
            "file: CSV and other text, Excel, JSON lines, SQLite, DuckDB, Parquet, Feather. A folder or pattern of "
            "Parquet or CSV files, or an iterator of PyArrow batches, is read in parts; a Dask dataframe is read by "
            "its cluster.",
            command_type=None,
            in_studies=False,
            recorded=False,
        ),
    )


@dataclass(frozen=True)
class ReadingOptions(Options):
    """How to read a table: kinds, levels, missing values, columns and text format."""

    _: KW_ONLY
    kinds: Mapping[Hashable, Kind] | Kind | None = option(
        None,
        "The kinds of columns, categorical or continuous, if types and values do not determine them: a dict by name, "
        "in which ... stands for all others; or one kind for all columns that can have it.",
        command_type=None,
        in_studies=False,
        recorded=False,
    )
    levels: Mapping[Any, Sequence[Any]] | Sequence[str] | str | None = option(
        None,
        "Levels that count in scores and parameters even if no row has them: a dict of lists by name (on the command "
        "line smoke=no,yes,unknown), or declared, for the categories of pandas, Arrow or polars Enum columns. By "
        "default levels are the values that occur.",
        check=check_levels,
        command_type=list[str],
        in_studies=False,
        recorded=False,
        group="Columns",
        command_help="Levels of a column that count even if no row has them: smoke=no,yes,unknown; or declared, for "
        "those that the file declares.",
    )
    missing: str = option(
        "error",
        "Missing values: error, drop (the rows), level (a level of its own) or available (each variable is learned "
        "from the rows in which it and its parents are known).",
        check=choice(MISSING),
        in_studies=False,
        group="Options",
        command_help="Missing values: error, drop (the rows), level (a level of its own), or available (each variable "
        "is learned from the rows in which it and its parents are known).",
    )
    columns: Sequence[Hashable] | str | None = option(
        None,
        "The columns to use, with commas between their names; by default all.",
        command_type=str,
        in_studies=False,
        recorded=False,
        group="Columns",
    )
    drop: Sequence[Hashable] | str | None = option(
        None,
        "Columns to leave out, with commas between their names.",
        command_type=list[str],
        in_studies=False,
        recorded=False,
        group="Options",
    )
    keep: Sequence[Hashable] | str | None = option(
        None,
        "Columns to learn from even if they look like ids, free text or dates, with commas between their names.",
        command_type=list[str],
        in_studies=False,
        recorded=False,
        group="Columns",
    )
    sep: str | None = option(
        None,
        r"The separator of a text file, for instance ; or \t for a tab; by default recognised.",
        check=check_sep,
        in_studies=False,
        recorded=False,
        group="Text files",
    )
    decimal: str | None = option(
        None,
        "The decimal mark of a text file, a point or a comma; by default recognised.",
        check=choice(DECIMALS),
        in_studies=False,
        recorded=False,
        group="Text files",
    )
    encoding: str | None = option(
        None,
        "The encoding of a text file, for instance utf-8 or cp1252; by default recognised.",
        check=check_encoding,
        in_studies=False,
        recorded=False,
        group="Text files",
    )
    na_values: Sequence[str] | str | None = option(
        None,
        "The texts of a file that stand for a missing value, in quotes or not, with commas between them. An empty "
        'field is always missing; "" means that no text is. By default NA, NULL, NaN and similar texts, unless they '
        "are in quotes, and ?, - or . on their own.",
        check=check_na_values,
        command_type=list[str],
        in_studies=False,
        recorded=False,
        group="Text files",
    )
    threads: int | None = option(
        None,
        "The number of threads, by default one per core. The answer does not depend on it.",
        check=at_least(1, most=1024),
        in_studies=False,
        recorded=False,
        group="Long runs",
    )

    @property
    def dialect(self) -> Dialect:
        """The text format, as far as it is specified."""
        return Dialect(self.sep, self.decimal, self.encoding, self.na_values)


@dataclass(frozen=True)
class TableReading(ReadingOptions, TableOptions):
    """A table, and how to read it."""

    @property
    def choice(self) -> ColumnSelection:
        """The columns to use."""
        return ColumnSelection(self.columns, self.drop, self.keep, besides=self.weights)


READING = tuple(entry.name for entry in options_of(TableReading) if entry.name not in ("data", "threads"))
"""The names of the options that decide which table is read: for statistics they hold for all rows."""


class SpooledTable(ABC):
    """A table with rows on disk, which knows the reading options that it was made with."""

    options: dict[str, Any]

    @abstractmethod
    def opened(self, memory: int, folder: Callable[[], Folder]) -> OpenedTable:
        """Return the table with the rows that it has now."""


def given_reading(asked: Options) -> dict[str, Any]:
    """Return the options of `READING` that differ from their defaults."""
    defaults = {entry.name: entry.default for entry in options_of(type(asked))}
    values = {name: getattr(asked, name) for name in READING}
    # Only text is compared: == of an array is an array.
    same = {name for name, own in values.items() if own is None or (isinstance(own, str) and own == defaults[name])}
    return {name: own for name, own in values.items() if name not in same}


def with_own_reading(asked: SomeTable) -> SomeTable:
    """Return the arguments with the reading options of a `GrowingTable`; for other tables, return them unchanged.

    Raises
    ------
    OptionError
        The table is a `GrowingTable`, and a reading option is specified again.
    """
    if not isinstance(asked.data, SpooledTable):
        return asked
    given = list(given_reading(asked))
    if given:
        raise OptionError(
            f"statistics are read as it was said when they were made: give {listed(given)} to stablebn.statistics."
        )
    return replace(asked, **asked.data.options)


@dataclass(frozen=True)
class BinningOptions(ReadingOptions):
    """How to read a table, and how to discretise its continuous columns."""

    _: KW_ONLY
    discretise: str | None = option(
        None,
        "Make continuous columns categorical: by quantile (equal counts), interval (equal widths) or information "
        "(which keeps the mutual information of columns).",
        check=choice(METHODS),
        in_studies=False,
        group="Columns",
        command_help="Make continuous columns categorical: by quantile (equal counts), interval (equal widths) or "
        "information (which keeps the mutual information of columns).",
    )
    bins: int | None = option(
        None,
        f"With discretise: the number of bins per column, from 2 to {MOST_BINS}; by default {USUAL_BINS}.",
        check=at_least(2, most=MOST_BINS),
        in_studies=False,
        group="Columns",
    )

    @property
    def binning(self) -> Binning | None:
        """The method and the number of bins; `None` if the table is not discretised."""
        if self.discretise is None:
            if self.bins is not None:
                raise OptionError(
                    'bins= goes with discretise=, for example discretise="quantile". Say both, or leave it out.'
                )
            return None
        return Binning(self.discretise, USUAL_BINS if self.bins is None else self.bins)


@dataclass(frozen=True)
class ReadOptions(BinningOptions, RowOptions):
    """All options that decide which table is read from a source.

    `Options.part` takes them out of the arguments of a public function; options that it does not have get their
    defaults.
    """

    _: KW_ONLY
    duplicates: str = option(
        "keep",
        "Identical columns, and copies in another unit: keep, merge or error.",
        check=choice(DUPLICATES),
        group="Columns",
    )

    @property
    def choice(self) -> ColumnSelection:
        """The columns to use."""
        return ColumnSelection(self.columns, self.drop, self.keep, besides=self.weights)

    @property
    def thread_count(self) -> int:
        """The number of threads, by default one per core."""
        return self.threads or cores()

    def with_lists(self) -> ReadOptions:
        """Return the same options with lists in place of iterators, which can be read only once."""
        chosen = self.choice
        return self.as_used(
            columns=chosen.columns, drop=chosen.drop, keep=chosen.keep, na_values=self.dialect.na_values
        )


def _check_folder(name: str, value: object) -> None:
    if not is_path(value):
        raise OptionError(f"{name}={shown(value)} must be the name of a folder.")
    value = cast("str | os.PathLike[str]", value)
    if os.path.exists(value) and not os.path.isdir(value):
        raise OptionError(f"{name}={os.fspath(value)!r} is a file. Name a folder, or one that is yet to be made.")


@dataclass(frozen=True)
class OutOfCoreOptions(Options):
    """How to read a table that is larger than memory."""

    _: KW_ONLY
    memory: str | int | None = option(
        None,
        "Read the table in parts and learn from it in blocks, with at most this memory for its rows: 2GiB, 512MB, or "
        "a number of bytes. For text (CSV), Parquet and Arrow files that are larger than memory, and folders and "
        "patterns of them. The answer does not depend on it.",
        check=check_memory,
        command_type=str,
        in_studies=False,
        recorded=False,
    )
    cache: str | os.PathLike[str] | None = option(
        None,
        "A folder that keeps a table which is read in parts, so that it need not be read again. By default a temporary "
        "folder, which is removed.",
        check=_check_folder,
        command_type=Path,
        in_studies=False,
        recorded=False,
    )


@dataclass(frozen=True)
class Storage(OutOfCoreOptions):
    """Where the rows of a table are kept: in memory, on disk, or by the workers of a Dask cluster."""

    _: KW_ONLY
    engine: str | None = option(
        None,
        "Where to count: gpu, on the GPU of this machine (extra gpu), or dask, on the workers of a Dask cluster, which "
        "read the table and keep its rows (extra dask). By default on the processor. The answer does not depend on it.",
        check=text,
        in_studies=False,
        recorded=False,
    )
    client: object = option(
        None,
        "With engine dask: the distributed.Client of the cluster, or the address of its scheduler. On the command line "
        "the address is enough. The table is a Dask dataframe, or Parquet or Arrow files that the workers can read.",
        command_help="The address of a Dask scheduler, whose workers do the work.",
        command_type=str,
        flag="dask",
        in_studies=False,
        recorded=False,
    )

    @property
    def memory_limit(self) -> int | None:
        """The bytes that rows in memory may take; `None` if there is no limit."""
        return bytes_of(self.memory)

    @property
    def row_memory(self) -> int:
        """The bytes that rows in memory may take if the table is read in parts."""
        return self.memory_limit or USUAL_MEMORY

    @property
    def folder(self) -> Path | None:
        """The folder of `cache`; `None` for a temporary folder."""
        return None if self.cache is None else Path(self.cache)

    def open_cluster(self) -> DaskCluster | None:
        """Connect to the Dask cluster that keeps the rows; return `None` if the engine is another one."""
        if self.engine != "dask":
            return None
        from stablebn.prepare.dask.workers import cluster_of

        return cluster_of(self.client)
