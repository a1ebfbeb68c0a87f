"""Graphs as GraphML; the name of a node is its id, and an arc each way is an undirected edge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stablebn.graph import DAG, PDAG
from stablebn.graph.names import Node
from stablebn.networks.formats.parsing.edge_draft import Edge, checked_graph
from stablebn.networks.formats.parsing.network_draft import check_new
from stablebn.networks.formats.parsing.xml_tree import Element, parse


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
    return checked_graph(list(_both_ways_joined(edges)), file, lines)


def _both_ways_joined(edges: Sequence[Edge]) -> Iterator[Edge]:
    """The edges, of two arcs between the same nodes, one each way, only one without a direction."""
    first: dict[tuple[Node, Node], int] = {}
    for place, edge in enumerate(edges):
        if edge.mark == "->":
            first.setdefault((edge.start, edge.end), place)
    for place, edge in enumerate(edges):
        back = first.get((edge.end, edge.start))
        if edge.mark == "--" or back is None or edge.start == edge.end or first[edge.start, edge.end] != place:
            yield edge
        elif place < back:
            yield edge._replace(mark="--")


def _mark(edge: Element, default: str) -> str:
    told = edge.attributes.get("directed", default)
    if told not in ("true", "directed", "false", "undirected"):
        raise edge.error(f"expected an edge that is 'directed' or 'undirected', got {told[:40]!r}.")
    return "->" if told in ("true", "directed") else "--"
