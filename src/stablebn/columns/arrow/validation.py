"""Validate Arrow data: indices and offsets must be in range, and text must be UTF-8.

PyArrow does not check this when it reads a file or takes a table from another library, and invalid data then end the
process. Its own full validation examines every value; here a bound on all values is checked instead if that suffices.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from stablebn.errors import DataError

# Up to this number of values, full validation takes no longer than the bounds.
_FEW_VALUES = 2000

# In a string view, text up to this length is stored inline, after its length.
_LONGEST_BESIDE = 12

_OFFSETS = {pa.string(): np.int32, pa.large_string(): np.int64}


def check_sound(label: str, column: pa.ChunkedArray) -> None:
    """Raise `DataError` unless a column is valid; `label` names it in the error."""
    try:
        for chunk in column.chunks:
            _check_array(chunk)
    except (pa.ArrowException, UnicodeDecodeError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise DataError(
            f"{label} is damaged: {reason}. Write the table again, text as UTF-8, or leave the column out."
        ) from error


def _check_array(array: pa.Array) -> None:
    if len(array) <= _FEW_VALUES:
        array.validate(full=True)
        return
    # Checks that the buffers exist and are long enough, at no cost.
    array.validate()
    if pa.types.is_dictionary(array.type):
        _check_array(array.dictionary)
        if not all_within(array.indices, len(array.dictionary)):
            array.validate(full=True)
    elif not (array.type in _OFFSETS and _is_ascii(array)) and not (
        str(array.type) == "string_view" and _is_short_ascii(array)
    ):
        array.validate(full=True)


def all_within(indices: pa.Array, size: int) -> bool:
    """Return whether the indices are below `size`, including those beneath nulls."""
    if indices.null_count:
        indices = pa.Array.from_buffers(indices.type, len(indices), [None, indices.buffers()[1]], offset=indices.offset)
    numbers = np.from_dlpack(indices)
    # As unsigned integers, negative ones are the largest.
    return int(numbers.view(f"u{numbers.itemsize}").max()) < size


def _is_ascii(text: pa.Array) -> bool:
    """Return whether the offsets ascend within the text and every byte is ASCII, so that every value is UTF-8."""
    _, offset_bytes, content = text.buffers()
    dtype = np.dtype(_OFFSETS[text.type])
    offsets: NDArray[Any] = np.frombuffer(offset_bytes, dtype, len(text) + 1, text.offset * dtype.itemsize)
    if offsets[0] < 0 or not (offsets[1:] >= offsets[:-1]).all():
        return False
    spanned = np.frombuffer(b"" if content is None else content, dtype=np.int8)[offsets[0] : offsets[-1]]
    return not spanned.size or int(spanned.min()) >= 0


def _is_short_ascii(text: pa.Array) -> bool:
    """Return whether all values of a string view are inline and ASCII, as most columns of polars are."""
    views = np.frombuffer(text.buffers()[1], np.uint64, 2 * len(text), 16 * text.offset)
    lengths = views.view(np.int32)[::4]
    if int(lengths.min()) < 0 or int(lengths.max()) > _LONGEST_BESIDE:
        return False
    first, rest = np.bitwise_or.reduce(views[::2]), np.bitwise_or.reduce(views[1::2])
    return not int(first | rest) & 0x8080_8080_8080_8080
