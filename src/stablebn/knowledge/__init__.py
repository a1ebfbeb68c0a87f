"""What is known of a graph before it is learned."""

from stablebn.knowledge.known_arcs import KnownArcs

__all__ = ["KnownArcs"]
