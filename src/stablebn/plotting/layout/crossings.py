"""The order inside each layer, with few crossings: sweeps of barycentres and exchanges of neighbours."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence

from stablebn.plotting.layout.layers import Jointed

# Sweeps from each start, and how many of them may pass without fewer crossings.
_SWEEPS, _PATIENCE = 40, 8
# Of exchanges after each sweep, layer by layer, and from left to right in each of them.
_ROUNDS, _PASSES = 12, 20
# Where there are more points than this, there are fewer sweeps in proportion.
_MANY = 3000
_TOO_MANY = 30_000


def ordered_layers(graph: Jointed) -> list[list[int]]:
    """The points of each layer, from left to right.

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
            # Where arcs are as dense as that, nobody will see the difference.
            if len(graph.layer) < _TOO_MANY:
                _exchange(graph, layers)
            crossed = crossings(graph, layers)
            if fewest < 0 or crossed < fewest:
                best, fewest = [list(own) for own in layers], crossed
            patience = 0 if least < 0 or crossed < least else patience + 1
            least = crossed if least < 0 else min(least, crossed)
            if not least or patience > _PATIENCE:
                break
    return best


def crossings(graph: Jointed, layers: Sequence[Sequence[int]]) -> int:
    """How often arcs cross."""
    place = _places(graph, layers)
    total = 0
    for layer in layers[:-1]:
        seen: list[int] = []
        for point in layer:
            ends = sorted(place[q] for q in graph.below[point])
            total += sum(len(seen) - bisect_right(seen, end) for end in ends)
            for end in ends:
                insort(seen, end)
    return total


def _places(graph: Jointed, layers: Sequence[Sequence[int]]) -> list[int]:
    place = [0] * len(graph.layer)
    for layer in layers:
        for at, point in enumerate(layer):
            place[point] = at
    return place


def _first_order(graph: Jointed, *, downwards: bool) -> list[list[int]]:
    """Points as a walk along the arcs meets them, so that what hangs together stands together."""
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
    """Points in an order in which the ends of long arcs and those of short ones are evenly spread.

    The children of a hub are in several layers: side by side with the arcs to those below them, none is far off.
    """
    groups: dict[int, list[int]] = {}
    for point in points:
        groups.setdefault(end[point], []).append(point)
    keys = {point: ((i + 0.5) / len(group), point) for group in groups.values() for i, point in enumerate(group)}
    return sorted(points, key=keys.__getitem__)


def _sweep(graph: Jointed, layers: list[list[int]], *, downwards: bool, by_median: bool) -> None:
    """Sort each layer by where its neighbours in the layer before stand; points without any keep their places."""
    place = _places(graph, layers)
    around = graph.above if downwards else graph.below
    for at in range(1, len(layers)) if downwards else range(len(layers) - 2, -1, -1):
        layer = layers[at]
        pulled = [point for point in layer if around[point]]
        wish = {point: _wish([place[q] for q in around[point]], by_median=by_median) for point in pulled}
        rest = iter(sorted(pulled, key=lambda p: (wish[p], place[p])))
        layers[at] = [next(rest) if around[point] else point for point in layer]
        for i, point in enumerate(layers[at]):
            place[point] = i


def _wish(places: list[int], *, by_median: bool) -> float:
    if not by_median:
        return sum(places) / len(places)
    places.sort()
    middle = len(places) // 2
    if len(places) % 2:
        return places[middle]
    left, right = places[middle - 1] - places[0], places[-1] - places[middle]
    if len(places) == 2 or left + right == 0:
        return (places[middle - 1] + places[middle]) / 2
    # Nearer to the side on which they stand closer together.
    return (places[middle - 1] * right + places[middle] * left) / (left + right)


def _exchange(graph: Jointed, layers: list[list[int]]) -> None:
    """Exchange neighbours as long as that makes fewer crossings."""
    place = _places(graph, layers)
    waiting = set(range(len(layers)))
    for _ in range(_ROUNDS):
        changed = [at for at in sorted(waiting) if _exchange_in(graph, layers[at], place)]
        # Only where neighbours have moved there may be something to gain now.
        waiting = {at + side for at in changed for side in (-1, 1) if 0 <= at + side < len(layers)}
        if not waiting:
            return


def _exchange_in(graph: Jointed, layer: list[int], place: list[int]) -> bool:
    """The same in one layer, while the others stay; whether there was an exchange."""
    ends = {p: [sorted(place[q] for q in side[p]) for side in (graph.above, graph.below)] for p in layer}
    exchanged = False
    for _ in range(_PASSES):
        improved = False
        for i in range(len(layer) - 1):
            p, q = layer[i], layer[i + 1]
            saved = 0
            for left, right in zip(ends[p], ends[q], strict=True):
                # Most do not cross.
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
        place[p] = i
    return exchanged


def _crossed(left: Sequence[int], right: Sequence[int]) -> int:
    """Crossings of arcs from two neighbours to these places, sorted."""
    return sum(bisect_left(right, end) for end in left)
