"""Read a text file (CSV) into typed columns whose types are inferred from all values.

PyArrow infers the type of a column from the first block of the file alone, so that the order of the rows would decide
it. Here every column is read as text, and its type is inferred from the whole column (`column_types`).
"""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias

import pyarrow as pa
import pyarrow.csv

from stablebn.columns.na_values import PANDAS_MARKERS
from stablebn.decompression import most_unpacked
from stablebn.errors import DataError
from stablebn.io.csv.column_types import BY_DISTINCT_BYTES, NotUTF8Error, TextColumn, Typing, decide_columns
from stablebn.io.csv.dialect import (
    UTF8,
    Dialect,
    Header,
    as_utf8,
    check_recoding,
    decoded,
    encoding_by_mark,
    parse_header,
    report_dialect,
    spelled_separator,
    zeros_error,
)
from stablebn.io.csv.index_column import INDEX_NAMES, RowNumberCheck, index_caution
from stablebn.io.file_contents import Contents
from stablebn.messages import Caution
from stablebn.table.table import Name

# A row must fit into a block.
BLOCK_BYTES = 1 << 22

# The part of the file in which the header is expected; few headers are longer.
HEADER_BYTES = 1 << 16

_Open: TypeAlias = Callable[[], pa.NativeFile]


class _BadRowError(Exception):
    """A row has more or fewer fields than the header."""

    def __init__(self, number: int, expected: int, actual: int, text: str) -> None:
        self.number, self.expected, self.actual, self.text = number, expected, actual, text


@dataclass
class ScannedFile:
    """A text file after the first pass over its fields.

    Attributes
    ----------
    open_file : callable
        Opens the file as UTF-8.
    sep : str
    names : list of str
        Names of all columns.
    columns : list of TextColumn
    reading : pyarrow.csv.ReadOptions
        Options for the second pass.
    table : pyarrow.Table or None
        The fields, if they are kept in memory.
    rows : int
    encoding : str
        Encoding of the file itself.
    na_values : sequence of str or None
        As in `Dialect`.
    """

    open_file: _Open
    sep: str
    names: list[str]
    columns: list[TextColumn]
    reading: pa.csv.ReadOptions
    table: pa.Table | None
    rows: int = 0
    encoding: str = UTF8
    na_values: Sequence[str] | None = None
    _last: bytes | None = None
    _index: RowNumberCheck | None = field(default=None, repr=False)

    def add(self, batch: pa.RecordBatch | pa.Table) -> None:
        """Add some rows."""
        for texts, column in zip(self.columns, batch.columns, strict=True):
            for chunk in column.chunks if isinstance(column, pa.ChunkedArray) else (column,):
                texts.add(chunk)
        self.rows += batch.num_rows
        if batch.num_rows:
            self._last = batch.column(batch.num_columns - 1)[-1].as_py()
        if self.names[0] in INDEX_NAMES:
            self._index = self._index or RowNumberCheck()
            self._index.add(batch.column(0))

    def first_counts_rows(self) -> bool:
        """Return whether the first column only numbers the rows."""
        return (
            self._index is not None
            and self.columns[0].decide(self.names[0], ".").type == pa.int64()
            and self._index.counts_rows()
        )

    def check_last_quote(self, path: str) -> None:
        """Raise `DataError` if an unclosed quote includes the rest of the file, which PyArrow does not report."""
        # Only in the last field: before it, such a quote leaves a row with too few fields, which is reported.
        if b"\n" not in (self._last or b""):
            return
        end = b""
        with self.open_file() as stream:
            for piece in _pieces(stream):
                end = (end + piece).rstrip()[-1:]
        if end != b'"':
            raise DataError(f"{path!r} ends inside a quoted field: close the quote opened in row {self.rows + 1}.")

    def batches(self, names: Sequence[Name], *, use_threads: bool) -> Iterator[pa.RecordBatch]:
        """Read the fields of some columns again, in batches."""
        reading = pa.csv.ReadOptions(
            use_threads=use_threads,
            block_size=BLOCK_BYTES,
            skip_rows=self.reading.skip_rows,
            column_names=self.reading.column_names,
        )
        with (
            self.open_file() as stream,
            _open_csv(stream, reading, self.sep, self.names, self.na_values, names) as reader,
        ):
            yield from reader


