"""The best DAG there is, and a proof of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from stablebn.graph import PDAG
from stablebn.learners.config import SearchConfig
from stablebn.learners.fges import fges
from stablebn.learners.problem import Problem
from stablebn.learners.tabu_stable import tabu_stable
from stablebn.search import Climb
from stablebn.search.candidates import candidate_sets
from stablebn.search.optimum.search import Proof, find_best
from stablebn.stats.variable_sets import bit


@dataclass(frozen=True, eq=False)
class BestDag(Climb):
    """The best DAG that was found, and what is proven of it.

    Attributes
    ----------
    proof : Proof
    limits : dict of option to value
        With which the same candidate sets are found again, where the time has ended the search for them.
    """

    proof: Proof
    limits: Mapping[str, int]


def exact(problem: Problem, config: SearchConfig) -> BestDag:
    """Find the DAG with the highest score, and prove it.

    Every parent set that scores more than all its subsets is found; the DAG is then the best choice of one for each
    variable that makes no cycle. Where several DAGs are equally good, the first is taken: parents are compared from the
    lowest canonical number on, a smaller set before a larger one, equally large ones by their bits.

    References
    ----------
    Silander and Myllymaki, "A simple approach for finding the globally optimal Bayesian network structure", 2006.
    Jaakkola, Sontag, Globerson and Meila, "Learning Bayesian network structure using LP relaxations", 2010.
    Bartlett and Cussens, "Integer linear programming for the Bayesian network structure learning problem", 2017.
    """
    candidates = candidate_sets(
        problem.scores,
        max_parents=config.max_parents,
        allowed=problem.allowed,
        most_scored=config.max_sets,
        time_is_up=problem.time_is_up,
        watch=problem.watch,
    )
    parents, proof = find_best(
        candidates,
        _starts(problem, config),
        score_equivalent=problem.scores.score_equivalent,
        time_is_up=problem.time_is_up,
        watch=problem.watch,
    )
    return BestDag(
        parents=parents,
        score=problem.scores.dag(parents),
        order=problem.decreasing,
        start=problem.scores.dag([0] * problem.scores.n),
        steps=np.zeros((0, 9), dtype=np.int64),
        deltas=np.zeros((0, 2)),
        finished=proof.optimal,
        proof=proof,
        limits={} if candidates.complete else {"max_sets": candidates.scored},
    )


def _starts(problem: Problem, config: SearchConfig) -> Iterator[Sequence[int]]:
    """DAGs that other learners find soon."""
    quick = replace(problem, watch=None)
    yield tabu_stable(quick, config).parents
    if problem.scores.score_equivalent and not problem.statistics.has_holes:
        pattern = fges(quick, replace(config, order="stable"))
        dag = PDAG(range(problem.scores.n), pattern.directed, pattern.undirected).extension()
        if dag is not None:
            yield [sum(bit(int(str(u))) for u in dag.parents(v)) for v in range(problem.scores.n)]
