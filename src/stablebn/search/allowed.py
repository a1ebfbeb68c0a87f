"""The allowed arcs of a problem: what no learner may overstep, whether the user or the kind of data demands it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from stablebn.stats.symmetry import Relation
from stablebn.stats.variable_sets import bit, members


@dataclass(frozen=True)
class AllowedArcs:
    """Which arcs a graph over variables 0 .. n - 1 may have.

    Attributes
    ----------
    parents : tuple of int
        For each variable the set of those that may be its parents; whether its own number is in it means nothing.
    """

    parents: tuple[int, ...]

    @classmethod
    def all_but(cls, n: int, forbidden: Iterable[tuple[int, int]]) -> AllowedArcs:
        """All arcs between n variables except some, each as (from, to)."""
        parents = [bit(n) - 1] * n
        for u, v in forbidden:
            parents[v] &= ~bit(u)
        return cls(tuple(parents))

    @property
    def is_everything(self) -> bool:
        """Whether no arc is forbidden."""
        n = len(self.parents)
        return all((own | bit(v)) == bit(n) - 1 for v, own in enumerate(self.parents))

    def __contains__(self, arc: tuple[int, int]) -> bool:
        u, v = arc
        return bool(self.parents[v] >> u & 1)

    def __and__(self, other: AllowedArcs) -> AllowedArcs:
        return AllowedArcs(tuple(a & b for a, b in zip(self.parents, other.parents, strict=True)))

    @property
    def are_tiers(self) -> bool:
        """Whether variables stand in tiers, and the arcs from later to earlier ones are all that is forbidden."""
        n = len(self.parents)
        # In words of an order: of each two one may come before the other, and what may come before that one may too.
        parents = [own | bit(v) for v, own in enumerate(self.parents)]
        return all(own | bit(v) == bit(n) - 1 for v, own in enumerate(self.joinable)) and all(
            not parents[u] & ~own for own in parents for u in members(own)
        )

    @cached_property
    def children(self) -> tuple[int, ...]:
        """For each variable the set of those whose parent it may be."""
        found = [0] * len(self.parents)
        for v, own in enumerate(self.parents):
            for u in members(own):
                found[u] |= bit(v)
        return tuple(found)

    @cached_property
    def joinable(self) -> tuple[int, ...]:
        """For each variable the others to which an edge may join it, one way or the other."""
        ends = enumerate(zip(self.parents, self.children, strict=True))
        return tuple((above | below) & ~bit(v) for v, (above, below) in ends)

    def renumbered(self, numbers: Sequence[int]) -> AllowedArcs:
        """The same for variables that have other numbers: variable v becomes numbers[v]."""
        parents = [0] * len(self.parents)
        for v, own in enumerate(self.parents):
            parents[numbers[v]] = sum(bit(numbers[u]) for u in members(own))
        return AllowedArcs(tuple(parents))

    def relation(self) -> Relation:
        """Whether each arc is allowed, as numbers that must stay the same where variables are exchanged."""
        n = len(self.parents)
        width = n // 8 + 1
        rows = np.frombuffer(b"".join(own.to_bytes(width, "little") for own in self.parents), dtype=np.uint8)
        marks = np.unpackbits(rows.reshape(n, width), axis=1, count=n, bitorder="little").astype(np.int64)
        np.fill_diagonal(marks, 0)
        return Relation(marks)