def read_csv(path: str, requested: Dialect, threads: int = 1) -> Contents:
    """Read a text file, gzipped if its name ends in .gz.

    Parameters
    ----------
    path : str
    requested : Dialect
        The user's options; the rest is recognised by the rules of `stablebn.io.csv.dialect`.
    threads : int
        If more than 1, PyArrow chooses the number of threads.

    Returns
    -------
    Contents
        Columns of int64, float64 or string; markers of missing values are null (`stablebn.columns.na_values`).
    """
    decided: list[tuple[list[Typing], str]] = []

    def decide(found: ScannedFile) -> None:
        decided.append(decide_columns(repr(path), found.names, found.columns, requested.decimal))

    found = scan_csv(path, requested, threads, decide, hold=True)
    (typings, decimal) = decided[-1]
    cautions, first = cautions_of(path, found, requested, decimal), int(found.first_counts_rows())
    assert found.table is not None
    columns = found.table.columns[::-1]
    found.table = None
    read = []
    for name, typing in zip(found.names, typings, strict=True):
        # Columns are popped one by one, so that the text of a column is freed once it is converted.
        column = columns.pop()
        read.append((name, pa.chunked_array([typing.typed(chunk) for chunk in column.chunks], type=typing.type)))
    return Contents(
        read[first:],
        cautions,
        {name: typing.reported for name, typing in zip(found.names[first:], typings[first:], strict=True)},
    )


def cautions_of(path: str, found: ScannedFile, requested: Dialect, decimal: str) -> list[Caution]:
    """Return the warnings about how a file was read."""
    tabs_expected = _tabs_expected(path)
    cautions = report_dialect(path, Dialect(found.sep, decimal, found.encoding), requested, tabs_expected=tabs_expected)
    return [*cautions, index_caution(path, found.names[0])] if found.first_counts_rows() else cautions


def scan_csv(
    path: str, requested: Dialect, threads: int, decide: Callable[[ScannedFile], None], *, hold: bool
) -> ScannedFile:
    """Read all fields of a text file once, and recognise how it is written.

    Parameters
    ----------
    path, requested, threads
        As in `read_csv`.
    decide : callable
        Infers the types of the columns. If it raises `NotUTF8Error`, the file is read again in another encoding.
    hold : bool
        Whether to keep all fields in memory; otherwise they are read in batches.
    """

    def open_file() -> pa.NativeFile:
        return _open(path)

    start = _start(open_file)
    encoding = requested.encoding or encoding_by_mark(start)
    if _is_utf8(encoding):
        try:
            found = _scan_utf8(path, open_file, start, requested, threads, hold=hold)
            decide(found)
        except (NotUTF8Error, UnicodeDecodeError) as error:
            if requested.encoding is not None:
                where = error.args[0] if isinstance(error, NotUTF8Error) else "the header"
                raise DataError(f"{where} of {path!r} is not UTF-8 text: say another encoding=.") from None
        else:
            return found
    if hold or not _comes_in_pieces(requested.encoding):
        with open_file() as stream:
            content, encoding = as_utf8(path, b"".join(_pieces(stream)), requested.encoding)

        def open_recoded() -> pa.NativeFile:
            return _reader(content)

    else:

        def pieces() -> Iterator[bytes]:
            with open_file() as stream:
                yield from _pieces(stream)

        encoding = check_recoding(path, pieces, start, requested.encoding)

        def open_recoded() -> pa.NativeFile:
            return pa.PythonFile(_Recoding(decoded(pieces(), encoding, start)), mode="r")

    found = _scan_utf8(path, open_recoded, _start(open_recoded), requested, threads, hold=hold)
    found.encoding = encoding
    decide(found)
    return found


def _start(open_file: _Open) -> bytes:
    """Read the beginning of a file, including its first line."""
    with open_file() as stream:
        start: bytes = stream.read(HEADER_BYTES)
        if len(start) == HEADER_BYTES and b"\n" not in start and b"\r" not in start:
            start += stream.read(BLOCK_BYTES)
        return start


def _is_utf8(encoding: str) -> bool:
    return encoding.lower().replace("_", "-") in (UTF8, "utf8", "utf-8-sig")


def _tabs_expected(path: str) -> bool:
    return path.lower().removesuffix(".gz").endswith(".tsv")


def _scan_utf8(
    path: str, open_file: _Open, start: bytes, requested: Dialect, threads: int, *, hold: bool
) -> ScannedFile:
    found = _split(path, open_file, start, requested, threads, hold=hold)
    found.check_last_quote(path)
    return found


