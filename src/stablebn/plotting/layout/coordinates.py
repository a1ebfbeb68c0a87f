"""Compute the x of each point: near the middle of its neighbours, long arcs straight, the layout narrow.

The priority method of Sugiyama, Tagawa and Toda (1981) in the form of least squares: layer by layer each point goes as
near to its neighbours in the layers around as the distances inside the layer allow, which is an isotonic regression.
Methods that align whole columns (Brandes and Koepf, 2001) draw a hub with a hundred children six times as wide, as each
long arc has a column of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from stablebn.plotting.layout.layers import Jointed

# Width of a joint and its distance to others, so that parallel arcs keep apart from each other and from nodes.
_JOINT = 2.0
_JOINT_GAP = 9.0
# Weights of the attraction along an arc: between nodes, between a node and a joint, between joints.
_PULLS = (1.0, 2.0, 6.0)
# The weight of a point's present position, for points without neighbours.
_AT_REST = 0.01
_SWEEPS = 24


def horizontal_coordinates(
    graph: Jointed, layers: Sequence[Sequence[int]], widths: Sequence[float], *, gap: float
) -> list[float]:
    """Return the x of the centre of every point; neighbours in a layer keep a gap between their borders."""
    width = [*widths, *[_JOINT] * (len(graph.layer) - graph.nodes)]

    def apart(p: int, q: int) -> float:
        both_nodes = p < graph.nodes and q < graph.nodes
        return (width[p] + width[q]) / 2 + (gap if both_nodes else _JOINT_GAP)

    x = [0.0] * len(graph.layer)
    for layer in layers:
        for p, q in pairwise(layer):
            x[q] = x[p] + apart(p, q)
        middle = x[layer[-1]] / 2
        for p in layer:
            x[p] -= middle
    around = [[*above, *below] for above, below in zip(graph.above, graph.below, strict=True)]
    for sweep in range(_SWEEPS):
        # At first from one side only, so that distant points move far; then from both sides.
        sides = around if sweep >= _SWEEPS // 2 else graph.below if sweep % 2 else graph.above
        for layer in reversed(layers) if sweep % 2 else layers:
            _settle(graph, layer, sides, x, apart)
    _straighten(graph, layers, x, apart)
    return x


def _settle(
    graph: Jointed,
    layer: Sequence[int],
    around: Sequence[Sequence[int]],
    x: list[float],
    apart: Callable[[int, int], float],
) -> None:
    """Move the points of a layer as near to their neighbours as the gaps allow, by least squares."""
    # Pools of points at their smallest distances: total weight, weight times x of the first point, number of points.
    pools: list[tuple[float, float, int]] = []
    offsets = [0.0]
    for p, q in pairwise(layer):
        offsets.append(offsets[-1] + apart(p, q))
    for p, offset in zip(layer, offsets, strict=True):
        pull, moment = _AT_REST, _AT_REST * x[p]
        for q in around[p]:
            weight = _PULLS[(p >= graph.nodes) + (q >= graph.nodes)]
            pull += weight
            moment += weight * x[q]
        pool = (pull, moment - pull * offset, 1)
        while pools and pools[-1][1] * pool[0] >= pool[1] * pools[-1][0]:
            last = pools.pop()
            pool = (last[0] + pool[0], last[1] + pool[1], last[2] + pool[2])
        pools.append(pool)
    at = 0
    for pull, moment, points in pools:
        for i in range(at, at + points):
            x[layer[i]] = moment / pull + offsets[i]
        at += points


def _straighten(
    graph: Jointed, layers: Sequence[Sequence[int]], x: list[float], apart: Callable[[int, int], float]
) -> None:
    """Align consecutive joints of an arc vertically if there is room."""
    index = {p: at for layer in layers for at, p in enumerate(layer)}

    def room(p: int) -> tuple[float, float]:
        layer, at = layers[graph.layer[p]], index[p]
        low = x[layer[at - 1]] + apart(layer[at - 1], p) if at else float("-inf")
        high = x[layer[at + 1]] - apart(p, layer[at + 1]) if at + 1 < len(layer) else float("inf")
        return low, high

    for chain in graph.chains.values():
        joints = chain[1:-1]
        while joints:
            low, high, length = float("-inf"), float("inf"), 0
            for p in joints:
                left, right = room(p)
                if max(low, left) > min(high, right):
                    break
                low, high, length = max(low, left), min(high, right), length + 1
            # Rounding can leave a joint without room, not even at its present x.
            length = max(length, 1)
            row, joints = joints[:length], joints[length:]
            if len(row) > 1:
                middle = min(max(sum(x[p] for p in row) / len(row), low), high)
                for p in row:
                    x[p] = middle
