"""Convert columns of other types (decimals, intervals, times) to text, booleans, integers or floats if possible."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from stablebn.columns.kinds import Decision, Kind, UserKinds, family
from stablebn.table.table import Name


def as_supported(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Convert decimals to floats, intervals to text, and categories of other types to categories of text."""
    type_ = column.type
    if family(type_) is not None:
        return column
    if pa.types.is_dictionary(type_):
        values = type_.value_type
        if isinstance(values, pa.BaseExtensionType) or pa.types.is_decimal(values) or pa.types.is_temporal(values):
            chunks = [
                pa.DictionaryArray.from_arrays(chunk.indices, _texts(chunk.dictionary)) for chunk in column.chunks
            ]
            return pa.chunked_array(chunks, type=pa.dictionary(type_.index_type, pa.string()))
        return column
    if _is_interval(type_):
        return pa.chunked_array([_texts(chunk) for chunk in column.chunks], type=pa.string())
    if pa.types.is_decimal(type_):
        # Cast by way of text, which Arrow rounds correctly; its cast from decimals can be wrong in the last place.
        return column.cast(pa.string()).cast(pa.float64())
    if isinstance(type_, pa.BaseExtensionType) and not is_time(type_):
        return pa.chunked_array([chunk.storage for chunk in column.chunks], type=type_.storage_type)
    return column


def is_time(type_: pa.DataType) -> bool:
    """Return whether a type has dates, times, periods or durations."""
    return pa.types.is_temporal(type_) or _is_named(type_, "pandas.period")


def decide_time(name: Name, user_kinds: UserKinds) -> Decision:
    """Exclude dates and times, unless the user has given a kind or keeps the column."""
    if name in user_kinds.kinds:
        return Decision(user_kinds.kinds[name], "as you say", plain=True)
    if name in user_kinds.kept:
        return Decision("continuous", "kept as you say: times are numbers", plain=True)
    return Decision(None, "dates or times")


def time_as(column: pa.ChunkedArray, kind: Kind) -> pa.ChunkedArray:
    """Convert times to numbers (days, or microseconds if they are finer) or to text."""
    type_ = column.type
    if isinstance(type_, pa.BaseExtensionType):
        column = pa.chunked_array([chunk.storage for chunk in column.chunks], type=type_.storage_type)
    elif pa.types.is_timestamp(type_):
        column = column.cast(pa.timestamp("us"), safe=False)
    elif pa.types.is_duration(type_):
        column = column.cast(pa.duration("us"), safe=False).cast(pa.int64())
    if kind == "categorical":
        return column.cast(pa.string())
    if pa.types.is_date32(column.type) or pa.types.is_time32(column.type):
        column = column.cast(pa.int32())
    return column.cast(pa.int64())


def _is_interval(type_: pa.DataType) -> bool:
    return _is_named(type_, "pandas.interval")


def _is_named(type_: pa.DataType, name: str) -> bool:
    return isinstance(type_, pa.BaseExtensionType) and type_.extension_name == name


def _texts(values: pa.Array) -> pa.Array:
    """Convert each value to text."""
    if not _is_interval(values.type):
        storage = values.storage if isinstance(values.type, pa.BaseExtensionType) else values
        return pa.array([None if value is None else str(value) for value in storage.to_pylist()], pa.string())
    closed = values.type.closed
    left, right = "[" if closed in ("left", "both") else "(", "]" if closed in ("right", "both") else ")"
    return pa.array([_interval(value, left, right) for value in values.storage.to_pylist()], pa.string())


def _interval(value: Any, left: str, right: str) -> str | None:
    return None if value is None else f"{left}{value['left']}, {value['right']}{right}"
