"""Required and forbidden arcs between the columns of one table, as derived from background knowledge."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class KnownArcs:
    """Required and forbidden arcs of a graph, free of contradictions.

    Attributes
    ----------
    required : tuple of (from, to)
    forbidden : tuple of (from, to)
    most_parents : dict of name to int
        Largest number of parents of a variable, if it is limited; required parents count.
    """

    required: tuple[tuple[Hashable, Hashable], ...] = ()
    forbidden: tuple[tuple[Hashable, Hashable], ...] = ()
    most_parents: Mapping[Hashable, int] = field(default_factory=dict)
