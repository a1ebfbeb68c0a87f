"""Lay out a graph in layers (Sugiyama): arcs point down, rarely cross, and pass between the nodes.

Each of the four steps has its module: the layer of each node (`layers`), the order inside each layer (`crossings`),
the x coordinates (`coordinates`), and the curves of the arcs (`routes`). They work on node numbers 0 .. n - 1 and break
ties by them. So the layout depends on the arcs and the numbering, not on the order in which arcs are given.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from stablebn.errors import GraphError, listed
from stablebn.graph.convert import as_graph, edges_by_kind
from stablebn.graph.names import Edge, Node, name_key
from stablebn.plotting.layout.coordinates import horizontal_coordinates
from stablebn.plotting.layout.crossings import ordered_layers
from stablebn.plotting.layout.layers import acyclic, assign_layers, with_joints
from stablebn.plotting.layout.routes import layer_tops, routed

# Width divided by height, as of screens and landscape pages.
_ASPECT = 1.7
# Distances between components and around the plot, and between nodes.
_MARGIN = 40.0
_GAP = 22.0


class Point(NamedTuple):
    """A position in the plot: x to the right, y downwards."""

    x: float
    y: float


class Box(NamedTuple):
    """A node in the plot: its centre and its size."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Layout:
    """Positions of the nodes and edges of a plot. The origin is at the upper left; y grows downwards, as in SVG.

    Attributes
    ----------
    width, height : float
        The size of the plot with its margin.
    boxes : dict of name to Box
        Every node. No two overlap.
    routes : dict of (a, b) to tuple of Point
        A path of cubic Bezier curves for every edge, with its ends as given: the start at the border of a, then two
        control points and the end of each curve, up to the border of b. No curve passes through a node.
    """

    width: float
    height: float
    boxes: Mapping[Node, Box]
    routes: Mapping[Edge, tuple[Point, ...]]


@dataclass(frozen=True)
class _ComponentLayout:
    """The layout of a connected component, by node numbers and without a margin."""

    width: float
    height: float
    boxes: Mapping[int, Box]
    routes: Mapping[tuple[int, int], tuple[Point, ...]]


def layered_layout(
    graph: object,
    widths: Mapping[Node, float] | None = None,
    *,
    height: float = 30.0,
    order: Sequence[Node] | None = None,
    besides: Iterable[Edge] = (),
) -> Layout:
    """Lay a graph out in layers, so that its arcs point down.

    Of a graph in several parts each part is laid out by itself, the largest first; nodes without edges come last, in a
    block of their own. Undirected edges, and arcs that close a cycle of a PDAG, point down or up as it suits the rest.

    Parameters
    ----------
    graph : DAG, PDAG, result, network or networkx graph
    widths : mapping of name to float, optional
        How wide each node is, in the unit of everything else: about a pixel. By default 90.
    height : float
        Of every node.
    order : sequence of names, optional
        All nodes in the order that decides between layouts equally good, such as the canonical one of a result; by
        default by name. The order of `graph.nodes` never has a say.
    besides : iterable of (a, b), optional
        Edges that are not in the graph but in the picture: those that are missing of a true graph, for instance. They
        follow the graph, which does not turn an arc for them.

    Returns
    -------
    Layout

    Examples
    --------
    >>> from stablebn.graph import DAG
    >>> layout = layered_layout(DAG(["rain", "sprinkler", "wet"], [("rain", "wet"), ("sprinkler", "wet")]))
    >>> layout.boxes["rain"].y == layout.boxes["sprinkler"].y < layout.boxes["wet"].y
    True
    >>> start, *_, end = layout.routes["rain", "wet"]
    >>> start.y < end.y
    True
    """
    given = as_graph(graph)
    names = sorted(given.nodes, key=name_key) if order is None else list(order)
    if set(names) != set(given.nodes) or len(names) != len(given.nodes):
        unlike = sorted(set(names) ^ set(given.nodes), key=name_key)
        raise GraphError(f"order must have every node of the graph once; look at {listed(unlike or names)}.")
    number = {name: index for index, name in enumerate(names)}
    directed, undirected = edges_by_kind(given)
    arcs = [(number[a], number[b]) for a, b in directed]
    loose = sorted({(number[a], number[b]) for a, b in (*undirected, *besides)} - set(arcs))
    given_widths = {} if widths is None else widths
    sizes = [float(given_widths.get(name, 90.0)) for name in names]

    down = acyclic(len(names), arcs, loose)
    parts = _components(len(names), down)
    joined = [part for part in parts if len(part) > 1]
    alone = [part[0] for part in parts if len(part) == 1]
    pieces = [_lay_out(part, down, sizes, height) for part in joined]
    wide = _row_width([*((piece.width, piece.height) for piece in pieces)], [sizes[v] for v in alone], height)

    boxes: dict[int, Box] = {}
    routes: dict[tuple[int, int], tuple[Point, ...]] = {}
    left, top, row_height, widest = _MARGIN, _MARGIN, 0.0, 0.0
    for piece in pieces:
        if left > _MARGIN and left + piece.width > _MARGIN + wide:
            left, top, row_height = _MARGIN, top + row_height + _MARGIN, 0.0
        boxes |= {v: Box(box.x + left, box.y + top, box.width, box.height) for v, box in piece.boxes.items()}
        routes |= {arc: tuple(Point(x + left, y + top) for x, y in path) for arc, path in piece.routes.items()}
        left += piece.width + _MARGIN
        row_height = max(row_height, piece.height)
        widest = max(widest, left - _MARGIN)
    top += row_height + (_MARGIN if pieces and alone else 0.0)
    left = _MARGIN
    for v in alone:
        if left > _MARGIN and left + sizes[v] > _MARGIN + wide:
            left, top = _MARGIN, top + height + _GAP
        boxes[v] = Box(left + sizes[v] / 2, top + height / 2, sizes[v], height)
        left += sizes[v] + _GAP
        widest = max(widest, left - _GAP)
    bottom = top + (height if alone else 0.0)

    edges = [*directed, *((a, b) for a, b in (*undirected, *besides))]
    return Layout(
        width=round(widest + _MARGIN, 1),
        height=round(bottom + _MARGIN, 1),
        boxes={names[v]: Box(*(round(value, 1) for value in boxes[v])) for v in range(len(names))},
        routes={(a, b): _route(routes, number[a], number[b]) for a, b in edges},
    )


