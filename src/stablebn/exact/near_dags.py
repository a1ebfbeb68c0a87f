"""List all DAGs whose score is within a margin of the best one (`src/core/exact/near_dags.cpp`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from stablebn import _core
from stablebn.exact.components import Component, RemainingChoices, components, parts_of
from stablebn.exact.lp import ClusterSearch
from stablebn.exact.orders import choices_in, climbed
from stablebn.exact.proof import apply, reduced_losses, split, with_one_source
from stablebn.exact.proof_tree import Multipliers, Tree
from stablebn.exact.subset_search import best_of_part
from stablebn.fixed_point import integers, limbs
from stablebn.search.parent_sets import CandidateSets
from stablebn.stats.variable_sets import bit, members

MOST_TOGETHER = 24
"""Most variables of a component whose DAGs are listed at once: 16 bytes per subset of them."""

MOST_IN_BRANCH = 16
"""Most variables of a part of a larger component, because there are many parts."""

MOST_BRANCHES = 2000
"""Most arcs that split the DAGs of a larger component into small parts."""


class TooLargeError(Exception):
    """The DAGs of a component with these `variables` cannot be listed."""

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
        Every DAG that scores at most this much less is listed, and no other: the margin, or less if more DAGs than
        requested are within it. Negative if the best DAGs alone are more; then none is listed.
    below : tuple of int
        How much less each DAG scores than the best, ascending; ties by parent sets.
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
    """List every DAG made of candidate sets that scores at most `within` less than the best one.

    No cycle runs through two components, so every combination of their DAGs is a DAG, and the losses add up.

    Parameters
    ----------
    candidates : CandidateSets
        The candidates for the same margin.
    within : int
        The margin, in units of 2**-62.
    limit : int
        Most DAGs to list. If there are more, the margin is reduced; DAGs of equal score are all listed or none.

    Raises
    ------
    TooLargeError
        A component has more than `MOST_TOGETHER` variables, and `MOST_BRANCHES` splits do not make its parts small.
    """
    parts = components(candidates)
    best = sum(component.best for component in parts)
    listed = []
    for component in parts:
        if component.n > MOST_TOGETHER:
            loss, listed_here = _LargeComponent(component, within, limit).listed()
        else:
            loss, listed_here = _listed(component, component.everything, range(component.n), within, limit)
        best -= loss
        listed.append(listed_here)
    # Lists of one DAG come first: they make no list longer.
    order = sorted(range(len(parts)), key=lambda at: len(listed[at].dags))
    together = _Listed(within, ((0, ()),))
    for at in order:
        together = _paired(together, listed[at], limit)
    variables = [v for at in order for v in parts[at].variables]
    sets = [listed_here for at in order for listed_here in parts[at].sets]
    at_place = sorted(range(candidates.n), key=variables.__getitem__)
    dags = sorted(
        (below, tuple(sets[position][choices[position]] for position in at_place)) for below, choices in together.dags
    )
    return NearDags(
        best=best,
        covered=together.covered,
        below=tuple(below for below, _ in dags),
        parents=tuple(parents for _, parents in dags),
    )


def _listed(
    component: Component, remaining: RemainingChoices, part: Sequence[int], within: int, limit: int
) -> tuple[int, _Listed]:
    """Return the least loss of a part of the remaining choices, and its DAGs within a margin of it.

    Parents outside the part form no cycle.
    """
    number = {position: at for at, position in enumerate(part)}
    inside = sum(map(bit, part))
    parents = [
        [sum(bit(number[u]) for u in members(component.inside[position][at] & inside)) for at in remaining[position]]
        for position in part
    ]
    losses = [[component.losses[position][at] for at in remaining[position]] for position in part]
    least, most, choices, lost = _core.near_dags(
        parents, [np.array([limbs(loss) for loss in own], dtype=np.int64) for own in losses], limbs(within), limit
    )
    dags = tuple(
        (loss - least, tuple(remaining[position][at] for position, at in zip(part, dag, strict=True)))
        for loss, dag in zip(integers(lost), choices.tolist(), strict=True)
    )
    return least, _Listed(most - least, dags)


class _LargeComponent:
    """Lists the DAGs of a large component along the branches of a proof, split by arcs until the parts are small.

    The multipliers of the proof bound the loss of every DAG (`proof`), and so exclude choices that no DAG within the
    margin has. DAGs with an arc and DAGs without it are different branches, so no DAG is listed twice.
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
        # DAGs that lose more are left out; the limit is lowered if there are too many.
        self._most = search.loss + within
        self._branches_left = MOST_BRANCHES
        self._found: list[tuple[int, tuple[int, ...]]] = []

    def listed(self) -> tuple[int, _Listed]:
        """Return the least loss, and the DAGs within the margin of it."""
        for remaining, parts in self._along(self._tree, self._component.everything):
            self._add(remaining, parts)
        found = tuple((loss - self._least, choices) for loss, choices in self._found)
        return self._least, _Listed(self._most - self._least, found)

    def _along(
        self, tree: Tree, remaining: RemainingChoices
    ) -> Iterator[tuple[RemainingChoices, list[tuple[int, ...]]]]:
        """Yield the remaining choices of the branches of the proof, split until all parts are small."""
        for step in tree.steps:
            _, remaining = apply(self._component, remaining, step, self._most)
            if not all(remaining):
                return
        if tree.arc is None or tree.having is None or tree.lacking is None:
            yield from self._split(tree.steps[-1] if tree.steps else Multipliers(), remaining)
            return
        for branch, has in ((tree.having, True), (tree.lacking, False)):
            part = split(self._component, remaining, tree.arc, has=has)
            if all(part):
                yield from self._along(branch, part)

    def _split(
        self, multipliers: Multipliers, remaining: RemainingChoices
    ) -> Iterator[tuple[RemainingChoices, list[tuple[int, ...]]]]:
        """Yield the remaining choices of a leaf, split by arcs until all parts are small."""
        component = self._component
        while True:
            _, kept = apply(component, remaining, multipliers, self._most)
            if all(kept):
                kept = with_one_source(component, kept, multipliers, self._most)
            if not all(kept):
                return
            if kept == remaining:
                break
            remaining = kept
        parts = parts_of(component, remaining)
        largest = max(parts, key=len)
        if len(largest) <= MOST_IN_BRANCH:
            yield remaining, parts
            return
        self._branches_left -= 1
        if self._branches_left < 0:
            raise TooLargeError(component.variables)
        arc = _telling_arc(component, remaining, largest, multipliers)
        for has in (True, False):
            part = split(component, remaining, arc, has=has)
            if all(part):
                yield from self._split(multipliers, part)

    def _add(self, remaining: RemainingChoices, parts: Sequence[Sequence[int]]) -> None:
        """Add to the list the DAGs that can be built from the parent sets left in this branch."""
        component, limit = self._component, self._limit
        least = sum(best_of_part(component, remaining, part).loss for part in parts)
        if least > self._most:
            return
        room = self._most - least
        together = _Listed(room, ((0, ()),))
        for part in parts:
            together = _paired(together, _listed(component, remaining, part, room, limit)[1], limit)
        positions = [position for part in parts for position in part]
        order = sorted(range(component.n), key=positions.__getitem__)
        more = [(least + below, tuple(choices[at] for at in order)) for below, choices in together.dags]
        self._most = least + together.covered
        self._found = [dag for dag in [*self._found, *more] if dag[0] <= self._most]
        self._most = _cut(self._found, self._most, limit)


