"""How far to the right each point is: long arcs straight, nodes over the middle of their neighbours.

References
----------
Brandes and Koepf, "Fast and simple horizontal coordinate assignment", 2001, with the compaction as longest paths among
blocks, which keeps distances also where nodes are of different widths.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

from stablebn.graph.layout.layers import Jointed

# What a joint takes in its layer: arcs that run side by side stay apart.
_JOINT = 2.0
_JOINT_GAP = 10.0


def horizontal_coordinates(
    graph: Jointed, layers: Sequence[Sequence[int]], widths: Sequence[float], *, gap: float
) -> list[float]:
    """The x of the centre of every point; of neighbours in a layer the borders are at least a gap apart."""
    n = len(graph.layer)
    width = [*widths, *[_JOINT] * (n - graph.nodes)]

    def apart(p: int, q: int) -> float:
        both_nodes = p < graph.nodes and q < graph.nodes
        return (width[p] + width[q]) / 2 + (gap if both_nodes else _JOINT_GAP)

    barred = _barred(graph, layers)
    found = []
    for downwards in (True, False):
        for leftwards in (True, False):
            ordered = [list(own) if leftwards else list(reversed(own)) for own in layers]
            if not downwards:
                ordered.reverse()
            root = _aligned(ordered, graph.above if downwards else graph.below, barred, n)
            x = _compacted(ordered, root, apart, n)
            found.append(x if leftwards else [-own for own in x])
    return _balanced(found, width)


def _barred(graph: Jointed, layers: Sequence[Sequence[int]]) -> set[tuple[int, int]]:
    """Pieces of arcs that cross a piece between two joints: it is these that are to be straight."""
    place = [0] * len(graph.layer)
    for layer in layers:
        for at, point in enumerate(layer):
            place[point] = at
    barred = set()
    for upper, lower in itertools.pairwise(layers):
        first, start = 0, 0
        for at, point in enumerate(lower):
            inner = next((q for q in graph.above[point] if min(point, q) >= graph.nodes), None)
            if inner is None and at < len(lower) - 1:
                continue
            last = len(upper) - 1 if inner is None else place[inner]
            for other in lower[start : at + 1]:
                for q in graph.above[other]:
                    if (place[q] < first or place[q] > last) and min(other, q) < graph.nodes:
                        barred.add((q, other))
            first, start = last, at + 1
    return barred


def _aligned(
    layers: Sequence[Sequence[int]], before: Sequence[Sequence[int]], barred: set[tuple[int, int]], n: int
) -> list[int]:
    """For every point the first of those it stands below: each is put under the middle of its neighbours."""
    place = [0] * n
    for layer in layers:
        for at, point in enumerate(layer):
            place[point] = at
    root = list(range(n))
    taken = [False] * n
    for layer in layers:
        last = -1
        for point in layer:
            around = sorted(before[point], key=place.__getitem__)
            if not around:
                continue
            for middle in sorted({(len(around) - 1) // 2, len(around) // 2}):
                q = around[middle]
                free = not taken[q] and place[q] > last
                if root[point] == point and free and not {(q, point), (point, q)} & barred:
                    taken[q] = True
                    root[point] = root[q]
                    last = place[q]
    return root


def _compacted(
    layers: Sequence[Sequence[int]], root: Sequence[int], apart: Callable[[int, int], float], n: int
) -> list[float]:
    """Put the blocks of aligned points as far to the left as they can be, then closer to what is on their right."""
    after: dict[int, dict[int, float]] = {r: {} for r in sorted(set(root))}
    for layer in layers:
        for p, q in itertools.pairwise(layer):
            a, b = root[p], root[q]
            after[a][b] = max(after[a].get(b, 0.0), apart(p, q))
    waiting = dict.fromkeys(after, 0)
    for ends in after.values():
        for b in ends:
            waiting[b] += 1
    done = [r for r, count in waiting.items() if not count]
    x = dict.fromkeys(after, 0.0)
    for a in done:
        for b, distance in after[a].items():
            x[b] = max(x[b], x[a] + distance)
            waiting[b] -= 1
            if not waiting[b]:
                done.append(b)
    for a in reversed(done):
        if after[a]:
            x[a] = max(x[a], min(x[b] - distance for b, distance in after[a].items()))
    return [x[root[p]] for p in range(n)]


def _balanced(found: Sequence[list[float]], width: Sequence[float]) -> list[float]:
    """The middle of the four, once they are put side by side: that keeps the distances which all of them keep."""
    points = range(len(width))
    ends = [(min(x[p] - width[p] / 2 for p in points), max(x[p] + width[p] / 2 for p in points)) for x in found]
    low, high = min(ends, key=lambda own: own[1] - own[0])
    # Those that were pushed to the left are put flush on the left, the others on the right.
    moved = [low - own[0] if at % 2 == 0 else high - own[1] for at, own in enumerate(ends)]
    return [sum(sorted(x[p] + shift for x, shift in zip(found, moved, strict=True))[1:3]) / 2 for p in points]
