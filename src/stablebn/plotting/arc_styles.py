"""Styles of arcs in every plot; the style sheet of the report has the same values.

A dashed line means an arbitrary direction, a line without a head an edge without a direction. Colour and width show the
strength of an arc. In a comparison, colour and dashes show the verdict.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import log
from typing import TypeVar

from stablebn.plotting.scene import Stroke

Arc = TypeVar("Arc")

DASHES = (6.0, 4.0)

SHADES = (
    Stroke("#7a96b6", 1.3),
    Stroke("#5a7fab", 1.6),
    Stroke("#3c689b", 1.9),
    Stroke("#234f87", 2.3),
    Stroke("#0b2a5e", 2.8),
)
"""Strokes of arcs from the weakest to the strongest, which differ in grey too."""

MATCHED, REVERSED, UNDECIDED, EXTRA, MISSING = "matched", "reversed", "undecided", "extra", "missing"
COMPARED = {
    MATCHED: Stroke("#00795a", 2.0),
    REVERSED: Stroke("#9c6500", 2.0, (10.0, 3.0, 2.0, 3.0)),
    UNDECIDED: Stroke("#0072b2", 2.0, (14.0, 3.0)),
    EXTRA: Stroke("#c2440e", 2.0, (5.0, 3.0)),
    MISSING: Stroke("#a3467f", 2.0, (1.5, 4.0)),
}
"""The strokes of edges by the verdict of a comparison."""

IN_WORDS = {
    MATCHED: "as in the true graph",
    REVERSED: "reversed",
    UNDECIDED: "directed in only one",
    EXTRA: "extra",
    MISSING: "missing",
}
"""The verdicts in words."""


def stroke_of(shade: int | None = None, *, arbitrary: bool = False) -> Stroke:
    """Return the stroke of an arc.

    Parameters
    ----------
    shade : int or None
        Its index in `SHADES`; None if its strength is not known.
    arbitrary : bool
        Whether neither the data nor knowledge determine its direction.
    """
    stroke = Stroke() if shade is None else SHADES[shade]
    return stroke._replace(dashes=DASHES) if arbitrary else stroke


def shades_of(strengths: Mapping[Arc, float]) -> dict[Arc, int]:
    """Return the shade of each arc, on a logarithmic scale from the weakest to the strongest.

    The scale is logarithmic because the strongest arcs of a large table are a thousand times as strong as other certain
    arcs.

    >>> shades_of({"a": -1.0, "b": 1.0, "c": 10.0, "d": 100.0})
    {'a': 0, 'b': 0, 'c': 2, 'd': 4}
    """
    above_zero = [strength for strength in strengths.values() if strength > 0]
    low, high = min(above_zero, default=0.0), max(above_zero, default=0.0)
    return {arc: _shade(strength, low, high) for arc, strength in strengths.items()}


def _shade(strength: float, low: float, high: float) -> int:
    if strength <= low or low == high:
        return len(SHADES) - 1 if strength == high > 0 else 0
    return min(len(SHADES) - 1, int(len(SHADES) * log(strength / low) / log(high / low)))
