"""Shorten long names for the boxes of the graph, and estimate their width without a font."""

from __future__ import annotations

import unicodedata
from collections.abc import Hashable
from dataclasses import dataclass

from stablebn.errors import spelled

NODE_HEIGHT = 30.0
_LONGEST = 24
_LEAST_WIDTH = 48.0
# The sum of both sides.
_PADDING = 24.0
# Widths of letters of a usual sans-serif font of 12 pixels.
_NARROW, _USUAL, _WIDE, _SQUARE = 4.1, 7.1, 8.8, 12.2


@dataclass(frozen=True)
class Label:
    """A name as its box shows it, the full name, and the width of the box."""

    short: str
    full: str
    width: float


def label_of(name: Hashable) -> Label:
    """Return the label of a name.

    >>> label_of("smoke").short, label_of("x" * 500).short
    ('smoke', 'xxxxxxxxxxxxxxxxxxxxxxx…')
    """
    full = spelled(name)
    short = full if len(full) <= _LONGEST else f"{full[: _LONGEST - 1]}…"
    return Label(short, full, max(_LEAST_WIDTH, round(sum(map(_width, short)) + _PADDING, 1)))


def _width(letter: str) -> float:
    if unicodedata.combining(letter):
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF":
        return _SQUARE
    if letter in "ijlftrI.,:;'|!()[] ":
        return _NARROW
    return _WIDE if letter.isupper() or letter in "mwMW@%" else _USUAL
