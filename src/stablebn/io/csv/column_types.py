"""What a column of a text file is, by a rule that looks at every value: integers, floats or text.

Columns are looked at some rows at a time, by their distinct texts, and what is decided is the same in whatever parts
they come. So a file in memory and one that is read in parts are decided by the same code.
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

BY_DISTINCT_BYTES = pa.dictionary(pa.int32(), pa.binary())
"""How columns are looked at: bytes, so that the column with a wrong encoding can be named, by their distinct values."""

_TEXT = pa.dictionary(pa.int32(), pa.string())


class NotUTF8Error(Exception):
    """Text that is in another encoding; says where."""


class _Texts(Protocol):
    """Different texts, of which some things are asked."""

    def __len__(self) -> int: ...

    def match(self, pattern: str) -> bool:
        """Whether all match a pattern as a whole."""

    def have(self, mark: str) -> bool:
        """Whether some have a mark in them."""

    def fit(self) -> bool:
        """Whether all, which are integers, have 64 bits at most."""


@dataclass(frozen=True)
class _FewTexts:
    """Texts that are looked at one by one."""

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
    """Texts that PyArrow looks at."""

    texts: pa.StringArray

    def __len__(self) -> int:
        return len(self.texts)

    # In these: its functions are imported here and not above, as it takes long, and few columns need them.

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
    """What all texts of a column are, but for those that stand for a missing value.

    Attributes
    ----------
    any : bool
        Whether there are any.
    integer, fits : bool
        Whether all are integers; and then, whether 64 bits hold them.
    point, comma, either : bool
        Whether all are numbers, decimals with points, with commas, or each with either.
    thousands : bool
        Whether commas may as well set thousands apart.
    has_point, has_comma : bool
        Whether some have one. That of points is looked for only where all are numbers so.
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
        """Look at more of them."""
        if not len(texts):
            return
        self.any = True
        if self.integer:
            if texts.match(INTEGER):
                # They are numbers by either mark, and have none.
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
        """What the texts of several parts are."""
        some = ("any", "has_point", "has_comma")
        return cls(
            **{
                own.name: (any if own.name in some else all)(getattr(part, own.name) for part in parts)
                for own in fields(cls)
            }
        )

    def marks_of_commas(self) -> set[str]:
        """What commas in a column of text may be; see `Typing`."""
        if not self.has_comma:
            return set()
        if self.comma:
            return {","} if self.thousands else {",", "1,5"}
        return {",", "."} if self.either else set()


