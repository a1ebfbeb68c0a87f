"""The elements of a plot of a graph, for SVG and matplotlib: boxes with names, curves, arrow heads, lines of text.

Lengths are in points (1/72 inch) before any scaling; y grows downwards, as in SVG.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from math import hypot
from typing import NamedTuple

INK, PAPER, BORDER, FILL = "#1d2127", "#ffffff", "#aeb7c2", "#fbfcfd"
"""Colours of letters, background, and borders and insides of boxes; `arc_styles` has the colours of arcs."""

LETTERS = 12.0
"""The size of the letters of a name."""

CORNER = 6.0
"""The radius of the corners of boxes."""

_HEAD_LENGTH, _HEAD_WIDTH = 9.0, 6.0
# Widths of letters as shares of their size.
_NARROW, _USUAL, _BROAD, _FULL = 0.36, 0.62, 0.9, 1.05


class Spot(NamedTuple):
    """A position in the plot."""

    x: float
    y: float


class NameBox(NamedTuple):
    """A box with a name in it; `note` is its tooltip in SVG."""

    x: float
    y: float
    width: float
    height: float
    text: str
    note: str


class Stroke(NamedTuple):
    """The style of a line; `dashes` are alternating lengths of line and gap, empty for a solid line."""

    colour: str = INK
    width: float = 1.4
    dashes: tuple[float, ...] = ()


class Curve(NamedTuple):
    """A line: its start, then two control points and the end of each cubic Bezier curve."""

    path: tuple[Spot, ...]
    stroke: Stroke
    note: str = ""


class Head(NamedTuple):
    """An arrow head."""

    corners: tuple[Spot, Spot, Spot]
    colour: str


class Words(NamedTuple):
    """A line of text: the x of its start and the y of its middle."""

    x: float
    y: float
    text: str
    size: float = LETTERS
    bold: bool = False


@dataclass(frozen=True)
class Scene:
    """The elements of a plot in the order in which they are drawn."""

    width: float
    height: float
    curves: tuple[Curve, ...]
    heads: tuple[Head, ...]
    boxes: tuple[NameBox, ...]
    words: tuple[Words, ...]


def arrow(path: tuple[Spot, ...], stroke: Stroke, note: str = "") -> tuple[Curve, Head]:
    """Return a line and the arrow head at its end, in the direction of the line."""
    *before, (control_x, control_y), (x, y) = path
    length = hypot(x - control_x, y - control_y) or 1.0
    along, half_width = ((x - control_x) / length, (y - control_y) / length), _HEAD_WIDTH / 2 + 0.7 * stroke.width
    back = Spot(x - _HEAD_LENGTH * along[0], y - _HEAD_LENGTH * along[1])
    left = Spot(back.x - half_width * along[1], back.y + half_width * along[0])
    right = Spot(back.x + half_width * along[1], back.y - half_width * along[0])
    # End the line below the head, so that a broad line does not stick out at the tip.
    end = Spot(x - 0.7 * _HEAD_LENGTH * along[0], y - 0.7 * _HEAD_LENGTH * along[1])
    return Curve((*before, Spot(control_x, control_y), end), stroke, note), Head(
        (Spot(x, y), left, right), stroke.colour
    )


def breadth(text: str, size: float = LETTERS) -> float:
    """Estimate the width of a line of text in a usual font; the estimate is rather too large than too small.

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
    """Shorten a text to at most `most` letters: its start and its end.

    >>> shortened("temperature_outside_in_the_morning", 16)
    'temperatu…orning'
    """
    if len(text) <= most:
        return text
    start = (most - 1) * 3 // 5
    return f"{text[:start]}…{text[len(text) - (most - 1 - start) :]}"
