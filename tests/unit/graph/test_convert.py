from __future__ import annotations

import csv
import io
import json
import random
import sys
import xml.etree.ElementTree as ET
from itertools import pairwise

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.graph import naive

from stablebn.errors import GraphError, MissingExtraError, OptionError
from stablebn.graph import (
    DAG,
    PDAG,
    from_adjacency,
    from_edge_list,
    from_networkx,
    to_adjacency,
    to_csv,
    to_dot,
    to_edge_list,
    to_graphml,
    to_json_dict,
    to_networkx,
)
from stablebn.graph.convert import Backend
from stablebn.graph.names import Edge, Node

MIXED = PDAG(["c", "a", "b", "alone"], [("b", "c")], [("a", "b")])
ODD_NAMES: tuple[Node, ...] = ('say "hi"', "back\\", "a,b", "a->b;", "<&>", "two\nlines", "é ☃", "")
ODD = PDAG(ODD_NAMES, list(pairwise(ODD_NAMES[:-1])), [(ODD_NAMES[0], "")])
XMLNS = "{http://graphml.graphdrawing.org/xmlns}"


def test_every_conversion_round_trips() -> None:
    rng = random.Random(1)
    for _ in range(20):
        dag = naive.random_dag(rng, 8, rng.randint(0, 14))
        for graph in (dag, dag.cpdag()) if dag.cpdag().undirected else (dag,):
            copies = [
                from_networkx(to_networkx(graph)),
                from_adjacency(to_adjacency(graph)),
                from_adjacency(to_adjacency(graph, backend="polars")),
                from_adjacency(to_adjacency(graph, backend="numpy"), graph.nodes),
                from_edge_list(to_edge_list(graph), graph.nodes),
            ]
            assert copies == [graph] * 5
            assert [copy.nodes for copy in copies] == [graph.nodes] * 5


def test_names_of_any_kind_survive_pandas_networkx_and_edge_lists() -> None:
    nodes: list[Node] = [1, "1", ("a", 2), None]
    dag = DAG(nodes, [(1, "1"), (("a", 2), None)])
    assert from_adjacency(to_adjacency(dag)) == dag
    assert from_edge_list(to_edge_list(dag)) == dag
    tuples = DAG([("x", 1), ("y", 2)], [(("y", 2), ("x", 1))])
    assert to_adjacency(tuples).index.nlevels == 1
    assert from_adjacency(to_adjacency(tuples)) == tuples
    assert from_networkx(to_networkx(tuples)) == tuples


@pytest.mark.parametrize("read", [from_edge_list, lambda edges: from_networkx(nx.DiGraph(e[:2] for e in edges))])
def test_directed_cycle_is_refused(read: object) -> None:
    assert callable(read)
    with pytest.raises(GraphError, match="a -> b -> c -> a"):
        read([("a", "b", "->"), ("b", "c", "->"), ("c", "a", "->")])


def test_directed_cycle_is_refused_beside_undirected_edges_too() -> None:
    with pytest.raises(GraphError, match="a -> b -> c -> a"):
        from_edge_list([("a", "b", "->"), ("b", "c", "->"), ("c", "a", "->"), ("a", "d", "--")])


def test_networkx_graph_without_directions_is_a_pdag() -> None:
    assert from_networkx(nx.Graph([("b", "a")])) == PDAG("ab", [], [("a", "b")])
    with pytest.raises(GraphError, match="'a' has an edge to itself"):
        from_networkx(nx.DiGraph([("a", "a")]))


def test_adjacency_rows_are_where_arcs_come_from() -> None:
    frame = to_adjacency(MIXED)
    assert list(frame.index) == list(frame.columns) == list(MIXED.nodes)
    assert frame.loc["b", "c"] == 1
    assert frame.loc["c", "b"] == 0
    assert frame.loc["a", "b"] == frame.loc["b", "a"] == 1
    assert frame.to_numpy().sum() == 3


def test_polars_matrix_has_its_names_in_the_first_column() -> None:
    frame = to_adjacency(DAG([2, 1], [(2, 1)]), backend="polars")
    assert frame.equals(pl.DataFrame({"node": ["2", "1"], "2": [0, 0], "1": [1, 0]}).cast({"1": pl.Int8, "2": pl.Int8}))
    with pytest.raises(GraphError, match="rename the node 'node'"):
        to_adjacency(DAG(["node"], []), backend="polars")
    with pytest.raises(GraphError, match="same as text"):
        to_adjacency(DAG([1, "1"], []), backend="polars")


def test_adjacency_is_matched_by_name_not_by_position() -> None:
    dag = DAG("abc", [("a", "b"), ("c", "b")])
    frame = to_adjacency(dag)
    assert from_adjacency(frame.loc[["c", "a", "b"], ["b", "c", "a"]]) == dag
    shuffled = to_adjacency(dag, backend="polars")[[2, 0, 1]].select("b", "node", "a", "c")
    assert from_adjacency(shuffled) == dag
    assert from_adjacency(shuffled, nodes="abc").nodes == ("a", "b", "c")


