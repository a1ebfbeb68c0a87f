"""Prove which DAG is the best one if the proof is cheap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial

from stablebn import _core
from stablebn.exact.solver import best_of_many, find_best_without_solver
from stablebn.exact.subset_search import MOST_AT_ONCE
from stablebn.learners.shared.best_dag import BestDag
from stablebn.learners.shared.config import SearchConfig
from stablebn.learners.shared.problem import Problem
from stablebn.search.parent_sets import found_by, listed
from stablebn.table.data_kinds import KINDS

FEW_VARIABLES = 12
"""Up to this number of variables the best DAG is proven for every score, unless rows or missing values make it
expensive.
"""

# Modelled cost in nanoseconds that listing the parent sets may have, by effort: for few variables, and for more.
_MOST_COST_OF_FEW: Mapping[str, int] = {"low": 1_000_000_000, "normal": 10_000_000_000, "high": 10_000_000_000}
_MOST_COST: Mapping[str, int] = {"low": 300_000_000, "normal": 1_200_000_000, "high": 10_000_000_000}
# Modelled cost of scoring a parent set per row, in nanoseconds, in addition to `DataKind.cost_of_set`.
_COST_OF_ROW = 0.4
# Factor with missing values: each parent set is scored on its own complete rows.
_COST_OF_INCOMPLETE = 50
# Cost per parent set if the counts of all variable sets were computed beforehand.
_COST_OF_KNOWN_SET = 500
# No further level of parent sets is begun after this many candidates. Few candidates are handed to Python, which lists
# ties.
_MOST_CANDIDATES = 1_000_000
_FEW_CANDIDATES = 5_000

MOST_IN_BEST = 22
"""Most variables of a component that dynamic programming over all subsets solves: 64 MiB."""

_MOST_IF_CATEGORICAL: Mapping[str, int] = {"low": MOST_IN_BEST, "normal": MOST_AT_ONCE, "high": MOST_AT_ONCE}
"""The same for categorical tables, by effort: up to 512 MiB and two seconds. For continuous tables the search is nearly
always as good, and much cheaper.
"""


def proven_if_cheap(problem: Problem, config: SearchConfig, start: Sequence[int]) -> BestDag | None:
    """Return the proven best DAG if the proof costs about a second or less; None if it costs more, or the time is up.

    Only counts (variables, rows, parent sets) decide whether the proof is cheap, so the result does not depend on the
    machine. No solver is used, so it does not depend on installed packages either.

    Parameters
    ----------
    problem : Problem
    config : SearchConfig
    start : sequence of int
        Parent sets of a good DAG; the best DAG is at least as good.
    """
    scores = problem.scores
    search = listed(
        scores,
        max_parents=config.most_parents,
        constraints=problem.constraints,
        most_scored=most_scored(problem, config),
        most_found=_MOST_CANDIDATES,
        time_is_up=problem.time_is_up,
        watch=problem.watch,
    )
    if not search.complete:
        return None
    best = None
    if search.found <= _FEW_CANDIDATES:
        best = find_best_without_solver(
            found_by(search, scores),
            [start],
            time_is_up=problem.time_is_up,
        )
    if best is None:
        is_categorical = problem.statistics.kind == "categorical"
        most_variables = _MOST_IF_CATEGORICAL[config.effort] if is_categorical else MOST_IN_BEST
        # If the time is up before this ends, nothing is proven.
        with suppress(_core.TimeIsUp):
            work = partial(best_of_many, search, scores, most_variables)
            best = _core.within_time(problem.time_is_up, work)
    return None if best is None or not best[1].optimal else BestDag.of(problem, *best, {}, ())


def most_scored(problem: Problem, config: SearchConfig) -> int:
    """Return the number of parent sets above which a proof counts as expensive."""
    n, statistics = problem.scores.n, problem.statistics
    most = (_MOST_COST_OF_FEW if n <= FEW_VARIABLES else _MOST_COST)[config.effort]
    cost_of_rows = 0 if statistics.kind == "continuous" else _COST_OF_ROW * statistics.total
    cost_of_set = (KINDS[statistics.kind].cost_of_set + cost_of_rows) * (
        _COST_OF_INCOMPLETE if statistics.has_missing else 1
    )
    one_by_one = most / (cost_of_set * problem.scores.relative_cost)
    if n > MOST_IN_BEST:
        return int(one_by_one)
    most_parents = n - 1 if config.most_parents is None else min(config.most_parents, n - 1)
    remaining = most - problem.scores.compiled.cost_of_all_sets(most_parents)
    return int(max(one_by_one, remaining / _COST_OF_KNOWN_SET))
