"""A DAG with what is proven of it, and the proof of the best DAG where that is cheap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

import numpy as np

from stablebn import _core
from stablebn.exact.solver import Proof, best_of_many, find_best_without_solver
from stablebn.exact.subset_search import MOST_PLACES_AT_ONCE
from stablebn.learners.shared.config import SearchConfig
from stablebn.learners.shared.problem import Problem
from stablebn.search import Climb
from stablebn.search.parent_sets import found_by, listed
from stablebn.table.data_kinds import KINDS

FEW_VARIABLES = 12
"""Up to so many variables the best DAG is proven for every score, unless rows or missing values make it expensive."""

# What listing the parent sets may cost by effort, in nanoseconds of a model: of few variables, and of more.
_MOST_COST_OF_FEW: Mapping[str, int] = {"low": 1_000_000_000, "normal": 10_000_000_000, "high": 10_000_000_000}
_MOST_COST: Mapping[str, int] = {"low": 300_000_000, "normal": 1_200_000_000, "high": 10_000_000_000}
# Time to score a parent set per row, in nanoseconds, besides `DataKind.cost_of_set`.
_COST_OF_ROW = 0.4
# How many times as much it costs if values are missing: each parent in turn is scored on rows of its own.
_COST_OF_INCOMPLETE = 50
# The same if the counts of all sets of variables were worked out beforehand.
_COST_OF_KNOWN_SET = 500
# No level of parent sets is begun after so many candidates. A few are handed to Python, where ties are listed.
_MOST_CANDIDATES = 1_000_000
_FEW_CANDIDATES = 5_000

MOST_PLACES_IN_BEST = 22
"""Variables of a component that is solved by dynamic programming over all subsets: 64 MiB."""

_MOST_PLACES_IF_CATEGORICAL: Mapping[str, int] = {
    "low": MOST_PLACES_IN_BEST,
    "normal": MOST_PLACES_AT_ONCE,
    "high": MOST_PLACES_AT_ONCE,
}
"""The same of categorical tables, by effort: up to 512 MiB, and two seconds. On continuous tables the search is nearly
always as good, and much cheaper than that."""


@dataclass(frozen=True, eq=False)
class BestDag(Climb):
    """The best DAG that was found, and what is proven of it.

    Attributes
    ----------
    proof : Proof
    limits : dict of option to value
        Options with which the same candidate sets are found again, if the time limit ended the search for them.
    besides : tuple of int
        If the candidate sets are incomplete: parent sets of a DAG that are candidates as well.
    """

    proof: Proof
    limits: Mapping[str, int]
    besides: tuple[int, ...] = ()

    @classmethod
    def of(
        cls,
        problem: Problem,
        parents: tuple[int, ...],
        proof: Proof,
        limits: Mapping[str, int],
        besides: tuple[int, ...],
    ) -> BestDag:
        """Make one of a DAG that no steps have led to."""
        return cls(
            parents=parents,
            score=problem.scores.dag(parents),
            order=problem.decreasing,
            start=problem.scores.dag([0] * problem.scores.n),
            steps=np.zeros((0, 9), dtype=np.int64),
            deltas=np.zeros((0, 2)),
            finished=proof.optimal,
            proof=proof,
            limits=limits,
            besides=besides,
        )


def proven_if_cheap(problem: Problem, config: SearchConfig, start: Sequence[int]) -> BestDag | None:
    """Return the proven best DAG if a proof costs about a second or less; None if it costs more, or the time is up.

    Whether it is cheap is decided by counts alone (variables, rows, parent sets), so that the answer does not depend on
    the machine. No solver is used: the answer does not depend on what is installed either.

    Parameters
    ----------
    problem : Problem
    config : SearchConfig
    start : sequence of int
        Parent sets of a good DAG, which the best DAG is at least as good as.
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
    found = None
    if search.found <= _FEW_CANDIDATES:
        found = find_best_without_solver(
            found_by(search, scores),
            [start],
            time_is_up=problem.time_is_up,
        )
    if found is None:
        is_categorical = problem.statistics.kind == "categorical"
        most_places = _MOST_PLACES_IF_CATEGORICAL[config.effort] if is_categorical else MOST_PLACES_IN_BEST
        # If the time is up in its midst, nothing is proven.
        with suppress(_core.TimeIsUp):
            work = partial(best_of_many, search, scores, most_places)
            found = _core.within_time(problem.time_is_up, work)
    return None if found is None or not found[1].optimal else BestDag.of(problem, *found, {}, ())


def most_scored(problem: Problem, config: SearchConfig) -> int:
    """Return how many parent sets may be scored before a proof counts as expensive."""
    n, statistics = problem.scores.n, problem.statistics
    most = (_MOST_COST_OF_FEW if n <= FEW_VARIABLES else _MOST_COST)[config.effort]
    cost_of_rows = 0 if statistics.kind == "continuous" else _COST_OF_ROW * statistics.total
    cost_of_set = (KINDS[statistics.kind].cost_of_set + cost_of_rows) * (
        _COST_OF_INCOMPLETE if statistics.has_missing else 1
    )
    one_by_one = most / (cost_of_set * problem.scores.relative_cost)
    if n > MOST_PLACES_IN_BEST:
        return int(one_by_one)
    most_parents = n - 1 if config.most_parents is None else min(config.most_parents, n - 1)
    left = most - problem.scores.compiled.cost_of_all_sets(most_parents)
    return int(max(one_by_one, left / _COST_OF_KNOWN_SET))
