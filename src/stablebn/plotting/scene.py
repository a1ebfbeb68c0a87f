"""What a picture of a graph is made of, whoever paints it: boxes with names, curves, heads of arrows, lines of text.

Lengths are in points (1/72 inch) of a picture that is not made smaller; y grows downwards, as in SVG.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from math import hypot
from typing import NamedTuple

INK, PAPER, BORDER, FILL = "#1d2127", "#ffffff", "#aeb7c2", "#fbfcfd"
"""Of letters, of the ground, and of the boxes; `arc_styles` has the colours of arcs."""

LETTERS = 12.0
"""The size of the letters of a name."""

CORNER = 6.0
"""The radius of the corners of boxes."""

_HEAD_LENGTH, _HEAD_WIDTH = 9.0, 6.0
# Of the size of the letters.
_NARROW, _USUAL, _BROAD, _FULL = 0.36, 0.62, 0.9, 1.05


class Spot(NamedTuple):
    """A place in the picture."""

    x: float
    y: float


class NameBox(NamedTuple):
    """A box with a name in it; `note` is what is told of it where something can be: in SVG, under the pointer."""

    x: float
    y: float
    width: float
    height: float
    text: str
    note: str


class Stroke(NamedTuple):
    """How a line looks; `dashes` are lengths of line and gap in turn, none of a solid one."""

    colour: str = INK
    width: float = 1.4
    dashes: tuple[float, ...] = ()


class Curve(NamedTuple):
    """A line: its start, then by threes the control points and ends of cubic Bezier curves."""

    path: tuple[Spot, ...]
    stroke: Stroke
    note: str = ""


class Head(NamedTuple):
    """The head of an arrow."""

    corners: tuple[Spot, Spot, Spot]
    colour: str


class Words(NamedTuple):
    """A line of text that starts here; y is that of its middle."""

    x: float
    y: float
    text: str
    size: float = LETTERS
    bold: bool = False


@dataclass(frozen=True)
class Scene:
    """All of a picture, in the order in which it is painted."""

    width: float
    height: float
    curves: tuple[Curve, ...]
    heads: tuple[Head, ...]
    boxes: tuple[NameBox, ...]
    words: tuple[Words, ...]


def arrow(path: tuple[Spot, ...], stroke: Stroke, note: str = "") -> tuple[Curve, Head]:
    """A line with a head at its end, which points the way that the line comes from."""
    *before, (control_x, control_y), (x, y) = path
    length = hypot(x - control_x, y - control_y) or 1.0
    along, aside = ((x - control_x) / length, (y - control_y) / length), _HEAD_WIDTH / 2 + 0.7 * stroke.width
    back = Spot(x - _HEAD_LENGTH * along[0], y - _HEAD_LENGTH * along[1])
    left = Spot(back.x - aside * along[1], back.y + aside * along[0])
    right = Spot(back.x + aside * along[1], back.y - aside * along[0])
    # The line ends under the head, so that a broad one does not show beside its point.
    end = Spot(x - 0.7 * _HEAD_LENGTH * along[0], y - 0.7 * _HEAD_LENGTH * along[1])
    return Curve((*before, Spot(control_x, control_y), end), stroke, note), Head(
        (Spot(x, y), left, right), stroke.colour
    )


def breadth(text: str, size: float = LETTERS) -> float:
    """About how much room a line of text takes in a usual font: rather too much than too little.

    >>> breadth("lll") < breadth("abc") < breadth("WWW")
    True
    """
    return size * sum(map(_letter, text))


def _letter(letter: str) -> float:
    if unicodedata.combining(letter):
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF":
        return _FULL
    if letter in "iljtfrI.,:;|!'()[] ":
        return _NARROW
    if letter in "mwMW@%":
        return _BROAD
    return 0.7 if letter.isupper() else _USUAL


def shortened(text: str, most: int) -> str:
    """A text with at most so many letters: of a longer one its beginning and its end.

    >>> shortened("temperature_outside_in_the_morning", 16)
    'temperatu…orning'
    """
    if len(text) <= most:
        return text
    start = (most - 1) * 3 // 5
    return f"{text[:start]}…{text[len(text) - (most - 1 - start) :]}"
