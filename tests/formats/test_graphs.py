from __future__ import annotations

from datetime import date, datetime, timezone
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from tests.formats.samples import GRAPH_WRITE_ENDINGS, HEIGHT, RAIN
from tests.formats.test_broken import JSON

from stablebn import learn
from stablebn.errors import FormatError, GraphError, OptionError
from stablebn.graph import DAG, PDAG
from stablebn.networks.formats import GRAPH_READERS, encode, graph_text, network_text, read_graph_file

MIXED = PDAG(["c", "a", "b", "d"], [("b", "c"), ("d", "c")], [("a", "b")])
ODD_NAMES = ('say "hi"', "back\\", "a,b", "a->b;", "<&>", "two\nlines", "é ☃", "", "#1", "// no comment", "graph")
ODD = PDAG(ODD_NAMES, list(pairwise(ODD_NAMES[:-1])), [(ODD_NAMES[0], "graph")])


def read(text: str, ending: str) -> DAG | PDAG:
    return GRAPH_READERS[ending](text, f"graph{ending}")


def edges(graph: DAG | PDAG) -> tuple[object, object]:
    return (graph.arcs, ()) if isinstance(graph, DAG) else (graph.directed, graph.undirected)


@pytest.mark.parametrize("ending", GRAPH_WRITE_ENDINGS)
@pytest.mark.parametrize("graph", [MIXED, MIXED.extension(), ODD, RAIN.dag], ids=["mixed", "dag", "odd", "rain"])
@pytest.mark.parametrize("packed", ["", ".gz"])
def test_graphs_come_back_as_they_were(ending: str, graph: DAG | PDAG, packed: str, tmp_path: Path) -> None:
    path = tmp_path / f"graph{ending}{packed}"
    path.write_bytes(encode(graph_text(graph, ending), path.name))
    back = read_graph_file(path)
    assert back == graph
    if not ending.endswith(".csv"):
        assert back.nodes == graph.nodes


@pytest.mark.parametrize("ending", [".json", ".graphml", ".dot", ".csv"])
def test_nodes_without_edges_stay(ending: str) -> None:
    alone = DAG(["z", "a"], [])
    assert read(graph_text(alone, ending), ending).nodes == ("z", "a")
    some = PDAG(["", "alone", "a", "b", "c"], [("a", "b")], [("b", "c")])
    assert read(graph_text(some, ending), ending) == some


def test_csv_columns_besides_those_of_the_edges_are_passed_over() -> None:
    text = "strength,to,from,type,note\n3.5,b,a,->,\n,c,b,--,x\n,,d,,alone\n"
    assert read(text, ".csv") == PDAG("abcd", [("a", "b")], [("b", "c")])


def test_csv_without_marks_may_have_nodes_without_edges() -> None:
    assert read("from,to\na,b\nc,\n", ".csv") == DAG("abc", [("a", "b")])


def test_the_json_of_a_learned_result_is_read(tmp_path: Path) -> None:
    result = learn({"b": list("xyxyxyxy") * 5, "a": list("uvuvuvuv") * 5, "c": list("ppqqppqq") * 5})
    path = tmp_path / "result.json"
    path.write_text(result.to_json("dag"))
    assert read_graph_file(path) == result.dag
    path.write_text(result.to_json())
    assert read_graph_file(path) == result.marked != result.dag
    assert read_graph_file(path).nodes == result.nodes


def test_an_arc_that_is_listed_as_undirected_too_has_no_direction() -> None:
    text = '{"nodes": ["a", "b", "c"], "arcs": [["b", "a"], ["a", "c"]], "undirected": [["a", "b"]]}'
    assert read(text, ".json") == PDAG("abc", [("a", "c")], [("a", "b")])


def test_graphml_has_an_undirected_edge_as_two_arcs() -> None:
    graph = PDAG("abc", [("a", "c")], [("b", "a")])
    text = graph_text(graph, ".graphml")
    assert text.count("<edge ") == 3
    assert read(text, ".graphml") == graph


