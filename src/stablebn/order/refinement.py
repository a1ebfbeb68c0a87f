"""Telling variables apart by the data alone, where the sort keys leave them tied.

Variables and rows are coloured in turn, until no class of variables splits any more. What is still tied then is, but
for freak cases, interchangeable in the data, and only there a name may decide; as soon as it has decided for one
variable, that variable is a class of its own and the rest is told apart by the data again.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from stablebn.stats import Statistics


def refined_order(statistics: Statistics, tiers: Sequence[int], by_name: Sequence[int]) -> list[int]:
    """Order the variables by tier, inside a tier by the data, and where that cannot decide by name.

    Parameters
    ----------
    statistics : Statistics
    tiers : sequence of int
        Tier of each variable; lower tiers come first. Equal tiers are to be told apart.
    by_name : sequence of int
        Position of each variable when they are sorted by name.
    """
    groups = _identical_groups(statistics, tiers, by_name)
    partition = _OrderedPartition(statistics, tiers)
    while tied := partition.first_tie(groups):
        if not partition.refine():
            # What is left is up to the name, for one group; after it the data may speak again.
            partition.put_first(min(tied, key=lambda group: by_name[group[0]]))
    return [v for group in sorted(groups, key=partition.rank) for v in group]


class _OrderedPartition:
    """Classes of variables in a fixed order, each of which is only ever split, never moved."""

    def __init__(self, statistics: Statistics, ranks: Sequence[int]) -> None:
        self._statistics = statistics
        self._ranks = list(ranks)

    def rank(self, group: Sequence[int]) -> int:
        """Place of a group's class."""
        return self._ranks[group[0]]

    def first_tie(self, groups: Sequence[Sequence[int]]) -> list[Sequence[int]]:
        """The groups of the first class that holds more than one; none if all are told apart."""
        for _, tied in groupby(sorted(groups, key=self.rank), self.rank):
            found = list(tied)
            if len(found) > 1:
                return found
        return []

    def put_first(self, group: Sequence[int]) -> None:
        """Split a group off its class, before the others."""
        self._ranks = [2 * rank for rank in self._ranks]
        for v in group:
            self._ranks[v] -= 1

    def refine(self) -> bool:
        """Colour the variables by the classes of all; whether a class was split."""
        before = len(set(self._ranks))
        keys = list(zip(self._ranks, self._statistics.colours(self._ranks), strict=True))
        rank = {key: place for place, key in enumerate(sorted(set(keys)))}
        self._ranks = [rank[key] for key in keys]
        return len(rank) > before


def _identical_groups(statistics: Statistics, tiers: Sequence[int], by_name: Sequence[int]) -> list[list[int]]:
    """Variables of one tier with the same codes, each group sorted by name."""
    groups: list[list[int]] = []
    for identical in statistics.identical():
        ordered = sorted(identical, key=lambda v: (tiers[v], by_name[v]))
        groups += [list(group) for _, group in groupby(ordered, tiers.__getitem__)]
    return groups
