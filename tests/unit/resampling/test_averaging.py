"""The threshold, against all possible constants, and the averaged graph."""

from __future__ import annotations

import itertools
import random
from collections.abc import Hashable, Sequence
from fractions import Fraction

import pytest

from stablebn.resampling.averaging import averaged, threshold_of
from stablebn.resampling.edge_frequencies import EdgeConfidence


def _by_brute_force(frequencies: Sequence[Fraction]) -> Fraction:
    """The threshold as Scutari and Nagarajan define it: F's inverse at the constant nearest to F in L1.

    The distance is linear between the values of F, so one of these, or a value between two of them, is nearest; of
    several that are equally near the greatest is taken.
    """
    points = sorted({Fraction(0), *frequencies, Fraction(1)})

    def share(x: Fraction) -> Fraction:
        return Fraction(sum(own <= x for own in frequencies), len(frequencies))

    def distance(t: Fraction) -> Fraction:
        pieces = itertools.pairwise(points)
        return sum((abs(share(low) - t) * (high - low) for low, high in pieces), Fraction(0))

    values = sorted({share(point) for point in points})
    between = [(a + b) / 2 for a, b in itertools.pairwise(values)]
    nearest = max(sorted({*values, *between, Fraction(0)}), key=lambda t: (-distance(t), t))
    return next(point for point in points if share(point) >= nearest)


@pytest.mark.parametrize("replicates", [1, 2, 3, 7, 10, 20])
def test_threshold_is_the_nearest_constant(replicates: int) -> None:
    draw = random.Random(replicates)
    for _ in range(50):
        counts = [draw.randint(0, replicates) for _ in range(draw.randint(1, 12))]
        found = Fraction(threshold_of(counts, replicates), replicates)
        assert found == _by_brute_force([Fraction(count, replicates) for count in counts]), counts


def test_threshold_of_the_paper() -> None:
    # Scutari and Nagarajan (2013), section 3: six edges, of which the last three are significant.
    frequencies = [460, 2242, 3921, 7689, 8935, 9439]
    assert threshold_of(frequencies, 10_000) == 3921


def test_without_edges_the_threshold_is_0() -> None:
    assert threshold_of([], 10) == 0
    assert threshold_of([6, 10], 10) == 0


def test_pairs_that_are_never_joined_change_nothing() -> None:
    for replicates, counts in ((10, [5, 6]), (7, [1, 7]), (4, [])):
        assert threshold_of([*counts, 0, 0, 0], replicates) == threshold_of(counts, replicates)


PLACE: dict[Hashable, int] = {"a": 0, "b": 1, "c": 2}


def test_direction_needs_more_than_half() -> None:
    edges = [EdgeConfidence("a", "b", 4, 1, 4, 10), EdgeConfidence("b", "c", 1, 5, 3, 10)]
    graph = averaged("abc", edges, PLACE)
    assert graph.directed == (("c", "b"),)
    assert graph.undirected == (("a", "b"),)
    # An undirected edge counts half for each direction, as in the literature.
    assert edges[0].direction == (4 + 2) / 9


def test_weakest_direction_of_a_cycle_is_left_open() -> None:
    edges = [EdgeConfidence("a", "b", 9, 0, 0, 10), EdgeConfidence("b", "c", 8, 1, 0, 10)]
    closing = EdgeConfidence("a", "c", 2, 8, 0, 10)
    for order in ([*edges, closing], [closing, *edges]):
        graph = averaged("abc", order, PLACE)
        assert graph.directed == (("a", "b"), ("b", "c"))
        assert graph.undirected == (("a", "c"),)


def test_canonical_order_decides_between_equals() -> None:
    names = ["x", "y", "z"]
    edges = [EdgeConfidence(u, v, 8, 0, 0, 10) for u, v in (("x", "y"), ("y", "z"), ("z", "x"))]
    for first in range(3):
        place: dict[Hashable, int] = {names[(first + step) % 3]: step for step in range(3)}
        graph = averaged(names, edges, place)
        # x -> y -> z -> x: the one that goes from the last in canonical order comes too late.
        last = names[(first + 2) % 3]
        assert set(graph.undirected[0]) == {last, names[first]}
        assert graph.extension() is not None or len(graph.directed) == 2


@pytest.mark.parametrize("seed", range(10))
def test_averaged_graph_has_no_directed_cycle(seed: int) -> None:
    draw = random.Random(seed)
    names = [f"v{place}" for place in range(6)]
    edges = [
        EdgeConfidence(a, b, draw.randint(0, 6), draw.randint(0, 6), draw.randint(0, 6), 20)
        for place, a in enumerate(names)
        for b in names[place + 1 :]
    ]
    graph = averaged(names, edges, {name: place for place, name in enumerate(draw.sample(names, 6))})
    assert len(graph.directed) + len(graph.undirected) == len(edges)
    left = dict.fromkeys(names)
    while sources := [node for node in left if not any(parent in left for parent in graph.parents(node))]:
        for node in sources:
            del left[node]
    assert not left
