"""Pictures of graphs: what is drawn of them, whether as SVG or with matplotlib."""

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

# Of a name in a box. All of it is told under the pointer.
_MOST_LETTERS = 24
_BOX_HEIGHT, _NARROWEST_BOX, _AROUND_NAME = 30.0, 48.0, 22.0
# Of the words around the graph.
_MARGIN, _LINE, _SMALL, _SAMPLE, _SHORT_SAMPLE = 16.0, 18.0, 11.0, 30.0, 18.0
_NARROWEST = 460.0


class DrawnEdge(NamedTuple):
    """An edge as it is drawn; with a head it points from a to b."""

    a: Node
    b: Node
    stroke: Stroke
    head: bool
    note: str


@dataclass(frozen=True)
class Drawing:
    """What is to be drawn.

    Attributes
    ----------
    graph : DAG or PDAG
        By whose arcs the nodes are laid out.
    edges : tuple of DrawnEdge
        Those that are drawn: of the graph, in whatever direction, and others besides.
    title : str
    keys : tuple of (Stroke, str)
        What lines mean.
    """

    graph: Graph
    edges: tuple[DrawnEdge, ...]
    title: str = ""
    keys: tuple[tuple[Stroke, str], ...] = ()

    def scene(self, layout: LayoutName = "layered") -> Scene:
        """All of the picture; it does not depend on the order of the nodes."""
        labels = {name: shortened(spelled(name), _MOST_LETTERS) for name in sorted(self.graph.nodes, key=name_key)}
        widths = {name: max(_NARROWEST_BOX, breadth(text) + _AROUND_NAME) for name, text in labels.items()}
        laid = _lay_out(self.graph, [(edge.a, edge.b) for edge in self.edges], widths, layout)
        width = max(laid.width, _NARROWEST)
        title = _wrapped(self.title, width - 2 * _MARGIN, LETTERS)
        keys, key_lines = _keys(self.keys, width)
        above = _LINE * len(title) + (_MARGIN if title else 0.0)
        aside = (width - laid.width) / 2

        def spot(x: float, y: float) -> Spot:
            return Spot(x + aside, y + above)

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
        words = [Words(_MARGIN, _MARGIN + _LINE * (place + 0.4), text) for place, text in enumerate(title)]
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
        """The picture as text, by our own layout."""
        return svg_of(
            self.scene(), self.title or f"a graph with {len(self.graph.nodes)} nodes, {len(self.edges)} edges"
        )

    def plot(self, path: str | os.PathLike[str] | None, layout: LayoutName, *, force: bool) -> Figure:
        """The picture as a figure of matplotlib, and as a file if there is a path."""
        one_of("layout", layout, LAYOUTS)
        return drawn(lambda: paint(self.scene(layout)), path, force=force)


def drawing_of(graph: Graph) -> Drawing:
    """A graph as it stands: directed edges solid with a head, undirected ones dashed without."""
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
    """What was learned: arcs the darker the stronger, dashed where the direction is arbitrary.

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
        Of the arcs, in one of their directions.
    title : str
    score : str
        By which they are strong.
    """
    arbitrary = {frozenset(edge) for edge in undirected}
    shades = {frozenset(arc): shade for arc, shade in shades_of(strengths).items()}
    told = {frozenset(arc): own for arc, own in strengths.items()}
    directed, loose = edges_by_kind(shown)
    edges = []
    for (a, b), head in (*((arc, True) for arc in directed), *((edge, False) for edge in loose)):
        pair = frozenset((a, b))
        note = _arc(a, b, "→" if head else "–")
        if pair in told:
            note += f": {score} {told[pair]:,.2f} lost without it"
        if pair in arbitrary:
            note += "; its direction is arbitrary"
        edges.append(DrawnEdge(a, b, stroke_of(shades.get(pair), arbitrary=pair in arbitrary), head, note))
    # The strongest are painted last, over the others.
    edges.sort(key=lambda edge: told.get(frozenset((edge.a, edge.b)), 0.0))
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
    """Two graphs over each other, by what became of every edge; missing ones point as they do in the true graph."""
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
    # What is wrong is painted over what is right.
    edges.sort(key=lambda edge: edge.stroke != COMPARED[MATCHED])
    counts = {verdict: sum(edge.stroke == stroke for edge in edges) for verdict, stroke in COMPARED.items()}
    keys = tuple((COMPARED[verdict], f"{IN_WORDS[verdict]} ({count})") for verdict, count in counts.items() if count)
    # Learned from little, a graph has few edges, and the true one shows better what belongs where.
    return Drawing(_directed(true), tuple(edges), title, keys)


def _directed(graph: Graph) -> Graph:
    """A DAG that extends a graph, where there is one: nodes stand better below each other when every edge has a way."""
    return (graph.extension() or graph) if isinstance(graph, PDAG) else graph


def _arc(a: Node, b: Node, mark: str = "→") -> str:
    return f"{spelled(a)} {mark} {spelled(b)}"


def _verdict(learned: str, true: str) -> str:
    """What a comparison says of an edge with these marks, of which not both are empty."""
    if not learned or not true:
        return EXTRA if learned else MISSING
    return MATCHED if learned == true else UNDECIDED if "--" in (learned, true) else REVERSED


def _lay_out(graph: Graph, edges: Iterable[Edge], widths: Mapping[Node, float], layout: LayoutName) -> Layout:
    there = {frozenset(edge) for edge in graph.skeleton()}
    besides = [edge for edge in edges if frozenset(edge) not in there]
    by_graphviz = layout == "graphviz" or (layout == "auto" and has_graphviz())
    lay_out = graphviz_layout if by_graphviz else layered_layout
    return lay_out(graph, widths, height=_BOX_HEIGHT, besides=besides)


def _route(laid: Layout, a: Node, b: Node) -> Sequence[tuple[float, float]]:
    return laid.routes[a, b] if (a, b) in laid.routes else laid.routes[b, a][::-1]


def _wrapped(text: str, width: float, size: float) -> list[str]:
    """Lines that are not wider than this, as far as words allow it."""
    lines: list[str] = []
    for word in text.split():
        if lines and breadth(f"{lines[-1]} {word}", size) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def _keys(keys: Sequence[tuple[Stroke, str]], width: float) -> tuple[list[tuple[Stroke, str, float, int]], int]:
    """Where each key starts, and in which line; how many lines there are."""
    placed = []
    x, line = _MARGIN, 0
    for stroke, text in keys:
        # Without words it belongs to the next.
        room = _SAMPLE + 6 + breadth(text, _SMALL) + _MARGIN if text else _SHORT_SAMPLE + 2
        if x > _MARGIN and x + room > width:
            x, line = _MARGIN, line + 1
        placed.append((stroke, text, x, line))
        x += room
    return placed, line + 1 if placed else 0
