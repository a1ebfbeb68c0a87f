"""Read and write graphs as JSON: "nodes", "arcs" (or "directed") and, if there are any, "undirected" edges.

An arc that is also among the undirected edges is undirected: a learned result lists it to keep its direction in the
DAG. Other keys are ignored, so that the file of a learned result is read too. `stablebn.graph.json_names` describes
how names that are not text are written.
"""

from __future__ import annotations

from typing import Any

from stablebn.errors import FormatError, GraphError, listed
from stablebn.graph import DAG, PDAG, to_json_dict
from stablebn.graph.json_names import comes_back, json_text, name_from
from stablebn.graph.names import Node
from stablebn.networks.formats.parsing.edge_draft import Edge, checked_graph
from stablebn.networks.formats.parsing.json_text import KeyLines, is_name, parse_object


def read(text: str, file: str) -> DAG | PDAG:
    """Read a graph from the text of a JSON file."""
    content = parse_object(text, file)
    lines = KeyLines(text, "[")
    directed = "arcs" if "arcs" in content else "directed"
    if not isinstance(content.get("nodes"), list) or directed not in content:
        raise FormatError(file, 1, "expected the keys 'nodes' and 'arcs' of a graph.")
    nodes = _names(content["nodes"])
    if nodes is None:
        raise FormatError(file, lines["nodes"], "expected the 'nodes' to be texts or numbers.")
    edges: list[Edge] = []
    without_direction: set[frozenset[Node]] = set()
    for key, mark in (("undirected", "--"), (directed, "->")):
        pairs = content.get(key, [])
        for pair in pairs if isinstance(pairs, list) else [None]:
            ends = _names(pair)
            if ends is None or len(ends) != 2:
                raise FormatError(file, lines[key], f"expected {key!r} to be a list of [from, to].")
            if mark == "--":
                without_direction.add(frozenset(ends))
            if mark == "--" or frozenset(ends) not in without_direction:
                edges.append(Edge(ends[0], ends[1], mark, lines[key]))
    return checked_graph(edges, file, nodes)


def _names(values: Any) -> list[Node] | None:
    """Return the names in a list; None if the value is not a list of names."""
    if not isinstance(values, list):
        return None
    try:
        names = [name_from(value) for value in values]
    except ValueError:
        return None
    return names if all(map(is_name, names)) else None


def text(graph: DAG | PDAG) -> str:
    """Write a graph as JSON, one line per entry."""
    unfit = [node for node in graph.nodes if not comes_back(node)]
    if unfit:
        raise GraphError(f"JSON holds texts, numbers, dates and tuples as names, not {listed(unfit)}: rename them.")
    lines = [f' "{key}": {json_text(value)}' for key, value in to_json_dict(graph).items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"
