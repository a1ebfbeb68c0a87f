"""Summaries of spooled columns: a list of distinct values with counts, or the limits of too many numbers or texts."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from stablebn.columns.arrow.numeric_text import is_number
from stablebn.columns.column import Mask
from stablebn.columns.encode import code_type, parts_of, plain, values_of
from stablebn.columns.kinds import all_whole, family, is_date
from stablebn.columns.na_values import markers_among
from stablebn.table.table import Weights

# The most distinct numbers in a list; with more, the numbers themselves are kept.
MOST_LISTED = 1 << 12

# The memory of a text in a list besides its letters: the object, its index, and its entry in the dict.
_BYTES_OF_TEXT = 160


@dataclass
class Limits:
    """A summary of numbers without a list.

    Attributes
    ----------
    least, greatest : int, float or None
        `None` if there are no numbers.
    whole : bool
        Whether all are integers, or floats with integer values.
    infinite, missing_count : int
        The numbers of rows with an infinite and with a missing value.
    known : int
        The number of rows with a value, by weight.
    """

    least: Any = None
    greatest: Any = None
    whole: bool = True
    infinite: int = 0
    missing_count: int = 0
    known: int = 0

    def add(self, numbers: NDArray[Any], missing: Mask | None, weights: Weights | None) -> None:
        """Add more numbers."""
        there = slice(None) if missing is None else ~missing
        present = numbers[there]
        self.missing_count += len(numbers) - len(present)
        self.known += len(present) if weights is None else int(weights[there].sum())
        if not len(present):
            return
        least, greatest = present.min().item(), present.max().item()
        self.least = least if self.least is None else min(self.least, least)
        self.greatest = greatest if self.greatest is None else max(self.greatest, greatest)
        if present.dtype.kind == "f":
            self.infinite += int(np.isinf(present).sum()) if np.isinf([least, greatest]).any() else 0
            self.whole = self.whole and all_whole(present[:1000]) and all_whole(present)

    @classmethod
    def of_all(cls, parts: Sequence[Limits]) -> Limits:
        """Combine the summaries of several parts."""
        there = [own for own in parts if own.least is not None]
        return cls(
            min((own.least for own in there), default=None),
            max((own.greatest for own in there), default=None),
            all(own.whole for own in there),
            *(
                sum(numbers)
                for numbers in zip(*((own.infinite, own.missing_count, own.known) for own in parts), strict=True)
            ),
        )


TEXT = np.dtype([("first", "<u8"), ("second", "<u8"), ("blanks", "<u4"), ("form", "<u4")])
"""The summary of a text without a list: 128 bits of a hash, its number of blanks, and its form.

