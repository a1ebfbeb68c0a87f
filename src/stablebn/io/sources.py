"""Read any source (frame, array, dict, file) into named Arrow columns."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from stablebn.columns.arrow.conversion import Columns, arrow_column, has_categories, is_column
from stablebn.columns.error_collector import ErrorCollector
from stablebn.columns.na_values import report_markers
from stablebn.columns.selection import ColumnSelection
from stablebn.errors import DataError, OptionError, listed, shown
from stablebn.graph.names import nameless
from stablebn.io.csv.dialect import Dialect
from stablebn.io.file_contents import Contents
from stablebn.io.registry import READERS, read_file, table_columns
from stablebn.messages import Caution, tallied
from stablebn.options import is_hashable
from stablebn.table.table import Name

ACCEPTED = (
    "a pandas or polars DataFrame, a PyArrow Table, a 2-D NumPy array with names=, a dict of columns, "
    f"or a path that ends in {listed(tuple(READERS), most=99)}"
)


class Source(NamedTuple):
    """Columns that were read from a source.

    Attributes
    ----------
    columns : dict of name to pyarrow.ChunkedArray
        In column order, all of one length.
    cautions : list of Caution
        Warnings about how a file was read.
    names : list of names
        Names of all columns of the source, including those that are not selected or could not be read.
    with_categories : set of names
        Columns whose type lists their categories.
    """

    columns: Columns
    cautions: list[Caution]
    names: list[Name]
    with_categories: set[Name]


def read(
    source: object,
    *,
    names: Sequence[Name] | None = None,
    dialect: Dialect = Dialect(),  # noqa: B008 - it cannot be changed
    choice: ColumnSelection = ColumnSelection(),  # noqa: B008
    problems: ErrorCollector | None = None,
    threads: int = 1,
) -> Source:
    """Read the selected columns of a table, with the types of the source.

    Parameters
    ----------
    source : frame, array, dict or path
        See `stablebn.prepare.prepare`.
    names : sequence of hashable, optional
        Names of the columns of a NumPy array.
    dialect : Dialect
        The user's options for text files.
    choice : ColumnSelection
    problems : ErrorCollector, optional
        Collects the errors of columns that cannot be read, so that all are reported together. By default the first
        one is raised.
    threads : int
        If more than 1, PyArrow chooses the number of threads for files.

    Returns
    -------
    Source
    """
    if isinstance(source, np.ndarray) and source.dtype.names is None:
        found = Contents(_array_columns(source, names))
    elif names is not None:
        raise OptionError("names= goes with a NumPy array; this source has column names of its own. Leave it out.")
    elif isinstance(source, str | os.PathLike):
        found = read_file(os.fsdecode(source), dialect, threads)
    else:
        found = Contents(_named_columns(source))
    if not isinstance(source, str | os.PathLike):
        dialect.refuse("this table")
    every = [name for name, _ in found.columns]
    check_unique(every)
    from stablebn import _core

    wanted = set(choice.of(every))
    unreadable = ErrorCollector() if problems is None else problems
    columns: Columns = {}
    for name, values in found.columns:
        _core.check_time()
        if name in wanted:
            with unreadable.collected():
                columns[name] = arrow_column(f"column {name!r}", values, remedy={"drop": (name,)})
    if problems is None:
        unreadable.raise_all(every, choice, {})
    _check_lengths(columns)
    markers = {name: texts for name, texts in found.markers.items() if name in wanted}
    in_file = isinstance(source, str | os.PathLike)
    with_categories = {name for name, values in found.columns if not in_file and has_categories(values)}
    cautions = [*found.cautions, *report_markers(markers)]
    return Source(columns, cautions, every, with_categories | {*found.with_categories})


def _named_columns(source: object) -> Sequence[tuple[Name, object]]:
    if isinstance(source, pa.RecordBatch):
        source = pa.Table.from_batches([source])
    if isinstance(source, pa.Table):
        return table_columns(source)
    if isinstance(source, np.ndarray):
        return [(name, source[name]) for name in source.dtype.names or ()]
    if isinstance(source, Mapping):
        return list(source.items())
    return _frame_columns(source)


def _array_columns(array: NDArray[Any], names: Sequence[Name] | None) -> Sequence[tuple[Name, object]]:
    if array.ndim != 2:
        raise DataError(f"a NumPy array must have two dimensions, rows by columns: this one has {array.ndim}.")
    if names is None:
        raise OptionError(f"a NumPy array has no column names: give names=, {array.shape[1]} of them.")
    if not is_column(names) or len(names) != array.shape[1]:
        raise OptionError(
            f"names={shown(names)} must be a sequence of {array.shape[1]} names, one per column of the array."
        )
    if not all(map(is_hashable, names)):
        raise OptionError("names= must be text, numbers or other hashable values.")
    return [(name, array[:, i]) for i, name in enumerate(names)]


def _frame_columns(source: Any) -> Sequence[tuple[Name, object]]:
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(source, pandas.DataFrame):
        # Read without Narwhals: importing it takes longer than reading most frames.
        names = list(source.columns)
        check_unique(names)
        return [(name, source.iloc[:, i]) for i, name in enumerate(names)]
    # Imported here because files do not need it.
    import narwhals.stable.v1 as nw

    # pandas allows duplicate names; Narwhals would refuse them with its own message.
    if nw.dependencies.is_pandas_like_dataframe(source):
        check_unique(list(source.columns))
    frame = nw.from_native(source, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        try:
            frame = frame.collect()
        except Exception as error:
            raise DataError(f"the lazy frame cannot be collected: {str(error).partition(chr(10))[0]}") from error
    if isinstance(frame, nw.DataFrame) and nw.get_level(frame) == "full":
        return [(series.name, series.to_native()) for series in frame.iter_columns()]
    reason = ""
    if hasattr(source, "__arrow_c_stream__"):
        # For example a DuckDB relation: Narwhals supports only the names of its columns.
        try:
            return table_columns(pa.table(source))
        except Exception as error:
            reason = f": {str(error).partition(chr(10))[0].rstrip('.')}"
    raise DataError(f"cannot read a table from {type(source).__name__}{reason}. Give {ACCEPTED}.")


def check_unique(names: Collection[Name]) -> None:
    """Raise `DataError` unless all names are different and have texts that identify them."""
    doubled = {name: f"{count} times" for name, count in Counter(names).items() if count > 1}
    if doubled:
        raise DataError(f"column names must be unique: {tallied(doubled)}. Rename or leave out the duplicates.")
    if lost := nameless(names):
        raise DataError(
            f"names that do not identify a column: {listed(lost)}. Rename these columns, best to text: NaN is not "
            "equal to itself, and a name must have a text of its own that is the same in every process."
        )


def _check_lengths(columns: Columns) -> None:
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise DataError(f"columns must have one length: {tallied(lengths)}. Make them equally long.")
