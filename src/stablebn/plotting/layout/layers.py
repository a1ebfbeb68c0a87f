"""Which layer each node is in, and the joints of arcs that pass through layers between."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

Arc = tuple[int, int]


@dataclass(frozen=True)
class Jointed:
    """A graph whose arcs lead from each layer to the next: longer ones are cut, with a joint in each layer between.

    Attributes
    ----------
    nodes : int
        How many of the points are nodes of the graph: the first ones. The others are joints.
    layer : list of int
        Of every point.
    chains : dict of arc to list of int
        The points that an arc leads over, its ends too.
    above, below : list of list of int
        For every point those in the layer before and in the next one to which an arc leads.
    """

    nodes: int
    layer: list[int]
    chains: dict[Arc, list[int]]
    above: list[list[int]]
    below: list[list[int]]


def acyclic(n: int, arcs: Sequence[Arc], loose: Iterable[Arc]) -> list[Arc]:
    """Every edge once, in a direction in which there is no cycle.

    Parameters
    ----------
    n : int
    arcs : sequence of (from, to)
        Kept as they are, unless they close a cycle.
    loose : iterable of (a, b)
        Edges that may point either way: they follow the order of the others.
    """
    # From those without parents on; where a cycle is left, the node with the fewest arcs into it is taken next.
    children: list[list[int]] = [[] for _ in range(n)]
    waiting = [0] * n
    for u, v in arcs:
        children[u].append(v)
        waiting[v] += 1
    queue = [(waiting[v], v) for v in range(n)]
    heapify(queue)
    place: dict[int, int] = {}
    while queue:
        count, v = heappop(queue)
        if v in place or count != waiting[v]:
            continue
        place[v] = len(place)
        for child in children[v]:
            waiting[child] -= 1
            heappush(queue, (waiting[child], child))
    return sorted({(u, v) if place[u] < place[v] else (v, u) for u, v in (*arcs, *loose)})


def assign_layers(n: int, arcs: Sequence[Arc], widths: Sequence[float], limit: float) -> list[int]:
    """The layer of each node, from 0: below all its parents, with short arcs, and no layer too wide.

    Parameters
    ----------
    n : int
    arcs : sequence of (from, to)
        Without a cycle.
    widths : sequence of float
        Of the nodes, with the gap to the next.
    limit : float
        Of the width of a layer. A star with a hundred leaves gets several layers of them.
    """
    parents: list[list[int]] = [[] for _ in range(n)]
    children: list[list[int]] = [[] for _ in range(n)]
    for u, v in arcs:
        parents[v].append(u)
        children[u].append(v)
    below = _longest_paths(n, parents, children)

    # List scheduling: of the nodes whose parents are placed, those with the longest way below them first.
    waiting = [len(own) for own in parents]
    ready = [(-below[v], v) for v in range(n) if not waiting[v]]
    heapify(ready)
    layer, filled = [0] * n, [0.0]
    sequence = []
    while ready:
        _, v = heappop(ready)
        sequence.append(v)
        at = max((layer[u] + 1 for u in parents[v]), default=0)
        while at < len(filled) and filled[at] and filled[at] + widths[v] > limit:
            at += 1
        filled += [0.0] * (at + 1 - len(filled))
        layer[v] = at
        filled[at] += widths[v]
        for child in children[v]:
            waiting[child] -= 1
            if not waiting[child]:
                heappush(ready, (-below[child], child))

    _shorten(layer, filled, sequence, parents, children, widths, limit)
    used = {at: place for place, at in enumerate(sorted(set(layer)))}
    return [used[at] for at in layer]


def _longest_paths(n: int, parents: Sequence[Sequence[int]], children: Sequence[Sequence[int]]) -> list[int]:
    """For each node how many arcs the longest path from it has."""
    longest, waiting = [0] * n, [len(own) for own in children]
    done = [v for v in range(n) if not waiting[v]]
    for v in done:
        for u in parents[v]:
            longest[u] = max(longest[u], longest[v] + 1)
            waiting[u] -= 1
            if not waiting[u]:
                done.append(u)
    return longest


def _shorten(
    layer: list[int],
    filled: list[float],
    sequence: Sequence[int],
    parents: Sequence[Sequence[int]],
    children: Sequence[Sequence[int]],
    widths: Sequence[float],
    limit: float,
) -> None:
    """Move nodes up or down between their parents and children as long as that makes the arcs shorter."""
    moved = True
    while moved:
        moved = False
        for v in (*reversed(sequence), *sequence):
            pull = len(children[v]) - len(parents[v])
            lowest = min((layer[u] - 1 for u in children[v]), default=layer[v])
            highest = max((layer[u] + 1 for u in parents[v]), default=layer[v])
            goal = lowest if pull > 0 else highest if pull < 0 else layer[v]
            step = -1 if goal > layer[v] else 1
            # As near to the goal as there is room.
            while goal != layer[v] and filled[goal] + widths[v] > limit:
                goal += step
            if goal != layer[v]:
                filled[layer[v]] -= widths[v]
                filled[goal] += widths[v]
                layer[v] = goal
                moved = True


def with_joints(layer: Sequence[int], arcs: Iterable[Arc]) -> Jointed:
    """Cut arcs that pass through layers between those of their ends."""
    layers, chains = list(layer), {}
    for u, v in arcs:
        between = range(layer[u] + 1, layer[v])
        chains[u, v] = [u, *range(len(layers), len(layers) + len(between)), v]
        layers += between
    above: list[list[int]] = [[] for _ in layers]
    below: list[list[int]] = [[] for _ in layers]
    for chain in chains.values():
        for p, q in itertools.pairwise(chain):
            below[p].append(q)
            above[q].append(p)
    return Jointed(len(layer), layers, chains, above, below)
