"""Tables of a few variables that a fractional solution violates: what no cluster tells of how these can be arranged.

References
----------
Cussens, Jarvisalo, Korhonen and Bartlett, "Bayesian network structure learning with integer programming: polytopes,
facets and complexity", 2017: all that holds among four variables.
Applegate, Bixby, Chvatal and Cook, "TSP cuts which do not conform to the template paradigm", 2001: the same idea.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stablebn.exact.components import Component
from stablebn.exact.proof_tree import Table, squeezed
from stablebn.stats.variable_sets import bit, members

Shares = list[list[tuple[int, float]]]
"""By place, choices and the shares that a solution gives them."""

# What a sum of numbers falls short at least, of a least sum of 1.
_LEAST_LACK = 1e-3
# Weight of numbers that have no share: as small as they can be, they are worth more elsewhere.
_WEIGHT_OF_ALL = 1e-3
# Numbers are whole multiples of one part in so many at most, or the table is not used.
_MOST_PARTS = 240


def quiet_solver(highs: Any) -> Any:
    """A solver that says nothing, and does the same in every run."""
    solver = highs.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    solver.setOptionValue("random_seed", 0)
    return solver


class TableSearch:
    """Looks for violated tables of one size.

    Parameters
    ----------
    highs : module
        The solver.
    size : int
        Number of variables of a table.
    """

    def __init__(self, highs: Any, size: int) -> None:
        self.size = size
        self._per_member = bit(size - 1)
        numbers = size * self._per_member
        self._infinite = highs.kHighsInf
        # A number is no more with more parents; so the least sum of a DAG is that of all parents before, in some order.
        asked: list[list[tuple[int, float]]] = []
        for at in range(size):
            first = at * self._per_member
            for subset in range(self._per_member):
                asked += [
                    [(first + subset, 1.0), (first + (subset | bit(u)), -1.0)]
                    for u in range(size - 1)
                    if not subset >> u & 1
                ]
        sums = [0.0] * len(asked)
        for order in permutations(range(size)):
            before, own = 0, []
            for at in order:
                own.append((at * self._per_member + squeezed(before, at), 1.0))
                before |= bit(at)
            asked.append(own)
            sums.append(1.0)
        # The programme's dual is solved: it has few rows, and from one solution to the next only their bounds change.
        self._solver = quiet_solver(highs)
        self._solver.addRows(
            numbers,
            np.full(numbers, -highs.kHighsInf),
            np.zeros(numbers),
            0,
            np.zeros(numbers, dtype=np.int32),
            np.zeros(0, dtype=np.int32),
            np.zeros(0),
        )
        starts = np.cumsum([0, *map(len, asked)])
        self._solver.addCols(
            len(asked),
            -np.array(sums),
            np.zeros(len(asked)),
            np.full(len(asked), highs.kHighsInf),
            int(starts[-1]),
            starts[:-1].astype(np.int32),
            np.array([row for own in asked for row, _ in own], dtype=np.int32),
            np.array([value for own in asked for _, value in own]),
        )

    def violated(self, component: Component, shares: Shares, places: Sequence[int]) -> tuple[float, Table] | None:
        """The table of some places that shares violate, and by how much of its least sum; None if none is found."""
        number = {place: at for at, place in enumerate(places)}
        sums = np.zeros(self.size * self._per_member)
        for at, place in enumerate(places):
            for choice, share in shares[place]:
                inside = sum(bit(number[u]) for u in places if component.inside[place][choice] >> u & 1)
                sums[at * self._per_member + squeezed(inside, at)] += share
        for row, own in enumerate((sums + _WEIGHT_OF_ALL).tolist()):
            self._solver.changeRowBounds(row, -self._infinite, own)
        self._solver.run()
        found = -np.array(self._solver.getSolution().row_dual)
        if len(found) < len(sums) or float(found @ sums) > 1 - _LEAST_LACK:
            return None
        numbers = _in_whole_numbers(found)
        if numbers is None:
            return None
        table = Table(
            tuple(places),
            tuple(
                tuple(numbers[first : first + self._per_member]) for first in range(0, len(numbers), self._per_member)
            ),
        )
        lack = 1 - float(np.array(numbers) @ sums) / table.least if table.least > 0 else 0.0
        return (lack, table) if lack > _LEAST_LACK else None


def _in_whole_numbers(values: NDArray[np.float64]) -> list[int] | None:
    """Numbers in the same proportions, as small as they can be; None if they are not small."""
    least = float(values[values > 1e-6].min())
    for parts in range(1, 13):
        for scaled in (values * (parts / least), values * (parts * 20)):
            whole = np.round(scaled)
            if np.abs(scaled - whole).max() < 1e-4 and whole.max() <= _MOST_PARTS:
                return [int(own) for own in whole]
    return None


def places_of_tables(component: Component, shares: Shares, size: int) -> list[tuple[int, ...]]:
    """Sets of variables between which shares are divided: grown from each arc that has only a part of a share."""
    n = component.n
    arcs = np.zeros((n, n))
    for place, own in enumerate(shares):
        for choice, share in own:
            for u in members(component.inside[place][choice]):
                arcs[u, place] += share
    divided = np.minimum(arcs, 1 - arcs)
    np.maximum(divided, 0, out=divided)
    found: dict[tuple[int, ...], None] = {}
    for u, v in np.argwhere(divided > 1e-6).tolist():
        grown = [u, v]
        while len(grown) < size:
            # One that has parents and children in the set can close cycles in it.
            worth = np.minimum(arcs[grown].sum(axis=0), arcs[:, grown].sum(axis=1))
            worth += 0.1 * (divided[grown].sum(axis=0) + divided[:, grown].sum(axis=1))
            worth[grown] = -1
            # Sums of floats in one order, rounded: the same in every run.
            grown.append(int(np.argmax(np.round(worth, 9))))
        found[tuple(sorted(grown))] = None
    return list(found)
