"""Convert Arrow dictionaries to the narrowest indices, or to wide ones for comparing types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from stablebn.columns.arrow.validation import all_within

_INDICES = {np.dtype(np.uint8): pa.uint8(), np.dtype(np.uint16): pa.uint16()}


def with_narrow_indices(array: pa.Array) -> pa.Array:
    """Return an array with dictionary indices of one or two bytes, if they fit and are valid."""
    if not pa.types.is_dictionary(array.type):
        return array
    indices, size = array.indices, len(array.dictionary)
    narrow = np.dtype(np.uint8 if size <= 1 << 8 else np.uint16)
    if size > 1 << 16 or indices.type.bit_width <= 8 * narrow.itemsize or not len(indices):
        return array
    # Invalid indices are reported later, by `check_sound`.
    if not all_within(indices, size):
        return array
    numbers = indices_beneath_nulls(indices).astype(narrow)
    validity = None
    if indices.null_count:
        validity = pa.py_buffer(np.packbits(bits_of(indices.buffers()[0], indices), bitorder="little"))
    fitting = pa.Array.from_buffers(_INDICES[narrow], len(numbers), [validity, pa.py_buffer(numbers)])
    return pa.DictionaryArray.from_arrays(fitting, array.dictionary, ordered=array.type.ordered, safe=False)


def with_wide_indices(type_: pa.DataType) -> pa.DataType:
    """Return the type with 64-bit indices, which is equal for types that differ only in the width of indices."""
    if not pa.types.is_dictionary(type_):
        return type_
    return pa.dictionary(pa.int64(), type_.value_type, ordered=type_.ordered)


def chunked(arrays: Sequence[pa.Array], type_: pa.DataType) -> pa.ChunkedArray:
    """Join arrays, whose types differ at most in the width of indices, to one column."""
    if not pa.types.is_dictionary(type_) or not arrays:
        return pa.chunked_array(arrays, type=type_)
    indices = max((array.type.index_type for array in arrays), key=lambda type_: int(type_.bit_width))
    return pa.chunked_array([_with_indices(array, indices) for array in arrays])


def _with_indices(array: pa.Array, type_: pa.DataType) -> pa.Array:
    if array.type.index_type == type_:
        return array
    return pa.DictionaryArray.from_arrays(
        array.indices.cast(type_), array.dictionary, ordered=array.type.ordered, safe=False
    )


def indices_beneath_nulls(indices: pa.Array) -> NDArray[Any]:
    """Return the indices without copying; those of nulls are undefined."""
    if indices.null_count:
        indices = pa.Array.from_buffers(indices.type, len(indices), [None, indices.buffers()[1]], offset=indices.offset)
    # `to_numpy` would import pandas, which takes longer than all the rest.
    return np.from_dlpack(indices)


def bits_of(buffer: pa.Buffer, array: pa.Array) -> NDArray[np.uint8]:
    """Unpack an Arrow bitmap: one 0 or 1 for each value of the array."""
    first, skipped = divmod(array.offset, 8)
    packed = np.frombuffer(buffer, dtype=np.uint8)[first:]
    return np.unpackbits(packed, count=skipped + len(array), bitorder="little")[skipped:]
