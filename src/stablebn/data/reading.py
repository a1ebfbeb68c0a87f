"""Any source to named Arrow columns: frames, arrays, dicts, files."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from stablebn.data.choosing import Choice
from stablebn.data.contents import Contents
from stablebn.data.dialect import Dialect
from stablebn.data.files import READERS, read_file, table_columns
from stablebn.data.markers import report_markers
from stablebn.data.problems import Problems
from stablebn.data.soundness import check_sound
from stablebn.data.table import Name
from stablebn.data.wording import Caution, tallied
from stablebn.errors import DataError, OptionError, listed, shown
from stablebn.graph.names import nameless
from stablebn.options import is_hashable

Columns: TypeAlias = dict[Name, pa.ChunkedArray]

_ARROW = (pa.Array, pa.ChunkedArray)

# Fewer objects are converted one by one in no time.
_MANY_OBJECTS = 10_000
# Lists in lists: no column has more, and a list can be in itself.
_MOST_NESTED = 32

ACCEPTED = (
    "a pandas or polars DataFrame, a PyArrow Table, a 2-D NumPy array with names=, a dict of columns, "
    f"or a path that ends in {listed(tuple(READERS), most=99)}"
)


class Source(NamedTuple):
    """What was read.

    Attributes
    ----------
    columns : dict of name to pyarrow.ChunkedArray
        In column order, all of one length.
    cautions : list of Caution
        What was recognised in a file.
    names : list of names
        Of all columns of the source, those too that were not wanted or could not be read.
    with_categories : set of names
        The columns whose own type says which categories there are.
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
    choice: Choice = Choice(),  # noqa: B008
    problems: Problems | None = None,
    threads: int = 1,
) -> Source:
    """Read the columns of a table, types as they come.

    Parameters
    ----------
    source : frame, array, dict or path
        See `stablebn.data.prepare`.
    names : sequence of hashable, optional
        Names of the columns of a NumPy array.
    dialect : Dialect
        What the user says of how a text file is written.
    choice : Choice
        The columns that the user wants.
    problems : Problems, optional
        Where columns that cannot be read are told of, so that there may be more to tell; by default they are an error.
    threads : int
        With more than one, files are read by as many as PyArrow likes.

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
    unreadable = Problems() if problems is None else problems
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
    own = {name for name, values in found.columns if not in_file and _has_categories(values)}
    return Source(columns, [*found.cautions, *report_markers(markers)], every, own | {*found.with_categories})


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
        # Without Narwhals, which takes longer to import than most frames to read.
        names = list(source.columns)
        check_unique(names)
        return [(name, source.iloc[:, place]) for place, name in enumerate(names)]
    # Here and not above: a file is read without it.
    import narwhals.stable.v1 as nw

    # Narwhals refuses doubled names in its own words; pandas allows them.
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
        # A DuckDB relation for instance, of which Narwhals knows the names of the columns only.
        try:
            return table_columns(pa.table(source))
        except Exception as error:
            reason = f": {str(error).partition(chr(10))[0].rstrip('.')}"
    raise DataError(f"cannot read a table from {type(source).__name__}{reason}. Give {ACCEPTED}.")


def arrow_column(label: str, values: object, remedy: Mapping[str, object] | None = None) -> pa.ChunkedArray:
    """One column as Arrow data; `label` says in errors what it is, `remedy` what helps."""
    if isinstance(values, _ARROW):
        return _sound(label, values)
    if not is_column(values):
        raise DataError(
            f"{label} is of type {type(values).__name__}: give a list or a one-dimensional array.", remedy=remedy
        )
    try:
        if type(values).__module__.partition(".")[0] == "polars":
            array = values.to_arrow()  # type: ignore[attr-defined]
        else:
            array = _pandas_categories(values)
            if array is None:
                array = _repeated_objects(values)
            if array is None:
                array = _converted(values)
    except (pa.ArrowException, ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise DataError(_unreadable(label, values, error), remedy=remedy) from error
    return _sound(label, array)


def _sound(label: str, array: pa.Array | pa.ChunkedArray) -> pa.ChunkedArray:
    column = array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])
    check_sound(label, column)
    return column


def _converted(values: object) -> pa.Array:
    if _holds_objects(values) and _is_deep(values):  # type: ignore[arg-type]
        raise TypeError(f"lists in lists, more than {_MOST_NESTED} deep")
    array = pa.array(_in_native_order(values), from_pandas=True)
    _check_no_coercion(array, values)
    return array


def _in_native_order(values: Any) -> Any:
    """Return NumPy data, also of pandas, in the byte order of this machine: Arrow has no other."""
    dtype = getattr(values, "dtype", None)
    return values.astype(dtype.newbyteorder("=")) if isinstance(dtype, np.dtype) and not dtype.isnative else values


def _has_categories(values: Any) -> bool:
    """Whether a column's type says which categories there are; those of a polars Categorical are of all its kind."""
    if isinstance(values, _ARROW):
        return bool(pa.types.is_dictionary(values.type))
    dtype = type(getattr(values, "dtype", None))
    return (dtype.__module__.partition(".")[0], dtype.__name__) in {("pandas", "CategoricalDtype"), ("polars", "Enum")}


