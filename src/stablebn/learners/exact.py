"""Find the best DAG, and prove that no DAG scores more."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import partial

from stablebn import _core
from stablebn.exact.solver import MOST_LISTED, best_of_many, find_best
from stablebn.exact.subset_search import MOST_AT_ONCE
from stablebn.learners.best import searched
from stablebn.learners.shared.best_dag import BestDag
from stablebn.learners.shared.config import SearchConfig
from stablebn.learners.shared.problem import Problem
from stablebn.search.parent_sets import MOST_FOUND, found_by, listed


def exact(problem: Problem, config: SearchConfig) -> BestDag:
    """Find the DAG with the highest score, and prove it.

    First every parent set that scores more than all its subsets is listed. The best DAG is then the best choice of one
    listed set per variable that makes no cycle. If several DAGs are equally good, the first one is returned: parent
    sets are compared from the lowest canonical number on, smaller sets first, sets of equal size by their bits. The
    search starts from the DAG of the algorithm `best`, which is also the result if the time ends before a better one is
    found.

    References
    ----------
    Silander and Myllymaki, "A simple approach for finding the globally optimal Bayesian network structure", 2006.
    Jaakkola, Sontag, Globerson and Meila, "Learning Bayesian network structure using LP relaxations", 2010.
    Bartlett and Cussens, "Integer linear programming for the Bayesian network structure learning problem", 2017.
    """
    start = searched(problem, config).parents
    scores = problem.scores
    search = listed(
        scores,
        max_parents=config.most_parents,
        constraints=problem.constraints,
        most_scored=config.max_sets,
        time_is_up=problem.time_is_up,
        watch=problem.watch,
    )
    if search.complete and search.found > MOST_LISTED:
        # If the time ends here, the work that remains is short.
        with suppress(_core.TimeIsUp):
            work = partial(best_of_many, search, scores, MOST_AT_ONCE)
            best = _core.within_time(problem.time_is_up, work)
            if best is not None:
                return BestDag.of(problem, *best, {}, ())
    candidates = found_by(search, scores, time_is_up=problem.time_is_up)
    parents, proof = find_best(
        candidates.with_families(start, scores),
        [start],
        time_is_up=problem.time_is_up,
        most_sets=config.max_sets,
        watch=problem.watch,
    )
    if candidates.complete:
        return BestDag.of(problem, parents, proof, {}, ())
    by_sets = f"{MOST_FOUND:,} candidate parent sets" if candidates.found_too_many else f"max_sets={config.max_sets:,}"
    proof = replace(proof, limits=(by_sets, *proof.limits))
    return BestDag.of(problem, parents, proof, {"max_sets": candidates.scored}, start)
