"""Graphs as GraphML; the name of a node is its id."""

from __future__ import annotations

from stablebn.graph import DAG, PDAG
from stablebn.networks.formats.draft import check_new
from stablebn.networks.formats.edges import Edge, checked_graph
from stablebn.networks.formats.xml_tree import Element, parse


def read(text: str, file: str) -> DAG | PDAG:
    """Read a graph from the text of a GraphML file."""
    graph = parse(text, file, "graphml").one("graph")
    lines: dict[str, int] = {}
    for node in graph.all("node"):
        if any(node.all("graph")):
            raise node.error("expected nodes without graphs in them.")
        check_new(node.attribute("id"), lines, node.line, file)
        lines[node.attribute("id")] = node.line
    for other in graph.all("hyperedge"):
        raise other.error("expected edges of two nodes, got a <hyperedge>.")
    default = graph.attribute("edgedefault")
    edges = [
        Edge(edge.attribute("source"), edge.attribute("target"), _mark(edge, default), edge.line)
        for edge in graph.all("edge")
    ]
    return checked_graph(edges, file, lines)


def _mark(edge: Element, default: str) -> str:
    told = edge.attributes.get("directed", default)
    if told not in ("true", "directed", "false", "undirected"):
        raise edge.error(f"expected an edge that is 'directed' or 'undirected', got {told[:40]!r}.")
    return "->" if told in ("true", "directed") else "--"
