"""The DAG of a climb and what each move would change, numbered by place in the processing order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from stablebn.kernels import moves
from stablebn.kernels.moves import NONE, REVERSE
from stablebn.scores.families import FamilyScores
from stablebn.stats.variable_sets import bit, members

Move = tuple[int, int, int]
"""(kind, from, to) by place in the processing order."""


class State:
    """A DAG, the change of score of every single-arc change, the total score, and the DAGs not to return to.

    Parameters
    ----------
    scores : FamilyScores
    order : sequence of int
        The processing order: place p holds variable order[p].
    parents : sequence of int
        Parent set of each variable at the start.
    most_parents : int
    tabu : int
        How many of the last DAGs may not be visited again, the start included.
    allowed : bool array [n, n], optional
        Whether the arc from variable u to variable v may be brought.
    """

    def __init__(
        self,
        scores: FamilyScores,
        order: Sequence[int],
        parents: Sequence[int],
        *,
        most_parents: int,
        tabu: int,
        allowed: NDArray[np.bool_] | None = None,
    ) -> None:
        n = scores.n
        self.parents = list(parents)
        self._scores = scores
        self._variables = list(order)
        self._order = np.array(order, dtype=np.int64)
        self._most_parents = min(most_parents, scores.most_parents)
        self._barred = np.zeros((0, 0), dtype=np.bool_)
        if allowed is not None:
            self._barred = np.ascontiguousarray(~allowed.T[np.ix_(self._order, self._order)])
        place = {v: p for p, v in enumerate(order)}
        self._family = np.zeros((n, n), dtype=np.bool_)
        self._sizes = np.zeros(n, dtype=np.int64)
        self._parents = np.zeros((n, n), dtype=np.int32)
        for v, family in enumerate(self.parents):
            if not family:
                continue
            inside = [place[u] for u in members(family)]
            self._family[place[v], inside] = True
            self._sizes[place[v]] = len(inside)
            self._parents[place[v], : len(inside)] = inside
        self._reaches = np.empty((n, n), dtype=np.bool_)
        moves.find_paths(self._sizes, self._parents, self._reaches)
        self._differences = np.zeros((tabu, 2 * tabu), dtype=np.int64)
        self._lengths = np.full(tabu, -1, dtype=np.int64)
        self._lengths[:1] = 0
        self._steps = 0
        found = [scores.changes(v, family) for v, family in enumerate(self.parents)]
        self._owns = [own for own, _ in found]
        self.score = sum(self._owns)
        self._gains = np.empty((n, n, 3), dtype=np.int64)
        self._ceilings = np.empty(n)
        self._bounds = np.empty(n)
        changes = np.array([changes for _, changes in found], dtype=np.int64).reshape(n, n, 3)
        moves.set_all_gains(changes, self._order, self._barred, self._family, self._gains, self._ceilings, self._bounds)

    def best_moves(self) -> tuple[list[tuple[Move, float]], bool]:
        """The best allowed move and the runner-up with their deltas, and whether the first was arbitrary."""
        found, deltas, arbitrary = moves.best_moves(
            self._family,
            self._sizes,
            self._parents,
            self._reaches,
            self._gains,
            self._bounds,
            self._most_parents,
            self._differences,
            self._lengths,
        )
        both = zip(found.tolist(), deltas.tolist(), strict=True)
        return [((kind, u, v), delta) for (kind, u, v), delta in both if kind != NONE], arbitrary

    def make(self, move: Move) -> None:
        """Change the DAG and everything that depends on it."""
        kind, u, v = move
        self._steps += 1
        oldest = self._steps % max(self._lengths.size, 1)
        moves.make_move(
            kind,
            u,
            v,
            self._family,
            self._sizes,
            self._parents,
            self._reaches,
            self._ceilings,
            self._bounds,
            self._differences,
            self._lengths,
            oldest,
        )
        self._change_parents(v, u)
        if kind == REVERSE:
            self._change_parents(u, v)

    def _change_parents(self, v: int, u: int) -> None:
        """Let u join or leave the parents of v, and look up what every further change would bring."""
        child = self._variables[v]
        self.parents[child] ^= bit(self._variables[u])
        own, changes = self._scores.changes(child, self.parents[child])
        self.score += own - self._owns[child]
        self._owns[child] = own
        moves.change_parents(
            v, u, changes, self._order, self._barred, self._family, self._gains, self._ceilings, self._bounds
        )
