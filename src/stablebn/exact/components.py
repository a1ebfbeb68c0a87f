"""Parts of the problem that can be solved one by one: no cycle runs through two of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from stablebn.fixed_point import UNIT
from stablebn.search.parent_sets import CandidateSets
from stablebn.stats.variable_sets import bit, members

Alive = tuple[tuple[int, ...], ...]
"""For each variable of a component, by place, which of its choices are left, as places in its list."""

NEVER = 1 << 118
"""More than any DAG loses: the loss where no choices make a DAG."""


@dataclass(frozen=True)
class Component:
    """Variables between which there can be a cycle, and their choices.

    Attributes
    ----------
    variables : tuple of int
        Their numbers, ascending; a place is a place in this list.
    sets : tuple of tuples of int
        By place, the parent sets to choose from, as bits of numbers; by growing loss.
    inside : tuple of tuples of int
        The parents that are in the component, as bits of places: only these can make a cycle.
    losses : tuple of tuples of int
        What each choice loses against the best one, in units of 2**-62.
    best : int
        The sum of the scores of the best choices: that of a DAG is `best` less what its choices lose.
    """

    variables: tuple[int, ...]
    sets: tuple[tuple[int, ...], ...]
    inside: tuple[tuple[int, ...], ...]
    losses: tuple[tuple[int, ...], ...]
    best: int

    @property
    def n(self) -> int:
        """Number of variables."""
        return len(self.variables)

    @cached_property
    def unit(self) -> int:
        """What linear programmes count in, in units of 2**-62: a nat, or more where losses are beyond 2**33 nats.

        They are made of doubles, whose tolerances are absolute: so great numbers are none of theirs.
        """
        return UNIT << max(0, max(map(max, self.losses)).bit_length() - UNIT.bit_length() - 32)

    @property
    def everything(self) -> Alive:
        """All choices."""
        return tuple(tuple(range(len(own))) for own in self.sets)

    def first_fitting(self, place: int, placed: int) -> int:
        """The best choice of a variable whose parents are all among some places; ValueError: it requires others."""
        for at, parents in enumerate(self.inside[place]):
            if not parents & ~placed:
                return at
        raise ValueError("a variable stands before a parent that is required")

    def loss_among(self, place: int, placed: int) -> int:
        """What a variable loses at least whose parents are all among some places; NEVER if it requires others."""
        losses = self.losses[place]
        return next((losses[at] for at, parents in enumerate(self.inside[place]) if not parents & ~placed), NEVER)


def components(candidates: CandidateSets) -> list[Component]:
    """The strongly connected components of "u is in a candidate set of v", by their first variables."""
    joined = [0] * candidates.n
    for v, sets in enumerate(candidates.sets):
        for parents in sets:
            joined[v] |= parents
    found = []
    for variables in strongly_connected(joined):
        place = {v: at for at, v in enumerate(variables)}
        own = sum(map(bit, variables))
        scores = [candidates.scores[v] for v in variables]
        found.append(
            Component(
                variables=variables,
                sets=tuple(candidates.sets[v] for v in variables),
                inside=tuple(
                    tuple(sum(bit(place[u]) for u in members(parents & own)) for parents in candidates.sets[v])
                    for v in variables
                ),
                losses=tuple(tuple(of[0] - score for score in of) for of in scores),
                best=sum(of[0] for of in scores),
            )
        )
    return found


def strongly_connected(parents: Sequence[int]) -> list[tuple[int, ...]]:
    """Sets of vertices that reach each other along arcs to their `parents`, each ascending, by their first members."""
    n = len(parents)
    above = [own | bit(v) for v, own in enumerate(parents)]
    # Warshall's closure, a row at a time.
    for middle in range(n):
        for v in range(n):
            if above[v] >> middle & 1:
                above[v] |= above[middle]
    found = []
    seen = 0
    for v in range(n):
        if not seen >> v & 1:
            own = [u for u in members(above[v]) if above[u] >> v & 1]
            seen |= sum(map(bit, own))
            found.append(tuple(own))
    return found


def parts_of(component: Component, alive: Alive) -> list[tuple[int, ...]]:
    """The strongly connected parts of what is left of a component, as places."""
    joined = [0] * component.n
    for place, choices in enumerate(alive):
        for at in choices:
            joined[place] |= component.inside[place][at]
    return strongly_connected(joined)
