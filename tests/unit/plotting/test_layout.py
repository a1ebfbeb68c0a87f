"""Test the layered layout."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from stablebn.errors import GraphError
from stablebn.graph import DAG, PDAG
from stablebn.networks import read_network
from stablebn.plotting.layout import Layout, Point, layered_layout


def _random_dag(n: int, arcs: int, seed: int) -> DAG:
    drawn = random.Random(seed)
    nodes = [f"v{i}" for i in range(n)]
    pairs = drawn.sample(list(combinations(nodes, 2)), arcs)
    return DAG(nodes, pairs)


def _on_route(route: tuple[Point, ...]) -> list[Point]:
    """Return many points of a path of cubic curves."""
    points = []
    for i in range(0, len(route) - 1, 3):
        p0, p1, p2, p3 = route[i : i + 4]
        for k in range(33):
            t = k / 32
            weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
            points.append(
                Point(
                    sum(w * p.x for w, p in zip(weights, (p0, p1, p2, p3), strict=True)),
                    sum(w * p.y for w, p in zip(weights, (p0, p1, p2, p3), strict=True)),
                )
            )
    return points


def _check_readable(layout: Layout) -> None:
    """Assert that nodes do not overlap, and that arcs start and end at their nodes and pass no other node."""
    for one, other in combinations(layout.boxes.values(), 2):
        beside = abs(one.x - other.x) >= (one.width + other.width) / 2
        assert beside or abs(one.y - other.y) >= (one.height + other.height) / 2
    for box in layout.boxes.values():
        assert 0 <= box.x - box.width / 2 < box.x + box.width / 2 <= layout.width
        assert 0 <= box.y - box.height / 2 < box.y + box.height / 2 <= layout.height
    for (a, b), route in layout.routes.items():
        for name, end in ((a, route[0]), (b, route[-1])):
            box = layout.boxes[name]
            assert abs(end.x - box.x) <= box.width / 2
            assert abs(abs(end.y - box.y) - box.height / 2) < 0.2
        for at in _on_route(route):
            assert 0 <= at.x <= layout.width
            for name, box in layout.boxes.items():
                inside = abs(at.x - box.x) < box.width / 2 - 0.2 and abs(at.y - box.y) < box.height / 2 - 0.2
                assert not inside, f"{a} -> {b} passes through {name}"


@pytest.mark.parametrize("case", [(2, 1), (8, 8), (13, 78), (40, 55), (60, 40)], ids=str)
@pytest.mark.parametrize("seed", [1, 2])
def test_nodes_do_not_overlap_and_arcs_pass_beside_them(case: tuple[int, int], seed: int) -> None:
    dag = _random_dag(*case, seed)
    widths = {name: 40.0 + 17 * (i % 6) for i, name in enumerate(dag.nodes)}
    layout = layered_layout(dag, widths)
    _check_readable(layout)
    assert set(layout.boxes) == set(dag.nodes)
    assert set(layout.routes) == set(dag.arcs)


def test_arcs_point_down() -> None:
    dag = read_network("asia").dag
    layout = layered_layout(dag)
    assert all(layout.boxes[a].y < layout.boxes[b].y for a, b in dag.arcs)
    assert all(route[0].y < route[-1].y for route in layout.routes.values())


def test_a_hub_with_a_hundred_children_has_several_layers_of_them() -> None:
    star = DAG(["hub", *map(str, range(100))], [("hub", str(i)) for i in range(100)])
    layout = layered_layout(star)
    _check_readable(layout)
    assert layout.width < 4 * layout.height
    assert layout.width < 100 * 90 / 2


@pytest.mark.parametrize("seed", range(3))
def test_the_layout_does_not_depend_on_the_order_of_the_nodes(seed: int) -> None:
    dag = _random_dag(25, 40, seed)
    shuffled = list(dag.nodes)
    random.Random(seed).shuffle(shuffled)
    assert layered_layout(DAG(shuffled, reversed(dag.arcs))) == layered_layout(dag)


def test_with_an_order_the_layout_does_not_depend_on_names() -> None:
    dag = _random_dag(25, 40, 5)
    other = {name: f"x{(7 * i) % 25:02}" for i, name in enumerate(dag.nodes)}
    renamed = DAG([other[name] for name in dag.nodes], [(other[a], other[b]) for a, b in dag.arcs])
    ours = layered_layout(dag, order=dag.nodes)
    theirs = layered_layout(renamed, order=renamed.nodes)
    assert {other[name]: box for name, box in ours.boxes.items()} == theirs.boxes


def test_a_graph_with_a_cycle_and_undirected_edges_is_laid_out_too() -> None:
    graph = PDAG("abcdef", [("a", "b"), ("b", "c"), ("c", "a")], [("e", "d"), ("c", "d")])
    layout = layered_layout(graph, besides=[("f", "a")])
    _check_readable(layout)
    assert set(layout.routes) == {*graph.directed, *graph.undirected, ("f", "a")}


def test_edges_besides_turn_no_arc() -> None:
    dag = DAG("abc", [("a", "b"), ("b", "c")])
    layout = layered_layout(dag, besides=[("c", "a")])
    assert layout.boxes["a"].y < layout.boxes["b"].y < layout.boxes["c"].y
    assert layout.routes["c", "a"][0].y > layout.routes["c", "a"][-1].y


@pytest.mark.parametrize("nodes", ["", "a", "abcdefghij"])
def test_nodes_without_edges_stand_in_a_block(nodes: str) -> None:
    layout = layered_layout(DAG(nodes, []))
    _check_readable(layout)
    assert len({box.y for box in layout.boxes.values()}) <= 4


def test_an_order_that_lacks_a_node_is_refused() -> None:
    with pytest.raises(GraphError, match="'b'"):
        layered_layout(DAG("ab", []), order=["a"])
