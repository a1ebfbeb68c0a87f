"""The best graph of many searches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

from stablebn.learners.config import SearchConfig
from stablebn.learners.fges import fges
from stablebn.learners.hc_stable import hc_stable
from stablebn.learners.orientation import numbered
from stablebn.learners.pattern import extension
from stablebn.learners.problem import Problem
from stablebn.learners.stable_order import layered_order
from stablebn.learners.tabu import tabu_dec, tabu_inc, tabu_search
from stablebn.learners.tabu_stable import tabu_stable
from stablebn.search import Climb
from stablebn.search.ordering import Effort, OrderSearch
from stablebn.stats.variable_sets import bit

EFFORTS: Mapping[str, Effort] = {
    "low": Effort(families=4, closer=8, orders=2, attempts=10, rounds_in_vain=1),
    "normal": Effort(families=12, closer=20, orders=4, attempts=50, rounds_in_vain=2, sets=500_000),
    "high": Effort(families=30, closer=40, orders=8, attempts=100, rounds_in_vain=6, sets=5_000_000),
}
"""The values of the option `effort`."""


def best(problem: Problem, config: SearchConfig) -> Climb:
    """Search among orders of the variables, from the graphs that other learners find, and climb from the result.

    A graph is never worse than those of Tabu-Stable, HC-Stable, Tabu-Dec, Tabu-Inc and FGES on the same table: their
    families are among those that orders choose from, and their orders are among those that the search begins with.
    The search among orders ends when some rounds have brought nothing better, and the learner when a last tabu search
    does not either; of a small table a second search among orders comes first, of another kind and with more families.

    References
    ----------
    Teyssier and Koller, "Ordering-based search: a simple and effective algorithm for learning Bayesian networks", 2005.
    Lee and van Beek, "Metaheuristics for score-and-search Bayesian network structure learning", 2017.
    """
    order = problem.decreasing
    search = OrderSearch(
        problem.scores,
        EFFORTS[config.effort],
        max_parents=config.most_parents,
        constraints=problem.constraints,
        journal=problem.journal,
    )
    found = list(dict.fromkeys(learned_by_others(problem, config)))
    for dag in found:
        search.look_around(dag, problem.time_is_up)
    search.look_for_families(problem.time_is_up)
    starts = [layered_order(dag, order) for dag in found]
    if problem.constraints is None or not any(problem.constraints.required):
        starts += [list(problem.decreasing), list(problem.increasing)]
    orders = starts
    watch = None if problem.watch is None else partial(problem.watch, "orders")
    while True:
        # Of a table with holes there are families that the search may not reach.
        dag = max((tuple(search.search(orders, problem.time_is_up, watch)), *found), key=problem.scores.dag)
        was_stopped = problem.time_is_up()
        [last] = tabu_search(replace(problem, start=dag), {"last search": layered_order(dag, order)}, config)
        is_end = last.score <= last.start
        if problem.time_is_up() or (is_end and not search.begin_again(problem.statistics.total, problem.time_is_up)):
            return replace(last, finished=last.finished and is_end and not was_stopped and not problem.time_is_up())
        found.append(last.parents)
        search.look_around(last.parents, problem.time_is_up)
        own_order = layered_order(last.parents, order)
        orders = [own_order, *starts] if is_end else [own_order]


def learned_by_others(problem: Problem, config: SearchConfig) -> Iterator[tuple[int, ...]]:
    """The DAGs that other learners find, as far as there is time, the first in any case."""
    for learner in (tabu_stable, hc_stable, tabu_dec, tabu_inc):
        yield learner(problem, config).parents
        if problem.time_is_up():
            return
    if problem.statistics.has_holes or not problem.scores.score_equivalent:
        # There the DAGs of a class have scores of their own.
        return
    dag = extension(fges(problem, config), problem)
    if dag is not None:
        parents = [0] * problem.scores.n
        for u, v in numbered(dag.arcs):
            parents[v] |= bit(u)
        yield tuple(parents)
