"""Lay out a graph with `dot` of Graphviz."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable, Mapping

from stablebn.errors import OptionError
from stablebn.graph.convert import Graph, edges_by_kind
from stablebn.graph.dag import DAG
from stablebn.graph.names import Edge, Node, name_key
from stablebn.plotting.layout import Box, Layout, Point, layered_layout

_POINTS = 72
_MARGIN = 40.0


def has_graphviz() -> bool:
    """Return whether the program `dot` is installed."""
    return shutil.which("dot") is not None


def graphviz_layout(
    graph: Graph, widths: Mapping[Node, float], *, height: float, besides: Iterable[Edge] = ()
) -> Layout:
    """Lay out a graph like `layered_layout`, with Graphviz; isolated nodes, which it would put in one row, are below.

    Raises
    ------
    OptionError
        If Graphviz is not installed or fails.
    """
    directed, undirected = edges_by_kind(graph)
    edges = [*directed, *undirected, *besides]
    adjacent = {name for edge in edges for name in edge}
    names = sorted(adjacent, key=name_key)
    number = {name: index for index, name in enumerate(names)}
    # Numbers instead of names, because a name could be a keyword of Graphviz.
    ordered = sorted(edges, key=lambda edge: (number[edge[0]], number[edge[1]]))
    lines = [f"n{index} [width={widths[name] / _POINTS:.4f}]" for name, index in number.items()]
    lines += [f"n{number[a]} -> n{number[b]}" for a, b in ordered]
    boxes_look = f"node [shape=box fixedsize=true height={height / _POINTS:.4f}]"
    look = f"graph [nodesep=0.3 ranksep=0.55] {boxes_look} edge [dir=none]"
    boxes, routes, (wide, high) = _read(_dot("\n".join(["digraph {", look, *lines, "}"])))

    rest = [name for name in graph.nodes if name not in adjacent]
    below = layered_layout(DAG(rest, []), widths, height=height)
    # The margins of the two parts overlap.
    shift = high + _MARGIN if names else 0.0
    placed = {name: Box(boxes[index].x, boxes[index].y, widths[name], height) for name, index in number.items()}
    placed |= {name: Box(box.x, box.y + shift, box.width, box.height) for name, box in below.boxes.items()}
    return Layout(
        width=max(wide + 2 * _MARGIN if names else 0.0, below.width if rest else 0.0),
        height=shift + (below.height if rest else _MARGIN),
        boxes=placed,
        routes={(a, b): routes[number[a], number[b]] for a, b in ordered},
    )


def _dot(text: str) -> str:
    program = shutil.which("dot")
    if program is None:
        raise OptionError(
            "layout='graphviz' needs the program dot of Graphviz, which is not installed. Install Graphviz, or use "
            "layout='layered'."
        )
    done = subprocess.run([program, "-Tplain"], input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        raise OptionError(f"Graphviz cannot lay this graph out: {done.stderr.strip()[:200]}. Use layout='layered'.")
    return done.stdout


def _read(
    text: str,
) -> tuple[dict[int, Point], dict[tuple[int, int], tuple[Point, ...]], tuple[float, float]]:
    """Read centres and routes from the plain format, whose unit is inches and whose y grows upwards."""
    boxes, routes = {}, {}
    wide = high = 0.0

    def point(x: str, y: str) -> Point:
        return Point(round(float(x) * _POINTS + _MARGIN, 1), round(high - float(y) * _POINTS + _MARGIN, 1))

    for line in text.splitlines():
        kind, *words = line.split(" ")
        if kind == "graph":
            wide, high = float(words[1]) * _POINTS, float(words[2]) * _POINTS
        elif kind == "node":
            boxes[int(words[0][1:])] = point(words[1], words[2])
        elif kind == "edge":
            ends = int(words[0][1:]), int(words[1][1:])
            numbers = words[3 : 3 + 2 * int(words[2])]
            routes[ends] = tuple(point(x, y) for x, y in zip(numbers[::2], numbers[1::2], strict=True))
    return boxes, routes, (wide, high)
