"""The DAG of a climb and what each move would change, numbered by place in the processing order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from stablebn.kernels import climbing, moves
from stablebn.kernels.notebook import find_family
from stablebn.scores.families import FamilyScores
from stablebn.scores.notebook import Notebook
from stablebn.stats.variable_sets import from_words, members, to_words, words


class State:
    """A DAG, the change of score of every single-arc change, the steps made, and the DAGs not to return to.

    Parameters
    ----------
    scores : FamilyScores
    notebook : Notebook
        What is worked out.
    order : sequence of int
        The processing order: place p holds variable order[p].
    parents : sequence of int
        Parent set of each variable at the start.
    most_parents : int
    tabu : int
        How many of the last DAGs may not be visited again, the start included.
    noinc : int
        How many moves that do not improve the score are tolerated since the best one.
    allowed : bool array [n, n], optional
        Whether the arc from variable u to variable v may be brought.

    Attributes
    ----------
    start : int
        Score of the DAG at the start.
    """

    def __init__(
        self,
        scores: FamilyScores,
        notebook: Notebook,
        order: Sequence[int],
        parents: Sequence[int],
        *,
        most_parents: int,
        tabu: int,
        noinc: int,
        allowed: NDArray[np.bool_] | None = None,
    ) -> None:
        n = scores.n
        self._scores = scores
        self._notebook = notebook
        self._limits = min(most_parents, scores.most_parents), noinc
        self._order = np.array(order, dtype=np.int64)
        barred = np.zeros((0, 0), dtype=np.bool_)
        if allowed is not None:
            barred = np.ascontiguousarray(~allowed.T[np.ix_(self._order, self._order)])
        place = {v: p for p, v in enumerate(order)}
        family = np.zeros((n, n), dtype=np.bool_)
        sizes = np.zeros(n, dtype=np.int64)
        listed = np.zeros((n, n), dtype=np.int32)
        self._sets = np.zeros((n, words(n)), dtype=np.uint64)
        for v, own in enumerate(parents):
            if own:
                inside = [place[u] for u in members(own)]
                family[place[v], inside] = True
                sizes[place[v]] = len(inside)
                listed[place[v], : len(inside)] = inside
                self._sets[v] = to_words(own, n)
        families = np.array([self._family(v) if own else v for v, own in enumerate(parents)], dtype=np.int64)
        self.start = sum(notebook.score(family) for family in families)
        reaches = np.empty((n, n), dtype=np.bool_)
        moves.find_paths(sizes, listed, reaches)
        gains, ceilings, bounds = np.empty((n, n, 3), dtype=np.int64), np.empty(n), np.empty(n)
        moves.set_all_gains(families, notebook.families[2], self._order, barred, family, gains, ceilings, bounds)
        differences, lengths = np.zeros((tabu, 2 * tabu), dtype=np.int64), np.full(tabu, -1, dtype=np.int64)
        lengths[:1] = 0
        self._graph = barred, family, sizes, listed, reaches, gains, ceilings, bounds, differences, lengths
        self._memory = np.zeros(climbing.LOW + 1, dtype=np.int64)
        self._steps = np.empty((4 * n + 16, 9), dtype=np.int64)
        self._deltas = np.empty((len(self._steps), 2))

    @property
    def made(self) -> int:
        """Number of steps made."""
        return int(self._memory[climbing.MADE])

    @property
    def best(self) -> int:
        """How many steps led to the best DAG, the earliest of equals."""
        return int(self._memory[climbing.BEST])

    @property
    def steps(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """What was done, as `kernels/climbing.py` describes it."""
        return self._steps[: self.made].copy(), self._deltas[: self.made].copy()

    def climb(self, most_steps: int) -> tuple[int, int]:
        """Go on until the climb ends, that many steps are made in all, or a family is unknown."""
        if self.made == len(self._steps):
            self._steps = np.concatenate([self._steps, np.empty_like(self._steps)])
            self._deltas = np.concatenate([self._deltas, np.empty_like(self._deltas)])
        status, variable = climbing.climb(
            self._memory,
            self._order,
            *self._graph,
            self._sets,
            *self._notebook.families,
            *self._notebook.tables,
            self._notebook.used,
            *self._notebook.source,
            self._steps,
            self._deltas,
            *self._limits,
            min(most_steps, len(self._steps)),
        )
        return status, variable

    def look_up(self, variable: int) -> None:
        """Find out what changes of a variable's present parents would bring, or make room for the climb to do it."""
        if self._notebook.make_room():
            return
        parents = from_words(self._sets[variable].tolist())
        self._notebook.add(
            variable,
            self._sets[variable],
            lambda out: self._scores.write_changes(variable, parents, out, self._notebook.table),
        )

    def _family(self, variable: int) -> int:
        """The family of a variable with its present parents."""
        while (family := find_family(variable, self._sets[variable], *self._notebook.families[:2])) < 0:
            self.look_up(variable)
        return int(family)