@pytest.mark.parametrize(
    ("matrix", "nodes", "message"),
    [
        (pd.DataFrame([[0]], index=["a"], columns=["b"]), None, "missing 'b'; unexpected 'a'"),
        (pd.DataFrame([[0]], index=["a"], columns=["a"]), ["a", "b"], "missing 'b'"),
        (pd.DataFrame([[0, 0]], index=["a"], columns=["a", "a"]), None, "square"),
        (pd.DataFrame(np.zeros((2, 2)), index=["a", "a"], columns=["a", "a"]), None, "more than once"),
        (pl.DataFrame({"a": [0]}), None, "column 'node'"),
        (np.zeros((2, 2)), None, "give nodes"),
        (np.zeros((2, 3)), ["a", "b"], "square"),
        (np.full((1, 1), 2.0), ["a"], "zeros and ones"),
        (np.full((1, 1), np.nan), ["a"], "zeros and ones"),
    ],
)
def test_unfit_matrix_is_refused_with_its_fault(matrix: object, nodes: list[Node] | None, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        from_adjacency(matrix, nodes)


def test_edge_list_without_nodes_takes_them_in_order_of_appearance() -> None:
    graph = from_edge_list([("c", "a", "->"), ("b", "a", "--")])
    assert graph == PDAG("cab", [("c", "a")], [("a", "b")])
    assert graph.nodes == ("c", "a", "b")
    assert to_edge_list(graph) == [("c", "a", "->"), ("a", "b", "--")]
    with pytest.raises(GraphError, match="mark '<-'"):
        from_edge_list([("a", "b", "<-")])


def test_json_holds_nodes_and_edges_by_kind() -> None:
    assert json.loads(json.dumps(to_json_dict(MIXED))) == {
        "type": "PDAG",
        "nodes": ["c", "a", "b", "alone"],
        "directed": [["b", "c"]],
        "undirected": [["a", "b"]],
    }
    assert to_json_dict(DAG("ab", [("b", "a")]))["type"] == "DAG"


def test_dot_shows_every_node_and_edge() -> None:
    assert to_dot(MIXED) == (
        'digraph {\n  "c";\n  "a";\n  "b";\n  "alone";\n  "b" -> "c";\n  "a" -> "b" [dir=none];\n}\n'
    )


def test_dot_escapes_quotes_and_backslashes() -> None:
    dot = to_dot(DAG(['say "hi"', "back\\"], []))
    assert dot == 'digraph {\n  "say \\"hi\\"";\n  "back\\\\";\n}\n'


def test_csv_reads_back_whatever_the_names() -> None:
    rows = list(csv.reader(io.StringIO(to_csv(ODD), newline="")))
    assert rows[0] == ["from", "to", "type"]
    assert [tuple(row) for row in rows[1:]] == to_edge_list(ODD)


def test_graphml_reads_back_whatever_the_names() -> None:
    root = ET.fromstring(to_graphml(ODD))
    assert [node.get("id") for node in root.iter(f"{XMLNS}node")] == list(ODD.nodes)
    edges = [(edge.get("source"), edge.get("target"), edge[0].text) for edge in root.iter(f"{XMLNS}edge")]
    both_ways = [[(a, b, mark)] if mark == "->" else [(a, b, mark), (b, a, mark)] for a, b, mark in to_edge_list(ODD)]
    assert edges == [edge for own in both_ways for edge in own]


@pytest.mark.parametrize(
    "graph", [DAG("cab", [("a", "c"), ("c", "b")]), PDAG("cabd", [("a", "c")], [("c", "b"), ("d", "a")])]
)
def test_graphml_is_read_by_networkx(graph: DAG | PDAG) -> None:
    assert from_networkx(nx.parse_graphml(to_graphml(graph))) == graph


def test_strengths_are_written_whichever_way_round_they_are_known() -> None:
    graph = PDAG("abc", [("a", "b")], [("b", "c")])
    strengths: dict[Edge, float] = {("a", "b"): 1.5, ("c", "b"): 2e-17}
    assert to_csv(graph, strengths) == "from,to,type,strength\na,b,->,1.5\nb,c,--,2e-17\n"
    assert '"b" -> "c" [dir=none, strength="2e-17"];' in to_dot(graph, strengths)
    edges = nx.parse_graphml(to_graphml(graph, strengths)).edges(data=True)
    assert sorted(edges, key=str) == [
        ("a", "b", {"type": "->", "strength": 1.5}),
        ("b", "c", {"type": "--", "strength": 2e-17}),
        ("c", "b", {"type": "--", "strength": 2e-17}),
    ]


def test_graphml_refuses_names_that_xml_cannot_hold() -> None:
    with pytest.raises(GraphError, match="XML cannot hold"):
        to_graphml(DAG(["bell\x07"], []))


@given(st.text())
def test_graphml_is_well_formed_or_refused(name: str) -> None:
    try:
        text = to_graphml(DAG([name], []))
    except GraphError:
        return
    (node,) = ET.fromstring(text).iter(f"{XMLNS}node")
    assert node.get("id") == name


@pytest.mark.parametrize("write", [to_csv, to_dot, to_graphml])
def test_names_that_are_the_same_as_text_are_refused(write: object) -> None:
    assert callable(write)
    with pytest.raises(GraphError, match="'1' are the same as text"):
        write(DAG([1, "1"], []))


@pytest.mark.parametrize("backend", ["pandas", "polars"])
def test_missing_package_is_named_with_its_extra(backend: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, backend, None)
    with pytest.raises(MissingExtraError, match=rf"stablebn\[{backend}\]"):
        to_adjacency(MIXED, backend=backend)


def test_missing_networkx_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(MissingExtraError, match=r"stablebn\[networkx\]"):
        to_networkx(MIXED)


def test_unknown_backend_is_refused() -> None:
    with pytest.raises(OptionError, match="backend='arrow'"):
        to_adjacency(MIXED, backend="arrow")  # type: ignore[arg-type]
