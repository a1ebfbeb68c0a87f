"""Read graphs as CSV edge lists, and write those of Bayesys.

The columns are from, to and optionally type ("->" or "--"), or those of Bayesys; other columns are ignored. A row with
only the first node is a node without edges; lists of Bayesys have no such rows.
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
    """Columns of the two nodes and of the mark of an edge; in a list without marks all edges are arcs."""

    start: int
    end: int
    mark: int | None


def read(text: str, file: str) -> DAG | PDAG:
    """Read a graph from the text of a CSV file, whose header names the columns."""
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
            mark = ("->" if end else "") if columns.mark is None else row[columns.mark].strip()
            nodes[start] = None
            if not mark and not end:
                continue
            if mark not in _MARKS:
                raise FormatError(file, line, f"expected the mark '->', '--' or '-' between nodes, got {mark[:40]!r}.")
            nodes[end] = None
            edges.append(Edge(start, end, _MARKS[mark], line))
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
    """Write a graph as Bayesys does: the mark of an undirected edge is "-", and isolated nodes are left out."""
    edges = [row for row in csv.DictReader(io.StringIO(to_csv(graph), newline="")) if row["type"]]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_BAYESYS)
    for number, edge in enumerate(edges, start=1):
        writer.writerow((number, edge["from"], edge["type"].replace("--", "-"), edge["to"]))
    return out.getvalue()
