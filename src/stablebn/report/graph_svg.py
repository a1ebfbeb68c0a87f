"""Compute the drawing of the graph as SVG: coordinates, paths and classes, which the template writes down."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from stablebn.plotting.layout import Point
from stablebn.report.content import Arc, Content, Variable
from stablebn.report.labels import Label

SHADES = 5
_HEAD_LENGTH, _HEAD_HALF = 9.0, 4.6
_MARGIN = 40.0


@dataclass(frozen=True)
class Shades:
    """Classes of strength on a logarithmic scale, between the strengths of the weakest and the strongest arc."""

    low: float
    high: float

    @classmethod
    def of(cls, arcs: Sequence[Arc]) -> Shades | None:
        """Return the classes of strength of some arcs; None if none has a strength above zero."""
        strengths = [arc.strength for arc in arcs if arc.strength is not None and arc.strength > 0]
        return cls(min(strengths), max(strengths)) if strengths else None

    def shade(self, strength: float) -> int:
        """Return the class of a strength, from 0 (weakest) to 4."""
        if strength <= self.low or self.low == self.high:
            return 0 if strength < self.high else SHADES - 1
        share = math.log(strength / self.low) / math.log(self.high / self.low)
        return min(SHADES - 1, int(share * SHADES))


@dataclass(frozen=True)
class ArcDrawing:
    """An arc in SVG: classes for the style, what a screen reader says, and paths; the tail is below the head."""

    classes: str
    title: str
    route: str
    line: str
    tail: str
    head: str


@dataclass(frozen=True)
class NodeDrawing:
    """A variable in SVG: classes for the style, names, the box and its middle."""

    classes: str
    label: Label
    kind: str
    x: str
    y: str
    left: str
    top: str
    width: str
    height: str
    radius: str


@dataclass(frozen=True)
class GraphDrawing:
    """The graph in SVG; `isolated` counts the variables without edges, `shades` is None if no arc has a strength."""

    width: str
    height: str
    arcs: tuple[ArcDrawing, ...]
    nodes: tuple[NodeDrawing, ...]
    isolated: int
    shades: Shades | None


def drawing_of(content: Content) -> GraphDrawing:
    """Compute the drawing of a graph."""
    shades = Shades.of(content.learned)
    return GraphDrawing(
        width=_number(content.layout.width),
        height=_number(content.layout.height),
        arcs=tuple(_arc_drawing(content, arc, shades) for arc in content.arcs),
        nodes=tuple(_node_drawing(content, variable) for variable in content.variables),
        isolated=sum(is_isolated(content, variable) for variable in content.variables),
        shades=shades,
    )


def compact_size(content: Content) -> tuple[float, float]:
    """Return the width and height of the drawing without isolated nodes."""
    boxes = [
        content.layout.boxes[variable.name] for variable in content.variables if not is_isolated(content, variable)
    ]
    points = [point for route in content.layout.routes.values() for point in route]
    right = max([*(box.x + box.width / 2 for box in boxes), *(point.x for point in points)], default=0.0)
    bottom = max([*(box.y + box.height / 2 for box in boxes), *(point.y for point in points)], default=0.0)
    return round(right + _MARGIN, 1), round(bottom + _MARGIN, 1)


def is_isolated(content: Content, variable: Variable) -> bool:
    """Return whether a variable has no edge in the drawing, which also shows the edges of the true graph."""
    return variable.name not in {name for arc in content.arcs for name in arc.ends}


def mark_of(arc: Arc) -> str:
    """Return the sign between the ends of an edge."""
    return "→" if arc.in_dag else "–"


def text_of(content: Content, arc: Arc) -> str:
    """Return an edge as text."""
    short = {variable.name: variable.label.short for variable in content.variables}
    return f"{short[arc.ends[0]]} {mark_of(arc)} {short[arc.ends[1]]}"


def _arc_drawing(content: Content, arc: Arc, shades: Shades | None) -> ArcDrawing:
    route = content.layout.routes[arc.ends]
    *before, end = route
    down = 1.0 if end.y > before[-1].y else -1.0
    base = Point(end.x, end.y - down * _HEAD_LENGTH)
    shade = None if shades is None or arc.strength is None else shades.shade(arc.strength)
    classes = [
        "arc",
        "plain" if shade is None else f"s{shade}",
        *(["arbitrary"] if arc.arbitrary else []),
        *(["headless-dag"] if not arc.in_dag else []),
        *(["headless-cpdag"] if not arc.in_class else []),
        *([f"t-{arc.truth}"] if arc.truth else []),
    ]
    words = [text_of(content, arc), arc.direction or "only in the true graph"]
    if shade is not None:
        words.append(f"strength {arc.strength:,.2f}")
    return ArcDrawing(
        classes=" ".join(classes),
        title=", ".join(words),
        route=_path(route),
        line=_path((*before, base)),
        tail=f"M{_at(base)}L{_at(end)}",
        head=f"M{_at(end)}L{_at(Point(end.x - _HEAD_HALF, base.y))} {_at(Point(end.x + _HEAD_HALF, base.y))}z",
    )


def _node_drawing(content: Content, variable: Variable) -> NodeDrawing:
    box = content.layout.boxes[variable.name]
    classes = ["node", variable.kind.replace(" ", "-"), *(["isolated"] if is_isolated(content, variable) else [])]
    return NodeDrawing(
        classes=" ".join(classes),
        label=variable.label,
        kind=variable.kind,
        x=_number(box.x),
        y=_number(box.y),
        left=_number(box.x - box.width / 2),
        top=_number(box.y - box.height / 2),
        width=_number(box.width),
        height=_number(box.height),
        radius=_number(box.height / 2 if variable.kind == "continuous" else 7),
    )


def _path(route: Sequence[Point]) -> str:
    curves = (" ".join(map(_at, route[i : i + 3])) for i in range(1, len(route), 3))
    return f"M{_at(route[0])}" + "".join(f"C{curve}" for curve in curves)


def _at(point: Point) -> str:
    return f"{_number(point.x)} {_number(point.y)}"


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
