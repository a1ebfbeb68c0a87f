"""Graphs as CSV edge lists: columns from, to and perhaps type ("->" or "--") and strength, or the columns of Bayesys.

Nodes without edges do not show in them.
"""

from __future__ import annotations

import csv
import io

from stablebn.errors import FormatError
from stablebn.graph import DAG, PDAG, to_csv
from stablebn.networks.formats.edges import Edge, checked_graph

_BAYESYS = ("ID", "Variable 1", "Dependency", "Variable 2")
# Columns of: start, mark, end. A list without marks is of arcs.
_COLUMNS = {
    ("from", "to"): (0, None, 1),
    ("from", "to", "type"): (0, 2, 1),
    ("from", "to", "type", "strength"): (0, 2, 1),
    tuple(name.lower() for name in _BAYESYS): (1, 2, 3),
}
_MARKS = {"->": "->", "--": "--", "-": "--"}


def read(text: str, file: str) -> DAG | PDAG:
    """Read a graph from the text of a CSV file; its header tells the columns."""
    rows = csv.reader(io.StringIO(text, newline=""))
    try:
        header = tuple(name.strip().lower() for name in next(rows, ()))
        if header not in _COLUMNS:
            raise FormatError(
                file, 1, f"expected the header 'from,to', 'from,to,type' or '{','.join(_BAYESYS)}', got {header!r}."
            )
        start, mark, end = _COLUMNS[header]
        edges = []
        for row in rows:
            line = rows.line_num
            if row and len(row) != len(header):
                raise FormatError(file, line, f"expected {len(header)} cells, got {len(row)}.")
            if row:
                told = "->" if mark is None else row[mark].strip()
                if told not in _MARKS:
                    raise FormatError(
                        file, line, f"expected the mark '->', '--' or '-' between nodes, got {told[:40]!r}."
                    )
                edges.append(Edge(row[start], row[end], _MARKS[told], line))
    except csv.Error as error:
        raise FormatError(file, rows.line_num, f"expected CSV: {error}.") from None
    return checked_graph(edges, file)


def bayesys_text(graph: DAG | PDAG) -> str:
    """Write a graph as Bayesys does; its mark of an undirected edge is "-"."""
    edges = list(csv.DictReader(io.StringIO(to_csv(graph), newline="")))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_BAYESYS)
    for number, edge in enumerate(edges, start=1):
        writer.writerow((number, edge["from"], edge["type"].replace("--", "-"), edge["to"]))
    return out.getvalue()
