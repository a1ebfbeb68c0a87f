"""Convert graphs to and from networkx, adjacency matrices, edge lists and text.

Functions that write a graph accept every form that `as_graph` knows: a DAG, a PDAG, a result, a network, a networkx
graph. Nodes are matched by name. Functions that read a graph return a `DAG` if all its edges are directed, else a
`PDAG`, and refuse a directed cycle. In networkx, GraphML and matrices, arcs in both directions are an undirected edge.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any, Literal, TypeAlias

import numpy as np

from stablebn.errors import GraphError, MissingExtraError, listed, one_of, shown
from stablebn.graph.dag import DAG
from stablebn.graph.names import Edge, Node, as_pairs
from stablebn.graph.pdag import PDAG
from stablebn.options import is_iterable

Graph: TypeAlias = DAG | PDAG
Strengths: TypeAlias = Mapping[Edge, float]
Backend: TypeAlias = Literal["pandas", "polars", "numpy"]

_NOT_XML = "[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"


def edges_by_kind(graph: Graph) -> tuple[tuple[Edge, ...], tuple[Edge, ...]]:
    """Return the directed edges and the undirected edges."""
    return (graph.arcs, ()) if isinstance(graph, DAG) else (graph.directed, graph.undirected)


def as_graph(graph: object) -> Graph:
    """Return a graph from any accepted form: DAG, PDAG, object with a `dag` (result, network), networkx graph."""
    if isinstance(graph, DAG | PDAG):
        return graph
    # A result without a DAG has at least a PDAG.
    for candidate in (getattr(graph, "dag", None), getattr(graph, "pdag", None)):
        if isinstance(candidate, DAG | PDAG):
            return candidate
    # Graph classes of other packages have these attributes too, and no common base class.
    if all(hasattr(graph, name) for name in ("is_directed", "nodes", "edges")):
        return from_networkx(graph)
    raise GraphError(
        f"a {type(graph).__name__} is not a graph: give a DAG, a PDAG, a result, a network or a networkx graph."
    )


def to_networkx(graph: object) -> Any:
    """Return the graph as a `networkx.DiGraph`; an undirected edge becomes an arc in each direction."""
    graph = as_graph(graph)
    digraph = _optional("networkx").DiGraph()
    digraph.add_nodes_from(graph.nodes)
    digraph.add_edges_from(_arcs_both_ways(graph))
    return digraph


def from_networkx(graph: Any) -> Graph:
    """Read a networkx graph; in a directed graph, arcs in both directions are an undirected edge."""
    edges = list(graph.edges())
    if graph.is_directed():
        return _from_arcs(graph.nodes, edges)
    return _from_edges(graph.nodes, [], edges)


def to_adjacency(graph: object, backend: Backend = "pandas") -> Any:
    """Return the adjacency matrix: 1 in row a, column b for a -> b; 1 in both entries for an undirected edge.

    Parameters
    ----------
    graph : DAG, PDAG, result, network or networkx graph
        Rows and columns follow its `nodes`.
    backend : {"pandas", "polars", "numpy"}
        A pandas frame has the names as index and columns. A polars frame has the names, as text, in a first column
        "node" and as the other columns. A numpy array has no names.

    Returns
    -------
    pandas.DataFrame, polars.DataFrame or numpy.ndarray
        Values are int8.
    """
    one_of("backend", backend, ("pandas", "polars", "numpy"))
    graph = as_graph(graph)
    index = {node: i for i, node in enumerate(graph.nodes)}
    matrix = np.zeros((len(index), len(index)), dtype=np.int8)
    for a, b in _arcs_both_ways(graph):
        matrix[index[a], index[b]] = 1
    if backend == "numpy":
        return matrix
    if backend == "pandas":
        pandas = _optional("pandas")
        # Tuples would otherwise become a MultiIndex.
        names = pandas.Index(list(graph.nodes), tupleize_cols=False)
        return pandas.DataFrame(matrix, index=names, columns=names)
    texts = list(_texts(graph).values())
    if "node" in texts:
        raise GraphError("a polars matrix keeps its column 'node' for the row names; rename the node 'node'.")
    polars = _optional("polars")
    return polars.DataFrame({"node": texts, **dict(zip(texts, matrix.T, strict=True))})


def from_adjacency(matrix: Any, nodes: Iterable[Node] | None = None) -> Graph:
    """Read an adjacency matrix in the form of `to_adjacency`.

    Parameters
    ----------
    matrix : pandas.DataFrame, polars.DataFrame or array-like
        Zeros and ones. Rows and columns of a frame are matched by name, so their orders may differ.
    nodes : iterable of hashable, optional
        Names of the rows and columns of an array, required for arrays. For a frame: the order of the nodes, by default
        that of the columns.

    Returns
    -------
    DAG or PDAG
        A DAG if all edges are directed.
    """
    # Imported here because it is slow to import and learning does not need it.
    from narwhals.dependencies import is_pandas_dataframe, is_polars_dataframe

    given = None if nodes is None else list(nodes)
    rows: list[Node]
    columns: list[Node]
    if is_pandas_dataframe(matrix):
        rows, columns, values = list(matrix.index), list(matrix.columns), matrix.to_numpy()
    elif is_polars_dataframe(matrix):
        if "node" not in matrix.columns:
            raise GraphError("a polars matrix needs a column 'node' with the names of the rows.")
        arcs = matrix.drop("node")
        rows, columns, values = matrix["node"].to_list(), list(arcs.columns), arcs.to_numpy()
    elif given is None:
        raise GraphError("an array has no names for its nodes: give nodes=[...].")
    else:
        rows, columns, values = given, given, np.asarray(matrix)
    names = columns if given is None else given

    for axis, labels in (("rows", rows), ("columns", columns)):
        _check_same_names(axis, labels, names)
    if values.shape != (len(names), len(names)):
        raise GraphError(f"{len(names)} nodes need a square matrix of that size, not {values.shape}.")
    if not np.isin(values, (0, 1)).all():
        raise GraphError("an adjacency matrix holds only zeros and ones.")
    starts, ends = np.nonzero(values == 1)
    return _from_arcs(names, [(rows[i], columns[j]) for i, j in zip(starts, ends, strict=True)])


def to_edge_list(graph: object) -> list[tuple[Node, Node, str]]:
    """Return the edges as (from, to, "->") or (a, b, "--"), directed edges first; isolated nodes are not included."""
    directed, undirected = edges_by_kind(as_graph(graph))
    return [*((a, b, "->") for a, b in directed), *((a, b, "--") for a, b in undirected)]


def from_edge_list(edges: Iterable[tuple[Node, Node, str]], nodes: Iterable[Node] | None = None) -> Graph:
    """Read edges in the form of `to_edge_list`.

    Parameters
    ----------
    edges : iterable of (a, b, mark)
        The mark is "->" or "--".
    nodes : iterable of hashable, optional
        All nodes, including isolated ones; by default those of the edges, in order of appearance.

    Returns
    -------
    DAG or PDAG
        A DAG if every mark is "->".
    """
    by_mark: dict[str, list[Edge]] = {"->": [], "--": []}
    names: dict[Node, None] = {}
    for a, b, mark in _triples(edges):
        if mark not in ("->", "--"):
            raise GraphError(f"the edge {shown(a)}, {shown(b)} has the mark {shown(mark)}; it can be '->' or '--'.")
        by_mark[mark].append((a, b))
        names.update({a: None, b: None})
    return _from_edges(names if nodes is None else nodes, by_mark["->"], by_mark["--"])


def _triples(edges: Iterable[tuple[Node, Node, str]]) -> Iterator[tuple[Node, Node, str]]:
    """Yield the edges with their marks; raise `GraphError` for other values."""
    form = "give two names and a mark, such as [('a', 'b', '->')]"
    if isinstance(edges, str | bytes) or not is_iterable(edges):
        raise GraphError(f"a {type(edges).__name__} is not a list of edges: {form}.")
    for edge in edges:
        if not isinstance(edge, tuple | list) or len(edge) != 3:
            raise GraphError(f"{shown(edge)} is not an edge: {form}.")
        yield *as_pairs([edge[:2]])[0], edge[2]


def to_json_dict(graph: object) -> dict[str, Any]:
    """Return the graph as lists of names: "nodes", "directed" and "undirected", and its "type"."""
    graph = as_graph(graph)
    directed, undirected = edges_by_kind(graph)
    return {
        "type": type(graph).__name__,
        "nodes": list(graph.nodes),
        "directed": [list(edge) for edge in directed],
        "undirected": [list(edge) for edge in undirected],
    }


def _written(graph: object, strengths: Strengths | None) -> tuple[Graph, Strengths | None]:
    """Return the graph and strengths to write; for a result, the graph with its reversible edges marked."""
    marked = getattr(graph, "marked", None)
    if isinstance(marked, DAG | PDAG):
        return marked, getattr(graph, "strengths", None) if strengths is None else strengths
    return as_graph(graph), strengths


def to_csv(graph: object, strengths: Strengths | None = None) -> str:
    """Return the edge list as CSV with the columns from, to and type; for an isolated node only `from` is filled.

    Parameters
    ----------
    graph : DAG, PDAG or another form that `as_graph` accepts
    strengths : mapping of (from, to) to float, optional
        A number for each edge, in either order of its nodes, for a fourth column "strength".
    """
    graph, strengths = _written(graph, strengths)
    texts = _texts(graph)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("from", "to", "type", *(("strength",) if strengths else ())))
    edges = to_edge_list(graph)
    for a, b, mark in edges:
        writer.writerow((texts[a], texts[b], mark, *([_strength(strengths, a, b)] if strengths else [])))
    connected = {end for a, b, _ in edges for end in (a, b)}
    empty = [""] * (3 if strengths else 2)
    writer.writerows((texts[node], *empty) for node in graph.nodes if node not in connected)
    return out.getvalue()


def to_dot(graph: object, strengths: Strengths | None = None) -> str:
    """Return the graph in Graphviz's DOT language; undirected edges are drawn without heads.

    Parameters
    ----------
    graph : DAG, PDAG or another form that `as_graph` accepts
    strengths : mapping of (from, to) to float, optional
        A number for each edge, in either order of its nodes, for its attribute "strength".
    """
    graph, strengths = _written(graph, strengths)
    quoted = {node: _dot_quoted(text) for node, text in _texts(graph).items()}
    lines = list(quoted.values())
    for a, b, mark in to_edge_list(graph):
        attributes = ["dir=none"] if mark == "--" else []
        if strengths:
            attributes.append(f'strength="{_strength(strengths, a, b)}"')
        lines.append(f"{quoted[a]} -> {quoted[b]}" + (f" [{', '.join(attributes)}]" if attributes else ""))
    return "".join(["digraph {\n", *(f"  {line};\n" for line in lines), "}\n"])


def to_graphml(graph: object, strengths: Strengths | None = None) -> str:
    """Return the graph as GraphML; an undirected edge becomes an arc in each direction, both of type "--".

    GraphML has undirected edges, but networkx refuses them beside directed ones, and other programs read them as arcs.

    Parameters
    ----------
    graph : DAG, PDAG or another form that `as_graph` accepts
    strengths : mapping of (from, to) to float, optional
        A number for each edge, in either order of its nodes, for its data "strength".
    """
    # Imported here because it is rarely used.
    import xml.etree.ElementTree as ET

    graph, strengths = _written(graph, strengths)
    texts = _texts(graph)
    unfit = [text for text in texts.values() if re.search(_NOT_XML, text)]
    if unfit:
        raise GraphError(f"XML cannot hold the characters of these names: {listed(unfit)}.")
    root = ET.Element("graphml", xmlns="http://graphml.graphdrawing.org/xmlns")
    for key, type_ in [("type", "string"), *([("strength", "double")] if strengths else [])]:
        ET.SubElement(root, "key", {"id": key, "for": "edge", "attr.name": key, "attr.type": type_})
    body = ET.SubElement(root, "graph", edgedefault="directed")
    for text in texts.values():
        ET.SubElement(body, "node", id=text)
    for a, b, mark in to_edge_list(graph):
        for source, target in [(a, b)] if mark == "->" else [(a, b), (b, a)]:
            edge = ET.SubElement(body, "edge", source=texts[source], target=texts[target])
            ET.SubElement(edge, "data", key="type").text = mark
            if strengths:
                ET.SubElement(edge, "data", key="strength").text = _strength(strengths, a, b)
    ET.indent(root)
    # The declaration that ElementTree writes into text may name the encoding of the machine's locale.
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _strength(strengths: Strengths, a: Node, b: Node) -> str:
    """Return the strength of an edge, which may be stored in either direction."""
    return repr(strengths[a, b] if (a, b) in strengths else strengths[b, a])


def _optional(package: str) -> Any:
    try:
        return import_module(package)
    except ImportError as error:
        raise MissingExtraError(package, package) from error


def _arcs_both_ways(graph: Graph) -> list[Edge]:
    directed, undirected = edges_by_kind(graph)
    return [*directed, *undirected, *((b, a) for a, b in undirected)]


def _from_arcs(nodes: Iterable[Node], arcs: Sequence[Edge]) -> Graph:
    """Return a graph from arcs; arcs in both directions are an undirected edge."""
    index = {arc: i for i, arc in enumerate(arcs)}
    directed = [(a, b) for a, b in arcs if (b, a) not in index]
    undirected = [(a, b) for (a, b), i in index.items() if index.get((b, a), -1) >= i]
    return _from_edges(nodes, directed, undirected)


def _from_edges(nodes: Iterable[Node], directed: Sequence[Edge], undirected: Sequence[Edge]) -> Graph:
    nodes = list(nodes)
    # Also built for a PDAG, because it refuses a directed cycle.
    dag = DAG(nodes, directed)
    return PDAG(nodes, directed, undirected) if undirected else dag


def _check_same_names(axis: str, labels: Sequence[Node], names: Sequence[Node]) -> None:
    present, expected = set(labels), set(names)
    missing = [name for name in names if name not in present]
    extra = [label for label in labels if label not in expected]
    if missing or extra:
        problems = [f"missing {listed(missing)}"] * bool(missing) + [f"unexpected {listed(extra)}"] * bool(extra)
        raise GraphError(f"the {axis} of the matrix do not match its nodes: {'; '.join(problems)}.")


def _texts(graph: Graph) -> dict[Node, str]:
    """Return the names as text; raise `GraphError` if different names have the same text."""
    texts = {node: str(node) for node in graph.nodes}
    first: dict[str, Node] = {}
    for node, text in texts.items():
        if text in first:
            raise GraphError(f"the names {first[text]!r} and {node!r} are the same as text.")
        first[text] = node
    return texts


def _dot_quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
