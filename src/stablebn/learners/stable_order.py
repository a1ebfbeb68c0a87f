"""The stable order (GetStableOrder, Algorithm 2 of the paper; specification, section 4)."""

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
"""Climbs once per order; the keys name the searches."""


def search_for_order(problem: Problem, config: SearchConfig) -> Climb:
    """Return the better of two DAGs, learned in decreasing and in increasing order, to derive the stable order.

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
    """Search in the stable order, so that ties depend on the data alone (Algorithm 1)."""
    first = search_for_order(problem, config)
    if problem.time_is_up():
        return first
    [last] = search(problem, {"search": stable_order(first)}, config)
    if problem.time_is_up() and not last.finished and first.score > last.score:
        # The last search was stopped early: the DAG that gave the order is the best so far.
        return replace(first, finished=False)
    return replace(last, finished=first.finished and last.finished, order_search=first)


def stable_order(climbed: Climb) -> list[int]:
    """Return the topological order of a DAG by layers; within a layer, keep the order in which the DAG was learned."""
    return layered_order(climbed.parents, climbed.order)


def layered_order(parents: Sequence[int], order: Sequence[int]) -> list[int]:
    """Return the variables layer by layer from the roots; within a layer, by their positions in `order`."""
    position = {v: p for p, v in enumerate(order)}
    children: dict[int, list[int]] = {v: [] for v in order}
    missing_parents = {v: parents[v].bit_count() for v in order}
    for v in order:
        for u in members(parents[v]):
            children[u].append(v)
    layered: list[int] = []
    layer = [v for v in order if not missing_parents[v]]
    while layer:
        layered += layer
        next_layer = []
        for child in (child for u in layer for child in children[u]):
            missing_parents[child] -= 1
            if not missing_parents[child]:
                next_layer.append(child)
        layer = sorted(next_layer, key=position.__getitem__)
    return layered
