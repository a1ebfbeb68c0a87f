"""CSV text to typed columns, by a rule that looks at every value.

PyArrow infers a column's type from the first block of the file alone, which would let the order of the
rows decide it. So every column is read as text, and its type inferred over the whole column.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.csv

from stablebn.data.table import Name
from stablebn.errors import DataError
from stablebn.unpacking import most_unpacked

MISSING_SPELLINGS = (
    *("", "#N/A", "#N/A N/A", "#NA", "<NA>", "N/A", "n/a", "NA", "NULL", "null"),
    *("NaN", "nan", "-NaN", "-nan", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
)

# Both refuse leading zeros: '007' is a label, and as a number it would merge with '7'.
INTEGER = r"[ \t]*(?:0|-?[1-9][0-9]*)[ \t]*"
DECIMAL = r"(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
NUMBER = rf"[ \t]*[+-]?(?:{DECIMAL}|(?i:inf|infinity))[ \t]*"

# Up to so many distinct texts, the type of a column is told from those alone.
FEW_TEXTS = 4096

# A row must fit into a block.
BLOCK_BYTES = 1 << 22


def read_csv(path: str) -> list[tuple[Name, pa.ChunkedArray]]:
    """Read a comma-separated UTF-8 file, gzipped if its name ends in .gz.

    Parameters
    ----------
    path : str

    Returns
    -------
    list of (name, column)
        Columns of int64, float64 or string. Unquoted `MISSING_SPELLINGS` are null.
    """
    # One thread, because only then does PyArrow know the number of a bad row.
    reading = pa.csv.ReadOptions(use_threads=False, block_size=BLOCK_BYTES)
    with _open(path) as stream, _header(stream, reading) as header:
        names = header.schema.names
    if len(names) == 1 and (";" in names[0] or "\t" in names[0]):
        raise DataError(f"{path!r} has the single column {names[0]!r}: separate its columns by commas.")

    bad_rows: list[pa.csv.InvalidRow] = []

    def stop(row: pa.csv.InvalidRow) -> str:
        bad_rows.append(row)
        return "error"

    try:
        with _open(path) as stream:
            table = pa.csv.read_csv(
                stream,
                read_options=reading,
                parse_options=pa.csv.ParseOptions(newlines_in_values=True, invalid_row_handler=stop),
                convert_options=pa.csv.ConvertOptions(
                    # Bytes, so that the column with a wrong encoding can be named; by their distinct values.
                    column_types=dict.fromkeys(names, pa.dictionary(pa.int32(), pa.binary())),
                    null_values=MISSING_SPELLINGS,
                    strings_can_be_null=True,
                    quoted_strings_can_be_null=False,
                ),
            )
    except pa.ArrowInvalid:
        if not bad_rows:
            raise
        row = bad_rows[0]
        raise DataError(
            f"row {row.number} of {path!r} (the header is row 1) has {row.actual_columns} fields where the "
            f"header has {row.expected_columns}: {row.text[:80]!r}. Correct the row, or quote a field that "
            "holds a comma."
        ) from None
    _check_last_quote(path, table)
    # Taken one by one, so that the text of a column is freed as soon as its numbers are there.
    columns = table.columns[::-1]
    del table
    return [(name, _typed_column(path, name, columns.pop())) for name in names]


def _typed_column(path: str, name: Name, column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column of bytes, given by distinct values, as integers, floats or text."""
    if sum(len(chunk.dictionary) for chunk in column.chunks) > FEW_TEXTS:
        decoded = pa.chunked_array([chunk.dictionary_decode() for chunk in column.chunks])
        return typed(_text(path, name, decoded))
    try:
        texts = [[value.decode() for value in chunk.dictionary.to_pylist()] for chunk in column.chunks]
    except UnicodeDecodeError:
        raise _not_utf8(path, name) from None
    every = {text for own in texts for text in own}
    indices = [chunk.indices for chunk in column.chunks]
    if every and all(re.fullmatch(INTEGER, text) for text in every):
        integers = [[int(text) for text in own] for own in texts]
        if all(-(2**63) <= value < 2**63 for own in integers for value in own):
            return _taken(integers, indices, pa.int64())
        # Longer than 64 bits: identifiers, and floats would merge neighbours.
    elif every and all(re.fullmatch(NUMBER, text) for text in every):
        return _taken([[float(text) for text in own] for own in texts], indices, pa.float64())
    return pa.chunked_array(
        [pa.DictionaryArray.from_arrays(chunk.indices, _as_text(chunk.dictionary)) for chunk in column.chunks],
        type=pa.dictionary(pa.int32(), pa.string()),
    )


# Arrays are made from their buffers: `pa.array` would import pandas, which takes longer than all the rest.


