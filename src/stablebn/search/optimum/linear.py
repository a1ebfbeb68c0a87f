"""Large components: linear programming with cluster cuts, until what is left is small (HiGHS).

The solver only proposes: multipliers become integers, and what they show is worked out by `proof` alone.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stablebn import _core
from stablebn.errors import MissingExtraError
from stablebn.fixed_point import UNIT
from stablebn.search.optimum.components import Alive, Component, parts_of
from stablebn.search.optimum.proof import Multipliers, Tree, apply, split, without_cycles
from stablebn.search.optimum.subsets import MOST_PLACES, best_of_part
from stablebn.stats.variable_sets import bit, members

logger = logging.getLogger(__name__)

# A cluster is violated by at least so much; a share of at least so much counts.
_LEAST_LACK = 1e-6
_LEAST_SHARE = 1e-9
_LEAST_MULTIPLIER = 1e-9
# Cuts that are added at once.
_MOST_CUTS = 80
# Nats by which a bound must pass a loss to be relied upon before it is worked out in integers.
_MARGIN = 1e-7


def import_highs() -> Any:
    """The solver's package, or an error that names the extra."""
    try:
        import highspy
    except ImportError:
        raise MissingExtraError(
            "highspy (a component of the problem is too large for dynamic programming)", "exact"
        ) from None
    return highspy


class ClusterSearch:
    """Finds the best DAG of a component by cuts and branches, and the tree that proves it.

    Parameters
    ----------
    component : Component
    start : sequence of int
        The choices of a DAG.
    time_is_up : callable
        Asked again and again whether to stop.
    watch : callable, optional
        Called with the number of programmes solved.

    Attributes
    ----------
    choices : tuple of int
        Of the best DAG found.
    loss : int
        What it loses.
    finished : bool
        Whether no branch was left open.
    """

    def __init__(
        self,
        component: Component,
        start: Sequence[int],
        time_is_up: Callable[[], bool],
        watch: Callable[[int], None] | None = None,
    ) -> None:
        self.component = component
        self.choices = tuple(start)
        self.loss = self._loss_of(start)
        self.finished = True
        self._time_is_up = time_is_up
        self._watch = watch
        self._clusters: list[int] = []
        self._programme = _Programme(component)
        self._solved = 0

    def search(self) -> Tree:
        """Bound the loss of all DAGs, as far as the time allows."""
        return self._explore(self.component.everything, 0)

    def _explore(self, alive: Alive, depth: int) -> Tree:
        component, programme = self.component, self._programme
        steps: list[Multipliers] = []
        programme.restrict(alive, self._most())
        best_bound, stale = -np.inf, 0
        while True:
            values, duals, bound = programme.solve()
            self._solved += 1
            if self._watch is not None:
                self._watch(self._solved)
            shares = programme.shares(values)
            self._round(shares, alive)
            late = self._time_is_up()
            hopeless = bound > self._nats() + _MARGIN
            stale = 0 if bound > best_bound + 1e-4 * max(1.0, self._nats() - bound) else stale + 1
            best_bound = max(bound, best_bound)
            cuts = [] if late or hopeless else self._cuts(shares, exact=stale == 0 or bound > self._nats() - 1)
            if late or hopeless or not cuts or stale >= 8:
                break
            if self._solved % 10 == 0:
                # What cannot be in a better DAG makes the programme larger for nothing.
                alive = self._shrunk(alive, duals, steps, worth=0.2)
                if not all(alive):
                    return Tree(tuple(steps))
            programme.add(cuts)
        alive = self._shrunk(alive, duals, steps, worth=0.0)
        if not all(alive):
            return Tree(tuple(steps))
        alive = without_cycles(component, alive)
        if not all(alive):
            return Tree(tuple(steps))
        parts = parts_of(component, alive)
        if all(len(part) <= MOST_PLACES for part in parts):
            self._finish(alive, parts)
            return Tree(tuple(steps))
        if late:
            self.finished = False
            return Tree(tuple(steps))
        arc = self._arc(shares, alive, parts)
        branches = {}
        first = self._share_of(arc, shares) > 0.5
        for has in (first, not first):
            part = split(component, alive, arc, has=has)
            branches[has] = self._explore(part, depth + 1) if all(part) else Tree()
        return Tree(tuple(steps), arc, branches[True], branches[False])

    def _nats(self) -> float:
        return self.loss / UNIT

    def _most(self) -> float:
        return self._nats() * 1.001 + 1.0

    def _loss_of(self, choices: Sequence[int]) -> int:
        return sum(self.component.losses[place][at] for place, at in enumerate(choices))

    def _shrunk(self, alive: Alive, duals: NDArray[np.float64], steps: list[Multipliers], *, worth: float) -> Alive:
        """Leave out what the multipliers of the programme show to be in no better DAG, if that is a good part."""
        own = self._programme.multipliers(duals)
        _, left = apply(self.component, alive, own, self.loss)
        if sum(map(len, left)) > (1 - worth) * sum(map(len, alive)) and worth:
            return alive
        steps.append(own)
        if all(left):
            self._programme.restrict(left, self._most())
        return left

    def _finish(self, alive: Alive, parts: Sequence[tuple[int, ...]]) -> None:
        """Solve what is left exactly, and keep the DAG if it is better."""
        choices = list(self.choices)
        for part in parts:
            for place, choice in zip(part, best_of_part(self.component, alive, part, most_dags=1).choices, strict=True):
                choices[place] = choice
        self._keep(choices)

    def _keep(self, choices: Sequence[int]) -> None:
        loss = self._loss_of(choices)
        if loss < self.loss:
            self.loss, self.choices = loss, tuple(choices)
            logger.debug("a better DAG: %.6f nats below the best choices", self._nats())

    def _round(self, shares: list[list[tuple[int, float]]], alive: Alive) -> None:
        """A DAG near a solution: place the variable next whose share of families that fit is the greatest."""
        component = self.component
        placed, choices = 0, [0] * component.n
        waiting = list(range(component.n))
        while waiting:
            keys = []
            for place in waiting:
                fitting = sum(x for at, x in shares[place] if not component.inside[place][at] & ~placed)
                loss = component.losses[place][component.first_fitting(place, placed)]
                keys.append((-round(fitting, 6), loss, place))
            place = min(keys)[2]
            waiting.remove(place)
            choices[place] = component.first_fitting(place, placed)
            placed |= bit(place)
        self._keep(choices)

    def _cuts(self, shares: list[list[tuple[int, float]]], *, exact: bool) -> list[int]:
        """Clusters that a solution violates: those that grow, and if none does, one that a small programme finds."""
        component = self.component
        children = [place for place, own in enumerate(shares) for _ in own]
        parents = [component.inside[place][at] for place, own in enumerate(shares) for at, _ in own]
        weights = [x for own in shares for _, x in own]
        found = _core.violated_clusters(component.n, children, parents, weights, _LEAST_LACK, _MOST_CUTS)
        known = self._programme.known
        found = [cluster for cluster in found if cluster not in known]
        if found or not exact:
            return found
        cluster = self._programme.separate(children, parents, weights)
        return [] if cluster is None or cluster in known else [cluster]

    def _share_of(self, arc: tuple[int, int], shares: list[list[tuple[int, float]]]) -> float:
        u, v = arc
        return sum(x for at, x in shares[v] if self.component.inside[v][at] >> u & 1)

    def _arc(
        self, shares: list[list[tuple[int, float]]], alive: Alive, parts: Sequence[tuple[int, ...]]
    ) -> tuple[int, int]:
        """Of the arcs in parts that are too large, that some choices have and some not, the one shared most evenly."""
        component = self.component
        best: tuple[float, int, int] | None = None
        for part in parts:
            if len(part) <= MOST_PLACES:
                continue
            own = sum(map(bit, part))
            for v in part:
                sets = [component.inside[v][at] for at in alive[v]]
                some, every = 0, own
                for parents in sets:
                    some |= parents
                    every &= parents
                for u in members(some & own & ~every):
                    key = (abs(self._share_of((u, v), shares) - 0.5), v, u)
                    if best is None or key < best:
                        best = key
        assert best is not None
        return best[2], best[1]


