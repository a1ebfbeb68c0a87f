"""CSV text to typed columns, by a rule that looks at every value.

PyArrow infers a column's type from the first block of the file alone, which would let the order of the
rows decide it. So every column is read as text, and its type inferred over the whole column.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.csv
from numpy.typing import NDArray

from stablebn.data.contents import Contents
from stablebn.data.dialect import (
    UTF8,
    Dialect,
    Header,
    as_utf8,
    encoding_by_mark,
    look_at_header,
    report_dialect,
    spelled_separator,
    zeros_error,
)
from stablebn.data.index_column import index_caution, is_index
from stablebn.data.markers import BLANKS, PANDAS_MARKERS, SIGNS, markers_among
from stablebn.data.table import Name
from stablebn.errors import DataError, listed
from stablebn.unpacking import most_unpacked

# Both refuse leading zeros: '007' is a label, and as a number it would merge with '7'.
INTEGER = r"[ \t]*(?:0|-?[1-9][0-9]*)[ \t]*"
_NUMBER = (
    r"[ \t]*[+-]?(?:(?:(?:0|[1-9][0-9]*)(?:{mark}[0-9]*)?|{mark}[0-9]+)(?:[eE][+-]?[0-9]+)?|(?i:inf|infinity))[ \t]*"
)
NUMBERS = {".": _NUMBER.format(mark=r"\."), ",": _NUMBER.format(mark=",")}
# With a comma that may as well set thousands apart.
THOUSANDS = r"[ \t]*(?:[+-]?[1-9][0-9]{0,2},[0-9]{3}|[^,]*)[ \t]*"

# Up to so many distinct texts, the type of a column is told from those alone.
FEW_TEXTS = 4096

# A row must fit into a block.
BLOCK_BYTES = 1 << 22

# In which separators of the header are looked for; few headers are longer.
HEADER_BYTES = 1 << 16

_Open: TypeAlias = Callable[[], pa.NativeFile]


class _NotUTF8Error(Exception):
    """Text that is in another encoding; says where."""


class _BadRowError(Exception):
    """A row that has more or fewer fields than the header."""

    def __init__(self, number: int, expected: int, actual: int, text: str) -> None:
        self.number, self.expected, self.actual, self.text = number, expected, actual, text


def read_csv(path: str, asked: Dialect, threads: int = 1) -> Contents:
    """Read a text file, gzipped if its name ends in .gz.

    Parameters
    ----------
    path : str
    asked : Dialect
        What the user says of it; the rest is recognised by the rules of `stablebn.data.dialect`.
    threads : int
        With more than one, PyArrow takes as many as it likes.

    Returns
    -------
    Contents
        Columns of int64, float64 or string, null where a marker stands (`stablebn.data.markers`).
    """

    def open_file() -> pa.NativeFile:
        return _open(path)

    start = _start(open_file)
    encoding = asked.encoding or encoding_by_mark(start)
    if _is_utf8(encoding):
        try:
            return _read_utf8(path, open_file, start, asked, UTF8, threads)
        except (_NotUTF8Error, UnicodeDecodeError) as error:
            if asked.encoding is not None:
                where = error.args[0] if isinstance(error, _NotUTF8Error) else "the header"
                raise DataError(f"{where} of {path!r} is not UTF-8 text: say another encoding=.") from None
    with open_file() as stream:
        content, encoding = as_utf8(path, b"".join(_pieces(stream)), asked.encoding)

    def open_recoded() -> pa.NativeFile:
        return _reader(content)

    return _read_utf8(path, open_recoded, _start(open_recoded), asked, encoding, threads)


def _start(open_file: _Open) -> bytes:
    """The beginning of a file, with its first line."""
    with open_file() as stream:
        start: bytes = stream.read(HEADER_BYTES)
        if len(start) == HEADER_BYTES and b"\n" not in start and b"\r" not in start:
            start += stream.read(BLOCK_BYTES)
        return start


def _is_utf8(encoding: str) -> bool:
    return encoding.lower().replace("_", "-") in (UTF8, "utf8", "utf-8-sig")


def _read_utf8(path: str, open_file: _Open, start: bytes, asked: Dialect, encoding: str, threads: int) -> Contents:
    tabs_expected = path.lower().removesuffix(".gz").endswith(".tsv")
    sep, table = _split(path, open_file, start, asked.sep, threads, tabs_expected=tabs_expected)
    _check_last_quote(open_file, path, table)
    names = table.column_names
    # Taken one by one, so that the text of a column is freed as soon as its numbers are there.
    columns = table.columns[::-1]
    del table
    read = [_typed_column(name, columns.pop(), asked.decimal or ".") for name in names]
    decimal = asked.decimal or "."
    if asked.decimal is None and any("," in own.marks for own in read):
        decimal = _decimal_of(path, names, read)
        read = [
            own if own.text is None else _typed_column(name, own.text, ",")
            for name, own in zip(names, read, strict=True)
        ]
    cautions = report_dialect(path, Dialect(sep, decimal, encoding), asked, tabs_expected=tabs_expected)
    if is_index(names[0], read[0].column):
        cautions.append(index_caution(path, names[0]))
        names, read = names[1:], read[1:]
    return Contents(
        [(name, own.column) for name, own in zip(names, read, strict=True)],
        cautions,
        {name: own.markers for name, own in zip(names, read, strict=True)},
    )


def _split(
    path: str, open_file: _Open, start: bytes, asked: str | None, threads: int, *, tabs_expected: bool
) -> tuple[str, pa.Table]:
    """The separator, and the table as text."""
    header = look_at_header(start, tabs_expected=tabs_expected)
    if b"\0" in header.line:
        raise zeros_error(path)
    tables: dict[str, pa.Table] = {}
    bad: dict[str, _BadRowError] = {}
    unreadable: list[pa.ArrowInvalid] = []
    for sep in header.separators or (",",) if asked is None else ("\t" if asked == r"\t" else asked,):
        try:
            tables[sep] = _parse(open_file, header, sep, threads)
        except _BadRowError as error:  # noqa: PERF203 - few headers have two of them
            bad[sep] = error
        except pa.ArrowInvalid as error:
            # Cut there, a quoted name does not end: this separator stands inside it.
            unreadable.append(error)
    if not tables and not bad:
        raise unreadable[0]
    if not tables:
        raise _no_separator(path, bad, header)
    if len(tables) > 1:
        readings = " or ".join(f"{spelled_separator(sep)} ({own.num_columns} columns)" for sep, own in tables.items())
        raise DataError(
            f"{path!r} can be read as separated by {readings}. Say which, for example "
            f"sep={next(iter(tables))!r} (CLI: --sep {next(iter(tables))!r})."
        )
    return next(iter(tables.items()))


def _no_separator(path: str, bad: dict[str, _BadRowError], header: Header) -> DataError:
    told = [
        f"row {row.number - header.lines_before} of {path!r} (the header is row 1) has {row.actual} fields where the "
        f"header has {row.expected}: {row.text[:80]!r}. Correct the row, or quote a field that holds "
        f"{'a comma' if sep == ',' else repr(sep)}."
        for sep, row in bad.items()
    ]
    if len(told) == 1:
        return DataError(told[0])
    readings = " ".join(f"With {spelled_separator(sep)}: {text}" for sep, text in zip(bad, told, strict=True))
    return DataError(f"say sep= (CLI: --sep), for by no separator all rows are alike. {readings}")


def _parse(open_file: _Open, header: Header, sep: str, threads: int) -> pa.Table:
    """All columns as text by its distinct values, split by a separator."""
    if threads > 1:
        try:
            return _parse_at_once(open_file, header, sep, use_threads=True)
        except (_BadRowError, pa.ArrowInvalid):
            # Only with one thread does PyArrow know the number of a bad row.
            pass
    return _parse_at_once(open_file, header, sep, use_threads=False)


def _parse_at_once(open_file: _Open, header: Header, sep: str, *, use_threads: bool) -> pa.Table:
    reading = pa.csv.ReadOptions(use_threads=use_threads, block_size=BLOCK_BYTES, skip_rows=header.lines_before)
    names = _names(_reader(header.line + b"\n"), pa.csv.ReadOptions(use_threads=False), sep)
    try:
        table = _table(open_file, reading, sep, names)
    except _BadRowError as error:
        if error.actual != error.expected + 1:
            raise
        # R leaves the name of the column out that counts the rows.
        reading.skip_rows, reading.column_names = header.lines_before + 1, ["", *names]
        try:
            table = _table(open_file, reading, sep, reading.column_names)
        except _BadRowError:
            raise error from None
        if not is_index("", _typed_column("", table.column(0), ".").column):
            raise error from None
        return table
    if table.column_names == names:
        return table
    # A header that only the whole file tells the end of.
    with open_file() as stream:
        names = _names(stream, reading, sep)
    return _table(open_file, reading, sep, names)


def _names(stream: pa.NativeFile, reading: pa.csv.ReadOptions, sep: str) -> list[str]:
    parsing = pa.csv.ParseOptions(delimiter=sep, newlines_in_values=True)
    with _bad_row_named(), pa.csv.open_csv(stream, read_options=reading, parse_options=parsing) as reader:
        names: list[str] = reader.schema.names
        return names


def _table(open_file: _Open, reading: pa.csv.ReadOptions, sep: str, names: Sequence[str]) -> pa.Table:
    with _bad_row_named(), open_file() as stream:
        return pa.csv.read_csv(
            stream,
            read_options=reading,
            parse_options=pa.csv.ParseOptions(delimiter=sep, newlines_in_values=True),
            convert_options=pa.csv.ConvertOptions(
                # Bytes, so that the column with a wrong encoding can be named; by their distinct values.
                column_types=dict.fromkeys(names, pa.dictionary(pa.int32(), pa.binary())),
                null_values=PANDAS_MARKERS,
                strings_can_be_null=True,
                quoted_strings_can_be_null=True,
            ),
        )


@contextmanager
def _bad_row_named() -> Iterator[None]:
    """Raise `_BadRowError` for a row that PyArrow refuses."""
    try:
        yield
    except pa.ArrowInvalid as error:
        # A handler of PyArrow's for such rows would not be called where they are not UTF-8.
        told = re.search(r"Row #(\d+): Expected (\d+) columns, got (\d+): (.*)", str(error), re.DOTALL)
        if told is None:
            raise
        number, expected, actual = map(int, told.groups()[:3])
        raise _BadRowError(number, expected, actual, told.group(4)) from None


@dataclass(frozen=True)
class _Typed:
    """A column, and what its text says.

    Attributes
    ----------
    column : pyarrow.ChunkedArray
    markers : set of str
        Texts that were taken for missing values, but for those of pandas.
    marks : set of str
        "." where there are decimals with points; "," where all are numbers if decimals have commas; "1,5" if besides
        a comma is no mark of thousands.
    text : pyarrow.ChunkedArray or None
        What the column was made from, where decimal commas would make another of it.
    """

    column: pa.ChunkedArray
    markers: set[str]
    marks: set[str]
    text: pa.ChunkedArray | None = None


def _decimal_of(path: str, names: Sequence[Name], read: Sequence[_Typed]) -> str:
    """The comma, where some columns have decimals with commas; `DataError` where that is not sure."""
    commas = [name for name, own in zip(names, read, strict=True) if "," in own.marks]
    points = [name for name, own in zip(names, read, strict=True) if "." in own.marks]
    decide = 'Say decimal="," or decimal="." (CLI: --decimal)'
    if points:
        raise DataError(
            f"{path!r} has numbers with decimal commas, in {listed(commas)}, and with decimal points, in "
            f"{listed(points)}. {decide}; the others are then text."
        )
    if not any("1,5" in own.marks for own in read):
        raise DataError(
            f"the commas of numbers in {path!r} may be decimal commas or set thousands apart: {listed(commas)}. "
            f"{decide}: with a point these columns are text, until you leave the commas out of the file."
        )
    return ","


def _typed_column(name: Name, column: pa.ChunkedArray, mark: str) -> _Typed:
    """A column of bytes, given by distinct values, as integers, floats or text."""
    distinct: set[bytes] = set()
    for chunk in column.chunks:
        distinct.update(chunk.dictionary.to_pylist() if len(chunk.dictionary) <= FEW_TEXTS else ())
        if max(len(distinct), len(chunk.dictionary)) > FEW_TEXTS:
            return _typed_many(name, column, mark)
    try:
        text_of = {value: value.decode() for value in distinct}
    except UnicodeDecodeError:
        raise _NotUTF8Error(f"column {name!r}") from None
    texts = [[text_of[value] for value in chunk.dictionary.to_pylist()] for chunk in column.chunks]
    every = set(text_of.values())
    indices = [chunk.indices for chunk in column.chunks]
    if (numbers := _numbers(texts, every, indices, mark)) is not None:
        return numbers
    markers = markers_among(every)
    if markers:
        every -= markers
        indices = [_without(own, places, markers) for own, places in zip(texts, indices, strict=True)]
        if (numbers := _numbers(texts, every, indices, mark)) is not None:
            return replace(numbers, markers=markers)
    text = pa.chunked_array(
        [
            pa.DictionaryArray.from_arrays(places, _as_text(chunk.dictionary))
            for places, chunk in zip(indices, column.chunks, strict=True)
        ],
        type=pa.dictionary(pa.int32(), pa.string()),
    )
    marks = set()
    if any("," in text for text in every):
        marks = _marks_of_commas(lambda pattern: all(re.fullmatch(pattern, text) for text in every))
    return _Typed(text, markers, marks, column if marks else None)


def _marks_of_commas(all_match: Callable[[str], bool]) -> set[str]:
    """What commas in a column of text may be; see `_Typed`."""
    if all_match(NUMBERS[","]):
        return {","} if all_match(THOUSANDS) else {",", "1,5"}
    return {",", "."} if all_match(f"{NUMBERS[',']}|{NUMBERS['.']}") else set()


def _numbers(
    texts: Sequence[Sequence[str]], every: Collection[str], indices: Sequence[pa.Array], mark: str
) -> _Typed | None:
    """The column as integers or floats, if all are."""
    if not every:
        return None
    if all(re.fullmatch(INTEGER, text) for text in every):
        integers = [[int(text) if text in every else 0 for text in own] for own in texts]
        if all(-(2**63) <= value < 2**63 for own in integers for value in own):
            return _Typed(_taken(integers, indices, pa.int64()), set(), set())
        # Longer than 64 bits: identifiers, and floats would merge neighbours.
    elif all(re.fullmatch(NUMBERS[mark], text) for text in every):
        floats = [[float(text.replace(mark, ".")) if text in every else 0.0 for text in own] for own in texts]
        marks = {mark} if any(mark in text for text in every) else set()
        return _Typed(_taken(floats, indices, pa.float64()), set(), marks)
    return None


# Arrays are made from their buffers: `pa.array` would import pandas, which takes longer than all the rest.


def _as_text(array: pa.BinaryArray) -> pa.StringArray:
    """Bytes that are known to be UTF-8, as text."""
    return pa.Array.from_buffers(pa.string(), len(array), array.buffers(), offset=array.offset)


def _places(indices: pa.Array) -> tuple[NDArray[np.int32], NDArray[np.uint8] | None]:
    """Indices, 0 where they are null, and where they are not; None: nowhere null."""
    validity, numbers = indices.buffers()
    rows = slice(indices.offset, indices.offset + len(indices))
    inside = np.frombuffer(numbers, dtype=np.int32)[rows]
    if not indices.null_count:
        return inside, None
    valid = np.unpackbits(np.frombuffer(validity, dtype=np.uint8), bitorder="little")[rows]
    # Where the index is null, whatever lies beneath it is not looked at.
    return np.where(valid, inside, 0).astype(np.int32, copy=False), valid


def _taken(values: Sequence[Sequence[float]], indices: Sequence[pa.Array], type_: pa.DataType) -> pa.ChunkedArray:
    """The value at each index, null where that is."""
    chunks = []
    for own, places in zip(values, indices, strict=True):
        inside, valid = _places(places)
        present = None if valid is None else pa.py_buffer(np.packbits(valid, bitorder="little"))
        taken = np.array([*own, 0], dtype=np.int64 if type_ == pa.int64() else np.float64)[inside]
        chunks.append(pa.Array.from_buffers(type_, len(taken), [present, pa.py_buffer(taken)]))
    return pa.chunked_array(chunks, type=type_)


def _without(texts: Sequence[str], indices: pa.Array, markers: Collection[str]) -> pa.Array:
    """Indices that are null where a marker is meant."""
    inside, valid = _places(indices)
    value = np.array([text not in markers for text in texts] + [True])[inside]
    present = pa.py_buffer(np.packbits(value if valid is None else value & (valid > 0), bitorder="little"))
    return pa.Array.from_buffers(pa.int32(), len(inside), [present, pa.py_buffer(np.ascontiguousarray(inside))])


def _typed_many(name: Name, column: pa.ChunkedArray, mark: str) -> _Typed:
    """The same for many distinct values, which are not looked at one by one."""
    text = _text(name, pa.chunked_array([chunk.dictionary_decode() for chunk in column.chunks]))
    if (numbers := _many_numbers(text, mark)) is not None:
        return numbers
    text, markers = _without_many(text)
    if markers and (numbers := _many_numbers(text, mark)) is not None:
        return replace(numbers, markers=markers)
    marks = _marks_of_commas(lambda pattern: _all_match(text, pattern)) if _occurs(text, ",") else set()
    return _Typed(text, markers, marks, column if marks else None)


def _many_numbers(text: pa.ChunkedArray, mark: str) -> _Typed | None:
    # Here and not above: it takes long to import, and few columns need it.
    import pyarrow.compute as pc

    if text.null_count == len(text):
        return None
    if _all_match(text, INTEGER):
        try:
            return _Typed(pc.utf8_trim_whitespace(text).cast(pa.int64()), set(), set())
        except pa.ArrowInvalid:
            # Longer than 64 bits: identifiers, and floats would merge neighbours.
            return None
    if _all_match(text, NUMBERS[mark]):
        marks = {mark} if _occurs(text, mark) else set()
        pointed = text if mark == "." else pc.replace_substring(text, mark, ".")
        return _Typed(pc.utf8_trim_whitespace(pointed).cast(pa.float64()), set(), marks)
    return None


def _occurs(text: pa.ChunkedArray, mark: str) -> bool:
    import pyarrow.compute as pc

    return any(pc.any(pc.match_substring(chunk, mark)).as_py() for chunk in text.chunks)


def _without_many(text: pa.ChunkedArray) -> tuple[pa.ChunkedArray, set[str]]:
    """The text, null where it is a marker, and the markers."""
    import pyarrow.compute as pc

    known = pa.array([*PANDAS_MARKERS, *SIGNS], type=pa.string())
    hits = pc.is_in(pc.utf8_trim(text, characters=BLANKS), value_set=known)
    found = set(text.filter(hits).unique().to_pylist()) - {None}
    if not found:
        return text, set()
    others = text.filter(pc.invert(hits))
    worded = pc.any(pc.match_substring_regex(others, r"[\pL\pN]")).as_py()
    markers = markers_among(found | {"word" if worded else "+"}) & found
    missing = pc.is_in(text, value_set=pa.array(sorted(markers), type=pa.string()))
    return pc.if_else(missing, pa.scalar(None, type=pa.string()), text), markers


def _all_match(text: pa.ChunkedArray, pattern: str) -> bool:
    import pyarrow.compute as pc

    whole = f"^(?:{pattern})$"
    return all(pc.all(pc.match_substring_regex(chunk, whole)).as_py() is not False for chunk in text.chunks)


def _open(path: str) -> pa.NativeFile:
    if not path.lower().endswith(".gz"):
        return pa.input_stream(path, compression=None)
    return pa.PythonFile(_Unpacking(path), mode="r")


def _reader(content: bytes) -> pa.BufferReader:
    """A reader of bytes in memory of PyArrow's own.

    Its threads may let go of them when Python has ended; of bytes of Python's they could not, and would end the process
    with an error.
    """
    own = pa.BufferOutputStream()
    own.write(content)
    return pa.BufferReader(own.getvalue())


def _pieces(stream: pa.NativeFile) -> Iterator[bytes]:
    while piece := stream.read(BLOCK_BYTES):
        yield piece


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


def _text(name: Name, column: pa.ChunkedArray) -> pa.ChunkedArray:
    try:
        return column.cast(pa.string())
    except pa.ArrowInvalid:
        raise _NotUTF8Error(f"column {name!r}") from None


def _check_last_quote(open_file: _Open, path: str, table: pa.Table) -> None:
    """Raise if a quote that is never closed has swallowed the rest of the file; PyArrow says nothing."""
    last = table.column(table.num_columns - 1)
    # Elsewhere than in the last field of the file, such a quote leaves a row with too few fields.
    if len(last) == 0 or b"\n" not in (last[-1].as_py() or b""):
        return
    end = b""
    with open_file() as stream:
        for piece in _pieces(stream):
            end = (end + piece).rstrip()[-1:]
    if end != b'"':
        raise DataError(f"{path!r} ends inside a quoted field: close the quote opened in row {len(last) + 1}.")
