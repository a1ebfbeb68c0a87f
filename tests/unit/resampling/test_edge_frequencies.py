"""The table of edge frequencies against counting and comparing the graphs one by one."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations

import pytest

import stablebn as sb
from stablebn.graph.metrics import edge_marks
from stablebn.graph.names import rank_names
from stablebn.resampling.edge_frequencies import EdgeFrequencies, edge_distance

NODES = "dbca"


def _graphs(seed: int, number: int) -> list[sb.PDAG]:
    draw = random.Random(seed)
    graphs = []
    for _ in range(number):
        marks = {pair: draw.choice(["->", "--", "", ""]) for pair in combinations(NODES, 2)}
        directed = [pair for pair, mark in marks.items() if mark == "->"]
        graphs.append(sb.PDAG(NODES, directed, [pair for pair, mark in marks.items() if mark == "--"]))
    return graphs


@pytest.mark.parametrize("seed", range(5))
def test_counts_are_those_of_the_graphs_one_by_one(seed: int) -> None:
    graphs = _graphs(seed, 12)
    table = EdgeFrequencies(graphs, NODES)
    all_marks = [edge_marks(graph, rank_names(NODES)) for graph in graphs]
    assert table.graphs == 12
    assert set(table.counts) == {pair for marks in all_marks for pair in marks}
    for pair, counts in table.counts.items():
        assert counts == tuple(sum(marks.get(pair) == mark for marks in all_marks) for mark in ("->", "<-", "--"))
        assert counts.adjacent == sum(pair in marks for marks in all_marks)


def test_most_frequent_edges_come_first_then_by_name() -> None:
    graphs = [sb.PDAG("abc", [("b", "c"), ("a", "c")], []), sb.PDAG("abc", [("c", "b")], [("a", "b")])]
    assert list(EdgeFrequencies(graphs, "abc").counts) == [("b", "c"), ("a", "b"), ("a", "c")]


@pytest.mark.parametrize("seed", range(5))
def test_mean_difference_is_the_mean_distance_of_all_pairs(seed: int) -> None:
    graphs = _graphs(seed, 7)
    distances = [edge_distance(one, other, NODES) for one, other in combinations(graphs, 2)]
    assert distances == [sb.compare(one, other, as_cpdag=False).shd for one, other in combinations(graphs, 2)]
    assert EdgeFrequencies(graphs, NODES).mean_difference() == Fraction(sum(distances), len(distances))


def test_one_graph_has_no_difference() -> None:
    assert EdgeFrequencies(_graphs(0, 1), NODES).mean_difference() == 0
