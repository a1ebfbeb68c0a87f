"""Apply knowledge about columns that were merged with an identical column."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from stablebn.errors import Conflict, KnowledgeError
from stablebn.graph.names import Edge, name_key
from stablebn.knowledge.conflicts import arrow, contradictions, in_words, named
from stablebn.knowledge.known_arcs import KnownArcs


def merged_arcs(known: KnownArcs, merged: Mapping[Hashable, tuple[Hashable, ...]]) -> KnownArcs:
    """Transfer arcs of merged columns to the column that represents them; an arc of one of a group holds for all.

    Parameters
    ----------
    known : KnownArcs
    merged : mapping of name to names
        Columns that represent others, each with its group.
    """
    if not merged:
        return known
    stands = {name: first for first, group in merged.items() for name in group}

    def of(arc: Edge) -> Edge:
        return stands.get(arc[0], arc[0]), stands.get(arc[1], arc[1])

    conflicts = [
        Conflict("merged", f"{arrow(arc)} is required, but they are identical and were merged.", (arc,), arc)
        for arc in known.required
        if of(arc)[0] == of(arc)[1]
    ]
    required = {of(arc) for arc in known.required if of(arc)[0] != of(arc)[1]}
    forbidden = {of(arc) for arc in known.forbidden if of(arc)[0] != of(arc)[1]}
    limits: dict[Hashable, int] = {}
    for name, most in known.most_parents.items():
        first = stands.get(name, name)
        limits[first] = min(most, limits.get(first, most))
    groups = "; ".join(f"{named(first)} stands for {in_words(group)}" for first, group in merged.items())
    reasons = {
        "merged": lambda arc: (
            f"ruled out for one of the columns that were merged ({groups})" if arc in forbidden else None
        )
    }
    conflicts += contradictions(required, (), reasons, limits.get)
    if conflicts:
        raise KnowledgeError.of(conflicts)
    return KnownArcs(tuple(sorted(required, key=_key)), tuple(sorted(forbidden, key=_key)), limits)


def _key(arc: Edge) -> tuple[object, object]:
    return name_key(arc[0]), name_key(arc[1])
