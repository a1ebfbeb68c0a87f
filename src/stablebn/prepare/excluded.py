"""Columns that were set aside: alone in the graph, without a distribution."""

from __future__ import annotations

from collections.abc import Iterable

from stablebn.errors import GraphError, listed
from stablebn.prepare.prepared import Prepared
from stablebn.table.table import Name


def check_aside(edges: Iterable[Iterable[tuple[Name, Name]]], prepared: Prepared) -> None:
    """Refuse edges, of any kinds, at columns that were set aside."""
    aside = set(prepared.aside)
    ends = dict.fromkeys(end for alike in edges for edge in alike for end in edge if end in aside)
    if ends:
        raise GraphError(
            f"the graph has arcs at columns that were set aside: {listed(tuple(ends))}. Leave these arcs out, or say "
            "kinds= or keep= for the columns."
        )
