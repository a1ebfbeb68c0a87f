"""Find and prove the best DAG among candidate parent sets, component by component."""

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
from stablebn.exact.subset_search import MOST_AT_ONCE, MOST_IN_PART, best_of_part
from stablebn.exact.ties import MOST_DAGS, BestOfComponent, best_of_component, class_of
from stablebn.scores.base import CompiledScores
from stablebn.search.parent_sets import CandidateSets
from stablebn.stats.variable_sets import bit

MOST_CHOICES = 20_000
"""Most parent sets of a component in a linear program; with more, one solution takes minutes."""

MOST_LISTED = 150_000
"""If there are more candidate sets in total, they stay in the compiled core, where dynamic programming solves them."""

WORK_PER_SET = 10_000
"""Limit of the work of a proof per parent set that may be scored: choices scanned, counted at each step of the solver.
"""

# Limits of the dual ascent for unlisted sets: clusters raised, and choices scanned.
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
        Parent sets of known DAGs: choices that cannot improve on the best of them are excluded early.
    time_is_up : callable
    most_sets : int, optional
        Limits the work of the proof: `ClusterSearch.work` is at most about `WORK_PER_SET` times this.
    watch : callable, optional
        Called with the name of the current step and the number of linear programs solved.

    Returns
    -------
    tuple of int, Proof
        Parent sets of the DAG, and what is proven about it.
    """
    solve = _by_linear_programs(time_is_up, most_sets, watch, is_complete=candidates.complete)
    result = _find_best(candidates, starts, solve, time_is_up)
    assert result is not None
    return result


def find_best_without_solver(
    candidates: CandidateSets,
    starts: Iterable[Sequence[int]],
    *,
    time_is_up: Callable[[], bool],
) -> tuple[tuple[int, ...], Proof] | None:
    """Find the best DAG and prove it without a solver, within a limited number of branches; None if this fails."""
    return _find_best(candidates, starts, partial(_by_ascent, time_is_up), time_is_up)


def best_of_many(
    search: _core.CandidateSearch, scores: CompiledScores, most_variables: int
) -> tuple[tuple[int, ...], Proof] | None:
    """Find and prove the best DAG of very many candidate sets in the core; None if a component is too large."""
    best = _core.best_of_candidates(search, scores.n, most_variables)
    if best is None:
        return None
    members_of, count, is_only = best
    parents = tuple(sum(map(bit, family)) for family in members_of)
    score = scores.dag(parents)
    ties = Ties(1, are_all=is_only)
    return parents, Proof(score, score, ties, (Tree(),) * count, search.found, None)


@dataclass(frozen=True)
class _Solved:
    """The result for a large component.

    Attributes
    ----------
    tree : Tree
    choices : tuple of int
        Choices of the best DAG found.
    loss : int
        Its loss.
    finished : bool
        Whether the tree proves that no DAG loses less.
    limit : str or None
        The limit other than time that ended the search, in words.
    """

    tree: Tree
    choices: tuple[int, ...]
    loss: int
    finished: bool
    limit: str | None = None


_Solve = Callable[[Component, tuple[int, ...]], "_Solved | None"]
"""Solves a component that is too large for dynamic programming, starting from the choices of a DAG; None: give up."""


def _by_linear_programs(
    time_is_up: Callable[[], bool],
    most_sets: int | None,
    watch: Callable[[str, int], None] | None,
    *,
    is_complete: bool,
) -> _Solve:
    """Return a function that solves large components by linear programs, within the limits on time and work."""
    work_left = None if most_sets is None else WORK_PER_SET * most_sets

    def solve(component: Component, start: tuple[int, ...]) -> _Solved:
        nonlocal work_left
        has_many_choices = sum(map(len, component.sets)) > MOST_CHOICES
        unproven = _Solved(Tree(), start, component.loss_of(start), finished=False)
        if has_many_choices and component.n <= MOST_AT_ONCE and is_complete:
            positions = range(component.n)
            work = partial(best_of_part, component, component.everything, positions, most_dags=MOST_DAGS)
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
    """Solve a large component by dual ascent; None if it fails."""
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
    """Find the best DAG of every component with `solve`, and combine them; None if `solve` gives up."""
    smallest = [min(sets, key=int.bit_count) for sets in candidates.sets]
    orders = [topological_order(best_here) for best_here in starts] or [topological_order(smallest)]
    parts = components(candidates)
    trees, chosen, best = [], [], []
    limits: list[str] = []
    for component in parts:
        position_of = {v: position for position, v in enumerate(component.variables)}
        inside = [[position_of[v] for v in order if v in position_of] for order in orders]
        known = [choices_in(component, climbed(component, order)) for order in inside]
        start = min(known, key=lambda best_here: component.loss_of(best_here))
        best_here = BestOfComponent(None, (), are_all=False)
        if component.n > MOST_IN_PART:
            solved = solve(component, start)
            if solved is None:
                return None
        else:
            loss = least_loss(component, Tree(), component.loss_of(start)) or 0
            solved = _Solved(Tree(), start, loss, finished=True)
        if solved.finished:
            best_here = best_of_component(component, solved.tree, solved.loss, time_is_up)
        if solved.limit is not None:
            limits.append(solved.limit)
        first = solved.choices if best_here.first is None else best_here.first
        trees.append(solved.tree if candidates.complete else _with_unlisted(candidates, component, solved))
        chosen.append(first)
        best.append(best_here if best_here.dags else BestOfComponent(None, (first,), are_all=False))
    parents = _parents(candidates.n, parts, chosen)
    proof = proof_of(candidates, parents, trees)
    ties = _ties(candidates.n, parts, chosen, best)
    return parents, replace(proof, ties=ties, limits=tuple(dict.fromkeys(limits)))


def proof_of(candidates: CandidateSets, parents: Sequence[int], trees: Sequence[Tree]) -> Proof:
    """Return what trees prove about a DAG made of candidate sets, in integers and without a solver.

    Raises
    ------
    ValueError
        The DAG is not made of candidate sets, or the trees do not belong to this problem.
    """
    parts = components(candidates)
    if len(parts) != len(trees):
        raise ValueError("there is not one tree for each component")
    if len(topological_order(parents)) < candidates.n or len(parents) != candidates.n:
        raise ValueError("the graph is no DAG over these variables")
    score = 0
    bounds: list[int | None] = []
    for component, tree in zip(parts, trees, strict=True):
        choices = [component.sets[position].index(parents[v]) for position, v in enumerate(component.variables)]
        loss = component.loss_of(choices)
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
    """Return the least loss of the unlisted sets of each variable; None if no bound is known."""
    beyond = []
    for v in component.variables:
        bound = candidates.beyond[v]
        if bound is None:
            return None
        beyond.append(candidates.scores[v][0] - bound)
    return beyond


def _with_unlisted(candidates: CandidateSets, component: Component, solved: _Solved) -> Tree:
    """Return a tree that also bounds DAGs with unlisted sets.

    All unlisted sets of a variable form one more choice: without parents, so that it is in no cycle, and with the least
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
    step = ascended(more, everything, component.loss_of(solved.choices), _STEPS_OF_ASCENT, _WORK_OF_ASCENT)
    return replace(solved.tree, steps=(*solved.tree.steps, step))


