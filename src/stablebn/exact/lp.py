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
from stablebn.exact.components import NEVER, Alive, Component, parts_of
from stablebn.exact.dual_refinement import polished
from stablebn.exact.local_cuts import Shares, TableSearch, places_of_tables, quiet_solver
from stablebn.exact.orders import choices_in, climbed
from stablebn.exact.proof import apply, split
from stablebn.exact.proof_tree import Multipliers, Table, Tree
from stablebn.exact.subset_search import MOST_PLACES, best_of_part
from stablebn.fixed_point import UNIT
from stablebn.stats.variable_sets import bit, members

logger = logging.getLogger(__name__)

# A cluster is violated by at least so much; a share of at least so much counts.
_LEAST_LACK = 1e-6
_LEAST_SHARE = 1e-9
_LEAST_MULTIPLIER = 1e-9
# Cuts that are added at once.
_MOST_CUTS = 80
# Variables of a table, the sizes that are looked for one after the other.
_SIZES_OF_TABLES = (4, 5, 6)
# Programmes from one look for a better DAG near a solution to the next; what `best` has found is mostly the best.
_SOLVED_BETWEEN_ROUNDINGS_AT_ROOT = 5
_SOLVED_BETWEEN_ROUNDINGS = 25
# Where so many programmes have closed less than this part of the gap, an arc closes more.
_SOLVED_IN_VAIN = 8
_LEAST_PROGRESS = 0.05
_LEAST_PROGRESS_AT_ROOT = 0.03
# The programme is made anew where no more than this part of its choices is left.
_WORTH_BEGINNING_ANEW = 0.9
# Steps of the solver on each side of an arc that is tried: enough to tell good ones.
_STEPS_OF_TRIAL = 60
# Nodes of the small integer programme that looks for a cluster.
_MOST_NODES = 500
# Steps of the solver between two looks at the time: few programmes take so many.
_STEPS_AT_ONCE = 20_000
# What a programme costs besides the steps of the solver, measured in these.
_STEPS_PER_PROGRAMME = 200
# Arcs that are tried as a branch.
_ARCS_TRIED = 8
# Nats: a bound so near to a loss may be that loss.
_NEARLY = 1e-5
# Nats by which a bound must pass a loss to be relied upon before it is worked out in integers.
_MARGIN = 1e-7


