"""Order the points inside each layer with few crossings: barycentre sweeps and exchanges of neighbours."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence

from stablebn.plotting.layout.layers import Jointed

# Sweeps from each start, and how many of them may pass without fewer crossings.
_SWEEPS, _PATIENCE = 40, 8
# Exchanges after each sweep: rounds over the layers, and passes from left to right in a layer.
_ROUNDS, _PASSES = 12, 20
# With more points than this, the number of sweeps decreases in proportion.
_MANY = 3000
_TOO_MANY = 30_000


def ordered_layers(graph: Jointed) -> list[list[int]]:
    """Return the points of each layer from left to right.

    References
    ----------
    Gansner, Koutsofios, North and Vo, "A technique for drawing directed graphs", 1993, section 3; sorted by barycentres
    and medians in turn.
    """
    best: list[list[int]] = []
    fewest = -1
    for downwards in (True, False):
        layers = _first_order(graph, downwards=downwards)
        least, patience = -1, 0
        for sweep in range(max(4, min(_SWEEPS, _SWEEPS * _MANY // len(graph.layer)))):
            _sweep(graph, layers, downwards=sweep % 2 == (not downwards), by_median=sweep % 4 > 1)
            # With more points, exchanges make no visible difference.
            if len(graph.layer) < _TOO_MANY:
                _exchange(graph, layers)
            crossed = crossings(graph, layers)
            if fewest < 0 or crossed < fewest:
                best, fewest = [list(layer) for layer in layers], crossed
            patience = 0 if least < 0 or crossed < least else patience + 1
            least = crossed if least < 0 else min(least, crossed)
            if not least or patience > _PATIENCE:
                break
    return best


def crossings(graph: Jointed, layers: Sequence[Sequence[int]]) -> int:
    """Count the crossings of arcs."""
    index = _positions(graph, layers)
    total = 0
    for layer in layers[:-1]:
        seen: list[int] = []
        for point in layer:
            ends = sorted(index[q] for q in graph.below[point])
            total += sum(len(seen) - bisect_right(seen, end) for end in ends)
            for end in ends:
                insort(seen, end)
    return total


def _positions(graph: Jointed, layers: Sequence[Sequence[int]]) -> list[int]:
    index = [0] * len(graph.layer)
    for layer in layers:
        for at, point in enumerate(layer):
            index[point] = at
    return index


def _first_order(graph: Jointed, *, downwards: bool) -> list[list[int]]:
    """Order the points by a depth-first walk along the arcs, so that connected points are close together."""
    layers: list[list[int]] = [[] for _ in range(max(graph.layer) + 1)]
    ends = ([*graph.layer], [*graph.layer])
    for (u, v), chain in graph.chains.items():
        for joint in chain[1:-1]:
            ends[0][joint], ends[1][joint] = graph.layer[u], graph.layer[v]
    sides = (graph.above, graph.below)
    seen = [False] * len(graph.layer)
    starts = sorted(range(len(graph.layer)), key=lambda p: (graph.layer[p] if downwards else -graph.layer[p], p))
    for start in starts:
        waiting = [start]
        while waiting:
            point = waiting.pop()
            if seen[point]:
                continue
            seen[point] = True
            layers[graph.layer[point]].append(point)
            for side in (not downwards, downwards):
                waiting += reversed(_mixed(sides[side][point], ends[side]))
    return layers


def _mixed(points: Sequence[int], end: Sequence[int]) -> list[int]:
    """Order points so that the ends of long arcs and of short arcs are evenly mixed.

    The children of a hub are in several layers; mixed with the joints of arcs to lower layers, no child is far away.
    """
    groups: dict[int, list[int]] = {}
    for point in points:
        groups.setdefault(end[point], []).append(point)
    keys = {point: ((i + 0.5) / len(group), point) for group in groups.values() for i, point in enumerate(group)}
    return sorted(points, key=keys.__getitem__)


def _sweep(graph: Jointed, layers: list[list[int]], *, downwards: bool, by_median: bool) -> None:
    """Sort each layer by the positions of the neighbours in the layer before; points without neighbours stay."""
    index = _positions(graph, layers)
    around = graph.above if downwards else graph.below
    for at in range(1, len(layers)) if downwards else range(len(layers) - 2, -1, -1):
        layer = layers[at]
        pulled = [point for point in layer if around[point]]
        target = {point: _target([index[q] for q in around[point]], by_median=by_median) for point in pulled}
        rest = iter(sorted(pulled, key=lambda p: (target[p], index[p])))
        layers[at] = [next(rest) if around[point] else point for point in layer]
        for i, point in enumerate(layers[at]):
            index[point] = i


def _target(places: list[int], *, by_median: bool) -> float:
    if not by_median:
        return sum(places) / len(places)
    places.sort()
    middle = len(places) // 2
    if len(places) % 2:
        return places[middle]
    left, right = places[middle - 1] - places[0], places[-1] - places[middle]
    if len(places) == 2 or left + right == 0:
        return (places[middle - 1] + places[middle]) / 2
    # Nearer to the side on which the neighbours are denser.
    return (places[middle - 1] * right + places[middle] * left) / (left + right)


def _exchange(graph: Jointed, layers: list[list[int]]) -> None:
    """Exchange neighbours in a layer while this reduces the crossings."""
    index = _positions(graph, layers)
    waiting = set(range(len(layers)))
    for _ in range(_ROUNDS):
        changed = [at for at in sorted(waiting) if _exchange_in(graph, layers[at], index)]
        # Only layers next to a changed one can improve.
        waiting = {at + side for at in changed for side in (-1, 1) if 0 <= at + side < len(layers)}
        if not waiting:
            return


def _exchange_in(graph: Jointed, layer: list[int], index: list[int]) -> bool:
    """Exchange neighbours in one layer while the others stay; return whether any were exchanged."""
    ends = {p: [sorted(index[q] for q in side[p]) for side in (graph.above, graph.below)] for p in layer}
    exchanged = False
    for _ in range(_PASSES):
        improved = False
        for i in range(len(layer) - 1):
            p, q = layer[i], layer[i + 1]
            saved = 0
            for left, right in zip(ends[p], ends[q], strict=True):
                # Arcs of most neighbours do not cross.
                if left and right and left[-1] > right[0]:
                    saved += _crossed(left, right) - _crossed(right, left)
                elif left and right and left[0] != right[-1]:
                    saved -= _crossed(right, left)
            if saved > 0:
                layer[i], layer[i + 1] = q, p
                exchanged = improved = True
        if not improved:
            break
    for i, p in enumerate(layer):
        index[p] = i
    return exchanged


def _crossed(left: Sequence[int], right: Sequence[int]) -> int:
    """Count the crossings of arcs from two neighbours to these sorted positions."""
    return sum(bisect_left(right, end) for end in left)
