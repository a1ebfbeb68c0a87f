"""Solve large components by linear programming with cluster cuts and branching (HiGHS).

The solver only proposes: its multipliers are rounded to integers, and `proof` computes what they prove.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stablebn import _core
from stablebn.errors import MissingExtraError
from stablebn.exact.components import Component, RemainingChoices, parts_of
from stablebn.exact.dual_refinement import refined
from stablebn.exact.local_cuts import LocalCutSearch, Shares, quiet_solver, variables_of_local_cuts
from stablebn.exact.orders import choices_in, climbed
from stablebn.exact.proof import apply, split
from stablebn.exact.proof_tree import LocalCut, Multipliers, Tree
from stablebn.exact.subset_search import MOST_IN_PART, with_best_parts
from stablebn.fixed_point import UNIT
from stablebn.stats.variable_sets import bit, members

logger = logging.getLogger(__name__)

# Tolerances: least violation of a cluster, least value of a choice, least multiplier.
_LEAST_LACK = 1e-6
_LEAST_SHARE = 1e-9
_LEAST_MULTIPLIER = 1e-9
# Most cuts that are added at once.
_MOST_CUTS = 80
# Sizes of local cuts, in the order in which they are searched.
_SIZES_OF_LOCAL_CUTS = (4, 5, 6)
# Linear programs between two attempts to round a solution to a better DAG; the DAG of `best` is mostly optimal.
_SOLVED_BETWEEN_ROUNDINGS_AT_ROOT = 5
_SOLVED_BETWEEN_ROUNDINGS = 25
# Branch if this many linear programs closed less than this part of the gap.
_SOLVED_IN_VAIN = 8
_LEAST_PROGRESS = 0.05
_LEAST_PROGRESS_AT_ROOT = 0.03
# Rebuild the linear program if at most this part of its choices remains.
_WORTH_REBUILDING = 0.9
# Solver steps for each side of an arc in strong branching.
_STEPS_OF_TRIAL = 60
# Nodes of the integer program that separates a cluster.
_MOST_NODES = 500
# Solver steps between two checks of the time; few linear programs need more.
_STEPS_AT_ONCE = 20_000
# Fixed cost of a linear program, measured in solver steps.
_STEPS_PER_PROGRAM = 200
# Number of arcs tried in strong branching.
_ARCS_TRIED = 8
# In nats: a bound this near to a loss may equal it.
_NEARLY = 1e-5
# In nats: a floating-point bound must exceed a loss by this much before it is relied upon.
_MARGIN = 1e-7


Cut = int | LocalCut
"""A cluster, as bits of positions, or a local cut."""


def import_highs() -> Any:
    """Import the solver's package, or raise an error that names the extra."""
    try:
        import highspy
    except ImportError:
        raise MissingExtraError(
            "highspy (a component of the problem is too large for dynamic programming)", "exact"
        ) from None
    return highspy


class _SolvedNode(NamedTuple):
    """A node of the branching: its remaining choices and the solution of its last linear program."""

    remaining: RemainingChoices
    shares: Shares
    multipliers: Multipliers
    bound: float
    is_late: bool