def _route(routes: Mapping[tuple[int, int], tuple[Point, ...]], a: int, b: int) -> tuple[Point, ...]:
    """Return the route from a to b; routes were computed downwards."""
    path = routes[a, b] if (a, b) in routes else routes[b, a][::-1]
    return tuple(Point(round(x, 1), round(y, 1)) for x, y in path)


def _components(n: int, arcs: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Return the nodes of each connected component, the largest first; ties go to the smallest node."""
    around: list[list[int]] = [[] for _ in range(n)]
    for u, v in arcs:
        around[u].append(v)
        around[v].append(u)
    seen, parts = [False] * n, []
    for start in range(n):
        if seen[start]:
            continue
        seen[start], part = True, [start]
        for v in part:
            for u in around[v]:
                if not seen[u]:
                    seen[u] = True
                    part.append(u)
        parts.append(sorted(part))
    return sorted(parts, key=lambda part: (-len(part), part[0]))


def _row_width(pieces: Sequence[tuple[float, float]], alone: Sequence[float], height: float) -> float:
    """Return the width of a row of components that gives the plot a good aspect ratio."""
    area = sum((width + _MARGIN) * (tall + _MARGIN) for width, tall in pieces)
    area += sum((width + _GAP) * (height + _GAP) for width in alone)
    return max([math.sqrt(area * _ASPECT), *(width for width, _ in pieces), *alone], default=0.0)


def _lay_out(
    part: Sequence[int], arcs: Iterable[tuple[int, int]], widths: Sequence[float], height: float
) -> _ComponentLayout:
    """Lay out one connected component, from (0, 0) on."""
    index = {v: i for i, v in enumerate(part)}
    inner = [(index[u], index[v]) for u, v in arcs if u in index]
    sizes = [widths[v] for v in part]
    # A layer takes about two and a half times the height of a node.
    limit = math.sqrt(_ASPECT * sum(size + _GAP for size in sizes) * 2.6 * height) * 1.1
    layer = assign_layers(len(part), inner, [size + _GAP for size in sizes], max(limit, 6 * (max(sizes) + _GAP)))
    jointed = with_joints(layer, inner)
    layers = ordered_layers(jointed)
    x = horizontal_coordinates(jointed, layers, sizes, gap=_GAP)
    tops = layer_tops(jointed, layers, x, height)
    paths = routed(jointed, x, tops, sizes, height)
    left = min([x[v] - sizes[v] / 2 for v in range(len(part))] + [px for path in paths.values() for px, _ in path])
    right = max([x[v] + sizes[v] / 2 for v in range(len(part))] + [px for path in paths.values() for px, _ in path])
    return _ComponentLayout(
        width=right - left,
        height=tops[-1] + height,
        boxes={v: Box(x[i] - left, tops[jointed.layer[i]] + height / 2, sizes[i], height) for i, v in enumerate(part)},
        routes={(part[u], part[v]): tuple(Point(px - left, py) for px, py in path) for (u, v), path in paths.items()},
    )
