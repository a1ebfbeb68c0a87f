"""Recognise texts that stand for a missing value.

By default the texts of pandas are missing. With a warning, so are a question mark, a hyphen or a point by itself
(unless the other values of the column are signs too, such as + beside -), and any of these texts with blanks around
it. In a text file, a word such as "NA" in quotes is a value. The option `na_values` replaces this list; an empty field
is always missing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from stablebn.errors import OptionError, shown
from stablebn.messages import Caution, tallied
from stablebn.options import is_iterable
from stablebn.table.table import Name

# The list of pandas without "None", which is an answer in many tables.
PANDAS_MARKERS = (
    *("", "#N/A", "#N/A N/A", "#NA", "<NA>", "N/A", "n/a", "NA", "NULL", "null"),
    *("NaN", "nan", "-NaN", "-nan", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
)

SIGNS = ("?", "-", ".")

_PANDAS_MARKERS, _ALL_MARKERS = frozenset(PANDAS_MARKERS), frozenset((*PANDAS_MARKERS, *SIGNS))

# The empty text is missing in quotes too, because pandas writes it so.
VALUES_IN_QUOTES = _PANDAS_MARKERS - {""}

BLANKS = " \t"


class Markers(NamedTuple):
    """The markers of missing values that were found in a column.

    Attributes
    ----------
    missing : collection of str
        Texts that were read as missing values and that a warning names.
    values : collection of str
        Texts that were read as values because they are in quotes.
    """

    missing: Collection[str]
    values: Collection[str] = ()


def check_na_values(name: str, value: object) -> None:
    """Raise `OptionError` unless the value is a list of texts, or one text with commas between them."""
    texts = [value] if isinstance(value, str) else value
    if not is_iterable(texts) or not all(isinstance(text, str) for text in texts):
        raise OptionError(
            f'{name}={shown(value)} must be a list of texts, such as ["NA", "-99"]; "" for empty fields only.'
        )


def na_values_from(value: Sequence[str] | str) -> tuple[str, ...]:
    """Return the texts that the option `na_values` names, sorted, with the empty text among them.

    >>> na_values_from("NA, -99"), na_values_from([])
    (('', '-99', 'NA'), ('',))
    """
    texts = [value] if isinstance(value, str) else value
    return tuple(sorted({"", *(part.strip() for text in texts for part in text.split(","))}))


def possible_markers(na_values: Collection[str] | None = None) -> Collection[str]:
    """Return the texts that may stand for a missing value, without blanks around them."""
    return _ALL_MARKERS if na_values is None else na_values


def markers_among(texts: Collection[str], na_values: Collection[str] | None = None) -> set[str]:
    """Return the distinct texts of a column that stand for a missing value.

    >>> sorted(markers_among(["3", "?", " NA"])), markers_among(["+", "-"]), markers_among(["3", "?"], ["3"])
    ([' NA', '?'], set(), {'3'})
    """
    stripped = {text: text.strip(BLANKS) for text in texts}
    known = possible_markers(na_values)
    markers = {text for text, bare in stripped.items() if bare in known}
    others = stripped.keys() - markers
    if na_values is None and others and not any(letter.isalnum() for text in others for letter in text):
        return {text for text in markers if stripped[text] in _PANDAS_MARKERS}
    return markers


def without_markers(
    values: Sequence[object], na_values: Collection[str] | None = None
) -> tuple[Sequence[object], set[str]]:
    """Replace the markers among the values by None; also return those that a warning should name."""
    if na_values is not None:
        return [None if _is_named(value, na_values) else value for value in values], set()
    kinds = set(map(type, values))
    if str not in kinds:
        return values, set()
    markers = markers_among(
        {value for value in values if isinstance(value, str)} | ({"1"} if kinds & _NUMBERS else set())
    )
    kept = [None if isinstance(value, str) and value in markers else value for value in values]
    return kept, markers - _PANDAS_MARKERS


_NUMBERS = {int, float, bool}


def _is_named(value: object, na_values: Collection[str]) -> bool:
    """Check whether `na_values` names a value: a text, or a number in its shortest form (-99 also for -99.0)."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value)) in na_values or str(value) in na_values
    return isinstance(value, str | int) and str(value).strip(BLANKS) in na_values


def report_markers(found: Mapping[Name, Markers]) -> list[Caution]:
    """Warn which texts were read as missing values, and which as values, in which columns."""
    cautions = []
    missing = _spelled({name: own.missing for name, own in found.items()})
    if missing:
        message = (
            f"taken for missing values: {tallied(missing)}; where one is a value, write it as a word, or list in "
            "na_values= (CLI: --na-values) the texts of a file that are missing."
        )
        cautions.append(Caution("markers", tuple(missing), message))
    values = _spelled({name: own.values for name, own in found.items()})
    if values:
        message = (
            f"taken for values, because they are in quotes: {tallied(values)}; if they are missing values, list them "
            "in na_values= (CLI: --na-values)."
        )
        cautions.append(Caution("quoted-markers", tuple(values), message))
    return cautions


def _spelled(found: Mapping[Name, Collection[str]]) -> dict[Name, str]:
    return {name: " ".join(repr(marker) for marker in sorted(markers)) for name, markers in found.items() if markers}
