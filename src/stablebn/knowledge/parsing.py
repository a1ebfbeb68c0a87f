"""Convert any accepted form of background knowledge: a dict of parts, a file, a frame, a graph, or a list of these."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from stablebn.errors import Conflict, KnowledgeError, shown
from stablebn.knowledge.knowledge import NOTHING_KNOWN, Knowledge
from stablebn.knowledge.pairs import KINDS, is_frame, is_graph, statements_of

_ACCEPTED = (
    "a Knowledge, a dict of its parts, the path of a .toml or .csv file, a frame with columns from and to, a networkx "
    "graph, or a list of these"
)


def as_knowledge(given: object) -> Knowledge:
    """Return knowledge from any accepted form.

    Parameters
    ----------
    given : Knowledge, dict, path, frame, graph, or a list of these
        Arcs of a frame, a directed graph or a CSV file are required unless the column or edge attribute `kind` is
        different. The edges of an undirected graph are the allowed pairs. All items of a list hold together.
    """
    if isinstance(given, Knowledge):
        return given
    if isinstance(given, Mapping) and not is_frame(given) and not is_graph(given):
        return Knowledge.from_dict(given)
    if isinstance(given, list | tuple):
        if any(isinstance(item, list | tuple) for item in given):
            raise KnowledgeError("knowledge= is not a list of arcs: use required=[...] or forbidden=[...].")
        return combine(given)
    if isinstance(given, str | os.PathLike):
        return _of_file(os.fsdecode(given))
    if is_frame(given) or is_graph(given):
        return _of_statements(given)
    raise KnowledgeError(f"knowledge= must be {_ACCEPTED}; got {type(given).__name__}.")


def combine(given: Iterable[object]) -> Knowledge:
    """Combine several pieces of knowledge; an error lists the contradictions in each of them, or those between them."""
    conflicts: list[Conflict] = []
    combined = NOTHING_KNOWN
    for item in given:
        with _collected(conflicts):
            combined = combined & as_knowledge(item)
    if conflicts:
        raise KnowledgeError.of(conflicts)
    return combined


@contextmanager
def _collected(conflicts: list[Conflict]) -> Iterator[None]:
    """Collect contradictions instead of raising them, so that all are reported."""
    try:
        yield
    except KnowledgeError as error:
        if not error.conflicts:
            raise
        conflicts += [conflict for conflict in error.conflicts if conflict not in conflicts]


def _of_file(file: str) -> Knowledge:
    ending = os.path.splitext(file)[1].lower()
    if ending == ".toml":
        # File formats take time to import.
        from stablebn.networks.formats.parsing.text_files import read_text

        return Knowledge.from_toml(read_text(file), file)
    if ending == ".csv":
        return _of_statements(file)
    raise KnowledgeError(f"knowledge={shown(file)}: the name of a file of knowledge ends in .toml or .csv.")


def _of_statements(given: object) -> Knowledge:
    found = statements_of(given)
    by_kind = {kind: [pair for pair, pair_kind in found.pairs if (pair_kind or "required") == kind] for kind in KINDS}
    # If some pairs are marked as allowed, no others are; all edges of an undirected graph are allowed pairs.
    has_allowed = bool(by_kind["allowed"]) or getattr(given, "is_directed", lambda: True)() is False
    return Knowledge(
        required=by_kind["required"],
        forbidden=by_kind["forbidden"],
        allowed=by_kind["allowed"] if has_allowed else None,
        tiers=found.tiers,
    )
