"""How arcs look in every picture and report: this module alone decides it.

A dashed line says that the direction is arbitrary, a line without a head that no direction is shown. Colour says how
strong an arc is, or, in a comparison, what has become of it; there the dashes say the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import log1p
from typing import TypeVar

from stablebn.drawing.colours import BLUE, GREY, ORANGE, VERMILION, shade
from stablebn.drawing.scene import Stroke

Arc = TypeVar("Arc")

DASHES = (6.0, 3.5)

RIGHT, TURNED, EXTRA, MISSING = "as in the true graph", "otherwise directed", "not in the true graph", "not found"
COMPARED = {
    RIGHT: Stroke(BLUE, 1.6),
    TURNED: Stroke(ORANGE, 2.0, (9.0, 3.0, 2.0, 3.0)),
    EXTRA: Stroke(VERMILION, 1.8, (7.0, 3.0)),
    MISSING: Stroke(GREY, 1.6, (2.0, 2.6)),
}
"""What a comparison says of an edge, and how it is drawn then."""


def stroke_of(strength: float | None = None, *, arbitrary: bool = False) -> Stroke:
    """How an arc looks.

    Parameters
    ----------
    strength : float or None
        From 0 to 1, as `relative_strengths` says it; None: nothing is known of it.
    arbitrary : bool
        Neither the data nor knowledge tell its direction.
    """
    dashes = DASHES if arbitrary else ()
    return Stroke(dashes=dashes) if strength is None else Stroke(shade(strength), 1.2 + strength, dashes)


def relative_strengths(strengths: Mapping[Arc, float]) -> dict[Arc, float]:
    """How strong arcs are beside the strongest one, from 0 to 1.

    By the logarithm: the strongest arcs of a large table are a thousand times as strong as others that are certain.

    >>> relative_strengths({"a": 0.0, "b": 9.0, "c": 99.0})
    {'a': 0.0, 'b': 0.5, 'c': 1.0}
    """
    most = log1p(max([0.0, *strengths.values()]))
    return {arc: log1p(max(0.0, own)) / most if most else 0.0 for arc, own in strengths.items()}
