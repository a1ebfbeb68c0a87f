"""Write a scene as SVG that stands alone and has no ids, so that two of them can be in one page."""

from __future__ import annotations

import re
from html import escape

from stablebn.plotting.scene import (
    BORDER,
    CORNER,
    FILL,
    INK,
    LETTERS,
    PAPER,
    Curve,
    Head,
    NameBox,
    Scene,
    Spot,
    Words,
)

FONT = "DejaVu Sans, Verdana, Segoe UI, Helvetica, Arial, sans-serif"
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def svg_of(scene: Scene, label: str) -> str:
    """Return the text of an SVG, which depends only on the scene and the label.

    The SVG shrinks to the width of its container. Screen readers read the label.
    """
    width, height = _number(scene.width), _number(scene.height)
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}" style="max-width:100%;height:auto"'
    accessibility = f'role="img" aria-label="{_escaped(label)}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="{FONT}" {accessibility}>',
            f'<rect width="{width}" height="{height}" fill="{PAPER}"/>',
            *map(_curve, scene.curves),
            *map(_head, scene.heads),
            *map(_box, scene.boxes),
            *map(_words, scene.words),
            "</svg>",
        ]
    )


def _curve(curve: Curve) -> str:
    start, *rest = map(_spot, curve.path)
    path = f"M{start}C{' '.join(rest)}"
    look = f'fill="none" stroke="{curve.stroke.colour}" stroke-width="{_number(curve.stroke.width)}"'
    if curve.stroke.dashes:
        look += f' stroke-dasharray="{" ".join(map(_number, curve.stroke.dashes))}"'
    return f'<path d="{path}" {look}/>' if not curve.note else f'<path d="{path}" {look}>{_title(curve.note)}</path>'


def _head(head: Head) -> str:
    return f'<polygon points="{" ".join(map(_spot, head.corners))}" fill="{head.colour}"/>'


def _box(box: NameBox) -> str:
    left, top, width, height = map(_number, (box.x - box.width / 2, box.y - box.height / 2, box.width, box.height))
    frame = (
        f'<rect x="{left}" y="{top}" width="{width}" height="{height}" rx="{CORNER}" fill="{FILL}" stroke="{BORDER}"/>'
    )
    name = _text(box.x, box.y, box.text, LETTERS, 'text-anchor="middle"')
    return f"<g>{_title(box.note) if box.note else ''}{frame}{name}</g>"


def _words(words: Words) -> str:
    return _text(words.x, words.y, words.text, words.size, 'font-weight="bold"' if words.bold else "")


def _text(x: float, y: float, text: str, size: float, look: str) -> str:
    # Not every program supports dominant-baseline; the middle of small letters is about a third of their size up.
    below = _number(y + 0.35 * size)
    look = f" {look}" if look else ""
    return f'<text x="{_number(x)}" y="{below}" font-size="{_number(size)}" fill="{INK}"{look}>{_escaped(text)}</text>'


def _title(note: str) -> str:
    return f"<title>{_escaped(note)}</title>"


def _escaped(text: str) -> str:
    return escape(_NOT_XML.sub("\ufffd", text))


def _spot(spot: Spot) -> str:
    return f"{_number(spot.x)},{_number(spot.y)}"


def _number(value: float) -> str:
    """Format a number to a tenth of a point, without a trailing zero."""
    return f"{value:.1f}".removesuffix(".0")
