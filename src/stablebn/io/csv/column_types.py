"""Infer the type of each column of a text file (integers, floats or text) from all of its values.

Columns are examined in parts, by their distinct texts. The inferred type does not depend on how a file is split into
parts, so the same code serves files that are read into memory and files that are read in parts.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from stablebn.columns.kinds import MOST_CODES
from stablebn.columns.na_values import (
    BLANKS,
    PANDAS_MARKERS,
    VALUES_IN_QUOTES,
    Markers,
    markers_among,
    possible_markers,
)
from stablebn.errors import DataError, listed
from stablebn.table.table import Name

# Both patterns refuse leading zeros: '007' is a label, and as a number it would merge with '7'.
INTEGER = r"[ \t]*(?:0|-?[1-9][0-9]*)[ \t]*"
_NUMBER = (
    r"[ \t]*[+-]?(?:(?:(?:0|[1-9][0-9]*)(?:{mark}[0-9]*)?|{mark}[0-9]+)(?:[eE][+-]?[0-9]+)?|(?i:inf|infinity))[ \t]*"
)
NUMBERS = {".": _NUMBER.format(mark=r"\."), ",": _NUMBER.format(mark=",")}
# A comma that may also be a separator of thousands, or no comma at all.
THOUSANDS = r"[ \t]*(?:[+-]?[1-9][0-9]{0,2},[0-9]{3}|[^,]*)[ \t]*"

# Columns with at most this many distinct texts are classified in Python; others by PyArrow, in parts.
FEW_TEXTS = 4096

BY_DISTINCT_BYTES = pa.dictionary(pa.int32(), pa.binary())
"""Type in which PyArrow reads every column: bytes, so that an error can name the column with a wrong encoding."""

_TEXT = pa.dictionary(pa.int32(), pa.string())


class NotUTF8Error(Exception):
    """Text is not UTF-8; the argument names the column."""


class _Texts(Protocol):
    """Distinct texts that are classified by patterns."""

    def __len__(self) -> int: ...

    def match(self, pattern: str) -> bool:
        """Return whether a pattern matches the whole of every text."""

    def have(self, mark: str) -> bool:
        """Return whether some text contains a mark."""

    def fit(self) -> bool:
        """Return whether all texts, which are integers, fit 64 bits."""


@dataclass(frozen=True)
class _FewTexts:
    """Texts that Python examines one by one."""

    texts: Collection[str]

    def __len__(self) -> int:
        return len(self.texts)

    def match(self, pattern: str) -> bool:
        return all(re.fullmatch(pattern, text) for text in self.texts)

    def have(self, mark: str) -> bool:
        return any(mark in text for text in self.texts)

    def fit(self) -> bool:
        return all(-(2**63) <= int(text) < 2**63 for text in self.texts)


@dataclass(frozen=True)
class _ManyTexts:
    """Texts that PyArrow examines together."""

    texts: pa.StringArray

    def __len__(self) -> int:
        return len(self.texts)

    # `pyarrow.compute` is imported in the methods because the import is slow and few columns need it.

    def match(self, pattern: str) -> bool:
        import pyarrow.compute as pc

        return bool(pc.all(pc.match_substring_regex(self.texts, f"^(?:{pattern})$")).as_py())

    def have(self, mark: str) -> bool:
        import pyarrow.compute as pc

        return bool(pc.any(pc.match_substring(self.texts, mark)).as_py())

    def fit(self) -> bool:
        import pyarrow.compute as pc

        try:
            pc.utf8_trim_whitespace(self.texts).cast(pa.int64())
        except pa.ArrowInvalid:
            return False
        return True


@dataclass
class _Forms:
    """Properties of the texts of a column, without those that stand for a missing value.

    Attributes
    ----------
    any : bool
        Whether there are texts.
    integer, fits : bool
        Whether all are integers; and if so, whether 64 bits hold them.
    point, comma, either : bool
        Whether all are numbers with a decimal point; with a decimal comma; with one or the other.
    thousands : bool
        Whether every comma may also be a separator of thousands.
    has_point, has_comma : bool
        Whether some text has one. Points are looked for only if all texts are numbers with decimal points.
    """

    any: bool = False
    integer: bool = True
    fits: bool = True
    point: bool = True
    comma: bool = True
    either: bool = True
    thousands: bool = True
    has_point: bool = False
    has_comma: bool = False

    def add(self, texts: _Texts) -> None:
        """Update the properties with more texts."""
        if not len(texts):
            return
        self.any = True
        if self.integer:
            if texts.match(INTEGER):
                # Integers are numbers with either mark and contain none.
                self.fits = self.fits and texts.fit()
                return
            self.integer = False
        has_comma = texts.have(",")
        self.has_comma = self.has_comma or has_comma
        self.point = self.point and texts.match(NUMBERS["."])
        self.comma = self.comma and texts.match(NUMBERS[","])
        if self.point:
            self.has_point = self.has_point or texts.have(".")
        if self.either and not (self.point or self.comma):
            self.either = texts.match(f"{NUMBERS[',']}|{NUMBERS['.']}")
        if has_comma and self.thousands:
            self.thousands = texts.match(THOUSANDS)

    @classmethod
    def of_all(cls, parts: Sequence[_Forms]) -> _Forms:
        """Combine the properties of several parts."""
        some = ("any", "has_point", "has_comma")
        return cls(
            **{
                item.name: (any if item.name in some else all)(getattr(part, item.name) for part in parts)
                for item in fields(cls)
            }
        )

    def marks_of_commas(self) -> set[str]:
        """Return the possible meanings of the commas in a column of text; see `Typing`."""
        if not self.has_comma:
            return set()
        if self.comma:
            return {","} if self.thousands else {",", "1,5"}
        return {",", "."} if self.either else set()


@dataclass(frozen=True)
class Typing:
    """Inferred type of a column of a text file.

    Attributes
    ----------
    type : pyarrow.DataType
        int64, float64 or text (dictionary-encoded if there are few distinct texts).
    markers : set of str
        Texts that are read as missing values, beside those that PyArrow has already replaced by null.
    quoted : set of str
        Texts in quotes that without quotes would be missing values.
    marks : set of str
        "." if there are decimals with points. "," if all texts are numbers when the decimal mark is a comma, and also
        "1,5" if in addition some comma cannot be a separator of thousands.
    mark : str
        The decimal mark.
    few : bool
        Whether there are few distinct texts, which Python examines one by one.
    na_values : collection of str or None
        As in `Dialect`.
    """

    type: pa.DataType
    markers: set[str]
    quoted: set[str]
    marks: set[str]
    mark: str
    few: bool
    na_values: Collection[str] | None = None

    @property
    def may_change(self) -> bool:
        """Whether the column would have another type if decimals had commas."""
        return bool(self.marks) and self.type not in (pa.int64(), pa.float64())

    @property
    def reported(self) -> Markers:
        """Markers that a warning should name."""
        expected = PANDAS_MARKERS if self.na_values is None else self.na_values
        return Markers(self.markers.difference(expected), self.quoted)

    def typed(self, chunk: pa.DictionaryArray) -> pa.Array:
        """Convert some rows of the column to its type."""
        return self._typed_few(chunk) if self.few else self._typed_many(chunk)

    def _typed_few(self, chunk: pa.DictionaryArray) -> pa.Array:
        texts = [value.decode() for value in chunk.dictionary.to_pylist()]
        indices = chunk.indices
        if self.markers:
            indices = _without(texts, indices, self.markers)
        if self.type == pa.int64():
            return _taken([0 if text in self.markers else int(text) for text in texts], indices, self.type)
        if self.type == pa.float64():
            floats = [0.0 if text in self.markers else float(text.replace(self.mark, ".")) for text in texts]
            return _taken(floats, indices, self.type)
        return pa.DictionaryArray.from_arrays(indices, _as_text(chunk.dictionary))

    def _typed_many(self, chunk: pa.DictionaryArray) -> pa.Array:
        import pyarrow.compute as pc

        text = chunk.dictionary.cast(pa.string())
        if self.markers:
            missing = pc.is_in(text, value_set=pa.array(sorted(self.markers), type=pa.string()))
            text = pc.if_else(missing, pa.scalar(None, type=pa.string()), text)
        if self.type != pa.string():
            if self.mark != "." and self.type == pa.float64():
                text = pc.replace_substring(text, self.mark, ".")
            text = pc.utf8_trim_whitespace(text).cast(self.type)
        return text.take(chunk.indices)


class TextColumn:
    """Collects the texts of a column, some rows at a time, and infers its type."""

    def __init__(self, na_values: Collection[str] | None = None) -> None:
        self._na_values = na_values
        self._few: set[bytes] | None = set()
        self._forms = _Forms()
        # If there are many texts: those that may stand for a missing value, and whether another has a letter or digit.
        self._signs: set[str] = set()
        self._worded = False
        self._is_utf8 = True

    def add(self, chunk: pa.DictionaryArray) -> None:
        """Add some rows."""
        distinct = chunk.dictionary
        if self._few is not None:
            if len(distinct) <= FEW_TEXTS:
                self._few.update(distinct.to_pylist())
            if max(len(self._few), len(distinct)) <= FEW_TEXTS:
                return
            self._stop_listing()
        self._classify(distinct)

    def _stop_listing(self) -> None:
        """Classify the texts so far and stop collecting them."""
        before, self._few = self._few, None
        if before:
            self._classify(pa.array(list(before), pa.binary()))

    @classmethod
    def of_all(cls, parts: Sequence[TextColumn]) -> TextColumn:
        """Combine the texts of several parts of a column, without examining them again."""
        combined = cls(parts[0]._na_values)
        listed = [part._few for part in parts if part._few is not None]
        combined._few = set().union(*listed)
        if len(listed) < len(parts) or len(combined._few) > FEW_TEXTS:
            combined._stop_listing()
        every = [combined, *(part for part in parts if part._few is None)]
        combined._forms = _Forms.of_all([part._forms for part in every])
        combined._signs = set().union(*(part._signs for part in every))
        combined._worded = any(part._worded for part in every)
        combined._is_utf8 = all(part._is_utf8 for part in every)
        return combined

    def _classify(self, distinct: pa.BinaryArray) -> None:
        """Update the properties of the texts with these distinct ones."""
        import pyarrow.compute as pc

        try:
            text = distinct.cast(pa.string())
        except pa.ArrowInvalid:
            self._is_utf8 = False
            return
        known = pa.array(sorted(possible_markers(self._na_values)), type=pa.string())
        are_signs = pc.is_in(pc.utf8_trim(text, characters=BLANKS), value_set=known)
        self._signs.update(text.filter(are_signs).to_pylist())
        others = text.filter(pc.invert(are_signs))
        self._forms.add(_ManyTexts(others))
        self._worded = self._worded or bool(pc.any(pc.match_substring_regex(others, r"[\pL\pN]")).as_py())

    def decide(self, name: Name, mark: str) -> Typing:
        """Infer the type, given the decimal mark; raise `NotUTF8Error` if the encoding is another one."""
        if self._few is not None:
            try:
                texts = {value.decode() for value in self._few}
            except UnicodeDecodeError:
                raise NotUTF8Error(f"column {name!r}") from None
            markers = markers_among(texts, self._na_values)
            forms, rest = _Forms(), texts - markers
        else:
            if not self._is_utf8:
                raise NotUTF8Error(f"column {name!r}")
            markers = markers_among(self._signs | {"word" if self._worded else "+"}, self._na_values) & self._signs
            forms, rest = replace(self._forms), self._signs - markers
        forms.add(_FewTexts(rest))
        few = self._few is not None
        quoted: set[str] = set()
        if self._na_values is None and not (forms.any and forms.either and (not few or len(rest) > MOST_CODES)):
            # PyArrow has replaced these markers by null if they had no quotes. With quotes they are values, except in
            # a column of many numbers.
            quoted = markers & VALUES_IN_QUOTES
            markers -= quoted
            forms.add(_FewTexts(quoted))
        typing = partial(Typing, markers=markers, quoted=quoted, mark=mark, few=few, na_values=self._na_values)
        if forms.any and forms.integer and forms.fits:
            return typing(pa.int64(), marks=set())
        # Integers longer than 64 bits stay text: they are identifiers, and floats would merge neighbours.
        is_number = forms.any and not forms.integer and (forms.point if mark == "." else forms.comma)
        if is_number:
            has_mark = forms.has_point if mark == "." else forms.has_comma
            return typing(pa.float64(), marks={mark} if has_mark else set())
        return typing(_TEXT if few else pa.string(), marks=forms.marks_of_commas())


def decide_columns(
    label: str, names: Sequence[Name], columns: Sequence[TextColumn], decimal: str | None
) -> tuple[list[Typing], str]:
    """Infer the types of all columns, and the decimal mark unless it is given.

    Parameters
    ----------
    label : str
        Names the file in errors.
    names, columns : sequences
    decimal : {".", ","} or None
    """
    typings = [column.decide(name, decimal or ".") for name, column in zip(names, columns, strict=True)]
    if decimal is not None or not any("," in typing.marks for typing in typings):
        return typings, decimal or "."
    _check_commas(label, names, typings)
    return [
        column.decide(name, ",") if typing.may_change else typing
        for name, column, typing in zip(names, columns, typings, strict=True)
    ], ","


def _check_commas(label: str, names: Sequence[Name], typings: Sequence[Typing]) -> None:
    """Raise `DataError` if the data do not show that decimals have commas."""
    commas = [name for name, typing in zip(names, typings, strict=True) if "," in typing.marks]
    points = [name for name, typing in zip(names, typings, strict=True) if "." in typing.marks]
    decide = 'Say decimal="," or decimal="." (CLI: --decimal)'
    if points:
        raise DataError(
            f"{label} has numbers with decimal commas, in {listed(commas)}, and with decimal points, in "
            f"{listed(points)}. {decide}; the others are then text."
        )
    if not any("1,5" in typing.marks for typing in typings):
        raise DataError(
            f"the commas of numbers in {label} may be decimal commas or set thousands apart: {listed(commas)}. "
            f"{decide}: with a point these columns are text, until you remove the commas from the file."
        )


# Arrays are made from their buffers because `pa.array` would import pandas, which takes longer than all the rest.


def _as_text(array: pa.BinaryArray) -> pa.StringArray:
    """Reinterpret bytes, which are known to be UTF-8, as text."""
    return pa.Array.from_buffers(pa.string(), len(array), array.buffers(), offset=array.offset)


def _split_indices(indices: pa.Array) -> tuple[NDArray[np.int32], NDArray[np.uint8] | None]:
    """Return the indices, 0 for null, and which are valid; None if all are."""
    validity, numbers = indices.buffers()
    rows = slice(indices.offset, indices.offset + len(indices))
    inside = np.frombuffer(numbers, dtype=np.int32)[rows]
    if not indices.null_count:
        return inside, None
    valid = np.unpackbits(np.frombuffer(validity, dtype=np.uint8), bitorder="little")[rows]
    # The bytes beneath a null are undefined, so they are replaced by 0.
    return np.where(valid, inside, 0).astype(np.int32, copy=False), valid


def _taken(values: Sequence[float], indices: pa.Array, type_: pa.DataType) -> pa.Array:
    """Return the value at each index, null for a null index."""
    inside, valid = _split_indices(indices)
    present = None if valid is None else pa.py_buffer(np.packbits(valid, bitorder="little"))
    taken = np.array([*values, 0], dtype=np.int64 if type_ == pa.int64() else np.float64)[inside]
    return pa.Array.from_buffers(type_, len(taken), [present, pa.py_buffer(taken)])


def _without(texts: Sequence[str], indices: pa.Array, markers: Collection[str]) -> pa.Array:
    """Replace the dictionary indices of missing-value markers with null."""
    inside, valid = _split_indices(indices)
    value = np.array([text not in markers for text in texts] + [True])[inside]
    present = pa.py_buffer(np.packbits(value if valid is None else value & (valid > 0), bitorder="little"))
    return pa.Array.from_buffers(pa.int32(), len(inside), [present, pa.py_buffer(np.ascontiguousarray(inside))])
