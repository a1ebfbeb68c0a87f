"""Recognise how a text file is written: its separator, decimal mark and encoding.

No rule depends on the order of the rows:

- The separator is a comma, semicolon, tab or bar in the header outside quotes. If there are several, it is the one by
  which every row has as many fields as the header; if that is true of several, the user must decide.
- The decimal mark is a comma if the values of some column are numbers with a decimal comma and not otherwise. If other
  columns have decimal points, or every such comma may also separate thousands (1,234), the user must decide.
- A file that starts with the byte order mark of UTF-16 is UTF-16. Otherwise it is UTF-8; if it is not valid UTF-8, and
  has no character beyond ASCII that is, it is Windows-1252, which includes Latin-1 text.
"""

from __future__ import annotations

import codecs
import os
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from stablebn.columns.na_values import check_na_values, na_values_from
from stablebn.errors import DataError, OptionError, one_of, shown
from stablebn.messages import Caution

SEPARATORS = (",", ";", "\t", "|")
DECIMALS = (".", ",")

# The options for text files.
OF_TEXT = ("sep", "decimal", "encoding", "na_values")

UTF8, UTF16, WINDOWS = "utf-8", "utf-16", "cp1252"

# A quoted field, or anything up to the end of the line. A quote opens a field only where one begins.
_HEADER = re.compile(rb'(?:(?<![^,;\t|])"(?:[^"]|"")*"|[^\r\n"]+|")*')
_QUOTED = re.compile(rb'(?<![^,;\t|])"(?:[^"]|"")*"')
# A first line that gives Excel the separator.
_SAYS_SEPARATOR = re.compile(rb"sep=(.)", re.IGNORECASE)

_SPELLED = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}


@dataclass(frozen=True)
class Dialect:
    """Separator, decimal mark, encoding and missing values of a text file; None: recognise it from the file.

    Attributes
    ----------
    sep : str or None
        The character between fields.
    decimal : {".", ","} or None
    encoding : str or None
    na_values : tuple of str or None
        Texts that stand for a missing value; None: the rules of `stablebn.columns.na_values`.
    """

    sep: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    na_values: Sequence[str] | str | None = None

    def __post_init__(self) -> None:
        if self.sep is not None:
            check_sep("sep", self.sep)
        if self.decimal is not None:
            one_of("decimal", self.decimal, DECIMALS)
        if self.encoding is not None:
            check_encoding("encoding", self.encoding)
        if self.na_values is not None:
            check_na_values("na_values", self.na_values)
            object.__setattr__(self, "na_values", na_values_from(self.na_values))

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Dialect:
        """Return the dialect that options of `learn` specify."""
        return cls(*map(options.get, OF_TEXT))

    def refuse(self, source: str, takes: Collection[str] = ()) -> None:
        """Raise `OptionError` if an option is given that this source, which is not a text file, does not take."""
        for item in fields(self):
            if getattr(self, item.name) is not None and item.name not in takes:
                kinds = "text files, workbooks, JSON lines and SQLite" if item.name == "na_values" else "text files"
                raise OptionError(f"{item.name}= is for {kinds}, and {source} is none. Leave it out.")


def check_sep(name: str, value: object) -> None:
    r"""Raise `OptionError` unless the value is one ASCII character, or \t for a tab."""
    is_mark = isinstance(value, str) and len(value) == 1 and value.isascii() and value not in '"\r\n\0'
    if not is_mark and not (isinstance(value, str) and value == r"\t"):
        raise OptionError(rf"{name}={shown(value)} must be one character, such as , or ; or | or \t for a tab.")


def check_encoding(name: str, value: object) -> None:
    """Raise `OptionError` unless the value is a text encoding that Python knows."""
    try:
        # Some codecs of Python convert bytes to bytes.
        known = isinstance(value, str) and isinstance(b"a".decode(value, "ignore"), str) and bool(codecs.lookup(value))
    except (LookupError, ValueError, AssertionError):
        known = False
    if not known:
        raise OptionError(f"{name}={shown(value)} is not known. Say for example utf-8, utf-16, cp1252 or latin-1.")


def encoding_by_mark(start: bytes) -> str:
    """Return UTF-16 if a file starts with its byte order mark, otherwise UTF-8."""
    return UTF16 if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else UTF8


def as_utf8(path: str, content: bytes, requested: str | None) -> tuple[bytes, str]:
    """Convert a file that is not UTF-8, or for which another encoding is requested; return UTF-8 and the encoding."""
    encoding = requested or (WINDOWS if encoding_by_mark(content) == UTF8 else UTF16)
    if requested is None and encoding == WINDOWS:
        _check_nothing_is_utf8(path, content.decode(UTF8, "replace"))
    try:
        text = content.decode(encoding)
        recoded = text.removeprefix("\ufeff").encode()
    except ValueError:
        raise _not_text(path, encoding) from None
    if "\0" in text:
        raise zeros_error(path)
    return recoded, encoding


