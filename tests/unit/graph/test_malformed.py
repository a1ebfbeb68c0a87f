"""Edges that are none: whatever takes a graph says so with a `GraphError`."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

import stablebn as sb
from stablebn.graph import DAG, PDAG, as_graph, from_edge_list

TABLE = sb.read_network("asia").sample(100, seed=1).select(["smoke", "lung", "bronc"])
NAMES = TABLE.column_names

# By what is wrong with them, and the words that say so.
MALFORMED: dict[str, tuple[Any, str]] = {
    "one end": ([("smoke",)], r"\('smoke',\) is not an edge"),
    "three ends": ([("smoke", "lung", "bronc")], "is not an edge"),
    "no ends": ([()], r"\(\) is not an edge"),
    "a number": ([7], "7 is not an edge"),
    "nothing": ([None], "None is not an edge"),
    "text of two letters": (["ab"], "'ab' is not an edge"),
    "a set, which has no order": ([{"smoke", "lung"}], "is not an edge"),
    "a dict": ([{"smoke": 1, "lung": 2}], "is not an edge"),
    "an unhashable end": ([("smoke", ["lung"])], "is not an edge"),
    "an end with a list inside": ([("smoke", ("lung", []))], "is not an edge"),
    "an unknown end": ([("smoke", None)], "not a node: None"),
    "a number for an end": ([("smoke", 3)], "not a node: 3"),
    "something long": ([tuple(range(10**4))], r"\.\.\. is not an edge"),
}
NO_LIST: dict[str, tuple[Any, str]] = {
    "text": ("smoke", "'smoke' is not a list of edges"),
    "a number": (7, "7 is not a list of edges"),
    "nothing": (None, "None is not a list of edges"),
}
DOORS: dict[str, Callable[[Any], object]] = {
    "DAG": lambda arcs: DAG(NAMES, arcs),
    "PDAG, directed": lambda arcs: PDAG(NAMES, arcs, []),
    "PDAG, undirected": lambda arcs: PDAG(NAMES, [], arcs),
    "start": lambda arcs: sb.learn(TABLE, "hc", start=arcs),
    "score": lambda arcs: sb.score(arcs, TABLE),
    "score, a tuple": lambda arcs: sb.score(tuple(arcs), TABLE),
    "fit": lambda arcs: sb.fit(arcs, TABLE),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("what", MALFORMED)
def test_an_edge_that_is_none_is_named(what: str, door: str) -> None:
    arcs, words = MALFORMED[what]
    with pytest.raises(sb.GraphError, match=words) as refused:
        DOORS[door](arcs)
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize("door", ["DAG", "PDAG, directed", "PDAG, undirected"])
@pytest.mark.parametrize("what", NO_LIST)
def test_what_is_no_list_of_edges_is_named(what: str, door: str) -> None:
    arcs, words = NO_LIST[what]
    with pytest.raises(sb.GraphError, match=words):
        DOORS[door](arcs)


@pytest.mark.parametrize("graph", [None, 7, {("smoke", "lung")}, b"x"], ids=lambda graph: type(graph).__name__)
def test_what_is_no_graph_at_all_is_named(graph: object) -> None:
    for door in (lambda g: sb.score(g, TABLE), lambda g: sb.fit(g, TABLE), as_graph):
        with pytest.raises(sb.GraphError, match="is not a graph"):
            door(graph)


@pytest.mark.parametrize("what", MALFORMED)
def test_lists_are_no_graphs_to_compare(what: str) -> None:
    with pytest.raises(sb.GraphError, match="a list is not a graph"):
        sb.compare(MALFORMED[what][0], DAG(NAMES, []))


@pytest.mark.parametrize("nodes", [[["a"], ["b"]], [{}], [("a", [])]])
@pytest.mark.parametrize("make", [lambda nodes: DAG(nodes, []), lambda nodes: PDAG(nodes, [], [])])
def test_nodes_that_cannot_be_names_are_named(make: Callable[[Any], object], nodes: Any) -> None:
    with pytest.raises(sb.GraphError, match="hashable"):
        make(nodes)


@pytest.mark.parametrize("nodes", [None, 7])
def test_what_is_no_list_of_nodes_is_named(nodes: Any) -> None:
    with pytest.raises(sb.GraphError, match="not a list of nodes"):
        DAG(nodes, [])


def test_asking_a_graph_for_an_unhashable_node_is_a_message() -> None:
    with pytest.raises(sb.GraphError, match=r"no node \['a'\]"):
        DAG("ab", []).parents(["a"])  # type: ignore[arg-type]


@pytest.mark.parametrize("edges", [[("a", "b")], [("a", "b", "->", 1)], [("a", [], "->")], ["abc"], "abc", 7, [None]])
def test_marked_edges_that_are_none_are_named(edges: Any) -> None:
    with pytest.raises(sb.GraphError, match=r"is not an edge|is not a list of edges"):
        from_edge_list(edges)


@pytest.mark.parametrize("mark", ["<-", None, ["->"]])
def test_marks_that_are_none_are_named(mark: Any) -> None:
    with pytest.raises(sb.GraphError, match="the mark"):
        from_edge_list([("a", "b", mark)])


def test_a_graph_of_another_package_is_refused_in_our_words() -> None:
    like_igraph = SimpleNamespace(is_directed=lambda: True, vs=[], es=[])
    with pytest.raises(sb.GraphError, match="is not a graph"):
        as_graph(like_igraph)
