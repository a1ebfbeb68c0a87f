"""Background knowledge: what the user knows about the graph before it is learned."""

from stablebn.knowledge.knowledge import NOTHING_KNOWN, Knowledge
from stablebn.knowledge.known_arcs import KnownArcs
from stablebn.knowledge.merging import merged_arcs
from stablebn.knowledge.parsing import as_knowledge, combine

__all__ = ["NOTHING_KNOWN", "Knowledge", "KnownArcs", "as_knowledge", "combine", "merged_arcs"]
