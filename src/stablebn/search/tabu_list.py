"""The DAGs a climb may not return to."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from stablebn.kernels.moves import ADD, DELETE, REVERSE
from stablebn.search.state import Move, changed_arcs


class TabuList:
    """The last DAGs visited, each kept as the set of arcs in which it differs from the present one.

    A move leads into one of them exactly if it undoes that difference: so the forbidden moves are
    read off the list, no candidate graph is ever built, and no hash is ever trusted.
    """

    def __init__(self, length: int) -> None:
        self._differences: deque[set[tuple[int, int]]] = deque(maxlen=length)
        self._differences.append(set())

    def move(self, move: Move) -> None:
        """Follow the climb to its next DAG and put that on the list."""
        for difference in self._differences:
            difference.symmetric_difference_update(changed_arcs(move))
        self._differences.append(set())

    def forbidden(self, has_arc: Callable[[int, int], bool]) -> list[Move]:
        """Moves from the present DAG into one on the list."""
        moves: list[Move] = []
        for difference in self._differences:
            arcs = sorted(difference)
            if len(arcs) == 1:
                (u, v) = arcs[0]
                moves.append((DELETE if has_arc(u, v) else ADD, u, v))
            elif len(arcs) == 2 and arcs[0] == arcs[1][::-1]:
                u, v = arcs[0] if has_arc(*arcs[0]) else arcs[1]
                moves.append((REVERSE, u, v))
        return moves
