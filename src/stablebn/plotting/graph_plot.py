"""Plots of graphs: choose edges, strokes and texts, and draw them as SVG or with matplotlib."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from stablebn.errors import one_of, spelled
from stablebn.graph.convert import Graph, edges_by_kind
from stablebn.graph.metrics import edge_marks
from stablebn.graph.names import Edge, Node, name_key, rank_names, sorted_edges
from stablebn.graph.pdag import PDAG
from stablebn.plotting.arc_styles import (
    COMPARED,
    EXTRA,
    IN_WORDS,
    MATCHED,
    MISSING,
    REVERSED,
    SHADES,
    UNDECIDED,
    shades_of,
    stroke_of,
)
from stablebn.plotting.graphviz import graphviz_layout, has_graphviz
from stablebn.plotting.layout import Layout, layered_layout
from stablebn.plotting.matplotlib_figures import drawn
from stablebn.plotting.matplotlib_scene import paint
from stablebn.plotting.scene import LETTERS, Curve, NameBox, Scene, Spot, Stroke, Words, arrow, breadth, shortened
from stablebn.plotting.svg import svg_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LayoutName: TypeAlias = Literal["auto", "layered", "graphviz"]
LAYOUTS = ("auto", "layered", "graphviz")

# The longest name in a box; the tooltip of an SVG has the full name.
_MOST_LETTERS = 24
_BOX_HEIGHT, _NARROWEST_BOX, _AROUND_NAME = 30.0, 48.0, 22.0
# Lengths of the title above and the key below the graph.
_MARGIN, _LINE, _SMALL, _SAMPLE, _SHORT_SAMPLE = 16.0, 18.0, 11.0, 30.0, 18.0
_NARROWEST = 460.0


class DrawnEdge(NamedTuple):
    """An edge of the plot; with a head it points from a to b, and `note` is its tooltip."""

    a: Node
    b: Node
    stroke: Stroke
    head: bool
    note: str


@dataclass(frozen=True)
class Drawing:
    """The content of a plot.

    Attributes
    ----------
    graph : DAG or PDAG
        The graph whose arcs determine the layout.
    edges : tuple of DrawnEdge
        The edges to draw: of the graph, in any direction, and other edges.
    title : str
    keys : tuple of (Stroke, str)
        The key of the strokes.
    """

    graph: Graph
    edges: tuple[DrawnEdge, ...]
    title: str = ""
    keys: tuple[tuple[Stroke, str], ...] = ()

    def scene(self, layout: LayoutName = "layered") -> Scene:
        """Return the scene of the plot, which does not depend on the order of the nodes."""
        labels = {name: shortened(spelled(name), _MOST_LETTERS) for name in sorted(self.graph.nodes, key=name_key)}
        widths = {name: max(_NARROWEST_BOX, breadth(text) + _AROUND_NAME) for name, text in labels.items()}
        laid = _lay_out(self.graph, [(edge.a, edge.b) for edge in self.edges], widths, layout)
        width = max(laid.width, _NARROWEST)
        title = _wrapped(self.title, width - 2 * _MARGIN, LETTERS)
        keys, key_lines = _keys(self.keys, width)
        above = _LINE * len(title) + (_MARGIN if title else 0.0)
        shift = (width - laid.width) / 2

        def spot(x: float, y: float) -> Spot:
            return Spot(x + shift, y + above)

        curves, heads = [], []
        for edge in self.edges:
            path = tuple(spot(*point) for point in _route(laid, edge.a, edge.b))
            if edge.head:
                curve, head = arrow(path, edge.stroke, edge.note)
                heads.append(head)
            else:
                curve = Curve(path, edge.stroke, edge.note)
            curves.append(curve)
        boxes = []
        for name, text in labels.items():
            box = laid.boxes[name]
            boxes.append(NameBox(*spot(box.x, box.y), box.width, box.height, text, spelled(name)))
        words = [Words(_MARGIN, _MARGIN + _LINE * (index + 0.4), text) for index, text in enumerate(title)]
        bottom = above + laid.height
        for stroke, text, x, line in keys:
            y = bottom + _LINE * line
            start, end = Spot(x, y), Spot(x + (_SAMPLE if text else _SHORT_SAMPLE), y)
            curves.append(Curve((start, start, end, end), stroke))
            if text:
                words.append(Words(x + _SAMPLE + 6, y, text, _SMALL))
        height = bottom + _LINE * key_lines + (_MARGIN if key_lines else 0.0)
        return Scene(round(width, 1), round(height, 1), tuple(curves), tuple(heads), tuple(boxes), tuple(words))

    def svg(self) -> str:
        """Return the plot as SVG, with the layered layout."""
        return svg_of(
            self.scene(), self.title or f"a graph with {len(self.graph.nodes)} nodes, {len(self.edges)} edges"
        )

    def plot(self, path: str | os.PathLike[str] | None, layout: LayoutName, *, force: bool) -> Figure:
        """Return the plot as a figure of matplotlib, and write it if there is a path."""
        one_of("layout", layout, LAYOUTS)
        return drawn(lambda: paint(self.scene(layout)), path, force=force)


def drawing_of(graph: Graph) -> Drawing:
    """Return the drawing of a graph: directed edges are solid with a head, undirected ones dashed without a head."""
    directed, undirected = edges_by_kind(graph)
    edges = [DrawnEdge(a, b, stroke_of(), True, _arc(a, b)) for a, b in directed]
    edges += [DrawnEdge(a, b, stroke_of(arbitrary=True), False, _arc(a, b, "–")) for a, b in undirected]
    keys = ((stroke_of(arbitrary=True), "no direction"),) if directed and undirected else ()
    return Drawing(_directed(graph), tuple(edges), keys=keys)


def drawing_of_learned(
    shown: Graph,
    dag: Graph | None,
    undirected: Collection[Edge],
    strengths: Mapping[Edge, float],
    *,
    title: str,
    score: str,
) -> Drawing:
    """Return the drawing of a learned graph: stronger arcs are darker, arcs with an arbitrary direction dashed.

    Parameters
    ----------
    shown : DAG or PDAG
        What is drawn.
    dag : DAG or PDAG or None
        Another with the same skeleton by which to lay it out, so that pictures with other directions have the nodes in
        the same places.
    undirected : collection of (a, b)
        Edges whose direction is arbitrary.
    strengths : mapping of arc to float
        Strengths of the arcs, in one of their directions.
    title : str
    score : str
        The score that the strengths belong to.
    """
    arbitrary = {frozenset(edge) for edge in undirected}
    shades = {frozenset(arc): shade for arc, shade in shades_of(strengths).items()}
    strength_of = {frozenset(arc): strength for arc, strength in strengths.items()}
    directed, loose = edges_by_kind(shown)
    edges = []
    for (a, b), head in (*((arc, True) for arc in directed), *((edge, False) for edge in loose)):
        pair = frozenset((a, b))
        note = _arc(a, b, "→" if head else "–")
        if pair in strength_of:
            note += f": {score} {strength_of[pair]:,.2f} lost without it"
        if pair in arbitrary:
            note += "; its direction is arbitrary"
        edges.append(DrawnEdge(a, b, stroke_of(shades.get(pair), arbitrary=pair in arbitrary), head, note))
    # Draw the strongest arcs last, over the others.
    edges.sort(key=lambda edge: strength_of.get(frozenset((edge.a, edge.b)), 0.0))
    keys = []
    if strengths:
        ends = dict.fromkeys((min(strengths.values()), max(strengths.values())))
        lost = [f"{strength:,.2f}" for strength in ends]
        keys = [(stroke, "") for stroke in SHADES[:-1]] if len(ends) > 1 else []
        keys.append((SHADES[-1], f"{score} lost without the arc: {' to '.join(lost)}"))
    if arbitrary:
        keys.append((stroke_of(arbitrary=True), "direction arbitrary"))
    return Drawing(shown if dag is None else dag, tuple(edges), title, tuple(keys))


def drawing_of_comparison(learned: Graph, true: Graph, *, title: str) -> Drawing:
    """Return the drawing of two graphs in one; missing edges have the direction of the true graph."""
    rank = rank_names(learned.nodes)
    ours, theirs = edge_marks(learned, rank), edge_marks(true, rank)
    edges = []
    for a, b in sorted_edges({**ours, **theirs}, rank):
        mark, true_mark = ours.get((a, b), ""), theirs.get((a, b), "")
        verdict = _verdict(mark, true_mark)
        start, end = (b, a) if (mark or true_mark) == "<-" else (a, b)
        head = (mark or true_mark) != "--"
        note = f"{_arc(start, end, '→' if head else '–')}: {IN_WORDS[verdict]}"
        if verdict in (REVERSED, UNDECIDED):
            ends = (b, a) if true_mark == "<-" else (a, b)
            note += f"; the true graph has {_arc(*ends, '–' if true_mark == '--' else '→')}"
        edges.append(DrawnEdge(start, end, COMPARED[verdict], head, note))
    # Draw wrong edges over matched ones.
    edges.sort(key=lambda edge: edge.stroke != COMPARED[MATCHED])
    counts = {verdict: sum(edge.stroke == stroke for edge in edges) for verdict, stroke in COMPARED.items()}
    keys = tuple((COMPARED[verdict], f"{IN_WORDS[verdict]} ({count})") for verdict, count in counts.items() if count)
    # The true graph determines the layout, because a graph learned from few rows has few edges.
    return Drawing(_directed(true), tuple(edges), title, keys)


def _directed(graph: Graph) -> Graph:
    """Return a DAG that extends a graph, if there is one, because the layers need directions."""
    return (graph.extension() or graph) if isinstance(graph, PDAG) else graph


def _arc(a: Node, b: Node, mark: str = "→") -> str:
    return f"{spelled(a)} {mark} {spelled(b)}"


def _verdict(learned: str, true: str) -> str:
    """Return the verdict for an edge with these marks, at least one of which is not empty."""
    if not learned or not true:
        return EXTRA if learned else MISSING
    return MATCHED if learned == true else UNDECIDED if "--" in (learned, true) else REVERSED


def _lay_out(graph: Graph, edges: Iterable[Edge], widths: Mapping[Node, float], layout: LayoutName) -> Layout:
    skeleton = {frozenset(edge) for edge in graph.skeleton()}
    besides = [edge for edge in edges if frozenset(edge) not in skeleton]
    by_graphviz = layout == "graphviz" or (layout == "auto" and has_graphviz())
    lay_out = graphviz_layout if by_graphviz else layered_layout
    return lay_out(graph, widths, height=_BOX_HEIGHT, besides=besides)


def _route(laid: Layout, a: Node, b: Node) -> Sequence[tuple[float, float]]:
    return laid.routes[a, b] if (a, b) in laid.routes else laid.routes[b, a][::-1]


def _wrapped(text: str, width: float, size: float) -> list[str]:
    """Wrap text between words to lines of at most this width."""
    lines: list[str] = []
    for word in text.split():
        if lines and breadth(f"{lines[-1]} {word}", size) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def _keys(keys: Sequence[tuple[Stroke, str]], width: float) -> tuple[list[tuple[Stroke, str, float, int]], int]:
    """Return each key with its x and its line, and the number of lines."""
    placed = []
    x, line = _MARGIN, 0
    for stroke, text in keys:
        # A stroke without text belongs to the next key.
        room = _SAMPLE + 6 + breadth(text, _SMALL) + _MARGIN if text else _SHORT_SAMPLE + 2
        if x > _MARGIN and x + room > width:
            x, line = _MARGIN, line + 1
        placed.append((stroke, text, x, line))
        x += room
    return placed, line + 1 if placed else 0
