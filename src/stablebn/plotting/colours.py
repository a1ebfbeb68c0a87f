"""Colours of pictures, and the look of every learner, fixed by its name: blue is Tabu-Stable wherever it is drawn."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from typing import NamedTuple

# Colours of Okabe and Ito, which colour-blind readers can tell apart too.
BLUE, ORANGE, GREEN, VERMILION, SKY, PURPLE = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7"
BLACK, GREY, PALE = "#000000", "#8C8C8C", "#D9D9D9"

# There are more learners than those; the rest are Tol's muted colours.
INDIGO, OLIVE, WINE, FOREST, TEAL, SAND = "#332288", "#999933", "#882255", "#117733", "#44AA99", "#B8A44C"


class Look(NamedTuple):
    """How something is drawn, in the words of matplotlib."""

    colour: str
    line: str
    marker: str


LOOKS = {
    "tabu-stable": Look(BLUE, "-", "o"),
    "hc-stable": Look(SKY, "-", "D"),
    "tabu": Look(GREEN, "-", "s"),
    "hc": Look(OLIVE, "--", "P"),
    "tabu-dec": Look(ORANGE, "--", "v"),
    "tabu-inc": Look(PURPLE, "-.", "^"),
    "hc-dec": Look(SAND, "--", "<"),
    "hc-inc": Look(TEAL, "-.", ">"),
    "fges": Look(WINE, "--", "X"),
    "mmhc": Look(FOREST, ":", "p"),
    "h2pc": Look(TEAL, ":", "h"),
    "pc-stable": Look(INDIGO, ":", "d"),
    "gs": Look(GREY, ":", "H"),
    "inter-iamb": Look(SAND, ":", "8"),
    "best": Look(VERMILION, "-", "*"),
    "averaged": Look(PURPLE, "-", "P"),
    "exact": Look(BLACK, "-", "."),
}
"""By the names of our learners."""

_LINES = (("-", "o"), ("--", "s"), ("-.", "^"), (":", "D"))
_COLOURS = (BLUE, ORANGE, GREEN, VERMILION, SKY, PURPLE, INDIGO, OLIVE, WINE, FOREST, BLACK)


def looks_of(labels: Iterable[str]) -> dict[str, Look]:
    """The look of each of some learners that stand in one picture.

    Parameters
    ----------
    labels : iterable of str
        Names of our learners, or what a study calls them.

    Returns
    -------
    dict of label to Look
        A name of ours has the look that it has everywhere, and a label that begins with one ("fges, strict") has its
        colour. Any other label has a look that depends on the label, and on the others only where two would be the
        same.
    """
    given = list(dict.fromkeys(labels))
    looks = {label: LOOKS[label] for label in given if label in LOOKS}
    for label in sorted(set(given) - set(LOOKS)):
        candidates = _candidates(label)
        looks[label] = next((look for look in candidates if look not in looks.values()), candidates[0])
    return {label: looks[label] for label in given}


def _candidates(label: str) -> list[Look]:
    """Looks for a label that is no name of ours, first those that suit it best."""
    name = re.split("[ ,]", label, maxsplit=1)[0]
    own = [Look(LOOKS[name].colour, line, marker) for line, marker in _LINES] if name in LOOKS else []
    others = [Look(colour, line, marker) for line, marker in _LINES for colour in _COLOURS]
    first = int.from_bytes(hashlib.sha256(label.encode()).digest()[:4], "big") % len(others)
    return [*own, *others[first:], *others[:first]]
