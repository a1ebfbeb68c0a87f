"""Compute the curves of the arcs: curved between the layers, and straight past the nodes of a layer."""

from __future__ import annotations

from collections.abc import Sequence

from stablebn.plotting.layout.layers import Arc, Jointed

Pair = tuple[float, float]

# The distance between two layers: at least, at most, and as a share of the largest horizontal distance of an arc.
_NEAR, _FAR, _SLOPE = 40.0, 130.0, 0.16
# Distances between two arcs at the border of a node, and from its corners.
_PORT, _CORNER = 11.0, 10.0


def layer_tops(graph: Jointed, layers: Sequence[Sequence[int]], x: Sequence[float], height: float) -> list[float]:
    """Return the y of the top of each layer; layers with wide arcs between them are farther apart."""
    tops = [0.0]
    for upper in layers[:-1]:
        far = max((abs(x[p] - x[q]) for p in upper for q in graph.below[p]), default=0.0)
        tops.append(tops[-1] + height + min(_FAR, max(_NEAR, _SLOPE * far)))
    return tops


def routed(
    graph: Jointed, x: Sequence[float], tops: Sequence[float], widths: Sequence[float], height: float
) -> dict[Arc, list[Pair]]:
    """Return the points of cubic Bezier curves for each arc, from the bottom of the parent to the top of the child.

    Each curve stays between two layers, because it starts and ends vertically.
    """
    leaving, entering = _ports(graph, x, widths, below=True), _ports(graph, x, widths, below=False)
    routes = {}
    for arc, chain in graph.chains.items():
        at = (leaving[arc], tops[graph.layer[arc[0]]] + height)
        path = [at]
        for point in chain[1:]:
            end = (x[point] if point >= graph.nodes else entering[arc], tops[graph.layer[point]])
            middle = (at[1] + end[1]) / 2
            path += [(at[0], middle), (end[0], middle), end]
            at = end
            if point >= graph.nodes:
                # Straight down between the nodes of the layer.
                at = (end[0], end[1] + height)
                path += [(end[0], end[1] + height / 3), (end[0], end[1] + 2 * height / 3), at]
        routes[arc] = path
    return routes


def _ports(graph: Jointed, x: Sequence[float], widths: Sequence[float], *, below: bool) -> dict[Arc, float]:
    """Return the x at which each arc touches a node: side by side, in the order of the other ends."""
    at: dict[int, list[tuple[float, Arc]]] = {}
    for arc, chain in graph.chains.items():
        node, other = (arc[0], chain[1]) if below else (arc[1], chain[-2])
        at.setdefault(node, []).append((x[other], arc))
    ports = {}
    for node, arcs in at.items():
        room = (widths[node] - 2 * _CORNER) / max(1, len(arcs) - 1)
        step = max(0.0, min(_PORT, room))
        for index, (_, arc) in enumerate(sorted(arcs)):
            ports[arc] = x[node] + (index - (len(arcs) - 1) / 2) * step
    return ports
