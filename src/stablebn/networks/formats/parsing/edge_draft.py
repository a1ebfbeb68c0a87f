"""Build a graph from the edges of a file, and find the line of an invalid edge."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from stablebn.errors import FormatError, GraphError
from stablebn.graph import DAG, PDAG, from_edge_list
from stablebn.graph.names import Node
from stablebn.networks.formats.parsing.network_draft import first_wrong


class Edge(NamedTuple):
    """An edge read from a graph file, with its mark ("->" or "--") and its line number."""

    start: Node
    end: Node
    mark: str
    line: int | None


def checked_graph(edges: Sequence[Edge], file: str, nodes: Iterable[Node] | None = None) -> DAG | PDAG:
    """Build a graph, or raise `FormatError` with the line of the first invalid edge.

    Parameters
    ----------
    edges : sequence of Edge
    file : str
    nodes : iterable of names, optional
        By default the nodes of the edges, in order of appearance.
    """
    names = None if nodes is None else tuple(nodes)

    def build(some: int) -> DAG | PDAG:
        return from_edge_list([edge[:3] for edge in edges[:some]], names)

    try:
        return build(len(edges))
    except GraphError as error:
        wrong = first_wrong(build, len(edges))
        raise FormatError(file, None if wrong is None else edges[wrong].line, str(error)) from None