The probability that two of 10**9 distinct texts have the same hash is 10**-21."""

MISSING, DATE, NUMBER, MARKER, OTHER = range(5)


@dataclass
class Unlisted:
    """A summary of a text column whose distinct texts do not fit into memory.

    Attributes
    ----------
    missing_count, known : int
        The number of rows with a missing value, and of rows with a value, by weight.
    others : list of str
        The first three texts, in sorted order, that are neither numbers nor markers of missing values.
    """

    missing_count: int
    known: int
    others: list[str]

    @classmethod
    def of_all(cls, parts: Sequence[Unlisted]) -> Unlisted:
        """Combine the summaries of several parts."""
        others = {text for own in parts for text in own.others}
        return cls(sum(own.missing_count for own in parts), sum(own.known for own in parts), sorted(others)[:3])


def _kept_of(text: str | None) -> tuple[int, int, int, int]:
    """Return the summary of a text, see `TEXT`."""
    if text is None:
        return 0, 0, 0, MISSING
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    first, second = int.from_bytes(digest[:8], "little"), int.from_bytes(digest[8:], "little")
    return first, second, text.count(" "), _form_of(text)


def _form_of(text: str) -> int:
    if is_number(text):
        return NUMBER
    # Together with a number, as in `classify_texts`.
    if markers_among([text, "1"]) - {"1"}:
        return MARKER
    return DATE if is_date(text) else OTHER


@dataclass
class SpooledColumn:
    """The summary of a spooled column.

    Attributes
    ----------
    type : pyarrow.DataType
        The type of the spooled values.
    values : list
        The list of distinct values; the first is None, a missing value.
    rows, weight : int64 array [values]
        The number of rows with each value, and the sum of their weights.
    limits : Limits or None
        The summary of numbers, if they have no list.
    declared : dict of value to None
        The categories of its type.
    unlisted : Unlisted or None
        The summary of texts, if they have no list.
    """

    type: pa.DataType
    values: list[Any] = field(default_factory=lambda: [None])
    rows: NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, dtype=np.int64))
    weight: NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, dtype=np.int64))
    limits: Limits | None = None
    declared: dict[Hashable, None] = field(default_factory=dict)
    unlisted: Unlisted | None = None

    def __post_init__(self) -> None:
        self._place_of = {value: place for place, value in enumerate(self.values)}
        self.text_bytes = sum(len(own) + _BYTES_OF_TEXT for own in self.values if isinstance(own, str))

    def copied(self) -> SpooledColumn:
        """Return a copy, which does not change when rows are added."""
        limits = None if self.limits is None else replace(self.limits)
        unlisted = None if self.unlisted is None else replace(self.unlisted)
        return replace(self, values=[*self.values], limits=limits, declared={**self.declared}, unlisted=unlisted)

    @property
    def missing_count(self) -> int:
        """The number of rows with a missing value."""
        if self.unlisted is not None:
            return self.unlisted.missing_count
        return int(self.rows[0]) if self.limits is None else self.limits.missing_count

    def unlist(self) -> NDArray[Any]:
        """Remove the list of texts, and return the summary of each."""
        kept = np.fromiter(map(_kept_of, self.values), dtype=TEXT, count=len(self.values))
        self.unlisted = Unlisted(int(self.rows[0]), int(self.weight[1:].sum()), [])
        self._note_others(self.values, kept["form"])
        self.values, self._place_of, self.text_bytes = [None], {None: 0}, 0
        self.rows = self.weight = np.zeros(1, dtype=np.int64)
        return kept

    def _unlisted(self) -> Unlisted:
        """Return the summary that the column has without a list."""
        own = self.copied()
        if own.unlisted is None:
            own.unlist()
        assert own.unlisted is not None
        return own.unlisted

    def _note_others(self, texts: Sequence[str | None], forms: NDArray[Any]) -> None:
        assert self.unlisted is not None
        others = {text for text, form in zip(texts, forms.tolist(), strict=True) if form in (DATE, OTHER) and text}
        self.unlisted.others = sorted({*self.unlisted.others, *others})[:3]

    def _hashed(self, column: pa.ChunkedArray, weights: Weights | None, threads: int) -> list[KeptArray]:
        """Return the summaries of texts without a list."""
        assert self.unlisted is not None
        found = []
        for part in parts_of({"": column}, threads)[""]:
            occurring, places = np.unique(part.indices, return_inverse=True)
            texts = [part.values[place] for place in occurring.tolist()]
            kept = np.fromiter(map(_kept_of, texts), dtype=TEXT, count=len(texts))
            self._note_others(texts, kept["form"])
            found.append(kept[places])
        rows = np.concatenate([*found, np.empty(0, dtype=TEXT)])
        there = rows["form"] != MISSING
        self.unlisted.missing_count += int((~there).sum())
        self.unlisted.known += int(there.sum() if weights is None else weights[there].sum())
        return [KeptArray("texts", rows)]

    def numbers(self) -> NDArray[Any]:
        """Return the list as numbers, with 0 for the missing value."""
        return np.array([0, *self.values[1:]], dtype=_number_type(self.type))

    def add(self, column: pa.ChunkedArray, weights: Weights | None, threads: int) -> list[KeptArray]:
        """Add rows, and return the arrays that must be written for them."""
        if self.unlisted is not None:
            return self._hashed(column, weights, threads)
        if pa.types.is_dictionary(self.type):
            for chunk in column.chunks:
                self.declared.update(dict.fromkeys(own for own in values_of(chunk.dictionary) if own is not None))
        if self.limits is None:
            found = self._listed(column, weights, threads)
            if found is not None:
                return found
            # From now on there is no list: summarise what it has.
            self.limits = self._limits_of_listed()
        numbers, missing = _numbers(column)
        self.limits.add(numbers, missing, weights)
        return [KeptArray("numbers", numbers), *([] if missing is None else [KeptArray("missing", missing)])]

    def lookup(self, values: Sequence[Any]) -> NDArray[Any]:
        """Return the indices of the values of a part in this list; without a list, the summaries of texts."""
        if self.unlisted is not None:
            return np.fromiter(map(_kept_of, values), dtype=TEXT, count=len(values))
        if self.limits is not None:
            return np.empty(0)
        return np.array([self._place_of[value] for value in values], dtype=code_type(len(self.values) - 1))

    def _limits_of_listed(self) -> Limits:
        own = self.numbers()[1:]
        limits = Limits()
        limits.add(own, None, None)
        limits.missing_count, limits.known = int(self.rows[0]), int(self.weight[1:].sum())
        limits.infinite = int(self.rows[1:][np.isinf(own.astype(np.float64))].sum())
        return limits

    @classmethod
    def of_all(cls, parts: Sequence[SpooledColumn]) -> SpooledColumn:
        """Combine the summaries of several parts, each of which has its own list."""
        declared = {value: None for own in parts for value in own.declared}
        if any(own.unlisted is not None for own in parts):
            return cls(parts[0].type, declared=declared, unlisted=Unlisted.of_all([own._unlisted() for own in parts]))
        place_of = {value: place for place, value in enumerate(dict.fromkeys(v for own in parts for v in own.values))}
        too_many = _may_be_numbers(parts[0].type) and len(place_of) > MOST_LISTED
        if too_many or any(own.limits is not None for own in parts):
            limits = Limits.of_all([own.limits or own._limits_of_listed() for own in parts])
            return cls(parts[0].type, limits=limits, declared=declared)
        rows, weight = np.zeros((2, len(place_of)), dtype=np.int64)
        for own in parts:
            places = [place_of[value] for value in own.values]
            rows[places] += own.rows
            weight[places] += own.weight
        return cls(parts[0].type, list(place_of), rows, weight, declared=declared)

    def _listed(self, column: pa.ChunkedArray, weights: Weights | None, threads: int) -> list[KeptArray] | None:
        """Return the rows as indices in the list; `None` if the list would become too long."""
        # Imported here so that errors in the data can be reported without the core.
        from stablebn import _core

        parts = parts_of({"": column}, threads)[""]
        unknown = [part for part in parts if part.occurring is None]
        found = iter(
            _core.occurring(
                [part.indices for part in unknown],
                [part.least for part in unknown],
                [len(part.values) for part in unknown],
                threads,
            )
        )
        occurring = [next(found) if part.occurring is None else part.occurring for part in parts]
        if _may_be_numbers(self.type) and len(self.values) + max(map(len, occurring), default=0) > MOST_LISTED:
            return None
        lookups = []
        for part, own in zip(parts, occurring, strict=True):
            lookup = np.zeros(len(part.values), dtype=np.int32)
            for place in own:
                lookup[place] = self._place(part.values[place])
            lookups.append(lookup)
        dtype = code_type(len(self.values) - 1)
        places: NDArray[Any] = np.empty(sum(len(part.indices) for part in parts), dtype=dtype)
        ends = np.cumsum([len(part.indices) for part in parts])
        _core.translate(
            [part.indices for part in parts],
            [part.least for part in parts],
            [lookup.astype(dtype) for lookup in lookups],
            [places[end - len(part.indices) : end] for part, end in zip(parts, ends, strict=True)],
            threads,
        )
        self._count(places, weights)
        return [KeptArray("places", places)]

    def _place(self, value: Any) -> int:
        place = self._place_of.get(value)
        if place is None:
            place = self._place_of[value] = len(self.values)
            self.values.append(value)
            if isinstance(value, str):
                self.text_bytes += len(value) + _BYTES_OF_TEXT
        return place

    def _count(self, places: NDArray[Any], weights: Weights | None) -> None:
        count = len(self.values)
        rows = np.bincount(places, minlength=count)
        # The sums are exact: the weights of one part are few and small.
        weight = rows if weights is None else np.bincount(places, weights, minlength=count).astype(np.int64)
        self.rows, self.weight = (
            np.pad(before, (0, count - len(before))) + more
            for before, more in ((self.rows, rows), (self.weight, weight))
        )


def _may_be_numbers(type_: pa.DataType) -> bool:
    return not pa.types.is_dictionary(type_) and family(type_) in ("integer", "float")


def _number_type(type_: pa.DataType) -> np.dtype[Any]:
    values = type_.value_type if pa.types.is_dictionary(type_) else type_
    if family(values) != "integer":
        return np.dtype(np.float64)
    return np.dtype(np.uint64 if pa.types.is_unsigned_integer(values) else np.int64)


def _numbers(column: pa.ChunkedArray) -> tuple[NDArray[Any], Mask | None]:
    """Return the numbers of a column, and which of them are missing."""
    own = plain(column)
    missing = own.is_null().to_numpy() if own.null_count else None
    return own.fill_null(0).to_numpy(), missing


@dataclass(frozen=True)
class KeptArray:
    """An array of a column on disk: `what` is "places" (indices), "numbers", "missing" or "texts" (summaries)."""

    what: str
    values: NDArray[Any]
