"""Convert one column of any form (list, array, pandas, polars, Arrow) to Arrow data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from stablebn.columns.arrow.validation import check_sound
from stablebn.errors import DataError
from stablebn.table.table import Name

Columns: TypeAlias = dict[Name, pa.ChunkedArray]

_ARROW = (pa.Array, pa.ChunkedArray)

# Fewer objects than this are converted one by one in negligible time.
_MANY_OBJECTS = 10_000
# Deepest nesting of lists that is read; a limit is needed because a list can contain itself.
_MOST_NESTED = 32


def arrow_column(label: str, values: object, remedy: Mapping[str, object] | None = None) -> pa.ChunkedArray:
    """Convert one column to Arrow data; `label` names it in errors, `remedy` has the options that fix them."""
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
    """Return NumPy or pandas data in the byte order of this machine, which Arrow requires."""
    dtype = getattr(values, "dtype", None)
    return values.astype(dtype.newbyteorder("=")) if isinstance(dtype, np.dtype) and not dtype.isnative else values


def has_categories(values: Any) -> bool:
    """Return whether the type of a column lists its categories.

    A polars Categorical does not: its categories are those of all columns with the same cache.
    """
    if isinstance(values, _ARROW):
        return bool(pa.types.is_dictionary(values.type))
    dtype = type(getattr(values, "dtype", None))
    return (dtype.__module__.partition(".")[0], dtype.__name__) in {("pandas", "CategoricalDtype"), ("polars", "Enum")}


def _pandas_categories(values: Any) -> pa.Array | None:
    """Convert a pandas categorical without missing values, without copying its codes; None for other values."""
    array = getattr(values, "array", values)
    if type(array).__name__ != "Categorical" or (len(array) and array.codes.min() < 0):
        return None
    categories = pa.array(array.categories, from_pandas=True)
    return pa.DictionaryArray.from_arrays(pa.array(array.codes), categories, ordered=array.ordered, safe=False)


def _repeated_objects(values: Any) -> pa.Array | None:
    """Convert a long array of few distinct Python objects, each object once; None for other values."""
    if getattr(values, "dtype", None) != np.dtype(object) or len(values) < _MANY_OBJECTS:
        return None
    # Imported here so that errors in the data are reported without loading the core.
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
    """Return whether values are one-dimensional: a list or an array, not text, a set, a number or a frame."""
    if isinstance(values, Sequence):
        return not isinstance(values, str | bytes)
    # `shape` is used because a polars frame has no `ndim`.
    return hasattr(values, "__array__") and len(getattr(values, "shape", (0,))) == 1


def _is_deep(values: Iterable[object]) -> bool:
    """Return whether values are nested so deeply that PyArrow could overflow the stack."""
    for _ in range(_MOST_NESTED):
        nested = {id(value): value for value in values if isinstance(value, list | tuple | set | frozenset | dict)}
        if not nested:
            return False
        values = chain.from_iterable(own.values() if isinstance(own, dict) else own for own in nested.values())
    return True


def _check_no_coercion(array: pa.Array, values: Any) -> None:
    """Raise `TypeError` if PyArrow has converted Python booleans or decimals to floats."""
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
