"""The best DAG there is, and a proof of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from stablebn.learners.best import best
from stablebn.learners.config import SearchConfig
from stablebn.learners.problem import Problem
from stablebn.search import Climb
from stablebn.search.candidates import candidate_sets
from stablebn.search.optimum.search import Proof, find_best


@dataclass(frozen=True, eq=False)
class BestDag(Climb):
    """The best DAG that was found, and what is proven of it.

    Attributes
    ----------
    proof : Proof
    limits : dict of option to value
        With which the same candidate sets are found again, where the time has ended the search for them.
    besides : tuple of int
        Where candidate sets are not complete: parent sets of a DAG, which were looked at besides.
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
        """A DAG that no steps have led to."""
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


def exact(problem: Problem, config: SearchConfig) -> BestDag:
    """Find the DAG with the highest score, and prove it.

    Every parent set that scores more than all its subsets is found; the DAG is then the best choice of one for each
    variable that makes no cycle. Where several DAGs are equally good, the first is taken: parents are compared from the
    lowest canonical number on, a smaller set before a larger one, equally large ones by their bits. What the learner
    `best` finds is what a DAG must be better than, and what is returned where the time ends before there is one.

    References
    ----------
    Silander and Myllymaki, "A simple approach for finding the globally optimal Bayesian network structure", 2006.
    Jaakkola, Sontag, Globerson and Meila, "Learning Bayesian network structure using LP relaxations", 2010.
    Bartlett and Cussens, "Integer linear programming for the Bayesian network structure learning problem", 2017.
    """
    start = best(problem, config).parents
    candidates = candidate_sets(
        problem.scores,
        max_parents=config.most_parents,
        constraints=problem.constraints,
        most_scored=config.max_sets,
        time_is_up=problem.time_is_up,
        watch=problem.watch,
    )
    parents, proof = find_best(
        candidates.with_families(start, problem.scores),
        [start],
        score_equivalent=problem.scores.score_equivalent,
        time_is_up=problem.time_is_up,
        watch=problem.watch,
    )
    if candidates.complete:
        return BestDag.of(problem, parents, proof, {}, ())
    return BestDag.of(problem, parents, proof, {"max_sets": candidates.scored}, start)
