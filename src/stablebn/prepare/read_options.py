"""The options that say how to read a table: every function that reads one takes them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from stablebn.columns.kinds import Kind
from stablebn.columns.levels import check_levels
from stablebn.columns.missing import MISSING
from stablebn.columns.na_values import check_na_values
from stablebn.columns.selection import ColumnSelection
from stablebn.io.csv.dialect import DECIMALS, Dialect, check_encoding, check_sep
from stablebn.options import Options, about, at_least, choice, option


@dataclass(frozen=True)
class TableOptions(Options):
    """The table."""

    data: object = field(
        # Frames have an == of their own.
        compare=False,
        metadata=about(
            "The table: pandas, polars, PyArrow, a NumPy array with names, a dict of columns, or the path of a "
            "file: CSV and other text, Excel, JSON lines, SQLite, DuckDB, Parquet, Feather. A folder or pattern of "
            "Parquet or CSV files, or an iterator of PyArrow batches, is read in parts, and a Dask dataframe by its "
            "cluster.",
            command_type=None,
            in_studies=False,
            recorded=False,
        ),
    )
    _: KW_ONLY
    names: Sequence[Hashable] | None = option(
        None, "Column names of a NumPy array.", command_type=None, in_studies=False, recorded=False
    )
    weights: object = option(
        None,
        "How many rows each row stands for: integers, or the name of their column.",
        command_type=str,
        in_studies=False,
        recorded=False,
        group="Columns",
        command_help="The column that says how many rows each row stands for.",
    )


@dataclass(frozen=True)
class ReadingOptions(Options):
    """How to read a table."""

    _: KW_ONLY
    kinds: Mapping[Hashable, Kind] | Kind | None = option(
        None,
        "Columns that are categorical or continuous, where type and values do not say it: a dict by name, in which ... "
        "stands for all others; or one kind for all columns that can have it.",
        command_type=None,
        in_studies=False,
        recorded=False,
    )
    levels: Mapping[Any, Sequence[Any]] | Sequence[str] | str | None = option(
        None,
        "Levels that count in scores and parameters though no row may have them: a dict of lists by name (on the "
        "command line smoke=no,yes,unknown), or declared, for the categories of pandas, Arrow or polars Enum columns. "
        "By default levels are the values that occur.",
        check=check_levels,
        command_type=list[str],
        in_studies=False,
        recorded=False,
        group="Columns",
        command_help="Levels of a column that count though no row may have them: smoke=no,yes,unknown; or declared, "
        "for those that the file declares.",
    )
    missing: str = option(
        "error",
        "Missing values: error, drop (the row), level (of its own) or available (a variable with its parents is "
        "learned from the rows in which these are known).",
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
        "Columns to learn from though they look like ids, free text or dates, with commas between their names.",
        command_type=list[str],
        in_studies=False,
        recorded=False,
        group="Columns",
    )
    sep: str | None = option(
        None,
        r"What separates the fields of a text file, say ; or \t for a tab; by default recognised.",
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
        "The encoding of a text file, say utf-8 or cp1252; by default recognised.",
        check=check_encoding,
        in_studies=False,
        recorded=False,
        group="Text files",
    )
    na_values: Sequence[str] | str | None = option(
        None,
        "The texts of a file that stand for a missing value, in quotes or not, with commas between them. An empty "
        'field always does; "" means that nothing else does. By default NA, NULL, NaN and the like, unless they are '
        "in quotes, and ?, - or . on their own.",
        check=check_na_values,
        command_type=list[str],
        in_studies=False,
        recorded=False,
        group="Text files",
    )
    threads: int | None = option(
        None,
        "Threads, by default one a core. The answer does not depend on it.",
        check=at_least(1, most=1024),
        in_studies=False,
        recorded=False,
        group="Long runs",
    )

    @property
    def dialect(self) -> Dialect:
        """How a text file is written, as far as it is specified."""
        return Dialect(self.sep, self.decimal, self.encoding, self.na_values)


@dataclass(frozen=True)
class TableReading(ReadingOptions, TableOptions):
    """A table, and how to read it."""

    @property
    def choice(self) -> ColumnSelection:
        """The columns to use."""
        return ColumnSelection(self.columns, self.drop, self.keep, besides=self.weights)