def _bound_with_more(candidates: CandidateSets, component: Component, tree: Tree, bound: int) -> int | None:
    """Return an upper bound of the score of a component, whose unlisted sets may score more than the candidates."""
    beyond = _beyond(candidates, component)
    if beyond is None:
        return None
    steps = [Multipliers(), *tree.steps]
    return max(bound, component.best - max(smallest_sum(component, step, beyond) for step in steps))


def topological_order(parents: Sequence[int]) -> list[int]:
    """Return the variables of a DAG, parents first, the lowest number first; incomplete if the graph has a cycle."""
    order: list[int] = []
    placed = 0
    while free := [v for v, family in enumerate(parents) if not placed >> v & 1 and not family & ~placed]:
        order.append(free[0])
        placed |= bit(free[0])
    return order


def _parents(n: int, parts: Sequence[Component], chosen: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Return the parent sets of all variables from the choices of the components."""
    parents = [0] * n
    for component, choices in zip(parts, chosen, strict=True):
        for position, choice in enumerate(choices):
            parents[component.variables[position]] = component.sets[position][choice]
    return tuple(parents)


def _ties(
    n: int,
    parts: Sequence[Component],
    chosen: Sequence[Sequence[int]],
    best: Sequence[BestOfComponent],
) -> Ties:
    """Count the classes of DAGs that combine best DAGs of the components, or per component if these are too many."""

    def classes(lists: Sequence[Sequence[Sequence[int]]]) -> int:
        dags = {_parents(n, parts, dags_of) for dags_of in product(*lists)}
        return len({class_of(dag) for dag in dags})

    listed = [dags_of.dags for dags_of in best]
    if prod(map(len, listed)) <= MOST_DAGS:
        return Ties(classes(listed), are_all=all(dags_of.are_all for dags_of in best))
    alone = [[dags_of] for dags_of in chosen]
    counts = [classes([*alone[:at], dags_of, *alone[at + 1 :]]) for at, dags_of in enumerate(listed)]
    return Ties(prod(counts), are_all=False)