@dataclass(frozen=True)
class Typing:
    """What a column of text is.

    Attributes
    ----------
    type : pyarrow.DataType
        int64, float64, or text: by distinct values where these are few.
    markers : set of str
        Texts that are read as missing values; PyArrow has already made null of the others.
    quoted : set of str
        Texts that would be missing without the quotes they are in.
    marks : set of str
        "." where there are decimals with points; "," where all are numbers if decimals have commas; "1,5" if besides
        a comma is no mark of thousands.
    mark : str
        The mark of decimals.
    few : bool
        Whether distinct texts are few enough to be looked at one by one.
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
        """Whether decimal commas would make another column of it."""
        return bool(self.marks) and self.type not in (pa.int64(), pa.float64())

    @property
    def reported(self) -> Markers:
        """The markers that a warning should name."""
        expected = PANDAS_MARKERS if self.na_values is None else self.na_values
        return Markers(self.markers.difference(expected), self.quoted)

    def typed(self, chunk: pa.DictionaryArray) -> pa.Array:
        """Some rows of the column."""
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
    """The texts of a column, looked at some rows at a time."""

    def __init__(self, na_values: Collection[str] | None = None) -> None:
        self._na_values = na_values
        self._few: set[bytes] | None = set()
        self._forms = _Forms()
        # Texts that may stand for a missing value, if they are many; and whether others are words or numbers.
        self._signs: set[str] = set()
        self._worded = False
        self._is_utf8 = True

    def add(self, chunk: pa.DictionaryArray) -> None:
        """Look at some rows."""
        distinct = chunk.dictionary
        if self._few is not None:
            if len(distinct) <= FEW_TEXTS:
                self._few.update(distinct.to_pylist())
            if max(len(self._few), len(distinct)) <= FEW_TEXTS:
                return
            self._list_no_more()
        self._look(distinct)

    def _list_no_more(self) -> None:
        before, self._few = self._few, None
        if before:
            self._look(pa.array(list(before), pa.binary()))

    @classmethod
    def of_all(cls, parts: Sequence[TextColumn]) -> TextColumn:
        """The column that has the texts of several; they are not looked at any more."""
        whole = cls(parts[0]._na_values)
        listed = [own._few for own in parts if own._few is not None]
        whole._few = set().union(*listed)
        if len(listed) < len(parts) or len(whole._few) > FEW_TEXTS:
            whole._list_no_more()
        every = [whole, *(own for own in parts if own._few is None)]
        whole._forms = _Forms.of_all([own._forms for own in every])
        whole._signs = set().union(*(own._signs for own in every))
        whole._worded = any(own._worded for own in every)
        whole._is_utf8 = all(own._is_utf8 for own in every)
        return whole

    def _look(self, distinct: pa.BinaryArray) -> None:
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
        """What the column is, where decimals have this mark; `NotUTF8Error` where it is in another encoding."""
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
            # Without quotes PyArrow has made null of them. Only a column of many numbers has no use for such a value.
            quoted = markers & VALUES_IN_QUOTES
            markers -= quoted
            forms.add(_FewTexts(quoted))
        typing = partial(Typing, markers=markers, quoted=quoted, mark=mark, few=few, na_values=self._na_values)
        if forms.any and forms.integer and forms.fits:
            return typing(pa.int64(), marks=set())
        # Longer than 64 bits: identifiers, and floats would merge neighbours.
        is_number = forms.any and not forms.integer and (forms.point if mark == "." else forms.comma)
        if is_number:
            has_mark = forms.has_point if mark == "." else forms.has_comma
            return typing(pa.float64(), marks={mark} if has_mark else set())
        return typing(_TEXT if few else pa.string(), marks=forms.marks_of_commas())


def decide_columns(
    label: str, names: Sequence[Name], columns: Sequence[TextColumn], decimal: str | None
) -> tuple[list[Typing], str]:
    """What the columns of a table are, and the mark of decimals: that which is asked for, or else found.

    Parameters
    ----------
    label : str
        Names the file in errors.
    names, columns : sequences
    decimal : {".", ","} or None
    """
    found = [own.decide(name, decimal or ".") for name, own in zip(names, columns, strict=True)]
    if decimal is not None or not any("," in own.marks for own in found):
        return found, decimal or "."
    _check_commas(label, names, found)
    return [
        column.decide(name, ",") if own.may_change else own
        for name, column, own in zip(names, columns, found, strict=True)
    ], ","


def _check_commas(label: str, names: Sequence[Name], found: Sequence[Typing]) -> None:
    """Raise `DataError` where it is not sure that decimals have commas."""
    commas = [name for name, own in zip(names, found, strict=True) if "," in own.marks]
    points = [name for name, own in zip(names, found, strict=True) if "." in own.marks]
    decide = 'Say decimal="," or decimal="." (CLI: --decimal)'
    if points:
        raise DataError(
            f"{label} has numbers with decimal commas, in {listed(commas)}, and with decimal points, in "
            f"{listed(points)}. {decide}; the others are then text."
        )
    if not any("1,5" in own.marks for own in found):
        raise DataError(
            f"the commas of numbers in {label} may be decimal commas or set thousands apart: {listed(commas)}. "
            f"{decide}: with a point these columns are text, until you leave the commas out of the file."
        )


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


def _taken(values: Sequence[float], indices: pa.Array, type_: pa.DataType) -> pa.Array:
    """The value at each index, null where that is."""
    inside, valid = _places(indices)
    present = None if valid is None else pa.py_buffer(np.packbits(valid, bitorder="little"))
    taken = np.array([*values, 0], dtype=np.int64 if type_ == pa.int64() else np.float64)[inside]
    return pa.Array.from_buffers(type_, len(taken), [present, pa.py_buffer(taken)])


def _without(texts: Sequence[str], indices: pa.Array, markers: Collection[str]) -> pa.Array:
    """Indices that are null where a marker is meant."""
    inside, valid = _places(indices)
    value = np.array([text not in markers for text in texts] + [True])[inside]
    present = pa.py_buffer(np.packbits(value if valid is None else value & (valid > 0), bitorder="little"))
    return pa.Array.from_buffers(pa.int32(), len(inside), [present, pa.py_buffer(np.ascontiguousarray(inside))])