def _split(path: str, open_file: _Open, start: bytes, requested: Dialect, threads: int, *, hold: bool) -> ScannedFile:
    """Read the table as text, with the separator that fits all rows."""
    header = parse_header(start, tabs_expected=_tabs_expected(path))
    if b"\0" in header.line:
        raise zeros_error(path)
    tables: dict[str, ScannedFile] = {}
    bad: dict[str, _BadRowError] = {}
    unreadable: list[pa.ArrowInvalid] = []
    if requested.sep is None:
        separators = header.separators or (",",)
    else:
        separators = ("\t" if requested.sep == r"\t" else requested.sep,)
    for sep in separators:
        try:
            tables[sep] = _parse(open_file, header, sep, threads, hold=hold, na_values=requested.na_values)
        except _BadRowError as error:  # noqa: PERF203 - few headers have two of them
            bad[sep] = error
        except pa.ArrowInvalid as error:
            # This separator stands inside a quoted name, which does not end if the header is cut there.
            unreadable.append(error)
    if not tables and not bad:
        raise unreadable[0]
    if not tables:
        raise _no_separator(path, bad, header)
    if len(tables) > 1:
        readings = " or ".join(f"{spelled_separator(sep)} ({len(read.names)} columns)" for sep, read in tables.items())
        raise DataError(
            f"{path!r} can be read as separated by {readings}. Say which, for example "
            f"sep={next(iter(tables))!r} (CLI: --sep {next(iter(tables))!r})."
        )
    return next(iter(tables.values()))


def _no_separator(path: str, bad: dict[str, _BadRowError], header: Header) -> DataError:
    problems = [
        f"row {row.number - header.lines_before} of {path!r} (the header is row 1) has {row.actual} fields where the "
        f"header has {row.expected}: {row.text[:80]!r}. Correct the row, or quote a field that holds "
        f"{'a comma' if sep == ',' else repr(sep)}."
        for sep, row in bad.items()
    ]
    if len(problems) == 1:
        return DataError(problems[0])
    readings = " ".join(f"With {spelled_separator(sep)}: {text}" for sep, text in zip(bad, problems, strict=True))
    return DataError(f"say sep= (CLI: --sep), for by no separator all rows are alike. {readings}")


def _parse(
    open_file: _Open, header: Header, sep: str, threads: int, *, hold: bool, na_values: Sequence[str] | None
) -> ScannedFile:
    """Read all columns as dictionary-encoded text, split by a separator."""
    parse = partial(_parse_at_once, open_file, header, sep, hold=hold, na_values=na_values)
    if threads > 1:
        try:
            return parse(use_threads=True)
        except (_BadRowError, pa.ArrowInvalid):
            # PyArrow reports the number of a bad row only with one thread.
            pass
    return parse(use_threads=False)


def _parse_at_once(
    open_file: _Open, header: Header, sep: str, *, use_threads: bool, hold: bool, na_values: Sequence[str] | None
) -> ScannedFile:
    reading = pa.csv.ReadOptions(use_threads=use_threads, block_size=BLOCK_BYTES, skip_rows=header.lines_before)
    names = _names(_reader(header.line + b"\n"), pa.csv.ReadOptions(use_threads=False), sep)
    parsed = partial(_parsed, open_file, reading, sep, hold=hold, na_values=na_values)
    try:
        found = parsed(names)
    except _BadRowError as error:
        if error.actual != error.expected + 1:
            raise
        # R writes no name for the column that numbers the rows.
        reading.skip_rows, reading.column_names = header.lines_before + 1, ["", *names]
        try:
            found = parsed(reading.column_names)
        except _BadRowError:
            raise error from None
        if not found.first_counts_rows():
            raise error from None
        return found
    if found.names == names:
        return found
    # A quoted name in the header contains a line end, so that the header is longer than its first line.
    with open_file() as stream:
        names = _names(stream, reading, sep)
    return parsed(names)


def _names(stream: pa.NativeFile, reading: pa.csv.ReadOptions, sep: str) -> list[str]:
    with _bad_row_named(), pa.csv.open_csv(stream, reading, _parsing(sep)) as reader:
        names: list[str] = reader.schema.names
        return names


