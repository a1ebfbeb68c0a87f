"""The best graph of many searches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
from stablebn.search import Climb
from stablebn.search.grow_shrink import GrowShrinkSearch
from stablebn.search.order_search import Effort, OrderSearch
from stablebn.stats.variable_sets import bit

EFFORTS: Mapping[str, Effort] = {
    "low": Effort(families=4, closer=8, orders=2, attempts=10, rounds_in_vain=1),
    "normal": Effort(families=12, closer=20, orders=4, attempts=50, rounds_in_vain=2, sets=500_000),
    "high": Effort(families=30, closer=40, orders=8, attempts=100, rounds_in_vain=6, sets=5_000_000),
}
"""The values of the option `effort`, ascending: how much work the search among listed families does."""

# By effort, how much work the search with grown parents does, see `_core.GrowShrinkEffort`. For categorical tables the
# search among listed families is the better one, and scores with expensive families get few attempts.
_GROWN: Mapping[str, tuple[int, int, int]] = {"low": (1, 20, 2), "normal": (2, 20, 2), "high": (4, 50, 4)}
_GROWN_OF_CATEGORICAL = (1, 10, 1)
_GROWN_IF_EXPENSIVE = {**_GROWN, "low": (1, 2, 1)}

# Continuous families of many parents are expensive to list, and there the search with grown parents finds more. So
# families are listed if the sum over the variables of (parents + 2)**5, times their number, is no more than this.
_MOST_COST_OF_LISTS: Mapping[str, int] = {"low": 10_000_000, "normal": 2_000_000, "high": 100_000_000}


def best(problem: Problem, config: SearchConfig) -> Climb:
    """Search for the best graph; return the proven optimum where the proof is cheap.

    See `searched` for the search, and `proven_if_cheap` for the proof: `optimal` of the result is then True.
    """
    found = searched(problem, config)
    proven = proven_if_cheap(problem, config, found.parents)
    if proven is None:
        return replace(found, finished=found.finished and not problem.time_is_up())
    return proven


def searched(problem: Problem, config: SearchConfig) -> Climb:
    """Search among orders of the variables, from the graphs that other algorithms find, with more and more effort.

    Every effort starts from the result of the one below it, so that more effort never gives a lower score. A graph is
    never worse than those of Tabu-Stable, HC-Stable, Tabu-Dec, Tabu-Inc and FGES on the same table.
    """
    found = list(dict.fromkeys(learned_by_others(problem, config)))
    finished = True
    for effort in EFFORTS:
        last = searched_with(effort, problem, config, found)
        finished = last.finished
        if effort == config.effort or problem.time_is_up():
            break
        found.append(last.parents)
    return replace(last, finished=finished and not problem.time_is_up())


def searched_with(effort: str, problem: Problem, config: SearchConfig, found: Sequence[tuple[int, ...]]) -> Climb:
    """Search with one effort from DAGs that were found before, and return what is no worse than any of them.

    Two searches among orders take turns. One grows and shrinks the parents of each variable among those before it; the
    other chooses among listed families, which are those of the DAGs found, those that differ from them by one parent,
    and the best ones of each variable. The families of the best DAG of one search are offered to the other, and a tabu
    search climbs from it. The search ends when the tabu search finds nothing better; for a small table, a second
    search among more families comes first.

    References
    ----------
    Teyssier and Koller, "Ordering-based search: a simple and effective algorithm for learning Bayesian networks", 2005.
    Lee and van Beek, "Metaheuristics for score-and-search Bayesian network structure learning", 2017.
    Andrews, Ramsey, Sanchez-Romero, Camchong and Kummerfeld, "Fast scalable and accurate discovery of DAGs using the
    best order score search and grow-shrink trees", 2023.
    Wienoebst, Henckel and Weichwald, "Embracing discrete search: a reasonable approach to causal structure learning",
    2025.
    """
    found = list(found)
    order, time_is_up = problem.decreasing, problem.time_is_up
    watch, watch_grown = (
        None if problem.watch is None else partial(problem.watch, f"{stage} ({effort} effort)")
        for stage in ("orders", "grown parents")
    )
    grown = GrowShrinkSearch(
        problem.scores,
        _core.GrowShrinkEffort(*_grown(effort, problem)),
        max_parents=config.most_parents,
        constraints=problem.constraints,
        journal=problem.journal,
        name=f"{effort} grown",
    )
    found.append(tuple(grown.search([(layered_order(dag, order), dag) for dag in found], time_is_up, watch_grown)))
    listed = None
    if _may_list(effort, problem, found):
        listed = OrderSearch(
            problem.scores,
            EFFORTS[effort],
            max_parents=config.most_parents,
            constraints=problem.constraints,
            journal=problem.journal,
            name=f"{effort} orders",
        )
        for dag in found:
            listed.look_around(dag, time_is_up)
        listed.look_for_families(time_is_up)
    starts = [layered_order(dag, order) for dag in found]
    if problem.constraints is None or not any(problem.constraints.required):
        starts += [list(problem.decreasing), list(problem.increasing)]
    orders = starts
    while True:
        if listed is not None:
            # For a table with missing values there are families that the search may not reach.
            found.append(tuple(listed.search(orders, time_is_up, watch)))
        dag = max(found, key=problem.scores.dag)
        was_stopped = time_is_up()
        [last] = tabu_search(replace(problem, start=dag), {"last search": layered_order(dag, order)}, config)
        is_end = last.score <= last.start
        if time_is_up():
            return replace(last, finished=False)
        if is_end and (listed is None or not listed.begin_again(problem.statistics.total, time_is_up)):
            return replace(last, finished=last.finished and not was_stopped and not time_is_up())
        own_order = layered_order(last.parents, order)
        orders = [own_order]
        if is_end:
            orders += starts
        else:
            found += [last.parents, tuple(grown.search([(own_order, last.parents)], time_is_up, watch_grown))]
        if listed is not None:
            for dag in found[-2:]:
                listed.look_around(dag, time_is_up)


def _grown(effort: str, problem: Problem) -> tuple[int, int, int]:
    """Return how much work the search with grown parents does."""
    if problem.statistics.kind == "categorical":
        return _GROWN_OF_CATEGORICAL
    is_expensive = problem.scores.relative_cost > 1 or problem.statistics.has_holes
    return (_GROWN_IF_EXPENSIVE if is_expensive else _GROWN)[effort]


def _may_list(effort: str, problem: Problem, found: Sequence[tuple[int, ...]]) -> bool:
    """Return whether to search among listed families as well; it is decided by counts alone."""
    if problem.statistics.kind != "continuous":
        return True
    dag = max(found, key=problem.scores.dag)
    cost = problem.scores.n * sum((parents.bit_count() + 2) ** 5 for parents in dag)
    return cost <= _MOST_COST_OF_LISTS[effort]


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
