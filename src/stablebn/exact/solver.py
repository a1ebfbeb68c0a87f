"""The best DAG among candidate parent sets: component by component, with a proof for each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from math import prod

from stablebn import _core
from stablebn.exact.components import Component, components
from stablebn.exact.dual_ascent import AscentSearch, ascended
from stablebn.exact.lp import ClusterSearch
from stablebn.exact.orders import choices_in, climbed
from stablebn.exact.proof import least_loss, smallest_sum
from stablebn.exact.proof_tree import Multipliers, Proof, Ties, Tree
from stablebn.exact.sifting import sifted
from stablebn.exact.subset_search import MOST_PLACES, MOST_PLACES_AT_ONCE, best_of_part
from stablebn.exact.ties import MOST_DAGS, BestOfComponent, best_of_component, class_of
from stablebn.scores.base import CompiledScores
from stablebn.search.parent_sets import CandidateSets
from stablebn.stats.variable_sets import bit

MOST_CHOICES = 20_000
"""Parent sets of a component that a linear programme is made of; with more, a step of it takes minutes."""

MOST_LISTED = 150_000
"""With more candidate sets in all they stay in the core, where dynamic programming can do without them elsewhere."""

WORK_PER_SET = 10_000
"""How often choices may be looked at in a proof (by each step of the solver, all of them) per parent set that may be
scored."""

# Clusters that are raised one by one, and choices that are looked at, to bound DAGs with sets that were not listed.
_STEPS_OF_ASCENT = 3000
_WORK_OF_ASCENT = 500_000_000


def find_best(
    candidates: CandidateSets,
    starts: Iterable[Sequence[int]],
    *,
    time_is_up: Callable[[], bool],
    most_sets: int | None = None,
    watch: Callable[[str, int], None] | None = None,
) -> tuple[tuple[int, ...], Proof]:
    """Find the best DAG and prove it, as far as the time allows.

    Parameters
    ----------
    candidates : CandidateSets
    starts : iterable of sequence of int
        Parent sets of DAGs that are known: what is worse than the best of them is left out soon.
    time_is_up : callable
    most_sets : int, optional
        Limits the work of the proof: `ClusterSearch.work` is about `WORK_PER_SET` times as much at most.
    watch : callable, optional
        Called with the name of what is under way and the number of programmes solved.

    Returns
    -------
    tuple of int, Proof
        Parent sets of the DAG, and what is proven of it.
    """
    solve = _by_programmes(time_is_up, most_sets, watch, is_complete=candidates.complete)
    found = _find_best(candidates, starts, solve, time_is_up)
    assert found is not None
    return found


def find_best_without_solver(
    candidates: CandidateSets,
    starts: Iterable[Sequence[int]],
    *,
    time_is_up: Callable[[], bool],
) -> tuple[tuple[int, ...], Proof] | None:
    """Find the best DAG and prove it without the solver, with a limited number of branches; None: not done."""
    return _find_best(candidates, starts, partial(_by_ascent, time_is_up), time_is_up)


def best_of_many(
    search: _core.CandidateSearch, scores: CompiledScores, most_places: int
) -> tuple[tuple[int, ...], Proof] | None:
    """Find and prove the best DAG of very many candidate sets in the core; None: a component is too large."""
    best = _core.best_of_candidates(search, scores.n, most_places)
    if best is None:
        return None
    members_of, count, is_only = best
    parents = tuple(sum(map(bit, own)) for own in members_of)
    score = scores.dag(parents)
    ties = Ties(1, are_all=is_only)
    return parents, Proof(score, score, ties, (Tree(),) * count, search.found, None)


@dataclass(frozen=True)
class _Solved:
    """What is known of a large component.

    Attributes
    ----------
    tree : Tree
    choices : tuple of int
        Of the best DAG that was found.
    loss : int
        What it loses.
    finished : bool
        Whether the tree proves that no DAG loses less.
    limit : str or None
        The limit other than time that was met, in words.
    """

    tree: Tree
    choices: tuple[int, ...]
    loss: int
    finished: bool
    limit: str | None = None


_Solve = Callable[[Component, tuple[int, ...]], "_Solved | None"]
"""Solve a component that is too large for dynamic programming, from the choices of a DAG; None: give all up."""


def _by_programmes(
    time_is_up: Callable[[], bool],
    most_sets: int | None,
    watch: Callable[[str, int], None] | None,
    *,
    is_complete: bool,
) -> _Solve:
    work_left = None if most_sets is None else WORK_PER_SET * most_sets

    def solve(component: Component, start: tuple[int, ...]) -> _Solved:
        nonlocal work_left
        has_many_choices = sum(map(len, component.sets)) > MOST_CHOICES
        unproven = _Solved(Tree(), start, _loss(component, start), finished=False)
        if has_many_choices and component.n <= MOST_PLACES_AT_ONCE and is_complete:
            places = range(component.n)
            work = partial(best_of_part, component, component.everything, places, most_dags=MOST_DAGS)
            try:
                best = _core.within_time(time_is_up, work)
            except _core.TimeIsUp:
                return unproven
            return _Solved(Tree(), best.choices, best.loss, finished=True)
        many = f"more than {MOST_CHOICES:,} candidate parent sets of variables that depend on each other"
        if has_many_choices and component.n <= _core.MOST_IN_ASCENT:
            return replace(unproven, tree=Tree((sifted(component, unproven.loss, time_is_up),)), limit=many)
        if has_many_choices:
            return replace(unproven, limit=many)
        if time_is_up():
            return unproven
        if component.n > _core.MOST_IN_CLUSTERS:
            return replace(unproven, limit=f"more than {_core.MOST_IN_CLUSTERS} variables that depend on each other")
        tell = None if watch is None else lambda solved: watch("proof", solved)
        search = ClusterSearch(component, start, time_is_up, tell, most_work=work_left)
        tree = search.search()
        if work_left is not None:
            work_left = max(0, work_left - search.work)
        is_open = search.is_out_of_work and not search.finished
        limit = f"the work that max_sets={most_sets:,} allows for the proof" if is_open else None
        return _Solved(tree, search.choices, search.loss, search.finished, limit)

    return solve


def _by_ascent(time_is_up: Callable[[], bool], component: Component, start: tuple[int, ...]) -> _Solved | None:
    if component.n > _core.MOST_IN_ASCENT:
        return None
    search = AscentSearch(component, start, time_is_up)
    tree = search.search()
    return _Solved(tree, search.choices, search.loss, finished=True) if search.finished else None


def _find_best(
    candidates: CandidateSets,
    starts: Iterable[Sequence[int]],
    solve: _Solve,
    time_is_up: Callable[[], bool],
) -> tuple[tuple[int, ...], Proof] | None:
    smallest = [min(sets, key=int.bit_count) for sets in candidates.sets]
    orders = [topological_order(own) for own in starts] or [topological_order(smallest)]
    parts = components(candidates)
    trees, chosen, best = [], [], []
    limits: list[str] = []
    for component in parts:
        place_of = {v: place for place, v in enumerate(component.variables)}
        inside = [[place_of[v] for v in order if v in place_of] for order in orders]
        known = [choices_in(component, climbed(component, order)) for order in inside]
        start = min(known, key=lambda own: _loss(component, own))
        own = BestOfComponent(None, (), are_all=False)
        if component.n > MOST_PLACES:
            solved = solve(component, start)
            if solved is None:
                return None
        else:
            loss = least_loss(component, Tree(), _loss(component, start)) or 0
            solved = _Solved(Tree(), start, loss, finished=True)
        if solved.finished:
            own = best_of_component(component, solved.tree, solved.loss, time_is_up)
        if solved.limit is not None:
            limits.append(solved.limit)
        first = solved.choices if own.first is None else own.first
        trees.append(solved.tree if candidates.complete else _with_unlisted(candidates, component, solved))
        chosen.append(first)
        best.append(own if own.dags else BestOfComponent(None, (first,), are_all=False))
    parents = _parents(candidates.n, parts, chosen)
    proof = proof_of(candidates, parents, trees)
    ties = _ties(candidates.n, parts, chosen, best)
    return parents, replace(proof, ties=ties, limits=tuple(dict.fromkeys(limits)))


def proof_of(candidates: CandidateSets, parents: Sequence[int], trees: Sequence[Tree]) -> Proof:
    """What trees prove of a DAG made of candidate sets: integers, and no solver.

    Raises
    ------
    ValueError
        The DAG is not made of candidate sets, or the trees are none of this problem.
    """
    parts = components(candidates)
    if len(parts) != len(trees):
        raise ValueError("there is not one tree for each component")
    if len(topological_order(parents)) < candidates.n or len(parents) != candidates.n:
        raise ValueError("the graph is no DAG over these variables")
    score = 0
    bounds: list[int | None] = []
    for component, tree in zip(parts, trees, strict=True):
        choices = [component.sets[place].index(parents[v]) for place, v in enumerate(component.variables)]
        loss = _loss(component, choices)
        least = least_loss(component, tree, loss)
        if least is None:
            raise ValueError("a tree leaves out the DAG itself")
        score += component.best - loss
        bounds.append(component.best - least)
        if not candidates.complete:
            bounds[-1] = _bound_with_more(candidates, component, tree, component.best - least)
    known = [own for own in bounds if own is not None]
    return Proof(
        score=score,
        bound=sum(known) if len(known) == len(bounds) else None,
        ties=Ties(1, are_all=False),
        trees=tuple(trees),
        candidates=len(candidates),
        most_parents=None if candidates.complete else candidates.most_parents,
    )


def _beyond(candidates: CandidateSets, component: Component) -> list[int] | None:
    """What the sets of each variable that were not listed lose at least; None where no bound is known."""
    beyond = []
    for v in component.variables:
        own = candidates.beyond[v]
        if own is None:
            return None
        beyond.append(candidates.scores[v][0] - own)
    return beyond


def _with_unlisted(candidates: CandidateSets, component: Component, solved: _Solved) -> Tree:
    """Return a tree that also bounds DAGs with sets that were not listed.

    All of them are one more choice of each variable: without parents, so that it is in no cycle, and with the least
    loss that any of them can have.
    """
    beyond = _beyond(candidates, component)
    if beyond is None or component.n > _core.MOST_IN_ASCENT:
        return solved.tree
    more = replace(
        component,
        inside=tuple((*own, 0) for own in component.inside),
        losses=tuple((*own, loss) for own, loss in zip(component.losses, beyond, strict=True)),
    )
    everything = tuple(tuple(range(len(own))) for own in more.inside)
    step = ascended(more, everything, _loss(component, solved.choices), _STEPS_OF_ASCENT, _WORK_OF_ASCENT)
    return replace(solved.tree, steps=(*solved.tree.steps, step))


def _bound_with_more(candidates: CandidateSets, component: Component, tree: Tree, bound: int) -> int | None:
    """What no DAG of a component exceeds, where sets that were not listed may be better than the candidates."""
    beyond = _beyond(candidates, component)
    if beyond is None:
        return None
    steps = [Multipliers(), *tree.steps]
    return max(bound, component.best - max(smallest_sum(component, step, beyond) for step in steps))


def topological_order(parents: Sequence[int]) -> list[int]:
    """The variables of a DAG, parents first, by number where either may come first; not all of a graph with a cycle."""
    order: list[int] = []
    placed = 0
    while free := [v for v, own in enumerate(parents) if not placed >> v & 1 and not own & ~placed]:
        order.append(free[0])
        placed |= bit(free[0])
    return order


def _loss(component: Component, choices: Sequence[int]) -> int:
    return sum(component.losses[place][at] for place, at in enumerate(choices))


def _parents(n: int, parts: Sequence[Component], chosen: Sequence[Sequence[int]]) -> tuple[int, ...]:
    parents = [0] * n
    for component, choices in zip(parts, chosen, strict=True):
        for place, at in enumerate(choices):
            parents[component.variables[place]] = component.sets[place][at]
    return tuple(parents)


def _ties(
    n: int,
    parts: Sequence[Component],
    chosen: Sequence[Sequence[int]],
    best: Sequence[BestOfComponent],
) -> Ties:
    """Count the classes of DAGs made of best ones of the components; if these are too many, component by component."""

    def classes(lists: Sequence[Sequence[Sequence[int]]]) -> int:
        dags = {_parents(n, parts, own) for own in product(*lists)}
        return len({class_of(dag) for dag in dags})

    listed = [own.dags for own in best]
    if prod(map(len, listed)) <= MOST_DAGS:
        return Ties(classes(listed), are_all=all(own.are_all for own in best))
    alone = [[own] for own in chosen]
    counts = [classes([*alone[:at], own, *alone[at + 1 :]]) for at, own in enumerate(listed)]
    return Ties(prod(counts), are_all=False)
