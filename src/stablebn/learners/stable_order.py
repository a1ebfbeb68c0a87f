"""GetStableOrder (Algorithm 2 of the paper; specification, section 4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from stablebn.learners.hc import hill_climb
from stablebn.learners.shared.config import SearchConfig
from stablebn.learners.shared.problem import Problem
from stablebn.learners.tabu import tabu_search
from stablebn.search import Climb
from stablebn.stats.variable_sets import members

Search = Callable[[Problem, Mapping[str, Sequence[int]], SearchConfig], list[Climb]]
"""Climbs once for each order; the keys name the searches."""


def search_for_order(problem: Problem, config: SearchConfig) -> Climb:
    """The better of two DAGs, learned in decreasing and in increasing order; `stable_order` reads the order off it.

    References
    ----------
    Kitson and Constantinou, "Stable Structure Learning with HC-Stable and Tabu-Stable Algorithms", Algorithm 2.
    """
    search: Search = tabu_search if config.order_search == "tabu" else hill_climb
    orders = {"decreasing order": problem.decreasing, "increasing order": problem.increasing}
    decreasing, increasing = search(problem, orders, config)
    better = increasing if increasing.score > decreasing.score else decreasing
    return replace(better, finished=decreasing.finished and increasing.finished)


def climb_in_stable_order(problem: Problem, config: SearchConfig, search: Search) -> Climb:
    """A search whose arbitrary choices follow the data alone (Algorithm 1)."""
    found = search_for_order(problem, config)
    if problem.time_is_up():
        return found
    [last] = search(problem, {"search": stable_order(found)}, config)
    if problem.time_is_up() and not last.finished and found.score > last.score:
        # The last search was stopped on its way up: so far, what the order was read off is the best.
        return replace(found, finished=False)
    return replace(last, finished=found.finished and last.finished, order_search=found)


def stable_order(found: Climb) -> list[int]:
    """The topological order of a DAG, layer by layer, inside a layer by the order it was learned in."""
    return layered_order(found.parents, found.order)


def layered_order(parents: Sequence[int], order: Sequence[int]) -> list[int]:
    """Variables layer by layer from the roots, inside a layer by `order`."""
    place = {v: p for p, v in enumerate(order)}
    children: dict[int, list[int]] = {v: [] for v in order}
    waiting = {v: parents[v].bit_count() for v in order}
    for v in order:
        for u in members(parents[v]):
            children[u].append(v)
    layered: list[int] = []
    layer = [v for v in order if not waiting[v]]
    while layer:
        layered += layer
        following = []
        for child in (child for u in layer for child in children[u]):
            waiting[child] -= 1
            if not waiting[child]:
                following.append(child)
        layer = sorted(following, key=place.__getitem__)
    return layered
