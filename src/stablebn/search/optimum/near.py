"""All DAGs whose score is within a margin of the best one (`src/core/near_dags.cpp`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stablebn import _core
from stablebn.fixed_point import integers, limbs
from stablebn.search.candidates import CandidateSets
from stablebn.search.optimum.components import Alive, Component, components
from stablebn.stats.variable_sets import bit, members

MOST_TOGETHER = 24
"""Variables of a part whose DAGs are listed at once: of each subset of them 16 bytes are held."""


class TooLargeError(Exception):
    """A part of the problem has too many variables.

    Attributes
    ----------
    variables : tuple of int
    """

    def __init__(self, variables: tuple[int, ...]) -> None:
        super().__init__(f"a part of {len(variables)} variables")
        self.variables = variables


@dataclass(frozen=True)
class NearDags:
    """The DAGs within a margin of the best one.

    Attributes
    ----------
    best : int
        The score of the best DAG, in units of 2**-62.
    covered : int
        Every DAG that scores up to so much less is listed, and no other: the margin, or less where there are more DAGs
        within it than were asked for. Negative where there are more of the best ones alone; then none is listed.
    below : tuple of int
        How much less each DAG scores than the best, ascending; of equal ones by parent sets.
    parents : tuple of tuples of int
        The parent sets of each DAG.
    """

    best: int
    covered: int
    below: tuple[int, ...]
    parents: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class _Listed:
    """DAGs of some variables: the choices of each, and how much more it loses than the best of them, ascending."""

    covered: int
    dags: tuple[tuple[int, tuple[int, ...]], ...]


def near_dags(candidates: CandidateSets, within: int, limit: int) -> NearDags:
    """List every DAG made of candidate sets that scores no more than `within` less than the best one.

    No cycle runs through two components, so every choice of a DAG for each makes a DAG, and what these lose adds up.

    Parameters
    ----------
    candidates : CandidateSets
        Those of the same margin.
    within : int
        The margin, in units of 2**-62.
    limit : int
        How many DAGs to list at most. Where there are more, it is as if the margin were smaller; DAGs of equal score
        are all listed or none.

    Raises
    ------
    TooLargeError
        A component has more than `MOST_TOGETHER` variables.
    """
    parts = components(candidates)
    best = sum(component.best for component in parts)
    listed = []
    for component in parts:
        loss, own = _listed(component, component.everything, range(component.n), within, limit)
        best -= loss
        listed.append(own)
    # Lists of one DAG first: they make no list longer.
    order = sorted(range(len(parts)), key=lambda at: len(listed[at].dags))
    together = _Listed(within, ((0, ()),))
    for at in order:
        together = _paired(together, listed[at], limit)
    variables = [v for at in order for v in parts[at].variables]
    sets = [own for at in order for own in parts[at].sets]
    at_place = sorted(range(candidates.n), key=variables.__getitem__)
    dags = sorted((below, tuple(sets[place][choices[place]] for place in at_place)) for below, choices in together.dags)
    return NearDags(
        best=best,
        covered=together.covered,
        below=tuple(below for below, _ in dags),
        parents=tuple(parents for _, parents in dags),
    )


def _listed(component: Component, alive: Alive, part: Sequence[int], within: int, limit: int) -> tuple[int, _Listed]:
    """The least loss of a part of what is left of a component, and its DAGs within a margin of that.

    Parents outside the part make no cycle.
    """
    if len(part) > MOST_TOGETHER:
        raise TooLargeError(tuple(component.variables[place] for place in part))
    number = {place: at for at, place in enumerate(part)}
    inside = sum(map(bit, part))
    parents = [
        [sum(bit(number[u]) for u in members(component.inside[place][at] & inside)) for at in alive[place]]
        for place in part
    ]
    losses = [[component.losses[place][at] for at in alive[place]] for place in part]
    least, most, choices, lost = _core.near_dags(
        parents, [np.array([limbs(loss) for loss in own], dtype=np.int64) for own in losses], limbs(within), limit
    )
    found = tuple(
        (loss - least, tuple(alive[place][at] for place, at in zip(part, dag, strict=True)))
        for loss, dag in zip(integers(lost), choices.tolist(), strict=True)
    )
    return least, _Listed(most - least, found)


def _paired(first: _Listed, second: _Listed, limit: int) -> _Listed:
    """Every DAG of the first with every DAG of the second."""
    # Where one alone has more DAGs beyond its margin than the limit, so have both together.
    covered = min(first.covered, second.covered)
    found: list[tuple[int, tuple[int, ...]]] = []
    for below, choices in first.dags:
        for more, others in second.dags:
            if below + more > covered:
                break
            found.append((below + more, choices + others))
        if len(found) > 2 * limit:
            covered = _cut(found, covered, limit)
    covered = _cut(found, covered, limit)
    return _Listed(covered, tuple(found))


def _cut(found: list[tuple[int, tuple[int, ...]]], covered: int, limit: int) -> int:
    """Sort DAGs and leave out the worst, those of equal loss together, until no more are left than the limit."""
    found.sort()
    if len(found) <= limit:
        return covered
    worst = found[limit][0]
    del found[next(at for at, (below, _) in enumerate(found) if below == worst) :]
    return worst - 1
