"""Test that readers can distinguish the colours of the report, also with colour blindness."""

from __future__ import annotations

import re
from importlib.resources import files
from itertools import pairwise

import pytest

STYLE = files("stablebn.report").joinpath("style.css").read_text(encoding="utf-8")
COLOURS = {
    name: (light, dark)
    for name, light, dark in re.findall(r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)", STYLE)
}
SHADES = [f"s{at}" for at in range(5)]
TRUTHS = ["matched", "reversed", "undecided", "missing", "extra"]


def _luminance(colour: str) -> float:
    """Return the relative luminance (WCAG 2)."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: str, other: str) -> float:
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_text_and_lines_stand_out(theme: int) -> None:
    texts = [("ink", "card"), ("ink", "page"), ("ink", "node"), ("ink", "soft"), ("ink", "warn-soft")]
    texts += [(name, back) for name in ("muted", "accent", "warn") for back in ("card", "page", "soft")]
    texts += [("accent", "accent-soft"), ("warn", "warn-soft"), *((name, "card") for name in TRUTHS)]
    least = dict.fromkeys(texts, 4.5) | {(name, "card"): 3.0 for name in SHADES}
    found = {pair: _contrast(COLOURS[pair[0]][theme], COLOURS[pair[1]][theme]) for pair in least}
    assert {pair: round(own, 2) for pair, own in found.items() if own < least[pair]} == {}


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_stronger_arcs_stand_out_more(theme: int) -> None:
    contrasts = [_contrast(COLOURS[name][theme], COLOURS["card"][theme]) for name in SHADES]
    assert contrasts == sorted(contrasts)
    assert all(b > 1.25 * a for a, b in pairwise(contrasts))