Cut = int | Table
"""A cluster, its variables as bits of places, or a table."""


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
    most_work : int, optional
        No programme is begun after so much work.

    Attributes
    ----------
    choices : tuple of int
        Of the best DAG found.
    loss : int
        What it loses.
    finished : bool
        Whether no branch was left open.
    work : int
        The choices of the programmes that were solved, for each step of the solver.
    is_out_of_work : bool
        Whether `most_work` ended it.
    """

    def __init__(
        self,
        component: Component,
        start: Sequence[int],
        time_is_up: Callable[[], bool],
        watch: Callable[[int], None] | None = None,
        *,
        most_work: int | None = None,
    ) -> None:
        self.component = component
        self.choices = tuple(start)
        self.loss = self._loss_of(start)
        self.finished = True
        self.is_out_of_work = False
        self._most_work = most_work
        self._time_is_up = time_is_up
        self._watch = watch
        self._programme = Programme(component)
        self._table_searches = [TableSearch(import_highs(), size) for size in _SIZES_OF_TABLES if size <= component.n]
        self._solved = 0

    @property
    def work(self) -> int:
        """The choices of the programmes that were solved, for each step of the solver."""
        return self._programme.work

    def search(self) -> Tree:
        """Bound the loss of all DAGs, as far as the time allows."""
        return self._explore(self.component.everything, 0)

    def _explore(self, alive: Alive, depth: int) -> Tree:
        component, programme = self.component, self._programme
        steps: list[Multipliers] = []
        programme.restrict(alive, self._most())
        bounds: list[float] = []
        while True:
            values, duals, bound = programme.solve(time_is_up=self._time_is_up)
            bounds.append(bound)
            self._solved += 1
            if self._watch is not None:
                self._watch(self._solved)
            shares = programme.shares(values)
            if self._solved % (_SOLVED_BETWEEN_ROUNDINGS if depth else _SOLVED_BETWEEN_ROUNDINGS_AT_ROOT) == 1:
                self._round(shares)
            late = self._is_to_end()
            hopeless = bound > self._nats() + _MARGIN
            progress = bound - bounds[-1 - _SOLVED_IN_VAIN] if len(bounds) > _SOLVED_IN_VAIN else np.inf
            least = _LEAST_PROGRESS if depth else _LEAST_PROGRESS_AT_ROOT
            is_slow = progress < least * (self._nats() - bound)
            cuts = [] if late or hopeless or is_slow else self._cuts(shares, thoroughly=depth == 0)
            own = programme.multipliers(duals)
            if not cuts:
                break
            if self._solved % 10 == 0:
                # What cannot be in a better DAG makes the programme larger for nothing.
                alive = self._shrunk(alive, own, steps, depth, worth=0.2)
                if not all(alive):
                    return Tree(tuple(steps))
            programme.add([cut for cut in cuts if cut not in programme.known])
        alive = self._shrunk(alive, own, steps, depth, worth=0.0)
        if not all(alive):
            return Tree(tuple(steps))
        if abs(bound - self._nats()) < _NEARLY:
            # The bound is met. Of all multipliers that show it those in the middle leave out the most.
            alive = self._shrunk(alive, programme.central_multipliers(), steps, depth, worth=0.0)
            if not all(alive):
                return Tree(tuple(steps))
        parts = parts_of(component, alive)
        if all(len(part) <= MOST_PLACES for part in parts):
            self._finish(alive, parts)
            return Tree(tuple(steps))
        if abs(bound - self._nats()) < _NEARLY:
            exactly = polished(component, alive, self.choices, own, self.loss)
            if exactly is not None:
                return Tree((*steps, exactly))
        if late:
            self.finished = False
            return Tree(tuple(steps))
        arc = self._arc(shares, alive, parts, bound)
        branches = {}
        first = self._share_of(arc, shares) > 0.5
        for has in (first, not first):
            part = split(component, alive, arc, has=has)
            branches[has] = self._explore(part, depth + 1) if all(part) else Tree()
        return Tree(tuple(steps), arc, branches[True], branches[False])

    def _is_to_end(self) -> bool:
        self.is_out_of_work |= self._most_work is not None and self.work >= self._most_work
        return self.is_out_of_work or self._time_is_up()

    def _nats(self) -> float:
        """What the best DAG loses, in nats or, of very many rows, in the larger unit of the programmes."""
        return self.loss / self.component.unit

    def _most(self) -> float:
        return self._nats() * 1.001 + 1.0

    def _loss_of(self, choices: Sequence[int]) -> int:
        return sum(self.component.losses[place][at] for place, at in enumerate(choices))

    def _shrunk(self, alive: Alive, own: Multipliers, steps: list[Multipliers], depth: int, *, worth: float) -> Alive:
        """Leave out what the multipliers of the programme show to be in no better DAG, if that is a good part."""
        _, left = apply(self.component, alive, own, self.loss)
        count = sum(map(len, left))
        if count > (1 - worth) * sum(map(len, alive)) and worth:
            return alive
        steps.append(own)
        if all(left):
            if depth == 0 and count < _WORTH_BEGINNING_ANEW * self._programme.size:
                # Before all branches: what is left out now is so in each of them.
                cuts: list[Cut] = [cut for cut, _ in own.clusters]
                self._programme.made_of(left, cuts + [cut for cut, _ in own.tables])
            self._programme.restrict(left, self._most())
        return left

    def _finish(self, alive: Alive, parts: Sequence[tuple[int, ...]]) -> None:
        """Solve what is left exactly, and keep the DAG if it is better."""
        choices = list(self.choices)
        for part in parts:
            best = best_of_part(self.component, alive, part, most_dags=1)
            if best.loss >= NEVER:
                return
            for place, choice in zip(part, best.choices, strict=True):
                choices[place] = choice
        self._keep(choices)

    def _keep(self, choices: Sequence[int]) -> None:
        loss = self._loss_of(choices)
        if loss < self.loss:
            self.loss, self.choices = loss, tuple(choices)
            logger.debug("a better DAG: %.6f nats below the best choices", loss / UNIT)

    def _round(self, shares: Shares) -> None:
        """A DAG near a solution: next the variable whose share of families that fit is the greatest."""
        component = self.component
        placed = 0
        order: list[int] = []
        waiting = list(range(component.n))
        while waiting:
            keys = []
            for place in waiting:
                fitting = sum(x for at, x in shares[place] if not component.inside[place][at] & ~placed)
                keys.append((-round(fitting, 6), component.loss_among(place, placed), place))
            place = min(keys)[2]
            waiting.remove(place)
            order.append(place)
            placed |= bit(place)
        self._keep(choices_in(component, climbed(component, order)))

    def _cuts(self, shares: Shares, *, thoroughly: bool) -> list[Cut]:
        """What a solution violates: clusters that grow, tables, and if there is none, what a small programme finds."""
        component = self.component
        children = [place for place, own in enumerate(shares) for _ in own]
        parents = [component.inside[place][at] for place, own in enumerate(shares) for at, _ in own]
        weights = [x for own in shares for _, x in own]
        known = self._programme.known
        found = _core.violated_clusters(component.n, children, parents, weights, _LEAST_LACK, _MOST_CUTS)
        cuts: list[Cut] = [own for own in found if own not in known]
        if len(cuts) > _MOST_CUTS // 4:
            return cuts
        for search in self._table_searches:
            if search.size > 4 and cuts:
                break
            tables = []
            for places in places_of_tables(component, shares, search.size):
                own = search.violated(component, shares, places)
                if own is not None and own[1] not in known:
                    tables.append(own)
            tables.sort(key=lambda own: -own[0])
            cuts += [table for _, table in tables[:_MOST_CUTS]]
        if cuts or not thoroughly:
            return cuts
        cluster = self._programme.separate(children, parents, weights)
        return [] if cluster is None or cluster in known else [cluster]

    def _share_of(self, arc: tuple[int, int], shares: Shares) -> float:
        u, v = arc
        return sum(x for at, x in shares[v] if self.component.inside[v][at] >> u & 1)

    def _arc(self, shares: Shares, alive: Alive, parts: Sequence[tuple[int, ...]], bound: float) -> tuple[int, int]:
        """The arc to branch on: of those shared most evenly the one that lifts the bound most on both sides."""
        component = self.component
        arcs = []
        for part in parts:
            if len(part) <= MOST_PLACES:
                continue
            own = sum(map(bit, part))
            for v in part:
                some, every = 0, own
                for at in alive[v]:
                    some |= component.inside[v][at]
                    every &= component.inside[v][at]
                arcs += [(abs(self._share_of((u, v), shares) - 0.5), v, u) for u in members(some & own & ~every)]
        tried = sorted(arcs)[:_ARCS_TRIED]
        if tried[0][0] > 0.5 - _LEAST_LACK:
            return tried[0][2], tried[0][1]
        best: tuple[float, tuple[int, int]] | None = None
        for _, v, u in tried:
            lifts = []
            for has in (True, False):
                self._programme.restrict(split(component, alive, (u, v), has=has), self._most())
                lifts.append(min(self._programme.solve(_STEPS_OF_TRIAL)[2], self._most()) - bound)
            worth = max(lifts[0], 1e-6) * max(lifts[1], 1e-6)
            if best is None or worth > best[0]:
                best = worth, (u, v)
        assert best is not None
        return best[1]


class Programme:
    """The linear programme: shares of choices that add up to 1 by variable, and to 1 or more in clusters."""

    def __init__(self, component: Component) -> None:
        self._highs = import_highs()
        self._component = component
        self.work = 0
        self.known: dict[Cut, None] = {}
        self.made_of(component.everything, [])

    def made_of(self, alive: Alive, cuts: Sequence[Cut]) -> None:
        """Begin anew with some choices only, and some cuts."""
        component = self._component
        n = component.n
        self._columns = [(place, at) for place, choices in enumerate(alive) for at in choices]
        m = len(self._columns)
        self._column = [np.full(len(own), -1) for own in component.sets]
        for column, (place, at) in enumerate(self._columns):
            self._column[place][at] = column
        inside = [component.inside[place][at] for place, at in self._columns]
        self._has = np.array([[parents >> u & 1 for u in range(n)] for parents in inside], dtype=np.uint8).reshape(m, n)
        self._child = np.array([place for place, _ in self._columns])
        nats = [component.losses[place][at] / component.unit for place, at in self._columns]
        solver = quiet_solver(self._highs)
        # After the choices, a way out for each variable, so that every programme has a solution.
        solver.addVars(m + n, np.zeros(m + n), np.ones(m + n))
        solver.changeColsCost(m + n, np.arange(m + n, dtype=np.int32), np.array([*nats, *([0.0] * n)]))
        self._solver = solver
        self._add_rows([(np.append(np.flatnonzero(self._child == v), m + v), np.ones(1), 1.0, 1.0) for v in range(n)])
        self.known = {}
        self.add(cuts)

    def restrict(self, alive: Alive, most: float) -> None:
        """Let only some choices have a share; the way out of each variable costs `most`."""
        n, m = self._component.n, len(self._columns)
        upper = np.zeros(m + n)
        upper[m:] = 1
        for place, choices in enumerate(alive):
            upper[self._column[place][list(choices)]] = 1
        every = np.arange(m + n, dtype=np.int32)
        self._solver.changeColsBounds(m + n, every, np.zeros(m + n), upper)
        self._solver.changeColsCost(n, every[m:], np.full(n, most))

    def add(self, cuts: Sequence[Cut]) -> None:
        """Ask that clusters have a member without a parent in it, and tables no less than their least sum."""
        infinite = self._highs.kHighsInf
        rows = []
        for cut in cuts:
            self.known[cut] = None
            index, values, least = self._of_cluster(cut) if isinstance(cut, int) else self._of_table(cut)
            rows.append((index, values, least, infinite))
        self._add_rows(rows)

    def _of_cluster(self, cluster: int) -> tuple[NDArray[np.int64], NDArray[np.float64], float]:
        inside = np.array(members(cluster))
        is_member = np.isin(self._child, inside)
        free = np.flatnonzero(is_member & ~self._has[:, inside].any(axis=1))
        return np.append(free, len(self._columns) + inside), np.ones(1), 1.0

    def _of_table(self, table: Table) -> tuple[NDArray[np.int64], NDArray[np.float64], float]:
        index, values = [], []
        for place, numbers in zip(table.places, table.numbers, strict=True):
            others = [u for u in table.places if u != place]
            own = np.flatnonzero(self._child == place)
            parents = self._has[own][:, others].astype(np.int64) @ (1 << np.arange(len(others)))
            index += [*own.tolist(), len(self._columns) + place]
            values += [*np.array(numbers)[parents].tolist(), max(numbers)]
        used = np.flatnonzero(values)
        return np.array(index)[used], np.array(values, dtype=np.float64)[used], float(table.least)

    def _add_rows(self, rows: Sequence[tuple[NDArray[np.int64], NDArray[np.float64], float, float]]) -> None:
        """Rows given by columns, values (one for all, or by column) and bounds."""
        if not rows:
            return
        starts = np.cumsum([0, *(len(index) for index, _, _, _ in rows)])
        self._solver.addRows(
            len(rows),
            np.array([lower for _, _, lower, _ in rows]),
            np.array([upper for _, _, _, upper in rows]),
            int(starts[-1]),
            starts[:-1],
            np.concatenate([index for index, _, _, _ in rows]).astype(np.int32),
            np.concatenate([np.broadcast_to(values, len(index)) for index, values, _, _ in rows]),
        )

    @property
    def size(self) -> int:
        """Number of choices that it was made of."""
        return len(self._columns)

    def solve(
        self, most_steps: int | None = None, time_is_up: Callable[[], bool] | None = None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
        """Shares, numbers of the clusters, and the sum of losses; perhaps only as far as the steps or the time lead."""
        self._solver.setOptionValue("simplex_iteration_limit", _STEPS_AT_ONCE if most_steps is None else most_steps)
        self._run()
        while most_steps is None and self._is_at_limit_of_steps() and not (time_is_up is not None and time_is_up()):
            self._run()
        solution = self._solver.getSolution()
        objective = float(self._solver.getInfo().objective_function_value)
        duals = np.array(solution.row_dual)[self._component.n :]
        return np.array(solution.col_value), duals, objective

    def _run(self) -> None:
        self._solver.run()
        steps = max(0, self._solver.getInfo().simplex_iteration_count)
        self.work += self.size * (_STEPS_PER_PROGRAMME + steps)

    def _is_at_limit_of_steps(self) -> bool:
        return bool(self._solver.getModelStatus() == self._highs.HighsModelStatus.kIterationLimit)

    def central_multipliers(self) -> Multipliers:
        """Numbers in the middle of all that are best, by an interior-point method."""
        solver = quiet_solver(self._highs)
        solver.setOptionValue("solver", "ipm")
        solver.setOptionValue("run_crossover", "off")
        solver.passModel(self._solver.getLp())
        solver.run()
        duals = np.array(solver.getSolution().row_dual)[self._component.n :]
        # Where it has failed, numbers that show nothing.
        return self.multipliers(duals) if len(duals) == len(self.known) else Multipliers()

    def shares(self, values: NDArray[np.float64]) -> Shares:
        """By variable, the choices that have a share."""
        found: Shares = [[] for _ in range(self._component.n)]
        for column in np.flatnonzero(values[: len(self._columns)] > _LEAST_SHARE).tolist():
            place, at = self._columns[column]
            found[place].append((at, float(values[column])))
        return found

    def multipliers(self, duals: NDArray[np.float64]) -> Multipliers:
        """The numbers of clusters and tables as integers; those that are as good as nothing are left out."""
        clusters, tables = [], []
        for cut, dual in zip(self.known, duals.tolist(), strict=True):
            if dual > _LEAST_MULTIPLIER:
                value = round(dual * self._component.unit)
                if isinstance(cut, int):
                    clusters.append((cut, value))
                else:
                    tables.append((cut, value))
        return Multipliers(tuple(clusters), tuple(tables))

    def separate(self, children: Sequence[int], parents: Sequence[int], weights: Sequence[float]) -> int | None:
        """The cluster that shares violate most, by a small integer programme; None if none is violated.

        A cluster C lacks something if the shares of families of its members with a parent in C exceed |C| - 1.
        """
        n, m = self._component.n, len(children)
        solver = quiet_solver(self._highs)
        # Counted, not timed: else what is found would depend on the machine.
        solver.setOptionValue("mip_max_nodes", _MOST_NODES)
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
