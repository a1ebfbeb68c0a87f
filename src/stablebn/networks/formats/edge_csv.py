"""Graphs as CSV edge lists: columns from, to and perhaps type ("->" or "--") and strength, or the columns of Bayesys.

Columns besides these are passed over. A row in which only the first node stands, without a mark, is a node without
edges. Bayesys' own lists have no such rows.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import NamedTuple

from stablebn.errors import FormatError
from stablebn.graph import DAG, PDAG, to_csv
from stablebn.networks.formats.parsing.edge_draft import Edge, checked_graph

_BAYESYS = ("ID", "Variable 1", "Dependency", "Variable 2")
_MARKS = {"->": "->", "--": "--", "-": "--"}


class EdgeColumns(NamedTuple):
    """Where in a row its nodes stand, and its mark; a list without marks is of arcs."""

    start: int
    end: int
    mark: int | None


def read(text: str, file: str) -> DAG | PDAG:
    """Read a graph from the text of a CSV file; its header tells the columns."""
    rows = csv.reader(io.StringIO(text, newline=""))
    nodes: dict[str, None] = {}
    edges = []
    try:
        header = [name.strip().lower() for name in next(rows, ())]
        columns = _columns(header, file)
        for row in rows:
            line = rows.line_num
            if not row:
                continue
            if len(row) != len(header):
                raise FormatError(file, line, f"expected {len(header)} cells, got {len(row)}.")
            start, end = row[columns.start], row[columns.end]
            told = ("->" if end else "") if columns.mark is None else row[columns.mark].strip()
            nodes[start] = None
            if not told and not end:
                continue
            if told not in _MARKS:
                raise FormatError(file, line, f"expected the mark '->', '--' or '-' between nodes, got {told[:40]!r}.")
            nodes[end] = None
            edges.append(Edge(start, end, _MARKS[told], line))
    except csv.Error as error:
        raise FormatError(file, rows.line_num, f"expected CSV: {error}.") from None
    return checked_graph(edges, file, nodes)


def _columns(header: Sequence[str], file: str) -> EdgeColumns:
    bayesys = [name.lower() for name in _BAYESYS]
    for start, end, mark in (("from", "to", "type"), (bayesys[1], bayesys[3], bayesys[2])):
        if header.count(start) == header.count(end) == 1 and header.count(mark) <= 1:
            return EdgeColumns(header.index(start), header.index(end), header.index(mark) if mark in header else None)
    raise FormatError(
        file, 1, f"expected the header 'from,to', 'from,to,type' or '{','.join(_BAYESYS)}', got {tuple(header)!r}."
    )


def bayesys_text(graph: DAG | PDAG) -> str:
    """Write a graph as Bayesys does; its mark of an undirected edge is "-", and isolated nodes do not show."""
    edges = [row for row in csv.DictReader(io.StringIO(to_csv(graph), newline="")) if row["type"]]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_BAYESYS)
    for number, edge in enumerate(edges, start=1):
        writer.writerow((number, edge["from"], edge["type"].replace("--", "-"), edge["to"]))
    return out.getvalue()