class _Programme:
    """The linear programme: shares of choices that add up to 1 by variable, and to 1 or more in clusters."""

    def __init__(self, component: Component) -> None:
        self._highs = import_highs()
        self._component = component
        self._columns = [(place, at) for place in range(component.n) for at in range(len(component.sets[place]))]
        self._first = np.cumsum([0, *map(len, component.sets)])
        self._nats = np.array([component.losses[place][at] / UNIT for place, at in self._columns])
        words = -(-component.n // 64)
        self._words = np.array(
            [
                [component.inside[place][at] >> 64 * w & 0xFFFF_FFFF_FFFF_FFFF for w in range(words)]
                for place, at in self._columns
            ],
            dtype=np.uint64,
        )
        self._child = np.array([place for place, _ in self._columns])
        self.known: dict[int, int] = {}
        self._solver = self._new_solver()

    def _new_solver(self) -> Any:
        solver = self._highs.Highs()
        solver.setOptionValue("output_flag", False)
        solver.setOptionValue("threads", 1)
        solver.setOptionValue("random_seed", 0)
        n, m = self._component.n, len(self._columns)
        # After the choices, a way out for each variable, so that every programme has a solution.
        solver.addVars(m + n, np.zeros(m + n), np.ones(m + n))
        solver.changeColsCost(m + n, np.arange(m + n, dtype=np.int32), np.concatenate([self._nats, np.zeros(n)]))
        starts: list[int] = []
        index: list[int] = []
        for place in range(n):
            starts.append(len(index))
            index += [*range(self._first[place], self._first[place + 1]), m + place]
        solver.addRows(
            n,
            np.ones(n),
            np.ones(n),
            len(index),
            np.array(starts),
            np.array(index, dtype=np.int32),
            np.ones(len(index)),
        )
        return solver

    def restrict(self, alive: Alive, most: float) -> None:
        """Let only some choices have a share; the way out of each variable costs `most`."""
        n, m = self._component.n, len(self._columns)
        upper = np.zeros(m + n)
        upper[m:] = 1
        for place, choices in enumerate(alive):
            upper[self._first[place] + np.array(choices, dtype=np.int64)] = 1
        every = np.arange(m + n, dtype=np.int32)
        self._solver.changeColsBounds(m + n, every, np.zeros(m + n), upper)
        self._solver.changeColsCost(n, every[m:], np.full(n, most))

    def add(self, clusters: Sequence[int]) -> None:
        """Ask that each cluster has a member without a parent in it."""
        n, m = self._component.n, len(self._columns)
        starts: list[int] = []
        index: list[int] = []
        for cluster in clusters:
            self.known[cluster] = len(self.known)
            starts.append(len(index))
            inside = np.array([cluster >> place & 1 for place in range(n)], dtype=bool)
            words = np.array(
                [cluster >> 64 * w & 0xFFFF_FFFF_FFFF_FFFF for w in range(self._words.shape[1])], dtype=np.uint64
            )
            free = inside[self._child] & ~(self._words & words).any(axis=1)
            index += [*np.flatnonzero(free).tolist(), *(m + np.flatnonzero(inside)).tolist()]
        k = len(clusters)
        self._solver.addRows(
            k,
            np.ones(k),
            np.full(k, self._highs.kHighsInf),
            len(index),
            np.array(starts),
            np.array(index, dtype=np.int32),
            np.ones(len(index)),
        )

    def solve(self) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
        """Shares, numbers of the clusters, and the sum of losses."""
        self._solver.run()
        solution = self._solver.getSolution()
        objective = float(self._solver.getInfo().objective_function_value)
        duals = np.array(solution.row_dual)[self._component.n :]
        return np.array(solution.col_value), duals, objective

    def shares(self, values: NDArray[np.float64]) -> list[list[tuple[int, float]]]:
        """By variable, the choices that have a share."""
        found: list[list[tuple[int, float]]] = [[] for _ in range(self._component.n)]
        for column in np.flatnonzero(values[: len(self._columns)] > _LEAST_SHARE).tolist():
            place, at = self._columns[column]
            found[place].append((at, float(values[column])))
        return found

    def multipliers(self, duals: NDArray[np.float64]) -> Multipliers:
        """The numbers of the clusters as integers; those that are as good as nothing are left out."""
        own = [(c, round(float(d) * UNIT)) for c, d in zip(self.known, duals, strict=True) if d > _LEAST_MULTIPLIER]
        return Multipliers(tuple(cluster for cluster, _ in own), tuple(value for _, value in own))

    def separate(self, children: Sequence[int], parents: Sequence[int], weights: Sequence[float]) -> int | None:
        """The cluster that shares violate most, by a small integer programme; None if none is violated.

        A cluster C lacks something if the shares of families of its members with a parent in C exceed |C| - 1.
        """
        n, m = self._component.n, len(children)
        solver = self._highs.Highs()
        solver.setOptionValue("output_flag", False)
        solver.setOptionValue("threads", 1)
        solver.setOptionValue("random_seed", 0)
        solver.setOptionValue("time_limit", 5.0)
        solver.addVars(n + m, np.zeros(n + m), np.ones(n + m))
        every = np.arange(n + m, dtype=np.int32)
        # At least the lack counts, to be minimised: members less shares that have a parent inside.
        solver.changeColsCost(n + m, every, np.concatenate([np.ones(n), -np.array(weights)]))
        solver.changeColsIntegrality(n, every[:n], np.full(n, self._highs.HighsVarType.kInteger))
        rows: list[tuple[list[int], list[float]]] = []
        for at, (child, own) in enumerate(zip(children, parents, strict=True)):
            rows.append(([n + at, child], [-1.0, 1.0]))
            rows.append(([n + at, *members(own)], [-1.0, *([1.0] * own.bit_count())]))
        starts = np.cumsum([0, *(len(index) for index, _ in rows)])[:-1]
        flat = np.array([i for index, _ in rows for i in index], dtype=np.int32)
        solver.addRows(
            len(rows),
            np.zeros(len(rows)),
            np.full(len(rows), self._highs.kHighsInf),
            len(flat),
            starts,
            flat,
            np.array([x for _, own in rows for x in own]),
        )
        solver.addRow(2.0, float(n), n, every[:n], np.ones(n))
        solver.run()
        values = np.array(solver.getSolution().col_value)
        if len(values) < n or float(solver.getInfo().objective_function_value) > 1 - _LEAST_LACK:
            return None
        return sum(bit(int(place)) for place in np.flatnonzero(values[:n] > 0.5))
