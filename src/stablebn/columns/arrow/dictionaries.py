"""Arrow dictionaries with indices no wider than they need be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from stablebn.columns.arrow.validation import all_within

_INDICES = {np.dtype(np.uint8): pa.uint8(), np.dtype(np.uint16): pa.uint16()}


def with_narrow_indices(array: pa.Array) -> pa.Array:
    """The same values; the indices of a dictionary in one or two bytes, where they fit and are sound."""
    if not pa.types.is_dictionary(array.type):
        return array
    indices, size = array.indices, len(array.dictionary)
    narrow = np.dtype(np.uint8 if size <= 1 << 8 else np.uint16)
    if size > 1 << 16 or indices.type.bit_width <= 8 * narrow.itemsize or not len(indices):
        return array
    # What is wrong is told by those who look at every column.
    if not all_within(indices, size):
        return array
    numbers = indices_beneath_nulls(indices).astype(narrow)
    validity = None
    if indices.null_count:
        validity = pa.py_buffer(np.packbits(bits_of(indices.buffers()[0], indices), bitorder="little"))
    fitting = pa.Array.from_buffers(_INDICES[narrow], len(numbers), [validity, pa.py_buffer(numbers)])
    return pa.DictionaryArray.from_arrays(fitting, array.dictionary, ordered=array.type.ordered, safe=False)


def with_wide_indices(type_: pa.DataType) -> pa.DataType:
    """A type by which those are equal that differ in the width of indices alone."""
    if not pa.types.is_dictionary(type_):
        return type_
    return pa.dictionary(pa.int64(), type_.value_type, ordered=type_.ordered)


def chunked(arrays: Sequence[pa.Array], type_: pa.DataType) -> pa.ChunkedArray:
    """Arrays of a type, but for the width of their indices, as one column."""
    if not pa.types.is_dictionary(type_) or not arrays:
        return pa.chunked_array(arrays, type=type_)
    indices = max((array.type.index_type for array in arrays), key=lambda own: int(own.bit_width))
    return pa.chunked_array([_with_indices(array, indices) for array in arrays])


def _with_indices(array: pa.Array, type_: pa.DataType) -> pa.Array:
    if array.type.index_type == type_:
        return array
    return pa.DictionaryArray.from_arrays(
        array.indices.cast(type_), array.dictionary, ordered=array.type.ordered, safe=False
    )


def indices_beneath_nulls(indices: pa.Array) -> NDArray[Any]:
    """Indices as they lie in memory, not copied; those that are null may be anything."""
    if indices.null_count:
        indices = pa.Array.from_buffers(indices.type, len(indices), [None, indices.buffers()[1]], offset=indices.offset)
    # `to_numpy` would import pandas, which takes longer than all the rest.
    return np.from_dlpack(indices)


def bits_of(buffer: pa.Buffer, array: pa.Array) -> NDArray[np.uint8]:
    """The bits that a buffer has for the values of an array, each as a number."""
    first, skipped = divmod(array.offset, 8)
    packed = np.frombuffer(buffer, dtype=np.uint8)[first:]
    return np.unpackbits(packed, count=skipped + len(array), bitorder="little")[skipped:]
