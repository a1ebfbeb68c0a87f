"""An oracle for tests of independence: d-separation in the true graph."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stablebn.ci_tests.base import IndependenceTest, Numbers
from stablebn.graph import DAG
from stablebn.stats.variable_sets import bit, members


class DSeparation(IndependenceTest):
    """Decide independence by d-separation in a DAG, as a test on infinitely many rows would.

    Parameters
    ----------
    dag : DAG
        Variables have the numbers of its nodes.
    """

    def __init__(self, dag: DAG) -> None:
        super().__init__()
        self.n = len(dag.nodes)
        number = {name: v for v, name in enumerate(dag.nodes)}
        self._parents = [sum(bit(number[parent]) for parent in dag.parents(name)) for name in dag.nodes]
        self._children = [sum(bit(number[child]) for child in dag.children(name)) for name in dag.nodes]
        self._reached: dict[tuple[int, int], int] = {}

    def outcomes(self, x: int, candidates: Sequence[int], given: int) -> tuple[Numbers, Numbers, Numbers]:
        """Return statistic 0 and p-value 1 for candidates d-separated from x, infinity and 0 for the others."""
        if (x, given) not in self._reached:
            self._reached[x, given] = self._reachable(x, given)
        separated = np.array([not self._reached[x, given] >> y & 1 for y in candidates])
        return np.where(separated, 0.0, np.inf), np.ones(len(candidates)), separated.astype(np.float64)

    def _reachable(self, x: int, given: int) -> int:
        """Return the variables with an open path to x (Koller and Friedman 2009, algorithm 3.1)."""
        opened = self._with_ancestors(given)
        # Variables that a path enters from a child, and from a parent: it continues differently.
        seen_up = seen_down = 0
        up, down = bit(x), 0
        while up | down:
            seen_up |= up
            seen_down |= down
            passing = (up | down) & ~given
            next_up = self._union(self._parents, (up & ~given) | (down & opened))
            down = self._union(self._children, passing) & ~seen_down
            up = next_up & ~seen_up
        return seen_up | seen_down

    def _with_ancestors(self, variables: int) -> int:
        found = 0
        while variables & ~found:
            fresh = variables & ~found
            found |= fresh
            variables |= self._union(self._parents, fresh)
        return found

    @staticmethod
    def _union(sets: Sequence[int], variables: int) -> int:
        union = 0
        for v in members(variables):
            union |= sets[v]
        return union
