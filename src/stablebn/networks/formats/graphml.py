"""Read graphs as GraphML: the id of a node is its name, and arcs in both directions are an undirected edge."""

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
    return checked_graph(list(_merge_opposite_arcs(edges)), file, lines)


def _merge_opposite_arcs(edges: Sequence[Edge]) -> Iterator[Edge]:
    """Replace two arcs of opposite directions between the same nodes by one undirected edge."""
    first: dict[tuple[Node, Node], int] = {}
    for index, edge in enumerate(edges):
        if edge.mark == "->":
            first.setdefault((edge.start, edge.end), index)
    for index, edge in enumerate(edges):
        back = first.get((edge.end, edge.start))
        if edge.mark == "--" or back is None or edge.start == edge.end or first[edge.start, edge.end] != index:
            yield edge
        elif index < back:
            yield edge._replace(mark="--")


def _mark(edge: Element, default: str) -> str:
    directed = edge.attributes.get("directed", default)
    if directed not in ("true", "directed", "false", "undirected"):
        raise edge.error(f"expected an edge that is 'directed' or 'undirected', got {directed[:40]!r}.")
    return "->" if directed in ("true", "directed") else "--"