def _parsed(
    open_file: _Open,
    reading: pa.csv.ReadOptions,
    sep: str,
    names: Sequence[str],
    *,
    hold: bool,
    na_values: Sequence[str] | None,
) -> ScannedFile:
    """Read the fields; if the columns have other names than `names`, return no rows."""

    def new(names: list[str], table: pa.Table | None) -> ScannedFile:
        columns = [TextColumn(na_values) for _ in names]
        return ScannedFile(open_file, sep, names, columns, reading, table, na_values=na_values)

    with open_file() as stream:
        if hold:
            with _bad_row_named():
                table = pa.csv.read_csv(stream, reading, _parsing(sep), _converting(names, na_values))
            found = new(table.column_names, table)
            if found.names == names:
                found.add(table)
            return found
        with _open_csv(stream, reading, sep, names, na_values) as reader:
            found = new(reader.schema.names, None)
            if found.names == names:
                with _bad_row_named():
                    for batch in reader:
                        found.add(batch)
            return found


def _open_csv(
    stream: pa.NativeFile,
    reading: pa.csv.ReadOptions,
    sep: str,
    names: Sequence[str],
    na_values: Sequence[str] | None,
    wanted: Sequence[Name] | None = None,
) -> pa.csv.CSVStreamingReader:
    with _bad_row_named():
        return pa.csv.open_csv(stream, reading, _parsing(sep), _converting(names, na_values, wanted))


def _parsing(sep: str) -> pa.csv.ParseOptions:
    return pa.csv.ParseOptions(delimiter=sep, newlines_in_values=True)


def _converting(
    names: Sequence[str], na_values: Sequence[str] | None, wanted: Sequence[Name] | None = None
) -> pa.csv.ConvertOptions:
    return pa.csv.ConvertOptions(
        column_types=dict.fromkeys(names, BY_DISTINCT_BYTES),
        include_columns=wanted,
        null_values=PANDAS_MARKERS if na_values is None else na_values,
        strings_can_be_null=True,
        # By default `TextColumn` decides what is missing in quotes.
        quoted_strings_can_be_null=na_values is not None,
    )


@contextmanager
def _bad_row_named() -> Iterator[None]:
    """Convert PyArrow's error about a row to `_BadRowError`."""
    try:
        yield
    except pa.ArrowInvalid as error:
        # The message is parsed because PyArrow does not call its handler for bad rows that are not UTF-8.
        match = re.search(r"Row #(\d+): Expected (\d+) columns, got (\d+): (.*)", str(error), re.DOTALL)
        if match is None:
            raise
        number, expected, actual = map(int, match.groups()[:3])
        raise _BadRowError(number, expected, actual, match.group(4)) from None


def _open(path: str) -> pa.NativeFile:
    if not path.lower().endswith(".gz"):
        return pa.input_stream(path, compression=None)
    return pa.PythonFile(_Unpacking(path), mode="r")


def _reader(content: bytes) -> pa.BufferReader:
    """Return a reader of bytes in memory that PyArrow has allocated.

    PyArrow's threads may release the bytes after Python has ended. If Python owned them, that would end the process
    with an error.
    """
    stream = pa.BufferOutputStream()
    stream.write(content)
    return pa.BufferReader(stream.getvalue())


def _pieces(stream: pa.NativeFile) -> Iterator[bytes]:
    while piece := stream.read(BLOCK_BYTES):
        yield piece


class _Unpacking:
    """Python file object for PyArrow that decompresses a gzip file, up to the allowed size."""

    closed = False

    def __init__(self, path: str) -> None:
        self._path = path
        self._stream = pa.input_stream(path, compression="gzip")
        self._most = most_unpacked(os.path.getsize(path))
        self._unpacked = 0

    def read(self, size: int) -> pa.Buffer:
        """Return the next bytes; raise `DataError` beyond the allowed size."""
        # `read` would leak a buffer of this size if the file is damaged.
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


class _Recoding:
    """Python file object for PyArrow that converts text to UTF-8; `check_recoding` has checked the text."""

    closed = False

    def __init__(self, texts: Iterator[str]) -> None:
        self._texts = texts
        self._ready = b""
        self._begun = False

    def read(self, size: int) -> bytes:
        """Return the next bytes."""
        while len(self._ready) < size:
            text = next(self._texts, None)
            if text is None:
                break
            if text and not self._begun:
                text, self._begun = text.removeprefix("\ufeff"), True
            self._ready += text.encode()
        taken, self._ready = self._ready[:size], self._ready[size:]
        return taken

    def close(self) -> None:
        """Release the text."""
        self._texts = iter(())
        self.closed = True


# Encodings that cannot be decoded in pieces, because the result depends on the whole text.
_WHOLE = {"idna", "punycode", "unicode-escape", "raw-unicode-escape", "utf-7"}


def _comes_in_pieces(encoding: str | None) -> bool:
    return encoding is None or codecs.lookup(encoding).name.replace("_", "-") not in _WHOLE
