"""Search for the best graph from the results of several algorithms, with ordering-based search."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

from stablebn import _core
from stablebn.learners.fges import fges
from stablebn.learners.hc_stable import hc_stable
from stablebn.learners.shared.config import SearchConfig
from stablebn.learners.shared.pattern import extension, numbered
from stablebn.learners.shared.problem import Problem
from stablebn.learners.shared.proven import proven_if_cheap
from stablebn.learners.stable_order import layered_order
from stablebn.learners.tabu import tabu_dec, tabu_inc, tabu_search
from stablebn.learners.tabu_stable import tabu_stable
from stablebn.scores.gaussian import scores_of_pairs
from stablebn.scores.incomplete import GaussianAverage
from stablebn.search import Climb
from stablebn.search.grow_shrink import GrowShrinkSearch
from stablebn.search.order_search import Effort, OrderSearch
from stablebn.stats.variable_sets import bit

EFFORTS: Mapping[str, Effort] = {
    "low": Effort(families=4, closer=8, orders=2, attempts=10, rounds_in_vain=1),
    "normal": Effort(families=12, closer=20, orders=4, attempts=50, rounds_in_vain=2, sets=500_000),
    "high": Effort(families=30, closer=40, orders=8, attempts=100, rounds_in_vain=6, sets=5_000_000),
}
"""The values of the option `effort`, ascending, for the search among listed families."""

# Amount of work of the grow-shrink search, by effort (see `_core.GrowShrinkEffort`). For categorical tables the search
# among listed families is better. Scores with expensive families get few attempts.
_GROWN: Mapping[str, tuple[int, int, int]] = {"low": (1, 20, 2), "normal": (2, 20, 2), "high": (4, 50, 4)}
_GROWN_OF_CATEGORICAL = (1, 10, 1)
_GROWN_IF_EXPENSIVE = {**_GROWN, "low": (1, 2, 1)}
# Regressions on polynomials cost more than those of BIC, and on the tables measured more attempts found nothing.
_GROWN_OF_ADDITIVE = {**_GROWN, "low": (1, 5, 1)}

# Continuous families with many parents are expensive to list, and the grow-shrink search finds more of them. So
# families are listed only if the sum over the variables of (parents + 2)**5, times the number of variables, is at most
# this.
_MOST_COST_OF_LISTS: Mapping[str, int] = {"low": 10_000_000, "normal": 2_000_000, "high": 100_000_000}


def best(problem: Problem, config: SearchConfig) -> Climb:
    """Search for the best graph, and return the proven optimum if the proof is cheap.

    See `searched` for the search and `proven_if_cheap` for the proof; `optimal` of the result is True if it is proven.
    """
    climbed = searched(problem, config)
    proven = proven_if_cheap(problem, config, climbed.parents)
    if proven is None:
        return replace(climbed, finished=climbed.finished and not problem.time_is_up())
    return proven


def searched(problem: Problem, config: SearchConfig) -> Climb:
    """Search among orders of the variables, starting from the graphs of other algorithms, with increasing effort.

    Every effort starts from the result of the one below it, so more effort never gives a lower score. The score is
    never lower than that of Tabu-Stable, HC-Stable, Tabu-Dec, Tabu-Inc and FGES on the same table. For a dense
    continuous table, low effort runs FGES with `phases="fges"`, because deleting every edge once, as `phases="xges"`
    does at the end, takes longest.
    """
    dags = list(dict.fromkeys(learned_by_others(problem, config)))
    is_dense = _is_dense(problem, dags[0])
    finished = True
    for effort in EFFORTS:
        if effort == "normal" and is_dense and not problem.time_is_up():
            dags += by_fges(problem, config)
        last = searched_with(effort, problem, config, dags)
        finished = last.finished
        if effort == config.effort or problem.time_is_up():
            break
        dags.append(last.parents)
    return replace(last, finished=finished and not problem.time_is_up())


def searched_with(effort: str, problem: Problem, config: SearchConfig, dags: Sequence[tuple[int, ...]]) -> Climb:
    """Search with one effort from known DAGs, and return a DAG whose score is no lower than any of theirs.

    Two searches among orders alternate. The grow-shrink search grows and shrinks the parents of each variable among its
    predecessors. The other search chooses among listed families: those of the known DAGs, those that differ from them
    by one parent, and the best ones of each variable. The best DAG of both is the start of a tabu search, and its
    families are offered to both searches. The search ends when the tabu search finds no better DAG. For a small table,
    a second search among more families comes first.

    Families of continuous tables with missing values are expensive, because each is scored on its own complete rows.
    With low effort the grow-shrink search uses approximate scores, and the tabu search corrects its result.

    References
    ----------
    Teyssier and Koller, "Ordering-based search: a simple and effective algorithm for learning Bayesian networks", 2005.
    Lee and van Beek, "Metaheuristics for score-and-search Bayesian network structure learning", 2017.
    Andrews, Ramsey, Sanchez-Romero, Camchong and Kummerfeld, "Fast scalable and accurate discovery of DAGs using the
    best order score search and grow-shrink trees", 2023.
    Wienoebst, Henckel and Weichwald, "Embracing discrete search: a reasonable approach to causal structure learning",
    2025.
    """
    dags = list(dags)
    order, time_is_up = problem.decreasing, problem.time_is_up
    watch, watch_grown = (
        None if problem.watch is None else partial(problem.watch, f"{stage} ({effort} effort)")
        for stage in ("orders", "grown parents")
    )
    nearby = None
    if effort == "low" and isinstance(problem.scores, GaussianAverage):
        with suppress(_core.TimeIsUp):
            nearby = _core.within_time(time_is_up, partial(scores_of_pairs, problem.scores))
    grow_shrink = GrowShrinkSearch(
        problem.scores if nearby is None else nearby,
        _core.GrowShrinkEffort(*_grown(effort, problem)),
        max_parents=config.most_parents,
        constraints=problem.constraints,
        journal=problem.journal,
        name=f"{effort} grown",
    )

    def grow(starts: Sequence[tuple[int, ...]]) -> Iterator[tuple[int, ...]]:
        dag = tuple(grow_shrink.search([(layered_order(dag, order), dag) for dag in starts], time_is_up, watch_grown))
        if nearby is None or all(map(problem.scores.is_candidate, range(problem.scores.n), dag)):
            yield dag

    dags += grow(dags)
    order_search = None
    if nearby is None and _may_list(effort, problem, dags):
        order_search = OrderSearch(
            problem.scores,
            EFFORTS[effort],
            max_parents=config.most_parents,
            constraints=problem.constraints,
            journal=problem.journal,
            name=f"{effort} orders",
        )
        for dag in dags:
            order_search.look_around(dag, time_is_up)
        order_search.look_for_families(time_is_up)
    starts = [layered_order(dag, order) for dag in dags]
    if problem.constraints is None or not any(problem.constraints.required):
        starts += [list(problem.decreasing), list(problem.increasing)]
    orders = starts
    while True:
        if order_search is not None:
            # With missing values, known DAGs may have families that this search cannot reach.
            dags.append(tuple(order_search.search(orders, time_is_up, watch)))
        dag = max(dags, key=problem.scores.dag)
        was_stopped = time_is_up()
        [last] = tabu_search(replace(problem, start=dag), {"last search": layered_order(dag, order)}, config)
        has_converged = last.score <= last.start
        if time_is_up():
            return replace(last, finished=False)
        if has_converged and (
            order_search is None or not order_search.begin_again(problem.statistics.total, time_is_up)
        ):
            return replace(last, finished=last.finished and not was_stopped and not time_is_up())
        last_order = layered_order(last.parents, order)
        orders = [last_order]
        if has_converged:
            orders += starts
        else:
            dags += [last.parents, *grow([last.parents])]
        if order_search is not None:
            for dag in dags[-2:]:
                order_search.look_around(dag, time_is_up)


def _grown(effort: str, problem: Problem) -> tuple[int, int, int]:
    """Return the amount of work of the grow-shrink search."""
    if problem.statistics.kind == "categorical":
        return _GROWN_OF_CATEGORICAL
    if isinstance(problem.scores, GaussianAverage):
        return _GROWN[effort]
    if problem.scores.relative_cost > 1 or problem.statistics.has_missing:
        return _GROWN_IF_EXPENSIVE[effort]
    is_additive = problem.statistics.kind == "continuous" and not problem.scores.score_equivalent
    return (_GROWN_OF_ADDITIVE if is_additive else _GROWN)[effort]


def _may_list(effort: str, problem: Problem, found: Sequence[tuple[int, ...]]) -> bool:
    """Return whether to search among listed families too; only counts decide, not the machine."""
    if problem.statistics.kind != "continuous":
        return True
    dag = max(found, key=problem.scores.dag)
    cost = problem.scores.n * sum((parents.bit_count() + 2) ** 5 for parents in dag)
    return cost <= _MOST_COST_OF_LISTS[effort]


def learned_by_others(problem: Problem, config: SearchConfig) -> Iterator[tuple[int, ...]]:
    """Yield the DAGs of other algorithms as long as there is time, and at least the first one."""
    first = tabu_stable(problem, config).parents
    yield first
    for learner in (hc_stable, tabu_dec, tabu_inc):
        if problem.time_is_up():
            return
        yield learner(problem, config).parents
    if problem.time_is_up():
        return
    if _is_dense(problem, first):
        # The checkpoint keeps the search with all phases, which the other efforts run.
        yield from by_fges(replace(problem, journal=None), replace(config, phases="fges"))
    else:
        yield from by_fges(problem, config)


def _is_dense(problem: Problem, dag: tuple[int, ...]) -> bool:
    """Return whether a table is continuous and a DAG of it has families too large to list."""
    return not _may_list("low", problem, [dag])


def by_fges(problem: Problem, config: SearchConfig) -> Iterator[tuple[int, ...]]:
    """Yield the DAG that FGES finds, if its Markov equivalence class has one that obeys the constraints."""
    if problem.statistics.has_missing or not problem.scores.score_equivalent:
        # FGES needs a score that is the same for all DAGs of a Markov equivalence class.
        return
    dag = extension(fges(problem, config), problem)
    if dag is not None:
        parents = [0] * problem.scores.n
        for u, v in numbered(dag.arcs):
            parents[v] |= bit(u)
        yield tuple(parents)
