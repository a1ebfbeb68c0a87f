"""The graph as SVG: what can be seen without a script, and what the script needs to find its way in it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from stablebn.plotting.layout import Point
from stablebn.report.content import Arc, Content, Variable
from stablebn.report.markup import Markup, element, joined

SHADES = 5
_HEAD_LENGTH, _HEAD_HALF = 9.0, 4.6
_MARGIN = 40.0


@dataclass(frozen=True)
class Shades:
    """Classes of strength, on a logarithmic scale from the weakest arc to the strongest."""

    low: float
    high: float

    @classmethod
    def of(cls, arcs: Sequence[Arc]) -> Shades | None:
        """Those of some arcs; None where none has a strength above zero."""
        strengths = [arc.strength for arc in arcs if arc.strength is not None and arc.strength > 0]
        return cls(min(strengths), max(strengths)) if strengths else None

    def shade(self, strength: float) -> int:
        """From 0, the weakest, to 4."""
        if strength <= self.low or self.low == self.high:
            return 0 if strength < self.high else SHADES - 1
        share = math.log(strength / self.low) / math.log(self.high / self.low)
        return min(SHADES - 1, int(share * SHADES))


def graph_picture(content: Content) -> Markup:
    """The graph, every part of which can be focused and chosen."""
    shades = Shades.of(content.learned)
    place = {variable.name: number for number, variable in enumerate(content.variables)}
    arcs = [_drawn_arc(content, arc, number, shades) for number, arc in enumerate(content.arcs)]
    nodes = [_drawn_node(content, variable, place[variable.name]) for variable in content.variables]
    width, height = content.layout.width, content.layout.height
    what = f"The learned graph: {len(content.variables)} variables, {len(content.learned)} edges."
    return element(
        "svg",
        element("g", *arcs, class_="arcs"),
        element("g", *nodes, class_="nodes"),
        id="drawing",
        role="group",
        aria_label=f"{what} Arrow keys move it, plus and minus zoom.",
        viewBox=f"0 0 {_number(width)} {_number(height)}",
        width=_number(width),
        height=_number(height),
        tabindex="0",
    )


def joined_size(content: Content) -> tuple[float, float]:
    """How large the picture is without the nodes that no edge joins."""
    boxes = [content.layout.boxes[variable.name] for variable in content.variables if not is_alone(content, variable)]
    points = [point for route in content.layout.routes.values() for point in route]
    right = max([*(box.x + box.width / 2 for box in boxes), *(point.x for point in points)], default=0.0)
    bottom = max([*(box.y + box.height / 2 for box in boxes), *(point.y for point in points)], default=0.0)
    return round(right + _MARGIN, 1), round(bottom + _MARGIN, 1)


def is_alone(content: Content, variable: Variable) -> bool:
    """Whether nothing in the picture joins it, be it only an edge of the true graph."""
    return variable.name not in {name for arc in content.arcs for name in arc.ends}


def mark_of(arc: Arc) -> str:
    """How an edge is written between its ends."""
    return "→" if arc.in_dag else "–"


def text_of(content: Content, arc: Arc) -> str:
    """An edge in words."""
    short = {variable.name: variable.label.short for variable in content.variables}
    return f"{short[arc.ends[0]]} {mark_of(arc)} {short[arc.ends[1]]}"


def _drawn_arc(content: Content, arc: Arc, number: int, shades: Shades | None) -> Markup:
    route = content.layout.routes[arc.ends]
    *before, end = route
    down = 1.0 if end.y > before[-1].y else -1.0
    base = Point(end.x, end.y - down * _HEAD_LENGTH)
    head = f"M{_at(end)}L{_at(Point(end.x - _HEAD_HALF, base.y))} {_at(Point(end.x + _HEAD_HALF, base.y))}z"
    has_strength = arc.strength is not None and shades is not None
    shade = shades.shade(arc.strength) if shades is not None and arc.strength is not None else None
    classes = [
        "arc",
        "plain" if shade is None else f"s{shade}",
        *(["arbitrary"] if arc.arbitrary else []),
        *(["headless-dag"] if not arc.in_dag else []),
        *(["headless-cpdag"] if not arc.in_class else []),
        *([f"t-{arc.truth}"] if arc.truth else []),
    ]
    said = [text_of(content, arc), arc.direction or "only in the true graph"]
    if has_strength:
        said.append(f"strength {arc.strength:,.2f}")
    return element(
        "g",
        element("title", ", ".join(said)),
        element("path", class_="hit", d=_path(route)),
        element("path", class_="line", d=_path((*before, base))),
        element("path", class_="tail", d=f"M{_at(base)}L{_at(end)}"),
        element("path", class_="head", d=head),
        class_=" ".join(classes),
        data_arc=number,
        tabindex="0",
        role="button",
        aria_label=", ".join(said),
    )


def _drawn_node(content: Content, variable: Variable, number: int) -> Markup:
    box = content.layout.boxes[variable.name]
    classes = ["node", variable.kind.replace(" ", "-"), *(["isolated"] if is_alone(content, variable) else [])]
    return element(
        "g",
        element("title", variable.label.full),
        element(
            "rect",
            x=_number(box.x - box.width / 2),
            y=_number(box.y - box.height / 2),
            width=_number(box.width),
            height=_number(box.height),
            rx=_number(box.height / 2 if variable.kind == "continuous" else 7),
        ),
        element("text", variable.label.short, x=_number(box.x), y=_number(box.y), dy="0.36em"),
        class_=" ".join(classes),
        data_node=number,
        tabindex="0",
        role="button",
        aria_label=f"{variable.label.short}, {variable.kind}",
    )


def _path(route: Sequence[Point]) -> str:
    curves = (" ".join(map(_at, route[i : i + 3])) for i in range(1, len(route), 3))
    return f"M{_at(route[0])}" + "".join(f"C{curve}" for curve in curves)


def _at(point: Point) -> str:
    return f"{_number(point.x)} {_number(point.y)}"


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def legend(content: Content) -> Markup:
    """What lines, shapes and colours mean."""
    parts: list[Markup] = []
    shades = Shades.of(content.learned)
    if any(not arc.arbitrary for arc in content.learned):
        parts.append(_key("solid", "direction decided"))
    if any(arc.arbitrary for arc in content.learned):
        parts.append(_key("arbitrary", "direction arbitrary"))
    if shades is not None:
        ramp = [_sample(f"s{shade}") for shade in range(SHADES)]
        low, high = (f"{value:,.3g}" if value < 100 else f"{value:,.0f}" for value in (shades.low, shades.high))
        parts.append(
            element(
                "span",
                element("span", f"{content.score_name} lost without the arc: {low}"),
                element("span", *ramp, class_="ramp"),
                element("span", high),
                class_="key by-strength",
            )
        )
    if content.comparison is not None:
        there = {arc.truth for arc in content.arcs}
        words = {
            "matched": "as in the true graph",
            "reversed": "reversed",
            "undecided": "directed in only one",
            "extra": "extra",
            "missing": "missing",
        }
        parts += [_key(f"t-{status}", word, "key by-truth") for status, word in words.items() if status in there]
    if {"categorical", "continuous"} <= {variable.kind for variable in content.variables}:
        parts.append(element("span", _shape("7"), "category", class_="key"))
        parts.append(element("span", _shape("9"), "number", class_="key"))
    return element("figcaption", *parts, class_="legend")


def _key(classes: str, words: str, of: str = "key") -> Markup:
    return element("span", _sample(classes), words, class_=of)


def _sample(classes: str) -> Markup:
    line = element("path", class_="line", d="M1 5H27")
    return element(
        "svg", element("g", line, class_=f"arc {classes}"), viewBox="0 0 28 10", class_="sample", aria_hidden="true"
    )


def _shape(radius: str) -> Markup:
    corner = "9" if radius == "9" else "4"
    rect = element("rect", x="1", y="1", width="26", height="14", rx=corner)
    return joined(
        element(
            "svg", element("g", rect, class_="node"), viewBox="0 0 28 16", class_="sample shape", aria_hidden="true"
        )
    )
