"""Recognise numbers in a column of text: "3.5" beside "?", as pandas reads a file with unknown missing values."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Hashable, Sequence
from typing import NamedTuple

from stablebn.columns.column import CategoricalColumn, NumericColumn
from stablebn.columns.na_values import markers_among

# The pattern refuses 007 (a label), inf and 1_000.
_NUMBER = re.compile(r"[+-]?(0|[1-9][0-9]*|(?=\.))(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?")


class NumberText(NamedTuple):
    """Distinct texts of a column: numbers, markers of missing values, and others."""

    numbers: list[str]
    markers: list[str]
    others: list[str]


def classify_texts(levels: Sequence[Hashable], na_values: Collection[str] | None = None) -> NumberText:
    """Classify texts as numbers, markers of missing values, and others.

    >>> classify_texts(["1.5", "2", "007", "?"])
    NumberText(numbers=['1.5', '2'], markers=['?'], others=['007'])
    """
    texts = [level for level in levels if isinstance(level, str)]
    numbers = [text for text in texts if is_number(text)]
    rest = set(texts) - set(numbers)
    # "1" is added because beside a number, a sign such as ? or - is a marker.
    markers = markers_among(rest | {"1"}, na_values) & rest
    others = rest - markers
    return NumberText(numbers, [text for text in texts if text in markers], [text for text in texts if text in others])


def is_number(text: str) -> bool:
    """Return whether a text is a number."""
    return _NUMBER.fullmatch(text.strip()) is not None


def as_numbers(column: CategoricalColumn, na_values: Collection[str] | None = None) -> NumericColumn:
    """Convert a column of text to numbers, with NaN for texts that are not numbers."""
    found = classify_texts(column.levels, na_values)
    number_of = {text: float(text) for text in found.numbers}
    return column.with_numbers([number_of.get(str(level), math.nan) for level in column.levels])
