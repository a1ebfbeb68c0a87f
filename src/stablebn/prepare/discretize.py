"""Continuous columns as categories: `stablebn.discretise`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from itertools import pairwise
from math import inf
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from stablebn.columns.arrow.conversion import Columns
from stablebn.columns.cut_points import METHODS, MOST_BINS, USUAL_BINS, Binning, Cuts, bin_codes, cut_points
from stablebn.columns.encode import Categories, Encoded, Numbers, narrow
from stablebn.columns.error_collector import ErrorCollector
from stablebn.columns.kinds import Kind, UserKinds, parse_kinds
from stablebn.columns.levels import named_categorical, parse_levels
from stablebn.columns.missing import MISSING, handle_missing, with_text_for_empty
from stablebn.columns.requirements import check_finite, check_total, total_of
from stablebn.columns.selection import ColumnSelection
from stablebn.columns.weights import rows_with_weight, split_weights
from stablebn.errors import DataError, OptionError, listed
from stablebn.io.sources import Source, read
from stablebn.options import at_least, choice, method_takes, option, takes
from stablebn.prepare.in_memory import RowsInMemory, columns_in_memory
from stablebn.prepare.kind_inference import decide
from stablebn.prepare.read_options import TableReading
from stablebn.table.table import Name, Weights
from stablebn.threads import cores


@dataclass(frozen=True)
class _RowsToBin(TableReading):
    """A table whose continuous columns are put into bins, and how to read it."""

    _: KW_ONLY
    missing: str = option(
        "available",
        "Missing values: available (they stay missing), level (they stay missing, and count as a level of categorical "
        "columns for the method information), drop (leave out their rows) or error.",
        check=choice(MISSING),
    )


@dataclass(frozen=True)
class DiscretiseOptions(_RowsToBin):
    """The options of `stablebn.discretise`."""

    method: str = option(
        "quantile",
        "quantile: bins of equally many rows, as nearly as equal values allow; if many values are equal, there may be "
        "fewer bins. interval: bins of equal width between the least and the greatest value, without empty ones. "
        "information: start with quantiles, 20 or twice bins if that is more, and merge neighbours so that the "
        "columns, categorical ones included, keep as much mutual information as possible (Hartemink's method).",
        check=choice(METHODS),
    )
    bins: int = option(
        USUAL_BINS,
        f"The number of bins, from 2 to {MOST_BINS}. Three are low, middle and high: the number of cells is a product "
        "over parents, so that few bins find more arcs in all but large tables.",
        check=at_least(2, most=MOST_BINS),
    )
    _: KW_ONLY
    cuts: Mapping[Name, Sequence[float]] | None = option(
        None,
        "Cut points by column, for instance cuts of a result, in place of a method. Only these columns are changed.",
    )


@dataclass(frozen=True, eq=False)
class Discretised:
    """A table whose continuous columns have been discretised.

    Attributes
    ----------
    data : frame, table or dict
        A table of the given type. A bin is labelled by its number and its limits, for instance "2: [1.5, 2.3)": from
        1.5 (included) to 2.3 (excluded). Labels sort like bins.
    cuts : dict of name to tuple of float
        The cut points of every column that was continuous, ascending.
    """

    data: Any
    cuts: Cuts

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Discretised):
            return NotImplemented
        if self.cuts != other.cuts or type(self.data) is not type(other.data):
            return False
        # A frame compares each of its values.
        return bool(self.data == other.data if isinstance(self.data, dict) else self.data.equals(other.data))

    __hash__ = None  # type: ignore[assignment]

    @method_takes(_RowsToBin)
    def apply(self, *arguments: Any, **options: Any) -> Any:
        """Put other rows into the same bins.

        The table must have the columns of `cuts`; other columns stay unchanged. The first and the last bin have no
        outer limits, so that every value has a bin.

        Returns
        -------
        frame, table or dict
            A table of the given type.
        """
        asked = _RowsToBin.from_call("apply", arguments, options)
        found = _read(asked)
        return _binned(asked, found, _checked(self.cuts, found.columns))


@takes(DiscretiseOptions)
def discretise(*arguments: Any, **options: Any) -> Discretised:
    """Make the continuous columns of a table categorical.

    The bin of a value depends only on the values, not on the order of rows and columns, the names or the machine.
    Equal values share a bin, no bin is empty, and missing values stay missing. A column with at most `bins` distinct
    values has a bin for each of them. Cut points are rounded to as few digits as possible without moving a value to
    another bin. Categorical columns, and columns of other types, stay unchanged; columns that are not used are left
    out.

    Returns
    -------
    Discretised
        Its `data` is a table of the given type: pandas, polars and PyArrow tables have a column of categories for each
        continuous one, dicts have lists of text. A file becomes a PyArrow table, a NumPy array becomes a dict.

    References
    ----------
    Hartemink, "Principled computational methods for the validation and discovery of genetic regulatory networks",
    MIT 2001, on discretisation that keeps pairwise mutual information.

    Examples
    --------
    >>> import stablebn as sb
    >>> table = {"age": [31.5, 22.0, 64.2, 47.0], "smoker": ["no", "no", "yes", "no"]}
    >>> found = sb.discretise(table, bins=2)
    >>> found.data
    {'age': ['1: below 40', '1: below 40', '2: 40 or more', '2: 40 or more'], 'smoker': ['no', 'no', 'yes', 'no']}
    >>> found.cuts
    {'age': (40.0,)}
    >>> found.apply({"age": [50.0]})
    {'age': ['2: 40 or more']}
    """
    asked = DiscretiseOptions.from_call("discretise", arguments, options)
    found = _read(asked)
    if asked.cuts is None:
        cuts = _find_cuts(asked, found, Binning(asked.method, asked.bins))
    else:
        cuts = _checked(asked.cuts, found.columns)
    return Discretised(_binned(asked, found, cuts), cuts)


def labels_of(cuts: Sequence[float]) -> tuple[str, ...]:
    """Return the labels of bins, which sort like the bins.

    >>> labels_of((1.5, 2.0))
    ('1: below 1.5', '2: [1.5, 2)', '3: 2 or more')
    """
    limits = [repr(cut).removesuffix(".0") for cut in cuts]
    ranges = (
        [f"below {limits[0]}", *map("[{}, {})".format, limits, limits[1:]), f"{limits[-1]} or more"]
        if limits
        else ["any number"]
    )
    width = len(str(len(ranges)))
    return tuple(f"{number:0{width}d}: {text}" for number, text in enumerate(ranges, start=1))


def in_bins(column: Numbers, cuts: Sequence[float]) -> Categories:
    """Return a continuous column as a categorical one."""
    labels = labels_of(cuts)
    codes = narrow(bin_codes(column.values, cuts), len(labels))
    return Categories(codes, labels).keep(np.ones(len(codes), dtype=np.bool_))


def discretised(
    columns: Mapping[Name, Encoded], weights: Weights | None, how: Binning | Mapping[Name, tuple[float, ...]]
) -> tuple[dict[Name, Encoded], Cuts]:
    """Return an encoded table with its continuous columns made categorical, and the cut points."""
    check_finite(columns)
    cuts = cut_points(columns, weights, how) if isinstance(how, Binning) else dict(how)
    changed = {
        name: in_bins(column, cuts[name]) if isinstance(column, Numbers) and name in cuts else column
        for name, column in columns.items()
    }
    return changed, cuts


def _checked(cuts: object, columns: Columns) -> Cuts:
    """Check cut points that the user gives, for columns of the table."""
    try:
        own = {name: tuple(map(float, points)) for name, points in cuts.items()}  # type: ignore[attr-defined]
    except (AttributeError, TypeError, ValueError):
        raise OptionError('cuts= must be a dict of columns and their cut points, such as {"age": (18, 65)}.') from None
    unsorted = [name for name, points in own.items() if not all(a < b for a, b in pairwise((-inf, *points, inf)))]
    if unsorted:
        raise OptionError(f"cuts= must have finite numbers in ascending order: {listed(unsorted)}.")
    absent = [name for name in own if name not in columns]
    if absent:
        raise DataError(f"the table lacks columns that have cut points: {listed(absent)}. Add them.")
    return own


def _read(asked: TableReading) -> Source:
    """Read the columns that are used."""
    return read(
        asked.data,
        names=asked.names,
        dialect=asked.dialect,
        choice=asked.choice,
        threads=asked.threads or cores(),
    )


def _binned(asked: TableReading, found: Source, cuts: Cuts) -> Any:
    """Return the table with some columns put into bins."""
    numbers = _numbers({name: found.columns[name] for name in cuts})
    labelled = {name: _labelled(column, cuts[name]) for name, column in numbers.items()}
    return _with_columns(asked.data, found, labelled, _complete_rows(asked, found))


def _complete_rows(asked: TableReading, found: Source) -> NDArray[np.bool_] | None:
    """Return which rows the new table has; None: all. Raise `DataError` if missing values are an error."""
    if asked.missing not in ("error", "drop"):
        return None
    variables, _ = split_weights(found.columns, asked.weights)
    rows = RowsInMemory(variables, len(next(iter(variables.values()), ())))
    columns = _decided(asked, found, variables, None)
    handle_missing(rows, {**columns}, asked.missing, found.cautions)
    incomplete = [column.missing for column in columns.values() if column.missing_count]
    return ~np.logical_or.reduce(incomplete) if incomplete else None


def _decided(asked: TableReading, found: Source, variables: Columns, weights: Weights | None) -> dict[Name, Encoded]:
    """Decide for each variable whether it is categorical or continuous, and encode it."""
    problems = ErrorCollector()
    kinds = asked.kinds if isinstance(asked.kinds, Mapping) else {}
    said = parse_kinds(asked.kinds, asked.choice.kept(found.names), variables)
    categorical: dict[Name, Kind] = dict.fromkeys(named_categorical(asked.levels, tuple(variables)), "categorical")
    said = said._replace(kinds={**categorical, **said.kinds})
    parse_levels(asked.levels, variables, {})
    decided = decide(with_text_for_empty(variables, asked.missing), weights, said, asked.missing, problems)
    problems.raise_all(found.names, asked.choice, kinds)
    return columns_in_memory(decided.columns)


def _find_cuts(asked: TableReading, found: Source, binning: Binning) -> Cuts:
    columns = found.columns
    if columns and not len(next(iter(columns.values()))):
        raise DataError("a table without rows has no cut points. Add rows, or say cuts=.")
    variables, weight_column = split_weights(columns, asked.weights)
    variables, counts = rows_with_weight(variables, weight_column)
    check_total(total_of(len(next(iter(columns.values()), ())), counts))
    # Only the method "information" uses categorical columns.
    heard = {
        name: column
        for name, column in _decided(asked, found, variables, counts).items()
        if binning.method == "information" or isinstance(column, Numbers)
    }
    check_finite(heard)
    return cut_points(heard, counts, binning)


def _numbers(columns: Columns) -> dict[Name, Numbers]:
    problems = ErrorCollector()
    decided = decide(columns, None, UserKinds(dict.fromkeys(columns, "continuous")), "drop", problems)
    problems.raise_all(tuple(columns), ColumnSelection(), {})
    check_finite(decided.columns)
    # Columns without any value have been excluded.
    empty = {name: Numbers(np.full(len(column), np.nan)) for name, column in columns.items()}
    return {**empty, **{name: column for name, column in decided.columns.items() if isinstance(column, Numbers)}}


def _labelled(column: Numbers, cuts: Sequence[float]) -> pa.DictionaryArray:
    codes = bin_codes(column.values, cuts).astype(np.int32)
    indices = pa.array(codes, mask=column.missing)
    return pa.DictionaryArray.from_arrays(indices, pa.array(labels_of(cuts), pa.string()), ordered=True)


def _text(column: pa.DictionaryArray) -> list[str | None]:
    # All rows of a bin share one text object.
    labels = np.array([*column.dictionary.to_pylist(), None], dtype=object)
    texts: list[str | None] = labels[column.indices.fill_null(len(labels) - 1).to_numpy()].tolist()
    return texts


def _with_columns(
    source: object, found: Source, binned: Mapping[Name, pa.DictionaryArray], rows: NDArray[np.bool_] | None
) -> Any:
    """Return a table of the given type with the used columns, some of them replaced, and some rows."""
    if isinstance(source, Mapping | np.ndarray):
        return {name: _values(source, name, column, binned, rows) for name, column in found.columns.items()}
    if isinstance(source, str | os.PathLike):
        source = pa.table(found.columns)
    if isinstance(source, pa.RecordBatch):
        source = pa.Table.from_batches([source])
    # Imported here because it takes time, and learning from a file does not need it.
    import narwhals.stable.v1 as nw

    frame: Any = nw.from_native(source, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    if not isinstance(frame, nw.DataFrame) or nw.get_level(frame) != "full":
        # An Arrow stream, such as a DuckDB relation.
        frame = nw.from_native(pa.table(found.columns))
    if len(found.columns) < len(frame.columns):
        frame = frame[:, [place for place, name in enumerate(frame.columns) if name in found.columns]]
    if binned:
        # Named by number: Arrow requires names that are text.
        arrow = pa.table({str(place): column for place, column in enumerate(binned.values())})
        new: Any = nw.from_arrow(arrow, native_namespace=nw.get_native_namespace(frame))
        frame = frame.with_columns(*(new[str(place)].alias(name) for place, name in enumerate(binned)))
    if rows is not None:
        frame = frame.filter(rows.tolist())
    return frame.to_native()


def _values(
    source: Mapping[Name, Any] | NDArray[Any],
    name: Name,
    column: pa.ChunkedArray,
    binned: Mapping[Name, pa.DictionaryArray],
    rows: NDArray[np.bool_] | None,
) -> Any:
    """Return the values of a column of a dict or an array; those of a dict as they are, if all rows are used."""
    if name in binned:
        return _text(binned[name] if rows is None else binned[name].filter(pa.array(rows)))
    if rows is not None:
        return column.filter(pa.array(rows)).to_pylist()
    return source[name] if isinstance(source, Mapping) else column.to_pylist()
