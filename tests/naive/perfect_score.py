"""A score that knows the truth: BIC of a linear Gaussian network's own correlations, as from very many rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from stablebn.fixed_point import UNIT, Limbs, limbs
from stablebn.scores.families import FamilyScores
from stablebn.stats.variable_sets import bit, members


class PerfectScores(FamilyScores):
    """-ln Var(v | S) / 2 less a penalty a parent: a difference of one function of sets, like every score of ours.

    Parameters
    ----------
    correlations : float64 array [n, n]
        Of the population: nothing is sampled, so an independence shows as 0 up to rounding.
    penalty : float
        BIC's ln N / (2 N), for a very large N. A squared partial correlation of twice as much is a dependence: so it
        must be far below all true ones, and far above the 1e-15 of rounding.
    """

    def __init__(self, correlations: NDArray[np.float64], penalty: float = 1e-11) -> None:
        self.n = self.most_parents = correlations.shape[0]
        self._correlations = correlations
        self._penalty = penalty
        self._terms: dict[int, int] = {}

    def family(self, child: int, parents: int) -> int:
        """Score of a child with a set of parents."""
        return (
            self._term(parents | bit(child)) - self._term(parents) - round(self._penalty * UNIT) * parents.bit_count()
        )

    def changes(self, child: int, parents: int) -> Limbs:
        """What each single change of the parents would bring, one by one."""
        out = np.zeros((self.n, 2), dtype=np.int64)
        own = self.family(child, parents)
        for u in range(self.n):
            if u != child:
                out[u] = limbs(self.family(child, parents ^ bit(u)) - own)
        return out

    def _term(self, variables: int) -> int:
        if variables not in self._terms:
            inside = members(variables)
            _, ln_determinant = np.linalg.slogdet(self._correlations[np.ix_(inside, inside)])
            self._terms[variables] = -round(float(ln_determinant) / 2 * UNIT)
        return self._terms[variables]


def correlations_of(dag: Sequence[int], seed: int) -> NDArray[np.float64]:
    """Correlations in a linear Gaussian network with random coefficients, each variable's noise of variance 1.

    Parameters
    ----------
    dag : sequence of int
        Parent set of each variable; parents may have any numbers.
    seed : int
    """
    n = len(dag)
    rng = np.random.default_rng(seed)
    coefficients = np.zeros((n, n))
    for v, family in enumerate(dag):
        for u in members(family):
            coefficients[v, u] = rng.uniform(0.5, 1.0) * rng.choice([-1.0, 1.0])
    effects = np.linalg.inv(np.eye(n) - coefficients)
    covariances = effects @ effects.T
    deviations = np.sqrt(np.diag(covariances))
    correlations: NDArray[np.float64] = covariances / np.outer(deviations, deviations)
    return correlations
