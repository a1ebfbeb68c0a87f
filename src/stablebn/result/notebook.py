"""Show a result in notebooks: the summary, the graph and a table of its arcs, as HTML without scripts."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING

from stablebn.errors import spelled
from stablebn.graph.convert import edges_by_kind
from stablebn.graph.names import Edge

if TYPE_CHECKING:
    from stablebn.result.result import Result

MOST_DRAWN = 150
"""The most variables of a graph that is drawn: a larger drawing takes seconds and is unreadable."""

# The most arcs of a table that is open at first.
_MOST_OPEN = 12

_REASONS = {"compelled": "from the data", "data-driven": "from the data", "model": "from the model"}


def page_of(result: Result, title: str) -> str:
    """Return the summary with this title, the drawing, and a table of the arcs, the strongest first."""
    first, *rest = result.summary(title).splitlines()
    strengths = result.strengths_at_hand or {}
    parts = [f"<p><b>{_text(first)}</b></p>", "<ul>", *(f"<li>{_text(line.strip())}</li>" for line in rest), "</ul>"]
    if len(result.nodes) > MOST_DRAWN:
        parts.append(f"<p>{len(result.nodes):,} variables are not drawn unasked: say result.plot('graph.pdf').</p>")
    else:
        parts.append(result.drawing("marked", strengths).svg())
    return "\n".join(["<div>", *parts, *_table(result, strengths), "</div>"])


def _table(result: Result, strengths: Mapping[Edge, float]) -> list[str]:
    """Return the table of edges, in a section that can be opened and closed."""
    directed, undirected = edges_by_kind(result.marked)
    reasons = {frozenset(edge): reason for edge, reason in result.direction_reasons.items()}
    by_pair = {frozenset(arc): strength for arc, strength in strengths.items()}
    edges = [(edge, "→") for edge in directed] + [(edge, "–") for edge in undirected]
    if not edges:
        return []
    edges.sort(key=lambda edge: -by_pair.get(frozenset(edge[0]), 0.0))
    head = [
        "from",
        "",
        "to",
        *([f"{str(result.config['score']).upper()} lost without it"] if by_pair else []),
        "direction",
    ]
    rows = []
    for (a, b), mark in edges:
        pair = frozenset((a, b))
        why = _REASONS.get(reasons[pair], reasons[pair])
        strength = [f"{by_pair[pair]:,.2f}" if pair in by_pair else ""] if by_pair else []
        rows.append([spelled(a), mark, spelled(b), *strength, why])
    return [
        f"<details{' open' if len(rows) <= _MOST_OPEN else ''}>",
        f"<summary>{len(rows):,} edge{'' if len(rows) == 1 else 's'}</summary>",
        "<table>",
        f"<thead><tr>{''.join(f'<th>{_text(cell)}</th>' for cell in head)}</tr></thead>",
        "<tbody>",
        *(f"<tr>{''.join(f'<td>{_text(cell)}</td>' for cell in row)}</tr>" for row in rows),
        "</tbody>",
        "</table>",
        "</details>",
    ]


def _text(text: str) -> str:
    return escape(spelled(text))
