"""Colours of plots, and the line style of each algorithm: Tabu-Stable is blue in every plot."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from typing import NamedTuple

# Colours of Okabe and Ito, which colour-blind readers can distinguish.
BLUE, ORANGE, GREEN, VERMILION, SKY, PURPLE = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7"
BLACK, GREY, PALE = "#000000", "#8C8C8C", "#D9D9D9"

# More colours, as there are more learners than the above: Tol's muted ones.
INDIGO, OLIVE, WINE, FOREST, TEAL, SAND = "#332288", "#999933", "#882255", "#117733", "#44AA99", "#B8A44C"


class Look(NamedTuple):
    """A line style in the terms of matplotlib."""

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
"""The looks of our learners by name."""

_LINES = (("-", "o"), ("--", "s"), ("-.", "^"), (":", "D"))
_COLOURS = (BLUE, ORANGE, GREEN, VERMILION, SKY, PURPLE, INDIGO, OLIVE, WINE, FOREST, BLACK)


def looks_of(labels: Iterable[str]) -> dict[str, Look]:
    """Return the look of each learner in a plot.

    Parameters
    ----------
    labels : iterable of str
        Names of our learners, or labels of a study.

    Returns
    -------
    dict of label to Look
        Our names have the same look in every plot; a label that starts with one ("fges, strict") has its colour. The
        look of any other label depends on the label, and on other labels only if two looks would be equal.
    """
    unique = list(dict.fromkeys(labels))
    looks = {label: LOOKS[label] for label in unique if label in LOOKS}
    for label in sorted(set(unique) - set(LOOKS)):
        candidates = _candidates(label)
        looks[label] = next((look for look in candidates if look not in looks.values()), candidates[0])
    return {label: looks[label] for label in unique}


def _candidates(label: str) -> list[Look]:
    """Return looks for a label that is not one of our names, the most suitable first."""
    name = re.split("[ ,]", label, maxsplit=1)[0]
    same_colour = [Look(LOOKS[name].colour, line, marker) for line, marker in _LINES] if name in LOOKS else []
    others = [Look(colour, line, marker) for line, marker in _LINES for colour in _COLOURS]
    first = int.from_bytes(hashlib.sha256(label.encode()).digest()[:4], "big") % len(others)
    return [*same_colour, *others[first:], *others[:first]]
