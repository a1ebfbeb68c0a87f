"""Assign nodes to layers, and cut long arcs at joints in the layers that they pass."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

Arc = tuple[int, int]


@dataclass(frozen=True)
class Jointed:
    """A graph whose arcs lead from one layer to the next: longer arcs are cut, with a joint in each layer between.

    Attributes
    ----------
    nodes : int
        The number of nodes, which are the first points; the others are joints.
    layer : list of int
        The layer of each point.
    chains : dict of arc to list of int
        The points of an arc, with its ends.
    above, below : list of list of int
        The neighbours of each point in the layer before and in the next layer.
    """

    nodes: int
    layer: list[int]
    chains: dict[Arc, list[int]]
    above: list[list[int]]
    below: list[list[int]]


def acyclic(n: int, arcs: Sequence[Arc], loose: Iterable[Arc]) -> list[Arc]:
    """Return every edge once, with directions that have no cycle.

    Parameters
    ----------
    n : int
    arcs : sequence of (from, to)
        Arcs that keep their direction unless they close a cycle.
    loose : iterable of (a, b)
        Edges that may get any direction: they follow the order of the arcs.
    """
    # A topological order; in a cycle, the node with the fewest remaining parents comes next.
    children: list[list[int]] = [[] for _ in range(n)]
    waiting = [0] * n
    for u, v in arcs:
        children[u].append(v)
        waiting[v] += 1
    queue = [(waiting[v], v) for v in range(n)]
    heapify(queue)
    position: dict[int, int] = {}
    while queue:
        count, v = heappop(queue)
        if v in position or count != waiting[v]:
            continue
        position[v] = len(position)
        for child in children[v]:
            waiting[child] -= 1
            heappush(queue, (waiting[child], child))
    return sorted({(u, v) if position[u] < position[v] else (v, u) for u, v in (*arcs, *loose)})


def assign_layers(n: int, arcs: Sequence[Arc], widths: Sequence[float], limit: float) -> list[int]:
    """Return the layer of each node, from 0: below its parents, with short arcs, and without wide layers.

    Parameters
    ----------
    n : int
    arcs : sequence of (from, to)
        Acyclic.
    widths : sequence of float
        Widths of the nodes, with the gap to the next node.
    limit : float
        The largest width of a layer. The leaves of a large star are spread over several layers.
    """
    parents: list[list[int]] = [[] for _ in range(n)]
    children: list[list[int]] = [[] for _ in range(n)]
    for u, v in arcs:
        parents[v].append(u)
        children[u].append(v)
    below = _longest_paths(n, parents, children)

    # List scheduling: among the nodes whose parents have layers, the one with the longest path below it comes first.
    waiting = [len(nodes) for nodes in parents]
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
    used = {at: index for index, at in enumerate(sorted(set(layer)))}
    return [used[at] for at in layer]


def _longest_paths(n: int, parents: Sequence[Sequence[int]], children: Sequence[Sequence[int]]) -> list[int]:
    """Return the length of the longest path from each node."""
    longest, waiting = [0] * n, [len(nodes) for nodes in children]
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
    """Move nodes between their parents and children while this shortens the arcs."""
    moved = True
    while moved:
        moved = False
        for v in (*reversed(sequence), *sequence):
            pull = len(children[v]) - len(parents[v])
            lowest = min((layer[u] - 1 for u in children[v]), default=layer[v])
            highest = max((layer[u] + 1 for u in parents[v]), default=layer[v])
            goal = lowest if pull > 0 else highest if pull < 0 else layer[v]
            step = -1 if goal > layer[v] else 1
            # The nearest layer to the goal that has room.
            while goal != layer[v] and filled[goal] + widths[v] > limit:
                goal += step
            if goal != layer[v]:
                filled[layer[v]] -= widths[v]
                filled[goal] += widths[v]
                layer[v] = goal
                moved = True


def with_joints(layer: Sequence[int], arcs: Iterable[Arc]) -> Jointed:
    """Cut the arcs that pass layers between their ends."""
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
