"""Text that is numbers: "3.5" beside "?", say, as pandas reads a file whose missing values it does not know."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Hashable, Sequence
from typing import NamedTuple

from stablebn.columns.column import CategoricalColumn, NumericColumn
from stablebn.columns.na_values import markers_among

# Not 007, which is a label, nor inf, nor 1_000.
_NUMBER = re.compile(r"[+-]?(0|[1-9][0-9]*|(?=\.))(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?")


class NumberText(NamedTuple):
    """What the distinct texts of a column are.

    Attributes
    ----------
    numbers : list of str
    markers : list of str
        Of missing values.
    others : list of str
    """

    numbers: list[str]
    markers: list[str]
    others: list[str]


def classify_texts(levels: Sequence[Hashable], na_values: Collection[str] | None = None) -> NumberText:
    """Part the texts that are numbers from those that are not.

    >>> classify_texts(["1.5", "2", "007", "?"])
    NumberText(numbers=['1.5', '2'], markers=['?'], others=['007'])
    """
    texts = [level for level in levels if isinstance(level, str)]
    numbers = [text for text in texts if is_number(text)]
    rest = set(texts) - set(numbers)
    # Beside a number a sign such as ? or - is no value.
    markers = markers_among(rest | {"1"}, na_values) & rest
    others = rest - markers
    return NumberText(numbers, [text for text in texts if text in markers], [text for text in texts if text in others])


def is_number(text: str) -> bool:
    """Whether a text is a number."""
    return _NUMBER.fullmatch(text.strip()) is not None


def as_numbers(column: CategoricalColumn, na_values: Collection[str] | None = None) -> NumericColumn:
    """The numbers of a column of text, NaN for what is none."""
    found = classify_texts(column.levels, na_values)
    number_of = {text: float(text) for text in found.numbers}
    return column.with_numbers([number_of.get(str(level), math.nan) for level in column.levels])