def _pandas_categories(values: Any) -> pa.Array | None:
    """A pandas column of categories without missing values: what PyArrow makes of it, not copied."""
    own = getattr(values, "array", values)
    if type(own).__name__ != "Categorical" or (len(own) and own.codes.min() < 0):
        return None
    categories = pa.array(own.categories, from_pandas=True)
    return pa.DictionaryArray.from_arrays(pa.array(own.codes), categories, ordered=own.ordered, safe=False)


def _repeated_objects(values: Any) -> pa.Array | None:
    """A long array of few Python objects: only these are converted."""
    if getattr(values, "dtype", None) != np.dtype(object) or len(values) < _MANY_OBJECTS:
        return None
    # Here and not above: errors in the data are told without the core.
    from stablebn import _core

    found = _core.numbered_objects(np.asarray(values))
    if found is None:
        return None
    numbers, objects = found
    distinct = _converted(objects)
    if not pa.types.is_string(distinct.type):
        return distinct.take(pa.array(numbers))
    missing = np.array([value is None for value in distinct.to_pylist()])
    mask = missing[numbers] if missing.any() else None
    return pa.DictionaryArray.from_arrays(pa.array(numbers, mask=mask), distinct)


def is_column(values: object) -> bool:
    """Whether values stand in one line: a list or an array, not text, a set, a number or a frame."""
    if isinstance(values, Sequence):
        return not isinstance(values, str | bytes)
    # A frame of polars has a shape and no number of dimensions.
    return hasattr(values, "__array__") and len(getattr(values, "shape", (0,))) == 1


def _is_deep(values: Iterable[object]) -> bool:
    """Whether lists, tuples, sets or dicts in a column are nested so deeply that PyArrow could overflow the stack."""
    for _ in range(_MOST_NESTED):
        nested = {id(value): value for value in values if isinstance(value, list | tuple | set | frozenset | dict)}
        if not nested:
            return False
        values = chain.from_iterable(own.values() if isinstance(own, dict) else own for own in nested.values())
    return True


def _check_no_coercion(array: pa.Array, values: Any) -> None:
    """Raise if PyArrow has turned Python values that are no floats into floats."""
    if not pa.types.is_floating(array.type) or not _holds_objects(values):
        return
    if any(issubclass(kind, bool | np.bool_ | Decimal) for kind in set(map(type, values))):
        raise TypeError("floats and other values in one column")


def _holds_objects(values: object) -> bool:
    return isinstance(values, Sequence) or getattr(values, "dtype", None) == np.dtype(object)


def _unreadable(label: str, values: Any, error: Exception) -> str:
    remedy = "Convert it to text (a category) or to numbers."
    if _holds_objects(values):
        types = {type(value).__name__ for value in values if not _is_missing(value)}
        if len(types) > 1:
            return f"{label} mixes values of different types: {', '.join(sorted(types))}. {remedy}"
        return f"{label} holds values of type {', '.join(types)} that cannot be read: {error}. {remedy}"
    type_ = getattr(values, "dtype", type(values).__name__)
    return f"{label}, of type {type_}, cannot be read: {error}. {remedy}"


def _is_missing(value: object) -> bool:
    return type(value).__name__ in ("NoneType", "NAType", "NaTType") or (isinstance(value, float) and value != value)


def check_unique(names: Collection[Name]) -> None:
    """Raise unless all names are different, and can be told apart for good."""
    doubled = {name: f"{count} times" for name, count in Counter(names).items() if count > 1}
    if doubled:
        raise DataError(f"column names must be unique: {tallied(doubled)}. Rename or leave out the doubles.")
    if lost := nameless(names):
        raise DataError(
            f"names that nothing tells apart for good: {listed(lost)}. Rename these columns, best to text: NaN is not "
            "equal to itself, and a name must have a text of its own that is the same in every process."
        )


def _check_lengths(columns: Columns) -> None:
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise DataError(f"columns must have one length: {tallied(lengths)}. Make them equally long.")
