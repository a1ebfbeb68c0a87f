"""Read pairs of names from tuples, frames, graphs and CSV files."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from stablebn.errors import DataError, FormatError, GraphError, KnowledgeError, StableBNError, shown
from stablebn.graph import DAG, PDAG
from stablebn.graph.convert import edges_by_kind
from stablebn.graph.names import as_names, as_pairs, nameless

Pair: TypeAlias = tuple[Hashable, Hashable]

KINDS = ("required", "forbidden", "allowed")
"""Values of the column or edge attribute `kind` of a pair."""

_HEADERS = "'from,to', 'from,to,kind', 'ID,Parent,Child' or 'ID,Tier 1,Tier 2,...,END'"


class Statements(NamedTuple):
    """Background knowledge as read: pairs (required, forbidden or allowed arcs) and tiers.

    Attributes
    ----------
    pairs : list of (pair, kind)
        The kind is one of `KINDS`, or None if the source has no kind.
    tiers : list of lists of names
    """

    pairs: list[tuple[Pair, str | None]]
    tiers: list[list[Hashable]]


def pairs_of(where: str, value: object) -> tuple[Pair, ...]:
    """Return pairs of names in the given order.

    Parameters
    ----------
    where : str
        Name of the option, for messages.
    value : iterable of pairs, frame with from and to, directed graph, or path of a CSV file
    """
    if is_path(value) or is_frame(value) or is_graph(value):
        found = statements_of(value)
        others = {kind for _, kind in found.pairs} - {None, where}
        if others or found.tiers:
            more = "tiers" if found.tiers else f"pairs that are {sorted(map(str, others))[0]}"
            raise KnowledgeError(f"{where}= contains {more}. Pass it as knowledge= instead.")
        return tuple(pair for pair, _ in found.pairs)
    try:
        pairs = as_pairs(value)  # type: ignore[arg-type]
    except GraphError as error:
        raise KnowledgeError(f"{where}: {error}") from None
    return tuple((plain_name(a), plain_name(b)) for a, b in pairs)


def names_of(where: str, value: object) -> tuple[Hashable, ...]:
    """Return names of variables; `KnowledgeError` for text, which would be a list of letters."""
    if isinstance(value, str | bytes):
        raise KnowledgeError(f"{where}: {shown(value)} is text, not a list of names: write [{shown(value)}].")
    try:
        names = as_names(value)  # type: ignore[arg-type]
    except GraphError as error:
        raise KnowledgeError(f"{where}: {error}") from None
    return tuple(map(plain_name, names))


def plain_name(name: Hashable) -> Hashable:
    """Return a name as a Python object; `KnowledgeError` if it cannot be the name of a column."""
    if isinstance(name, np.generic):
        name = name.item()
    if nameless([name]):
        raise KnowledgeError(f"{shown(name)} cannot be the name of a variable.")
    return name


def is_path(value: object) -> bool:
    """Return whether a value is the path of a file."""
    return isinstance(value, str | os.PathLike)


def is_graph(value: object) -> bool:
    """Return whether a value is a graph of this package or of networkx, or has one (a result, a network)."""
    own_graph = isinstance(value, DAG | PDAG) or isinstance(getattr(value, "dag", None), DAG)
    return own_graph or all(hasattr(value, name) for name in ("is_directed", "nodes", "edges"))


def is_frame(value: object) -> bool:
    """Return whether a value is a table with named columns (pandas, polars, Arrow), or a dict of columns."""
    if isinstance(value, Mapping):
        return {"from", "to"} <= {str(key).lower() for key in value}
    if isinstance(value, np.ndarray | list | tuple | set | frozenset):
        return False
    return hasattr(value, "columns") or hasattr(value, "column_names")


def statements_of(value: object) -> Statements:
    """Read the pairs and tiers of a frame, a graph or a CSV file."""
    if isinstance(value, str | os.PathLike):
        return _of_csv(os.fsdecode(value))
    return _of_graph(value) if is_graph(value) else _of_frame(value)


def _of_graph(graph: Any) -> Statements:
    graph = getattr(graph, "dag", graph)
    if isinstance(graph, DAG | PDAG):
        # Knowledge has no statement for an edge of unknown direction.
        if isinstance(graph, PDAG) and graph.undirected:
            raise KnowledgeError("a graph of known arcs cannot have undirected edges.")
        return Statements([(arc, None) for arc in edges_by_kind(graph)[0]], [])
    usual = None if graph.is_directed() else "allowed"
    found = []
    for a, b, attributes in graph.edges(data=True):
        kind = _kind(attributes.get("kind", usual), f"the edge {a!r}, {b!r} of the graph")
        if usual == "allowed" and kind != "allowed":
            raise KnowledgeError(f"the edge {a!r}, {b!r} has no direction: it can be allowed, not {kind}.")
        found.append(((plain_name(a), plain_name(b)), kind))
    return Statements(found, [])


def _of_frame(frame: object) -> Statements:
    # Imported here, because reading tables takes long to import.
    from stablebn.io.sources import read

    try:
        columns = {str(name).strip().lower(): column.to_pylist() for name, column in read(frame).columns.items()}
    except DataError as error:
        raise KnowledgeError(f"the frame of arcs: {error}") from None
    if not {"from", "to"} <= set(columns) <= {"from", "to", "kind"}:
        raise KnowledgeError(
            f"a frame of arcs has the columns from, to and perhaps kind ({', '.join(KINDS)}); this one has "
            f"{', '.join(map(repr, columns))}."
        )
    kinds = columns.get("kind", [None] * len(columns["from"]))
    found: list[tuple[Pair, str | None]] = []
    for number, (a, b, kind) in enumerate(zip(columns["from"], columns["to"], kinds, strict=True), start=1):
        if a is None or b is None:
            raise KnowledgeError(f"row {number} of the frame of arcs lacks the name of a variable.")
        found.append(((plain_name(a), plain_name(b)), _kind(kind, f"row {number} of the frame of arcs")))
    return Statements(found, [])


def _kind(kind: object, where: str) -> str | None:
    if kind is None or kind in KINDS:
        return None if kind is None else str(kind)
    raise KnowledgeError(f"{where} has the kind {shown(kind)}: it can be {', '.join(KINDS)}.")


def _of_csv(file: str) -> Statements:
    if not file.lower().endswith(".csv"):
        raise KnowledgeError(f"{shown(file)} is neither a list of arcs nor the name of a .csv file.")
    # Imported here, because file formats take long to import.
    from stablebn.networks.formats.parsing.text_files import read_text

    text = read_text(file)
    first = text.partition("\n")[0]
    sep = next((sep for sep in (",", ";", "\t") if sep in first), ",")
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=sep)
    try:
        lines = [(rows.line_num, [cell.strip() for cell in row]) for row in rows if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise FormatError(file, rows.line_num, f"expected CSV: {error}.") from None
    header = [name.lower() for name in lines[0][1]] if lines else []
    if header[:1] == ["id"] and any(name.startswith("tier") for name in header):
        return Statements([], _bayesys_tiers(file, header, lines[1:]))
    if header not in (["from", "to"], ["from", "to", "kind"], ["id", "parent", "child"]):
        raise FormatError(file, 1, f"expected the header {_HEADERS}, got {first.strip()[:80]!r}.")
    start = header.index("parent") if "parent" in header else 0
    found: list[tuple[Pair, str | None]] = []
    for line, row in lines[1:]:
        if len(row) != len(header) or not row[start] or not row[start + 1]:
            raise FormatError(file, line, f"expected {sep.join(lines[0][1])}, got {sep.join(row)[:80]!r}.")
        try:
            kind = _kind(row[2] or None, f"line {line}") if "kind" in header else None
        except StableBNError:
            raise FormatError(file, line, f"expected a kind, {', '.join(KINDS)}; got {row[2][:40]!r}.") from None
        found.append(((row[start], row[start + 1]), kind))
    return Statements(found, [])


def _bayesys_tiers(file: str, header: Sequence[str], lines: Iterable[tuple[int, list[str]]]) -> list[list[Hashable]]:
    """Return the tiers of a Bayesys file, one per column; the column END comes after them."""
    last = header.index("end") if "end" in header else len(header)
    numbered = [f"tier {number}" for number in range(1, last)]
    if list(header[1:last]) != numbered:
        raise FormatError(file, 1, f"expected the tiers in order, {', '.join(numbered)}; got {', '.join(header[1:])}.")
    tiers: list[list[Hashable]] = [[] for _ in numbered]
    for line, row in lines:
        if any(cell and cell.lower() != "end" for cell in row[last:]):
            raise FormatError(file, line, f"expected nothing after tier {last - 1}, got {row[last:]!r}.")
        for tier, name in zip(tiers, row[1:last], strict=False):
            if name:
                tier.append(name)
    return tiers
