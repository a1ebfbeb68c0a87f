r"""Read graphs as DOT, the language of Graphviz: nodes, chains of edges "->" and "--", comments.

Attributes are ignored, except `dir`: "none" makes an edge undirected. In a quoted name \" is a quote and \\ a
backslash. Subgraphs, ports and HTML are refused.
"""

from __future__ import annotations

import re
from itertools import pairwise

from stablebn.errors import FormatError
from stablebn.graph import DAG, PDAG
from stablebn.networks.formats.parsing.edge_draft import Edge, checked_graph
from stablebn.networks.formats.parsing.scanner import C_COMMENT, Scanner, token_pattern, without_comments

_QUOTED = r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)'
_COMMENT = rf"{C_COMMENT}|^[ \t]*#[^\n]*"
_WORD = r"-?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)|[^\W\d]\w*"
_TOKENS = token_pattern(r"->|--|[{}\[\];,=]", _WORD, _QUOTED)
_ESCAPED = re.compile(r'\\(["\\])')


def read(text: str, file: str) -> DAG | PDAG:
    """Read a graph from the text of a DOT file."""
    scan = Scanner(without_comments(text, _COMMENT, _QUOTED), file, _TOKENS)
    scan.accept("strict")
    if not scan.accept("digraph", "graph"):
        raise scan.error("'digraph' or 'graph'")
    if scan.token != "{":
        _name(scan, "the graph's name or '{'")
    scan.expect("{")
    nodes: dict[str, None] = {}
    edges: list[Edge] = []
    defaults: dict[str, str] = {}
    while not scan.accept("}"):
        if scan.accept("edge"):
            defaults.update(_attributes(scan))
        elif scan.accept("graph", "node"):
            _attributes(scan)
        else:
            _read_statement(scan, nodes, edges, defaults)
        scan.accept(";")
    if scan.kind:
        raise scan.error("nothing after the graph")
    return checked_graph(edges, file, nodes)


def _read_statement(scan: Scanner, nodes: dict[str, None], edges: list[Edge], defaults: dict[str, str]) -> None:
    """Read "a", "a -> b -- c" or "key = value"."""
    line = scan.line
    if scan.token == "subgraph":
        raise scan.error("a node (subgraphs are not read)")
    chain, marks = [_name(scan, "a node or '}'")], []
    if scan.accept("="):
        _name(scan, "a value")
        return
    while scan.token in ("->", "--"):
        marks.append(scan.token)
        scan.advance()
        chain.append(_name(scan, "a node"))
    direction = {**defaults, **_attributes(scan)}.get("dir", "forward")
    if marks and direction not in ("forward", "none"):
        raise FormatError(scan.file, line, f"expected an edge with dir=forward or dir=none, got dir={direction[:40]}.")
    nodes.update(dict.fromkeys(chain))
    for (a, b), mark in zip(pairwise(chain), marks, strict=True):
        edges.append(Edge(a, b, "--" if direction == "none" else mark, line))


def _attributes(scan: Scanner) -> dict[str, str]:
    """Read "[key = value, ...]", any number of times."""
    found = {}
    while scan.accept("["):
        while not scan.accept("]"):
            key = _name(scan, "an attribute or ']'")
            found[key] = _name(scan, "a value") if scan.accept("=") else "true"
            scan.accept(",", ";")
    return found


def _name(scan: Scanner, what: str) -> str:
    quoted = scan.kind == "quoted"
    name = scan.name(what)
    return _ESCAPED.sub(r"\1", name) if quoted else name