def _telling_arc(
    component: Component, remaining: RemainingChoices, part: Sequence[int], multipliers: Multipliers
) -> tuple[int, int]:
    """Return the arc inside a part that raises the bound most on one of its two sides.

    Ties go to the arc that is nearest to being in half of the choices of its child.
    """
    reduced = reduced_losses(component, remaining, multipliers)
    inside = sum(map(bit, part))
    arcs = []
    for v in part:
        sets = [component.inside[v][at] for at in remaining[v]]
        for u in members(inside):
            having = [loss for parents, loss in zip(sets, reduced[v], strict=True) if parents >> u & 1]
            lacking = [loss for parents, loss in zip(sets, reduced[v], strict=True) if not parents >> u & 1]
            if having and lacking:
                low, high = sorted((min(having), min(lacking)))
                arcs.append((high - low, -abs(len(having) - len(lacking)), u, v))
    *_, u, v = max(arcs)
    return u, v


def _paired(first: _Listed, second: _Listed, limit: int) -> _Listed:
    """Combine every DAG of the first list with every DAG of the second."""
    # If one list alone has more DAGs beyond its margin than the limit, so has the combination.
    covered = min(first.covered, second.covered)
    dags: list[tuple[int, tuple[int, ...]]] = []
    for below, choices in first.dags:
        for more, others in second.dags:
            if below + more > covered:
                break
            dags.append((below + more, choices + others))
        if len(dags) > 2 * limit:
            covered = _cut(dags, covered, limit)
    covered = _cut(dags, covered, limit)
    return _Listed(covered, tuple(dags))


def _cut(dags: list[tuple[int, tuple[int, ...]]], covered: int, limit: int) -> int:
    """Sort DAGs and drop the worst, those of equal loss together, until at most `limit` are left."""
    dags.sort()
    if len(dags) <= limit:
        return covered
    worst = dags[limit][0]
    del dags[next(at for at, (below, _) in enumerate(dags) if below == worst) :]
    return worst - 1