def test_json_names_may_be_numbers() -> None:
    graph = DAG([1, 2.5, "x"], [(1, "x")])
    assert read(graph_text(graph, ".json"), ".json") == graph
    with pytest.raises(GraphError, match="rename them"):
        graph_text(DAG(["a", float("inf")], []), ".json")


def test_json_names_may_be_tuples_and_dates() -> None:
    names = [("a", ("b", 1)), date(2024, 5, 1), datetime(2024, 5, 1, 12, tzinfo=timezone.utc), np.int64(3), True, None]
    graph = PDAG(names, [(names[0], names[1])], [(names[2], names[3])])
    back = read(graph_text(graph, ".json"), ".json")
    assert back == graph
    assert [type(name) for name in back.nodes] == [tuple, date, datetime, int, bool, type(None)]


@pytest.mark.parametrize("name", ['{"day": "2024-05-01"}', '{"date": 3}', "{}", '{"date": "x"}', "1e999"])
def test_json_objects_that_are_no_names_are_refused(name: str) -> None:
    with pytest.raises(FormatError, match="line 1: expected the 'nodes' to be texts or numbers"):
        read(f'{{"nodes": ["a", {name}], "arcs": []}}', ".json")


@pytest.mark.parametrize("ending", [".bif", ".xdsl"])
def test_the_graph_of_a_network_file_is_read(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"net{ending}"
    network = HEIGHT if ending == ".xdsl" else RAIN
    path.write_text(network_text(network, ending))
    assert read_graph_file(path) == network.dag


def test_the_graph_of_pgmpys_json_is_read(tmp_path: Path) -> None:
    path = tmp_path / "net.json"
    path.write_text(JSON)
    assert read_graph_file(path) == DAG(["mother", "child"], [("mother", "child")])


def test_csv_without_marks_is_a_list_of_arcs() -> None:
    assert read("From, To\na,b\n\nb,c\n", ".csv") == DAG("abc", [("a", "b"), ("b", "c")])


def test_bayesys_files_are_told_by_their_header() -> None:
    text = "ID,Variable 1,Dependency,Variable 2\n1,A,->,B\n2,B,-,C\n"
    graph = PDAG("ABC", [("A", "B")], [("B", "C")])
    assert read(text, ".csv") == graph
    assert graph_text(graph, ".bayesys.csv") == text


def test_graphml_edges_may_differ_from_the_default() -> None:
    text = """<?xml version="1.0"?><g:graphml xmlns:g="http://graphml.graphdrawing.org/xmlns">
    <g:key id="k" for="node"/><g:graph id="G" edgedefault="undirected">
    <g:node id="a"><g:data key="k">1</g:data></g:node><g:node id="b"/>
    <g:node id="c"/><g:edge source="a" target="b"/><g:edge source="c" target="b" directed="true"/>
    </g:graph></g:graphml>"""
    assert read(text, ".graphml") == PDAG("abc", [("c", "b")], [("a", "b")])


def test_common_dot_is_read() -> None:
    text = r"""// made by hand; "quoted
    # and a line of the preprocessor
    strict digraph "my graph" {
        rankdir = LR; graph [label="a -> b"]; node [shape=box, style="rounded"]
        a -> b -> "two words" [weight=2; color="red"]; /* a -> c
        */ -1.5; b -> é_1
        edge [dir=none] a -> -1.5 lonely [label="x"]
        "two words" -> z [dir=forward]
    }"""
    graph = read(text, ".dot")
    assert graph.nodes == ("a", "b", "two words", "-1.5", "é_1", "lonely", "z")
    assert edges(graph) == (
        (("a", "b"), ("b", "two words"), ("b", "é_1"), ("two words", "z")),
        (("-1.5", "a"),),
    )


def test_undirected_dot_is_a_graph_without_directions() -> None:
    assert read("graph { a -- b -- c }", ".gv") == PDAG("abc", [], [("a", "b"), ("b", "c")])


def test_an_unknown_format_to_write_is_an_option_error() -> None:
    with pytest.raises(OptionError, match=r"no format to write.*'\.graphml'"):
        graph_text(MIXED, ".docx")