def _as_text(array: pa.BinaryArray) -> pa.StringArray:
    """Bytes that are known to be UTF-8, as text."""
    return pa.Array.from_buffers(pa.string(), len(array), array.buffers(), offset=array.offset)


def _taken(values: Sequence[Sequence[float]], indices: Sequence[pa.Array], type_: pa.DataType) -> pa.ChunkedArray:
    """The value at each index, null where that is."""
    chunks = []
    for own, places in zip(values, indices, strict=True):
        validity, numbers = places.buffers()
        rows = slice(places.offset, places.offset + len(places))
        inside = np.frombuffer(numbers, dtype=np.int32)[rows]
        present = None
        if places.null_count:
            valid = np.unpackbits(np.frombuffer(validity, dtype=np.uint8), bitorder="little")[rows]
            # Where the index is null, whatever lies beneath it is not looked at.
            inside = np.where(valid, inside, 0)
            present = pa.py_buffer(np.packbits(valid, bitorder="little"))
        taken = np.array([*own, 0], dtype=np.int64 if type_ == pa.int64() else np.float64)[inside]
        chunks.append(pa.Array.from_buffers(type_, len(taken), [present, pa.py_buffer(taken)]))
    return pa.chunked_array(chunks, type=type_)


def typed(text: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return integers if all values are, else floats if all are numbers, else the text: for many distinct values."""
    # Here and not above: it takes long to import, and few columns need it.
    import pyarrow.compute as pc

    if text.null_count == len(text):
        return text
    if _all_match(text, INTEGER):
        try:
            return pc.utf8_trim_whitespace(text).cast(pa.int64())
        except pa.ArrowInvalid:
            # Longer than 64 bits: identifiers, and floats would merge neighbours.
            return text
    if _all_match(text, NUMBER):
        return pc.utf8_trim_whitespace(text).cast(pa.float64())
    return text


def _all_match(text: pa.ChunkedArray, pattern: str) -> bool:
    import pyarrow.compute as pc

    whole = f"^(?:{pattern})$"
    return all(pc.all(pc.match_substring_regex(chunk, whole)).as_py() is not False for chunk in text.chunks)


def _open(path: str) -> pa.NativeFile:
    if not path.lower().endswith(".gz"):
        return pa.input_stream(path, compression=None)
    return pa.PythonFile(_Unpacking(path), mode="r")


class _Unpacking:
    """A gzip file, as PyArrow reads files of Python; unpacked no further than it may be."""

    closed = False

    def __init__(self, path: str) -> None:
        self._path = path
        self._stream = pa.input_stream(path, compression="gzip")
        self._most = most_unpacked(os.path.getsize(path))
        self._unpacked = 0

    def read(self, size: int) -> pa.Buffer:
        """The next bytes; `DataError` if there are more than there may be."""
        # Of a file that is damaged, `read` would leave so many bytes behind.
        piece = self._stream.read_buffer(size)
        self._unpacked += len(piece)
        if self._unpacked > self._most:
            raise DataError(
                f"{self._path!r} unpacks to more than the {self._most >> 20:,} MiB that a file of its size may. "
                "If that is meant, unpack it, say with gunzip, and name the unpacked file."
            )
        return piece

    def close(self) -> None:
        """Close the file."""
        self._stream.close()
        self.closed = True


def _header(stream: pa.NativeFile, reading: pa.csv.ReadOptions) -> pa.csv.CSVStreamingReader:
    parsing = pa.csv.ParseOptions(newlines_in_values=True, invalid_row_handler=lambda _: "skip")
    return pa.csv.open_csv(stream, read_options=reading, parse_options=parsing)


def _text(path: str, name: Name, column: pa.ChunkedArray) -> pa.ChunkedArray:
    try:
        return column.cast(pa.string())
    except pa.ArrowInvalid:
        raise _not_utf8(path, name) from None


def _not_utf8(path: str, name: Name) -> DataError:
    return DataError(f"column {name!r} of {path!r} is not UTF-8 text: save the file as UTF-8.")


def _check_last_quote(path: str, table: pa.Table) -> None:
    """Raise if a quote that is never closed has swallowed the rest of the file; PyArrow says nothing."""
    last = table.column(table.num_columns - 1)
    # Elsewhere than in the last field of the file, such a quote leaves a row with too few fields.
    if len(last) == 0 or b"\n" not in (last[-1].as_py() or b""):
        return
    end = b""
    with _open(path) as stream:
        while piece := stream.read(BLOCK_BYTES):
            end = (end + piece).rstrip()[-1:]
    if end != b'"':
        raise DataError(f"{path!r} ends inside a quoted field: close the quote opened in row {len(last) + 1}.")
