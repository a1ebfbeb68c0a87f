"""What knowledge says of the arcs between the columns of one table, whatever form it was told in."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class KnownArcs:
    """Which arcs a learned graph must have and which it cannot have, free of contradictions.

    Attributes
    ----------
    required : tuple of (from, to)
    forbidden : tuple of (from, to)
    most_parents : dict of name to int
        Of those variables that may have only so many; required parents count.
    """

    required: tuple[tuple[Hashable, Hashable], ...] = ()
    forbidden: tuple[tuple[Hashable, Hashable], ...] = ()
    most_parents: Mapping[Hashable, int] = field(default_factory=dict)