class ClusterSearch:
    """Finds the best DAG of a component by cuts and branches, and the tree that proves it.

    Parameters
    ----------
    component : Component
    start : sequence of int
        The choices of a DAG.
    time_is_up : callable
        Called often; returns whether to stop.
    watch : callable, optional
        Called with the number of linear programs solved.
    most_work : int, optional
        No linear program is started after this much work.

    Attributes
    ----------
    choices : tuple of int
        Choices of the best DAG found.
    loss : int
        Its loss.
    finished : bool
        Whether no branch was left open.
    work : int
        Number of choices in the solved linear programs, summed over the solver steps.
    is_out_of_work : bool
        Whether `most_work` ended the search.
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
        self.loss = self.component.loss_of(start)
        self.finished = True
        self.is_out_of_work = False
        self._most_work = most_work
        self._time_is_up = time_is_up
        self._watch = watch
        self._program = LinearProgram(component)
        self._local_cut_searches = [
            LocalCutSearch(import_highs(), size) for size in _SIZES_OF_LOCAL_CUTS if size <= component.n
        ]
        self._solved = 0

    @property
    def work(self) -> int:
        """Number of choices in the solved linear programs, summed over the solver steps."""
        return self._program.work

    def search(self) -> Tree:
        """Bound the loss of all DAGs, as far as the time allows."""
        return self._explore(self.component.everything, 0)

    def _explore(self, remaining: RemainingChoices, depth: int) -> Tree:
        """Bound the loss of DAGs made of the remaining choices: by cuts, then exactly or by branching on an arc."""
        component = self.component
        steps: list[Multipliers] = []
        self._program.restrict(remaining, self._most())
        node = self._add_cuts(remaining, steps, depth)
        remaining = node.remaining
        if all(remaining):
            remaining = self._shrunk(remaining, node.multipliers, steps, depth, worth=0.0)
        is_met = abs(node.bound - self._nats()) < _NEARLY
        if all(remaining) and is_met:
            # The bound is met. Of all optimal multipliers, central ones exclude the most choices.
            remaining = self._shrunk(remaining, self._program.central_multipliers(), steps, depth, worth=0.0)
        if not all(remaining):
            return Tree(tuple(steps))
        parts = parts_of(component, remaining)
        if all(len(part) <= MOST_IN_PART for part in parts):
            self._finish(remaining, parts)
            return Tree(tuple(steps))
        if is_met:
            exact = refined(component, remaining, self.choices, node.multipliers, self.loss)
            if exact is not None:
                return Tree((*steps, exact))
        if node.is_late:
            self.finished = False
            return Tree(tuple(steps))
        arc = self._arc(node.shares, remaining, parts, node.bound)
        branches = {}
        first = self._share_of(arc, node.shares) > 0.5
        for has in (first, not first):
            part = split(component, remaining, arc, has=has)
            branches[has] = self._explore(part, depth + 1) if all(part) else Tree()
        return Tree(tuple(steps), arc, branches[True], branches[False])

    def _add_cuts(self, remaining: RemainingChoices, steps: list[Multipliers], depth: int) -> _SolvedNode:
        """Solve the linear program and add violated cuts until there are none, or progress is slow, or time is up."""
        program = self._program
        bounds: list[float] = []
        while True:
            values, duals, bound = program.solve(time_is_up=self._time_is_up)
            bounds.append(bound)
            self._solved += 1
            if self._watch is not None:
                self._watch(self._solved)
            shares = program.shares(values)
            if self._solved % (_SOLVED_BETWEEN_ROUNDINGS if depth else _SOLVED_BETWEEN_ROUNDINGS_AT_ROOT) == 1:
                self._round(shares)
            is_late = self._is_to_end()
            is_hopeless = bound > self._nats() + _MARGIN
            progress = bound - bounds[-1 - _SOLVED_IN_VAIN] if len(bounds) > _SOLVED_IN_VAIN else np.inf
            least = _LEAST_PROGRESS if depth else _LEAST_PROGRESS_AT_ROOT
            is_slow = progress < least * (self._nats() - bound)
            cuts = [] if is_late or is_hopeless or is_slow else self._cuts(shares, thoroughly=depth == 0)
            node = _SolvedNode(remaining, shares, program.multipliers(duals), bound, is_late)
            if not cuts:
                return node
            if self._solved % 10 == 0:
                # Excluded choices would only slow the linear program down.
                remaining = self._shrunk(remaining, node.multipliers, steps, depth, worth=0.2)
                if not all(remaining):
                    return node._replace(remaining=remaining)
            program.add([cut for cut in cuts if cut not in program.known])

    def _is_to_end(self) -> bool:
        self.is_out_of_work |= self._most_work is not None and self.work >= self._most_work
        return self.is_out_of_work or self._time_is_up()

    def _nats(self) -> float:
        """Return the loss of the best DAG in the unit of the linear program: nats, or more for very many rows."""
        return self.loss / self.component.unit

    def _most(self) -> float:
        return self._nats() * 1.001 + 1.0

    def _shrunk(
        self,
        remaining: RemainingChoices,
        multipliers: Multipliers,
        steps: list[Multipliers],
        depth: int,
        *,
        worth: float,
    ) -> RemainingChoices:
        """Exclude the choices that multipliers prove to be in no better DAG, if they are a large enough part."""
        _, kept = apply(self.component, remaining, multipliers, self.loss)
        count = sum(map(len, kept))
        if count > (1 - worth) * sum(map(len, remaining)) and worth:
            return remaining
        steps.append(multipliers)
        if all(kept):
            if depth == 0 and count < _WORTH_REBUILDING * self._program.size:
                # This happens before branching, so the exclusion holds in every branch.
                cuts: list[Cut] = [cut for cut, _ in multipliers.clusters]
                self._program.made_of(kept, cuts + [cut for cut, _ in multipliers.local_cuts])
            self._program.restrict(kept, self._most())
        return kept

    def _finish(self, remaining: RemainingChoices, parts: Sequence[tuple[int, ...]]) -> None:
        """Solve the remaining parts exactly, and keep the DAG if it is better."""
        choices = with_best_parts(self.component, remaining, parts, self.choices)
        if choices is not None:
            self._keep(choices)

    def _keep(self, choices: Sequence[int]) -> None:
        loss = self.component.loss_of(choices)
        if loss < self.loss:
            self.loss, self.choices = loss, tuple(choices)
            logger.debug("a better DAG: %.6f nats below the best choices", loss / UNIT)

    def _round(self, shares: Shares) -> None:
        """Round a solution to a DAG: place the variable with the greatest total value of choices that fit next."""
        component = self.component
        placed = 0
        order: list[int] = []
        waiting = list(range(component.n))
        while waiting:
            keys = []
            for position in waiting:
                fitting = sum(x for at, x in shares[position] if not component.inside[position][at] & ~placed)
                keys.append((-round(fitting, 6), component.loss_among(position, placed), position))
            position = min(keys)[2]
            waiting.remove(position)
            order.append(position)
            placed |= bit(position)
        self._keep(choices_in(component, climbed(component, order)))

    def _cuts(self, shares: Shares, *, thoroughly: bool) -> list[Cut]:
        """Return violated cuts: clusters by a heuristic, then local cuts, then a cluster by an integer program."""
        component = self.component
        children = [position for position, values in enumerate(shares) for _ in values]
        parents = [component.inside[position][at] for position, values in enumerate(shares) for at, _ in values]
        weights = [x for values in shares for _, x in values]
        known = self._program.known
        clusters = _core.violated_clusters(component.n, children, parents, weights, _LEAST_LACK, _MOST_CUTS)
        cuts: list[Cut] = [values for values in clusters if values not in known]
        if len(cuts) > _MOST_CUTS // 4:
            return cuts
        for search in self._local_cut_searches:
            if search.size > 4 and cuts:
                break
            local_cuts = []
            for positions in variables_of_local_cuts(component, shares, search.size):
                values = search.violated(component, shares, positions)
                if values is not None and values[1] not in known:
                    local_cuts.append(values)
            local_cuts.sort(key=lambda values: -values[0])
            cuts += [cut for _, cut in local_cuts[:_MOST_CUTS]]
        if cuts or not thoroughly:
            return cuts
        cluster = self._program.separate(children, parents, weights)
        return [] if cluster is None or cluster in known else [cluster]

    def _share_of(self, arc: tuple[int, int], shares: Shares) -> float:
        u, v = arc
        return sum(x for at, x in shares[v] if self.component.inside[v][at] >> u & 1)

    def _arc(
        self, shares: Shares, remaining: RemainingChoices, parts: Sequence[tuple[int, ...]], bound: float
    ) -> tuple[int, int]:
        """Return the arc to branch on: among the most fractional arcs, the one that lifts both bounds most."""
        component = self.component
        arcs = []
        for part in parts:
            if len(part) <= MOST_IN_PART:
                continue
            part_bits = sum(map(bit, part))
            for v in part:
                possible, certain = 0, part_bits
                for at in remaining[v]:
                    possible |= component.inside[v][at]
                    certain &= component.inside[v][at]
                arcs += [
                    (abs(self._share_of((u, v), shares) - 0.5), v, u) for u in members(possible & part_bits & ~certain)
                ]
        tried = sorted(arcs)[:_ARCS_TRIED]
        if tried[0][0] > 0.5 - _LEAST_LACK:
            return tried[0][2], tried[0][1]
        best: tuple[float, tuple[int, int]] | None = None
        for _, v, u in tried:
            lifts = []
            for has in (True, False):
                self._program.restrict(split(component, remaining, (u, v), has=has), self._most())
                lifts.append(min(self._program.solve(_STEPS_OF_TRIAL)[2], self._most()) - bound)
            worth = max(lifts[0], 1e-6) * max(lifts[1], 1e-6)
            if best is None or worth > best[0]:
                best = worth, (u, v)
        assert best is not None
        return best[1]


class LinearProgram:
    """The linear program: the choices of each variable have values that sum to 1, and each cut holds."""

    def __init__(self, component: Component) -> None:
        self._highs = import_highs()
        self._component = component
        self.work = 0
        self.known: dict[Cut, None] = {}
        self.made_of(component.everything, [])

    def made_of(self, remaining: RemainingChoices, cuts: Sequence[Cut]) -> None:
        """Rebuild the program with some choices only, and some cuts."""
        component = self._component
        n = component.n
        self._columns = [(position, at) for position, choices in enumerate(remaining) for at in choices]
        m = len(self._columns)
        self._column = [np.full(len(own), -1) for own in component.sets]
        for column, (position, at) in enumerate(self._columns):
            self._column[position][at] = column
        inside = [component.inside[position][at] for position, at in self._columns]
        self._has = np.array([[parents >> u & 1 for u in range(n)] for parents in inside], dtype=np.uint8).reshape(m, n)
        self._child = np.array([position for position, _ in self._columns])
        nats = [component.losses[position][at] / component.unit for position, at in self._columns]
        solver = quiet_solver(self._highs)
        # The columns of the choices are followed by a slack column per variable, so that every program is feasible.
        solver.addVars(m + n, np.zeros(m + n), np.ones(m + n))
        solver.changeColsCost(m + n, np.arange(m + n, dtype=np.int32), np.array([*nats, *([0.0] * n)]))
        self._solver = solver
        self._add_rows([(np.append(np.flatnonzero(self._child == v), m + v), np.ones(1), 1.0, 1.0) for v in range(n)])
        self.known = {}
        self.add(cuts)

    def restrict(self, remaining: RemainingChoices, most: float) -> None:
        """Allow positive values for the remaining choices only; a slack column costs `most`."""
        n, m = self._component.n, len(self._columns)
        upper = np.zeros(m + n)
        upper[m:] = 1
        for position, choices in enumerate(remaining):
            upper[self._column[position][list(choices)]] = 1
        every = np.arange(m + n, dtype=np.int32)
        self._solver.changeColsBounds(m + n, every, np.zeros(m + n), upper)
        self._solver.changeColsCost(n, every[m:], np.full(n, most))

    def add(self, cuts: Sequence[Cut]) -> None:
        """Add cuts: a cluster has a member without a parent in it; a local cut reaches its least sum."""
        infinite = self._highs.kHighsInf
        rows = []
        for cut in cuts:
            self.known[cut] = None
            index, values, least = self._row_of_cluster(cut) if isinstance(cut, int) else self._row_of_local_cut(cut)
            rows.append((index, values, least, infinite))
        self._add_rows(rows)

    def _row_of_cluster(self, cluster: int) -> tuple[NDArray[np.int64], NDArray[np.float64], float]:
        inside = np.array(members(cluster))
        is_member = np.isin(self._child, inside)
        free = np.flatnonzero(is_member & ~self._has[:, inside].any(axis=1))
        return np.append(free, len(self._columns) + inside), np.ones(1), 1.0

    def _row_of_local_cut(self, cut: LocalCut) -> tuple[NDArray[np.int64], NDArray[np.float64], float]:
        index, values = [], []
        for position, weights in zip(cut.positions, cut.weights, strict=True):
            others = [u for u in cut.positions if u != position]
            columns = np.flatnonzero(self._child == position)
            parents = self._has[columns][:, others].astype(np.int64) @ (1 << np.arange(len(others)))
            index += [*columns.tolist(), len(self._columns) + position]
            values += [*np.array(weights)[parents].tolist(), max(weights)]
        used = np.flatnonzero(values)
        return np.array(index)[used], np.array(values, dtype=np.float64)[used], float(cut.least)

    def _add_rows(self, rows: Sequence[tuple[NDArray[np.int64], NDArray[np.float64], float, float]]) -> None:
        """Add rows given by columns, coefficients (one for all, or by column) and bounds."""
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
        """Number of choices in the program."""
        return len(self._columns)

    def solve(
        self, most_steps: int | None = None, time_is_up: Callable[[], bool] | None = None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
        """Return the values, the duals of the cuts and the objective, possibly stopped by the steps or the time."""
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
        self.work += self.size * (_STEPS_PER_PROGRAM + steps)

    def _is_at_limit_of_steps(self) -> bool:
        return bool(self._solver.getModelStatus() == self._highs.HighsModelStatus.kIterationLimit)

    def central_multipliers(self) -> Multipliers:
        """Return multipliers in the middle of all optimal ones, by an interior-point method."""
        solver = quiet_solver(self._highs)
        solver.setOptionValue("solver", "ipm")
        solver.setOptionValue("run_crossover", "off")
        solver.passModel(self._solver.getLp())
        solver.run()
        duals = np.array(solver.getSolution().row_dual)[self._component.n :]
        # If the solver failed, return multipliers that prove nothing.
        return self.multipliers(duals) if len(duals) == len(self.known) else Multipliers()

    def shares(self, values: NDArray[np.float64]) -> Shares:
        """Return the choices with a positive value, by variable."""
        result: Shares = [[] for _ in range(self._component.n)]
        for column in np.flatnonzero(values[: len(self._columns)] > _LEAST_SHARE).tolist():
            position, at = self._columns[column]
            result[position].append((at, float(values[column])))
        return result

    def multipliers(self, duals: NDArray[np.float64]) -> Multipliers:
        """Return the duals of clusters and local cuts as integers, without negligible ones."""
        clusters, local_cuts = [], []
        for cut, dual in zip(self.known, duals.tolist(), strict=True):
            if dual > _LEAST_MULTIPLIER:
                value = round(dual * self._component.unit)
                if isinstance(cut, int):
                    clusters.append((cut, value))
                else:
                    local_cuts.append((cut, value))
        return Multipliers(tuple(clusters), tuple(local_cuts))

    def separate(self, children: Sequence[int], parents: Sequence[int], weights: Sequence[float]) -> int | None:
        """Return the most violated cluster, by a small integer program; None if none is violated.

        A cluster C is violated if the values of choices of its members with a parent in C sum to more than |C| - 1.
        """
        n, m = self._component.n, len(children)
        solver = quiet_solver(self._highs)
        # Limited by nodes, not time, so that the result does not depend on the machine.
        solver.setOptionValue("mip_max_nodes", _MOST_NODES)
        solver.addVars(n + m, np.zeros(n + m), np.ones(n + m))
        every = np.arange(n + m, dtype=np.int32)
        # Minimise the number of members less the values of choices with a parent inside.
        solver.changeColsCost(n + m, every, np.concatenate([np.ones(n), -np.array(weights)]))
        solver.changeColsIntegrality(n, every[:n], np.full(n, self._highs.HighsVarType.kInteger))
        rows: list[tuple[list[int], list[float]]] = []
        for at, (child, family) in enumerate(zip(children, parents, strict=True)):
            rows.append(([n + at, child], [-1.0, 1.0]))
            rows.append(([n + at, *members(family)], [-1.0, *([1.0] * family.bit_count())]))
        starts = np.cumsum([0, *(len(index) for index, _ in rows)])[:-1]
        flat = np.array([i for index, _ in rows for i in index], dtype=np.int32)
        solver.addRows(
            len(rows),
            np.zeros(len(rows)),
            np.full(len(rows), self._highs.kHighsInf),
            len(flat),
            starts,
            flat,
            np.array([x for _, family in rows for x in family]),
        )
        solver.addRow(2.0, float(n), n, every[:n], np.ones(n))
        solver.run()
        values = np.array(solver.getSolution().col_value)
        if len(values) < n or float(solver.getInfo().objective_function_value) > 1 - _LEAST_LACK:
            return None
        return sum(bit(int(position)) for position in np.flatnonzero(values[:n] > 0.5))
