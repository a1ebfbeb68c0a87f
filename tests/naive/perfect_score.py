"""A score that knows the truth: BIC of a linear Gaussian network's own correlations, as from very many rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from stablebn.fixed_point import UNIT
from stablebn.scores.gaussian import DeterminantScores, determinant_scores
from stablebn.stats.moments import ScaledMatrix
from stablebn.stats.variable_sets import members

_ROWS = 1 << 36


def perfect_scores(correlations: NDArray[np.float64], penalty: float = 1e-11) -> DeterminantScores:
    """Return N times -ln Var(v | S) / 2 less a penalty per parent, for a very large N.

    Parameters
    ----------
    correlations : float64 array [n, n]
        Of the population: nothing is sampled, so an independence shows as 0 up to rounding.
    penalty : float
        BIC's ln N / (2 N). A squared partial correlation of twice as much is a dependence: so it must be far below all
        true ones, and far above the 1e-15 of rounding.
    """
    n = correlations.shape[0]
    matrix = ScaledMatrix(np.ascontiguousarray(correlations), np.zeros(n, dtype=np.int64))
    offsets = [-round(penalty * _ROWS * UNIT) * parents for parents in range(n)]
    return determinant_scores(matrix, [-_ROWS] * (n + 1), offsets)


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
