"""The DAG of a climb and what each move would change, numbered by place in the processing order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from stablebn.kernels.moves import ADD, NONE, REVERSE, add_is_allowed, all_paths, as_float, best_two_moves
from stablebn.scores.families import FamilyScores
from stablebn.scores.variable_sets import bit, members

Move = tuple[int, int, int]
"""(kind, from, to) by place in the processing order."""


class State:
    """A DAG, the change of score of every single-arc change, and the total score.

    Parameters
    ----------
    scores : FamilyScores
    order : sequence of int
        The processing order: place p holds variable order[p].
    parents : sequence of int
        Parent set of each variable at the start.
    most_parents : int
    allowed : bool array [n, n], optional
        Whether the arc u -> v may come to stand, by variable.
    """

    def __init__(
        self,
        scores: FamilyScores,
        order: Sequence[int],
        parents: Sequence[int],
        most_parents: int,
        allowed: NDArray[np.bool_] | None = None,
    ) -> None:
        n = scores.n
        self.parents = list(parents)
        self._scores = scores
        self._order = list(order)
        self._most_parents = min(most_parents, scores.most_parents)
        place = {v: p for p, v in enumerate(self._order)}
        self._barred = None if allowed is None else ~allowed[np.ix_(self._order, self._order)]
        self._arcs = np.zeros((n, n), dtype=np.bool_)
        for v, family in enumerate(self.parents):
            for u in members(family):
                self._arcs[place[u], place[v]] = True
        self._sizes = self._arcs.sum(axis=0).astype(np.int64)
        self._reaches: NDArray[np.bool_] = all_paths(self._arcs)
        self._toggles = np.zeros((n, n, 3), dtype=np.int64)
        self._families = [0] * n
        for p in range(n):
            self._refresh(p)

    @property
    def score(self) -> int:
        """Total score in units of 2**-62."""
        return sum(self._families)

    def has_arc(self, u: int, v: int) -> bool:
        """Whether the arc between these places stands."""
        return bool(self._arcs[u, v])

    def best_two_moves(self, forbidden: Sequence[Move]) -> list[tuple[Move, float]]:
        """The best allowed move and the runner-up, with their deltas; fewer where there are not two."""
        moves, deltas = best_two_moves(
            self._toggles, self._arcs, self._reaches, self._sizes, self._most_parents, _as_array(forbidden)
        )
        found = zip(moves.tolist(), deltas.tolist(), strict=True)
        return [((kind, u, v), delta) for (kind, u, v), delta in found if kind != NONE]

    def is_arbitrary(self, move: Move, forbidden: Sequence[Move]) -> bool:
        """Whether the order alone chose the direction of an added arc: the other one was allowed and as good."""
        kind, u, v = move
        one, other = (as_float(*self._toggles[arc][:2]) for arc in ((u, v), (v, u)))
        if kind != ADD or one != other:
            return False
        return bool(
            add_is_allowed(
                self._arcs,
                self._reaches,
                self._sizes,
                self._most_parents,
                self._toggles,
                _as_array(forbidden),
                v,
                u,
            )
        )

    def make(self, move: Move) -> None:
        """Change the DAG and everything that depends on it."""
        kind, u, v = move
        for a, b in changed_arcs(move):
            self._arcs[a, b] = not self._arcs[a, b]
            self._sizes[b] += 1 if self._arcs[a, b] else -1
            self.parents[self._order[b]] ^= bit(self._order[a])
        if kind == ADD:
            self._reaches |= np.outer(self._reaches[:, u], self._reaches[v])
        else:
            self._reaches = all_paths(self._arcs)
        self._refresh(v)
        if kind == REVERSE:
            self._refresh(u)

    def _refresh(self, p: int) -> None:
        """Recompute what every change of one variable's parents would bring."""
        child = self._order[p]
        self._families[p], changes = self._scores.changes(child, self.parents[child])
        self._toggles[:, p] = changes[self._order]
        if self._barred is not None:
            self._toggles[:, p, 2] |= self._barred[:, p]


def changed_arcs(move: Move) -> tuple[tuple[int, int], ...]:
    """The arcs that a move takes away or brings."""
    kind, u, v = move
    return ((u, v), (v, u)) if kind == REVERSE else ((u, v),)


def _as_array(moves: Sequence[Move]) -> NDArray[np.int64]:
    return np.array(moves, dtype=np.int64).reshape(-1, 3)
