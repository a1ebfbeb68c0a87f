"""Texts that stand for a missing value.

Those of pandas are missing wherever they stand. A question mark, a hyphen or a point by itself is missing too, unless
all else in the column is signs (+ beside -), and so is any of them with blanks around it: that is said in a caution.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from stablebn.data.table import Name
from stablebn.data.wording import Caution, tallied

# Those of pandas but None, which is an answer in many tables: no accident, none of these.
PANDAS_MARKERS = (
    *("", "#N/A", "#N/A N/A", "#NA", "<NA>", "N/A", "n/a", "NA", "NULL", "null"),
    *("NaN", "nan", "-NaN", "-nan", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
)

SIGNS = ("?", "-", ".")

_PANDAS_MARKERS, _ALL_MARKERS = frozenset(PANDAS_MARKERS), frozenset((*PANDAS_MARKERS, *SIGNS))

BLANKS = " \t"


def markers_among(texts: Collection[str]) -> set[str]:
    """Those of the distinct texts of a column that stand for a missing value.

    >>> sorted(markers_among(["3", "?", " NA"])), markers_among(["+", "-"])
    ([' NA', '?'], set())
    """
    stripped = {text: text.strip(BLANKS) for text in texts}
    markers = {text for text, bare in stripped.items() if bare in _ALL_MARKERS}
    others = stripped.keys() - markers
    if others and not any(letter.isalnum() for text in others for letter in text):
        return {text for text in markers if stripped[text] in _PANDAS_MARKERS}
    return markers


def without_markers(values: Sequence[object]) -> tuple[Sequence[object], set[str]]:
    """Values with None for the markers among them, and those markers that are not of pandas."""
    kinds = set(map(type, values))
    if str not in kinds:
        return values, set()
    markers = markers_among(
        {value for value in values if isinstance(value, str)} | ({"1"} if kinds & _NUMBERS else set())
    )
    kept = [None if isinstance(value, str) and value in markers else value for value in values]
    return kept, markers - _PANDAS_MARKERS


_NUMBERS = {int, float, bool}


def report_markers(found: Mapping[Name, Collection[str]]) -> list[Caution]:
    """Say in which columns which texts were taken for missing values."""
    told = {name: " ".join(repr(marker) for marker in sorted(markers)) for name, markers in found.items() if markers}
    if not told:
        return []
    message = f"taken for missing values: {tallied(told)}; where one is a value, write it as a word."
    return [Caution("markers", tuple(told), message)]