def _not_text(path: str, encoding: str) -> DataError:
    return DataError(f"{path!r} is not {encoding} text. Say encoding= (CLI: --encoding), or save the file as UTF-8.")


def check_recoding(path: str, pieces: Callable[[], Iterator[bytes]], start: bytes, requested: str | None) -> str:
    """Return the encoding of a file that is read in pieces; raise the errors that `as_utf8` raises for all of it."""
    encoding = requested or (WINDOWS if encoding_by_mark(start) == UTF8 else UTF16)
    if requested is None and encoding == WINDOWS:
        for text in decoded(pieces(), UTF8, start, "replace"):
            _check_nothing_is_utf8(path, text)
    has_zeros = False
    try:
        for text in decoded(pieces(), encoding, start):
            text.encode()
            has_zeros = has_zeros or "\0" in text
    except ValueError:
        raise _not_text(path, encoding) from None
    if has_zeros:
        raise zeros_error(path)
    return encoding


# Byte order marks; one of UTF-32 begins like one of UTF-16.
_MARKS = {
    "utf-16": (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE),
    "utf-32": (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE),
}


def decoded(pieces: Iterable[bytes], encoding: str, start: bytes, errors: str = "strict") -> Iterator[str]:
    """Decode a file piece by piece, with the result of `bytes.decode`; `start` is the beginning of the file."""
    name = codecs.lookup(encoding).name
    if name in _MARKS and not start.startswith(_MARKS[name]):
        # Without a mark `bytes.decode` uses the byte order of the machine; an incremental decoder requires a mark.
        name += "-le" if sys.byteorder == "little" else "-be"
    decoder = codecs.getincrementaldecoder(name)(errors)
    for piece in pieces:
        yield decoder.decode(piece)
    yield decoder.decode(b"", final=True)


def zeros_error(path: str) -> DataError:
    """Return the error for a file with zero bytes: it is not text, or has another encoding."""
    return DataError(
        f"{path!r} has zero bytes, which text does not. If it is UTF-16 without a mark, "
        'say encoding="utf-16-le" or "utf-16-be" (CLI: --encoding).'
    )


def _check_nothing_is_utf8(path: str, text: str) -> None:
    beyond = {letter for letter in text if not letter.isascii()}
    if beyond - {"\ufffd"}:
        raise DataError(
            f"{path!r} is UTF-8 in some places and not in others: it is damaged, or in another encoding. "
            'Say which, for example encoding="cp1252" (CLI: --encoding cp1252), or save the file as UTF-8.'
        )


@dataclass(frozen=True)
class Header:
    """Header line of a text file.

    Attributes
    ----------
    line : bytes
        Without the line end.
    separators : tuple of str
        Separators that occur in it outside quotes; if there are none, the table has one column.
    lines_before : int
        Number of lines before the table.
    """

    line: bytes
    separators: tuple[str, ...]
    lines_before: int = 0


def parse_header(start: bytes, *, tabs_expected: bool) -> Header:
    """Find the separators that a header has outside quotes.

    Parameters
    ----------
    start : bytes
        The beginning of the file.
    tabs_expected : bool
        Whether the name of the file ends in .tsv: then a tab in the header is the separator.
    """
    start = start.removeprefix(codecs.BOM_UTF8).lstrip(b"\r\n")
    line = _first_line(start)
    if said := _SAYS_SEPARATOR.fullmatch(line):
        rest = start[len(line) :].lstrip(b"\r\n")
        return Header(_first_line(rest), (said.group(1).decode("ascii", "replace"),), lines_before=1)
    outside = _QUOTED.sub(b"", line)
    separators = tuple(mark for mark in SEPARATORS if mark.encode() in outside)
    return Header(line, ("\t",) if "\t" in separators and tabs_expected else separators)


def _first_line(start: bytes) -> bytes:
    found = _HEADER.match(start)
    return b"" if found is None else found.group()


def spelled_separator(sep: str) -> str:
    """Name a separator in words."""
    return _SPELLED.get(sep, repr(sep))


def report_dialect(path: str, found: Dialect, requested: Dialect, *, tabs_expected: bool) -> list[Caution]:
    """Warn about what was recognised, unless it is the usual: commas, UTF-8 and decimal points."""
    usual = Dialect("\t" if tabs_expected else ",", ".", UTF8)
    unusual = {
        name: getattr(found, name)
        for name in ("sep", "decimal", "encoding")
        if getattr(requested, name) is None and getattr(found, name) != getattr(usual, name)
    }
    if not unusual:
        return []
    parts = {
        "sep": f"fields separated by {spelled_separator(unusual.get('sep', ','))}",
        "decimal": "decimal commas",
        "encoding": f"text in {unusual.get('encoding')}",
    }
    read = ", ".join(parts[name] for name in unusual)
    options = " and ".join(f"{name}=" for name in unusual)
    return [Caution("dialect", (), f"{os.path.basename(path)!r} is read with {read}: if that is wrong, say {options}.")]
