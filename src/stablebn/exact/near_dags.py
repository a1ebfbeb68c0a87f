"""All DAGs whose score is within a margin of the best one (`src/core/exact/near_dags.cpp`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from stablebn import _core
from stablebn.exact.components import Alive, Component, components, parts_of
from stablebn.exact.lp import ClusterSearch
from stablebn.exact.orders import choices_in, climbed
from stablebn.exact.proof import apply, reduced_losses, split, with_one_source
from stablebn.exact.proof_tree import Multipliers, Tree
from stablebn.exact.subset_search import best_of_part
from stablebn.fixed_point import integers, limbs
from stablebn.search.parent_sets import CandidateSets
from stablebn.stats.variable_sets import bit, members

MOST_TOGETHER = 24
"""Variables of a component whose DAGs are listed at once: of each subset of them 16 bytes are held."""

MOST_IN_BRANCH = 16
"""The same of a part of a larger component: there are many of these."""

MOST_BRANCHES = 2000
"""Arcs by which the DAGs of a larger component are split, until its parts are small."""


class TooLargeError(Exception):
    """The DAGs of a component cannot be listed.

    Attributes
    ----------
    variables : tuple of int
    """

    def __init__(self, variables: tuple[int, ...]) -> None:
        super().__init__(f"a component of {len(variables)} variables")
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
        A component has more than `MOST_TOGETHER` variables, and `MOST_BRANCHES` do not make its parts small.
    """
    parts = components(candidates)
    best = sum(component.best for component in parts)
    listed = []
    for component in parts:
        if component.n > MOST_TOGETHER:
            loss, own = _LargeComponent(component, within, limit).listed()
        else:
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


class _LargeComponent:
    """Lists the DAGs of a large component: along the branches of a proof, then split by arcs until the parts are small.

    The numbers of the proof bound the loss of every DAG (`proof`), and so leave out choices that no DAG within the
    margin has. DAGs that have an arc and DAGs that have it not are two branches: no DAG is met twice.
    """

    def __init__(self, component: Component, within: int, limit: int) -> None:
        if component.n > _core.MOST_IN_CLUSTERS:
            raise TooLargeError(component.variables)
        self._component = component
        self._limit = limit
        start = choices_in(component, climbed(component, range(component.n)))
        search = ClusterSearch(component, start, lambda: False)
        self._tree = search.search()
        if not search.finished:
            raise TooLargeError(component.variables)
        self._least = search.loss
        # DAGs that lose more are left out; it is lowered where there are too many.
        self._most = search.loss + within
        self._branches_left = MOST_BRANCHES
        self._found: list[tuple[int, tuple[int, ...]]] = []

    def listed(self) -> tuple[int, _Listed]:
        """The least loss, and the DAGs within the margin of it."""
        for alive, parts in self._along(self._tree, self._component.everything):
            self._add(alive, parts)
        found = tuple((loss - self._least, choices) for loss, choices in self._found)
        return self._least, _Listed(self._most - self._least, found)

    def _along(self, tree: Tree, alive: Alive) -> Iterator[tuple[Alive, list[tuple[int, ...]]]]:
        """What the branches of the proof leave, split until all parts are small."""
        for step in tree.steps:
            _, alive = apply(self._component, alive, step, self._most)
            if not all(alive):
                return
        if tree.arc is None or tree.having is None or tree.lacking is None:
            yield from self._split(tree.steps[-1] if tree.steps else Multipliers(), alive)
            return
        for branch, has in ((tree.having, True), (tree.lacking, False)):
            part = split(self._component, alive, tree.arc, has=has)
            if all(part):
                yield from self._along(branch, part)

    def _split(self, own: Multipliers, alive: Alive) -> Iterator[tuple[Alive, list[tuple[int, ...]]]]:
        component = self._component
        while True:
            _, left = apply(component, alive, own, self._most)
            if all(left):
                left = with_one_source(component, left, own, self._most)
            if not all(left):
                return
            if left == alive:
                break
            alive = left
        parts = parts_of(component, alive)
        largest = max(parts, key=len)
        if len(largest) <= MOST_IN_BRANCH:
            yield alive, parts
            return
        self._branches_left -= 1
        if self._branches_left < 0:
            raise TooLargeError(component.variables)
        arc = _telling_arc(component, alive, largest, own)
        for has in (True, False):
            part = split(component, alive, arc, has=has)
            if all(part):
                yield from self._split(own, part)

    def _add(self, alive: Alive, parts: Sequence[Sequence[int]]) -> None:
        """List the DAGs made of the choices that a branch leaves."""
        component, limit = self._component, self._limit
        least = sum(best_of_part(component, alive, part).loss for part in parts)
        if least > self._most:
            return
        room = self._most - least
        together = _Listed(room, ((0, ()),))
        for part in parts:
            together = _paired(together, _listed(component, alive, part, room, limit)[1], limit)
        places = [place for part in parts for place in part]
        order = sorted(range(component.n), key=places.__getitem__)
        more = [(least + below, tuple(choices[at] for at in order)) for below, choices in together.dags]
        self._most = least + together.covered
        self._found = [dag for dag in [*self._found, *more] if dag[0] <= self._most]
        self._most = _cut(self._found, self._most, limit)


def _telling_arc(component: Component, alive: Alive, part: Sequence[int], own: Multipliers) -> tuple[int, int]:
    """The arc between members of a part that raises the bound most, be it with the arc or without it.

    Of equal ones, that which as nearly as possible half of the choices of its child have.
    """
    reduced = reduced_losses(component, alive, own)
    inside = sum(map(bit, part))
    arcs = []
    for v in part:
        sets = [component.inside[v][at] for at in alive[v]]
        for u in members(inside):
            having = [loss for parents, loss in zip(sets, reduced[v], strict=True) if parents >> u & 1]
            lacking = [loss for parents, loss in zip(sets, reduced[v], strict=True) if not parents >> u & 1]
            if having and lacking:
                low, high = sorted((min(having), min(lacking)))
                arcs.append((high - low, -abs(len(having) - len(lacking)), u, v))
    *_, u, v = max(arcs)
    return u, v


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
