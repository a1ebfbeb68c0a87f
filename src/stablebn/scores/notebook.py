"""What a search has worked out, as a compiled climb finds it again and adds to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stablebn.kernels import notebook as kernel
from stablebn.kernels.logarithm import joined, limbs
from stablebn.stats import joint
from stablebn.stats.variable_sets import members, to_words, words

Array = NDArray[Any]
Source = tuple[Array, Array, Array, Array, Array, Array, Array, Array, int, int, int, float]
"""What small tables are counted from: see `kernels/notebook.py`."""

_NONE = np.empty(0, dtype=np.int64)
NO_SOURCE: Source = (
    np.empty((0, 0), dtype=np.uint8),
    _NONE,
    np.empty((0, 0), dtype=np.uint64),
    np.empty((0, 0), dtype=np.int32),
    _NONE,
    _NONE,
    _NONE,
    np.empty((0, 2), dtype=np.int64),
    *(0, 0, 0, 0.0),
)

_FIRST_CELLS = 1 << 16


class Notebook:
    """Families, and the small joint tables that they were read off; for one search at a time.

    Parameters
    ----------
    scores, changes : list of int, int64 array [n, n, 3]
        Of every variable without parents.
    source : Source

    Attributes
    ----------
    families, tables, used, source
        As `kernels/notebook.py` describes them.
    """

    families: tuple[Array, Array, Array, Array]
    tables: tuple[Array, Array, Array, Array]

    def __init__(self, scores: list[int], changes: NDArray[np.int64], source: Source) -> None:
        n = len(scores)
        self._width = words(n)
        self._height = len(source[3])
        # Cells of the largest small table, with its sizes.
        self._largest = source[-2] * (self._height + 1)
        self.source = source
        self.used = np.array([n, 0, 0], dtype=np.int64)
        room = 4 * n + 64
        self.families = (
            np.empty((room, 1 + self._width), dtype=np.uint64),
            _slots(room),
            np.empty((room, n, 3), dtype=np.int64),
            np.empty((room, 2), dtype=np.int64),
        )
        self.families[2][:n] = changes
        self.families[3][:n] = np.array([limbs(score) for score in scores], dtype=np.int64).reshape(n, 2)
        self._start_tables(max(_FIRST_CELLS, 4 * self._largest))

    def score(self, family: int) -> int:
        """The score of a family."""
        return joined(*self.families[3][family].tolist())

    def add(self, child: int, parents: NDArray[np.uint64], work_out: Callable[[NDArray[np.int64]], int]) -> None:
        """Note a family, for which there must be room.

        Parameters
        ----------
        child, parents : int, uint64 array [W]
        work_out : callable
            Writes the changes into int64 [n, 3], 0 at first, and returns the score.
        """
        keys, slots, changes, scores = self.families
        family = int(self.used[kernel.FAMILIES])
        changes[family] = 0
        scores[family] = limbs(work_out(changes[family]))
        kernel.register(child, parents, family, keys, slots)
        self.used[kernel.FAMILIES] += 1

    def table(self, variables: int) -> joint.JointTable | None:
        """The table of a set, if it is here."""
        keys, slots, places, cells = self.tables
        parts = np.array(to_words(variables, 64 * self._width), dtype=np.uint64)
        table = slots[kernel.slot_of(0, parts, keys, slots)]
        if table < 0:
            return None
        start, columns = places[table].tolist()
        rows = cells[start : start + (self._height + 1) * columns].reshape(-1, columns)
        return joint.JointTable(np.array(members(variables)), rows[-1].astype(np.int64), rows[:-1])

    def make_room(self) -> bool:
        """See to it that a family and a small table fit; return whether they did not before."""
        families, tables, used_cells = self.used.tolist()
        keys, _, changes, scores = self.families
        table_keys, slots, places, cells = self.tables
        if families == len(keys):
            more_keys = _longer(keys)
            # Those without parents have no key.
            more_slots = _slots_of(more_keys, changes.shape[1], families)
            self.families = more_keys, more_slots, _longer(changes), _longer(scores)
        elif tables == len(table_keys):
            more_keys = _longer(table_keys)
            self.tables = more_keys, _slots_of(more_keys, 0, tables), _longer(places), cells
        elif used_cells + self._largest <= len(cells):
            return False
        elif 2 * cells.nbytes <= joint.MOST_BYTES:
            self.tables = table_keys, slots, places, _longer(cells)
        else:
            self._start_tables(len(cells))
        return True

    def _start_tables(self, cells: int) -> None:
        room = self.families[2].shape[1] + 64
        self.tables = (
            np.empty((room, 1 + self._width), dtype=np.uint64),
            _slots(room),
            np.empty((room, 2), dtype=np.int64),
            np.empty(cells, dtype=np.int32),
        )
        self.used[kernel.TABLES :] = 0


def _slots(room: int) -> Array:
    return np.full(1 << (2 * room).bit_length(), -1, dtype=np.int64)


def _longer(array: Array) -> Array:
    """An array twice as long that starts with this one."""
    longer = np.empty((2 * len(array), *array.shape[1:]), dtype=array.dtype)
    longer[: len(array)] = array
    return longer


def _slots_of(keys: Array, first: int, last: int) -> Array:
    """Slots in which the keys from `first` until `last` are found."""
    slots = _slots(len(keys))
    kernel.register_again(first, last, keys, slots)
    return slots
