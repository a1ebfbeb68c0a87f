"""Graphs as JSON: "nodes", "arcs" (also called "directed") and, if there are any, "undirected" edges.

An arc that is among the undirected edges too is undirected: so a learned result says which way its DAG has it. Other
keys are passed over, so the file of a learned result is read too.
"""

from __future__ import annotations

import json

from stablebn.errors import FormatError, GraphError, listed
from stablebn.graph import DAG, PDAG, to_json_dict
from stablebn.networks.formats.edges import Edge, checked_graph
from stablebn.networks.formats.json_text import KeyLines, is_name, is_pairs, parse_object


def read(text: str, file: str) -> DAG | PDAG:
    """Read a graph from the text of a JSON file."""
    content = parse_object(text, file)
    lines = KeyLines(text, "[")
    directed = "arcs" if "arcs" in content else "directed"
    if not isinstance(content.get("nodes"), list) or directed not in content:
        raise FormatError(file, 1, "expected the keys 'nodes' and 'arcs' of a graph.")
    if not all(map(is_name, content["nodes"])):
        raise FormatError(file, lines["nodes"], "expected the 'nodes' to be texts or numbers.")
    for key in (directed, "undirected"):
        if not is_pairs(content.get(key, [])):
            raise FormatError(file, lines[key], f"expected {key!r} to be a list of [from, to].")
    undirected = content.get("undirected", [])
    without_direction = {frozenset(edge) for edge in undirected}
    arcs = [arc for arc in content[directed] if frozenset(arc) not in without_direction]
    edges = [
        *(Edge(a, b, "->", lines[directed]) for a, b in arcs),
        *(Edge(a, b, "--", lines["undirected"]) for a, b in undirected),
    ]
    return checked_graph(edges, file, content["nodes"])


def text(graph: DAG | PDAG) -> str:
    """Write a graph as JSON, a line an entry."""
    unfit = [node for node in graph.nodes if not is_name(node)]
    if unfit:
        raise GraphError(f"JSON holds names that are texts or numbers, not {listed(unfit)}: rename them.")
    lines = [f' "{key}": {json.dumps(value, ensure_ascii=False)}' for key, value in to_json_dict(graph).items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"
