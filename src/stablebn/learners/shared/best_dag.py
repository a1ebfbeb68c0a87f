"""The best DAG that was found, and what is proven about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from stablebn.exact.proof_tree import Proof
from stablebn.learners.shared.problem import Problem
from stablebn.search import Climb


@dataclass(frozen=True, eq=False)
class BestDag(Climb):
    """The best DAG that was found, and what is proven about it.

    Attributes
    ----------
    proof : Proof
    limits : dict of option to value
        If the time limit ended the listing of parent sets: options with which the same candidate sets are found again.
    besides : tuple of int
        If the candidate sets are incomplete: parent sets of a DAG that are candidates too.
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
        """Return a record of a DAG that was found without steps of a climb."""
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
