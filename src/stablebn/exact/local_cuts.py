"""Find local cuts: inequalities among a few variables that a fractional solution violates although no cluster does.

References
----------
Cussens, Jarvisalo, Korhonen and Bartlett, "Bayesian network structure learning with integer programming: polytopes,
facets and complexity", 2017: all facets for four variables.
Applegate, Bixby, Chvatal and Cook, "TSP cuts which do not conform to the template paradigm", 2001: local cuts.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stablebn.exact.components import Component
from stablebn.exact.proof_tree import LocalCut, squeezed
from stablebn.stats.variable_sets import bit, members

Shares = list[list[tuple[int, float]]]
"""A fractional solution: by position, the choices with a positive value, and this value."""

# A cut is violated if the solution falls short of its least sum by at least this part.
_LEAST_LACK = 1e-3
# Objective of weights whose choices have value 0, so that these weights become small.
_WEIGHT_OF_ALL = 1e-3
# Weights are integers up to this; a cut with greater weights is not used.
_MOST_PARTS = 240


def quiet_solver(highs: Any) -> Any:
    """Return a solver without output that behaves the same in every run."""
    solver = highs.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    solver.setOptionValue("random_seed", 0)
    return solver


class LocalCutSearch:
    """Looks for violated local cuts of one size.

    Parameters
    ----------
    highs : module
        The solver.
    size : int
        Number of variables of a cut.
    """

    def __init__(self, highs: Any, size: int) -> None:
        self.size = size
        self._per_member = bit(size - 1)
        weights = size * self._per_member
        self._infinite = highs.kHighsInf
        # Weights do not increase with more parents. So the least sum is reached by a DAG in which each variable has all
        # its predecessors in some order as parents.
        constraints: list[list[tuple[int, float]]] = []
        for index in range(size):
            first = index * self._per_member
            for subset in range(self._per_member):
                constraints += [
                    [(first + subset, 1.0), (first + (subset | bit(u)), -1.0)]
                    for u in range(size - 1)
                    if not subset >> u & 1
                ]
        sums = [0.0] * len(constraints)
        for order in permutations(range(size)):
            before, terms = 0, []
            for index in order:
                terms.append((index * self._per_member + squeezed(before, index), 1.0))
                before |= bit(index)
            constraints.append(terms)
            sums.append(1.0)
        # The dual of the linear program is solved: it has few rows, and only their bounds change between solutions.
        self._solver = quiet_solver(highs)
        self._solver.addRows(
            weights,
            np.full(weights, -highs.kHighsInf),
            np.zeros(weights),
            0,
            np.zeros(weights, dtype=np.int32),
            np.zeros(0, dtype=np.int32),
            np.zeros(0),
        )
        starts = np.cumsum([0, *map(len, constraints)])
        self._solver.addCols(
            len(constraints),
            -np.array(sums),
            np.zeros(len(constraints)),
            np.full(len(constraints), highs.kHighsInf),
            int(starts[-1]),
            starts[:-1].astype(np.int32),
            np.array([row for terms in constraints for row, _ in terms], dtype=np.int32),
            np.array([value for terms in constraints for _, value in terms]),
        )

    def violated(self, component: Component, shares: Shares, positions: Sequence[int]) -> tuple[float, LocalCut] | None:
        """Return how much a solution violates a cut of some positions, and the cut; None if none is found."""
        number = {position: at for at, position in enumerate(positions)}
        sums = np.zeros(self.size * self._per_member)
        for at, position in enumerate(positions):
            for choice, share in shares[position]:
                inside = sum(bit(number[u]) for u in positions if component.inside[position][choice] >> u & 1)
                sums[at * self._per_member + squeezed(inside, at)] += share
        for row, bound in enumerate((sums + _WEIGHT_OF_ALL).tolist()):
            self._solver.changeRowBounds(row, -self._infinite, bound)
        self._solver.run()
        duals = -np.array(self._solver.getSolution().row_dual)
        if len(duals) < len(sums) or float(duals @ sums) > 1 - _LEAST_LACK:
            return None
        weights = _in_whole_numbers(duals)
        if weights is None:
            return None
        cut = LocalCut(
            tuple(positions),
            tuple(
                tuple(weights[first : first + self._per_member]) for first in range(0, len(weights), self._per_member)
            ),
        )
        lack = 1 - float(np.array(weights) @ sums) / cut.least if cut.least > 0 else 0.0
        return (lack, cut) if lack > _LEAST_LACK else None


def _in_whole_numbers(values: NDArray[np.float64]) -> list[int] | None:
    """Return small integers in the same proportions; None if there are none."""
    least = float(values[values > 1e-6].min())
    for parts in range(1, 13):
        for scaled in (values * (parts / least), values * (parts * 20)):
            rounded = np.round(scaled)
            if np.abs(scaled - rounded).max() < 1e-4 and rounded.max() <= _MOST_PARTS:
                return [int(weight) for weight in rounded]
    return None


def variables_of_local_cuts(component: Component, shares: Shares, size: int) -> list[tuple[int, ...]]:
    """Return sets of positions to look for cuts in: each grown from an arc with a fractional value."""
    n = component.n
    arcs = np.zeros((n, n))
    for position, values in enumerate(shares):
        for choice, share in values:
            for u in members(component.inside[position][choice]):
                arcs[u, position] += share
    divided = np.minimum(arcs, 1 - arcs)
    np.maximum(divided, 0, out=divided)
    sets: dict[tuple[int, ...], None] = {}
    for u, v in np.argwhere(divided > 1e-6).tolist():
        grown = [u, v]
        while len(grown) < size:
            # A variable with parents and children in the set can close cycles in it.
            worth = np.minimum(arcs[grown].sum(axis=0), arcs[:, grown].sum(axis=1))
            worth += 0.1 * (divided[grown].sum(axis=0) + divided[:, grown].sum(axis=1))
            worth[grown] = -1
            # Rounded sums in a fixed order: the same in every run.
            grown.append(int(np.argmax(np.round(worth, 9))))
        sets[tuple(sorted(grown))] = None
    return list(sets)
