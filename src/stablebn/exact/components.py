"""Split the problem into components that can be solved independently: no cycle runs through two of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from stablebn.fixed_point import UNIT
from stablebn.search.parent_sets import CandidateSets
from stablebn.stats.variable_sets import bit, members

RemainingChoices = tuple[tuple[int, ...], ...]
"""For each variable of a component, by position: the indices of the choices that have not been excluded."""

NEVER = 1 << 118
"""A loss greater than that of any DAG: the loss if no choices form a DAG."""


@dataclass(frozen=True)
class Component:
    """Variables that a cycle can connect, and their candidate parent sets (choices).

    Attributes
    ----------
    variables : tuple of int
        Variable numbers, ascending; a position is an index into this tuple.
    sets : tuple of tuples of int
        By position, the candidate parent sets as bits of variable numbers, by ascending loss.
    inside : tuple of tuples of int
        The parents inside the component, as bits of positions: only these can form a cycle.
    losses : tuple of tuples of int
        How much each choice scores less than the best choice of its variable, in units of 2**-62.
    best : int
        Sum of the scores of the best choices; a DAG scores `best` less the losses of its choices.
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
        """The unit of linear programs, in units of 2**-62: a nat, or more if losses exceed 2**33 nats.

        Linear programs use doubles with absolute tolerances, so their numbers must not be too great.
        """
        return UNIT << max(0, max(map(max, self.losses)).bit_length() - UNIT.bit_length() - 32)

    @property
    def everything(self) -> RemainingChoices:
        """All choices."""
        return tuple(tuple(range(len(own))) for own in self.sets)

    def loss_of(self, choices: Sequence[int]) -> int:
        """Return the loss of the choices of all variables."""
        return sum(losses[choice] for losses, choice in zip(self.losses, choices, strict=True))

    def first_fitting(self, position: int, placed: int) -> int:
        """Return the best choice of a variable whose parents are all among the `placed` positions.

        Raises
        ------
        ValueError
            Every choice requires other parents.
        """
        for at, parents in enumerate(self.inside[position]):
            if not parents & ~placed:
                return at
        raise ValueError("a variable stands before a parent that is required")

    def loss_among(self, position: int, placed: int) -> int:
        """Return the least loss of a variable whose parents are all `placed`; NEVER if no choice has such parents."""
        losses = self.losses[position]
        return next((losses[at] for at, parents in enumerate(self.inside[position]) if not parents & ~placed), NEVER)


def components(candidates: CandidateSets) -> list[Component]:
    """Return the strongly connected components of "u is in a candidate set of v", by their first variables."""
    possible_parents = [0] * candidates.n
    for v, sets in enumerate(candidates.sets):
        for parents in sets:
            possible_parents[v] |= parents
    result = []
    for variables in strongly_connected(possible_parents):
        position = {v: at for at, v in enumerate(variables)}
        inside_bits = sum(map(bit, variables))
        scores = [candidates.scores[v] for v in variables]
        result.append(
            Component(
                variables=variables,
                sets=tuple(candidates.sets[v] for v in variables),
                inside=tuple(
                    tuple(
                        sum(bit(position[u]) for u in members(parents & inside_bits)) for parents in candidates.sets[v]
                    )
                    for v in variables
                ),
                losses=tuple(tuple(scores_of[0] - score for score in scores_of) for scores_of in scores),
                best=sum(scores_of[0] for scores_of in scores),
            )
        )
    return result


def strongly_connected(parents: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the strongly connected sets of vertices, each ascending, by their first members."""
    n = len(parents)
    above = [family | bit(v) for v, family in enumerate(parents)]
    # Warshall's transitive closure, one row at a time.
    for middle in range(n):
        for v in range(n):
            if above[v] >> middle & 1:
                above[v] |= above[middle]
    result = []
    seen = 0
    for v in range(n):
        if not seen >> v & 1:
            family = [u for u in members(above[v]) if above[u] >> v & 1]
            seen |= sum(map(bit, family))
            result.append(tuple(family))
    return result


def parts_of(component: Component, remaining: RemainingChoices) -> list[tuple[int, ...]]:
    """Return the strongly connected parts that the remaining choices of a component form, as positions."""
    possible_parents = [0] * component.n
    for position, choices in enumerate(remaining):
        for at in choices:
            possible_parents[position] |= component.inside[position][at]
    return strongly_connected(possible_parents)
