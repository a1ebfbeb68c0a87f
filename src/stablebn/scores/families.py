"""What a search asks of a score."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from stablebn.kernels import climbing
from stablebn.kernels.logarithm import limbs
from stablebn.scores.set_terms import SetTerms
from stablebn.stats.counts import Terms
from stablebn.stats.variable_sets import bit, members, words

Changes = NDArray[np.int64]

NOT_A_CANDIDATE = np.iinfo(np.int64).min
"""In place of the high limb: a family that a search must not build."""


class FamilyScores(ABC):
    """Scores of families: one variable with a set of parents.

    Scores are exact integers in units of 2**-62 nats. Variables are 0 .. n - 1, sets of them the bits of an int.

    Attributes
    ----------
    n : int
    most_parents : int
        Larger parent sets are not candidates.
    score_equivalent : bool
        Whether all DAGs of an equivalence class have the same score.
    dear : bool
        Whether a family takes so long to work out that it pays to let searches run at once.
    """

    n: int
    most_parents: int
    score_equivalent: bool = True
    dear: bool = False

    @abstractmethod
    def family(self, child: int, parents: int) -> int:
        """Score of a child with a set of parents."""

    @abstractmethod
    def write_changes(self, child: int, parents: int, out: Changes) -> int:
        """Write what `changes` gives into int64 [n, 3], 0 at first, and return the score of the family."""

    @abstractmethod
    def reordered(self, order: Sequence[int]) -> FamilyScores:
        """The same score for variables renumbered so that new i is old order[i]."""

    @cached_property
    def known(self) -> KnownFamilies:
        """The families looked at so far, those without parents first."""
        changes = np.zeros((self.n, self.n, 3), dtype=np.int64)
        return KnownFamilies(self.write_first_changes(changes), changes)

    def changes(self, child: int, parents: int) -> tuple[int, Changes]:
        """Score of a family, and what each single change of the parents would bring; computed once for all searches.

        Returns
        -------
        own : int
        changes : int64 array [n, 3]
            In row u, limbs of the score's change when u becomes a parent, or ceases to be one; and 1 where the family
            may not become that. The child's own row is 0.
        """
        row = self.row(child, parents)
        return self.known.scores[row], self.known.changes[row]

    def row(self, child: int, parents: int) -> int:
        """Where `known` has the family."""
        row = self.known.rows.get((child, parents))
        if row is None:
            # Aside at first: several searches may be at it at once.
            changes = np.zeros((self.n, 3), dtype=np.int64)
            row = self.known.add(child, parents, self.write_changes(child, parents, changes), changes)
        return row

    def adopt(self, other: FamilyScores, order: Sequence[int]) -> None:
        """Take over the families without parents, where this variable i is `other`'s order[i]."""
        scores, changes = other.without_parents()
        self.__dict__["known"] = KnownFamilies([scores[v] for v in order], changes[np.ix_(order, order)])

    def without_parents(self) -> tuple[list[int], Changes]:
        """What `changes` gives for every variable without parents: their scores, and int64 [n, n, 3]."""
        return self.known.scores[: self.n], self.known.changes[: self.n]

    def write_first_changes(self, out: Changes) -> list[int]:
        """Write the changes of all variables without parents into int64 [n, n, 3], 0 at first; return their scores."""
        return [self.write_changes(v, 0, own) for v, own in enumerate(out)]


class KnownFamilies:
    """Families that were looked at.

    Parameters
    ----------
    scores : list of int
        Of every variable without parents.
    changes : int64 array [n, n, 3]
        What single changes of these families would bring.

    Attributes
    ----------
    rows : dict of (child, parents) to int
    scores, changes : list of int, int64 array [room, n, 3]
        By row. The changes move when there is no room left.
    """

    def __init__(self, scores: list[int], changes: Changes) -> None:
        n = len(scores)
        self.rows = {(v, 0): v for v in range(n)}
        self.scores = scores
        self.changes = changes
        self._lock = Lock()
        self._indexes: list[Index] = []
        self._set_room(4 * n + 64)

    def add(self, child: int, parents: int, score: int, changes: Changes) -> int:
        """Note a family, unless another search was first; returns its row."""
        with self._lock:
            row = self.rows.get((child, parents), len(self.scores))
            if row == len(self.scores):
                if row == len(self.changes):
                    self._set_room(2 * row)
                self.changes[row] = changes
                self.scores.append(score)
                self.rows[child, parents] = row
        return row

    def _set_room(self, room: int) -> None:
        changes = np.empty((room, *self.changes.shape[1:]), dtype=np.int64)
        changes[: len(self.changes)] = self.changes
        self.changes = changes

    @contextmanager
    def index(self) -> Iterator[Index]:
        """An index for one search, with what earlier ones have put there."""
        # Popping and appending need no lock.
        index = self._indexes.pop() if self._indexes else Index(self.changes.shape[1])
        yield index
        self._indexes.append(index)


class Index:
    """How a compiled climb finds the rows of known families (see `kernels/climbing.py`).

    Attributes
    ----------
    keys, slots : uint64 array [room, 1 + words], int64 array [any]
    """

    def __init__(self, n: int) -> None:
        self._set_room(words(n), 4 * n + 64)

    def add(self, sets: NDArray[np.uint64], child: int, row: int) -> None:
        """Let the family of a child, whose parents are in its row of `sets`, be found."""
        if row >= len(self.keys):
            self._set_room(sets.shape[1], 2 * row)
        climbing.register(sets, child, row, self.keys, self.slots)

    def _set_room(self, width: int, room: int) -> None:
        self.keys = np.empty((room, 1 + width), dtype=np.uint64)
        # Empty: rows are asked for once more, which costs less than to move them.
        self.slots = np.full(1 << (2 * room).bit_length(), -1, dtype=np.int64)


class SingleScores(FamilyScores):
    """Scores whose changes follow from the scores of the single families they lead to."""

    @abstractmethod
    def extended(self, child: int, parents: int) -> Terms:
        """Scores of a child with the parents and u, limbs in row u; rows of the family's members mean nothing."""

    def write_changes(self, child: int, parents: int, out: Changes) -> int:
        """Write what `changes` gives into int64 [n, 3], 0 at first, and return the score of the family."""
        own = self.family(child, parents)
        if parents.bit_count() < self.most_parents:
            out[:, :2] = self.extended(child, parents)
            out[:, 2] = out[:, 0] == NOT_A_CANDIDATE
            out[:, :2] -= limbs(own)
            out[child] = 0
        for u in members(parents):
            out[u] = *limbs(self.family(child, parents ^ bit(u)) - own), 0
        return own


class DifferenceScores(SingleScores):
    """Scores that are joint(S + v) - parent(S) + offset(v, S), joint and parent being functions of sets."""

    @abstractmethod
    def joint_terms(self, child: int) -> SetTerms:
        """The function of child and parents together."""

    @abstractmethod
    def parent_terms(self, child: int) -> SetTerms:
        """The function of the parents."""

    @abstractmethod
    def offset(self, child: int, parents: int) -> int:
        """What depends on numbers of levels, rows and parents only."""

    @abstractmethod
    def offsets_extended(self, child: int, parents: int) -> Terms:
        """Limbs of the offset with u as one more parent, in row u."""

    def family(self, child: int, parents: int) -> int:
        """Score of a child with a set of parents."""
        joint = self.joint_terms(child).term(parents | bit(child))
        return joint - self.parent_terms(child).term(parents) + self.offset(child, parents)

    def extended(self, child: int, parents: int) -> Terms:
        """Scores of a child with the parents and u, limbs in row u; rows of the family's members mean nothing."""
        offsets = self.offsets_extended(child, parents)
        joint = self.joint_terms(child).extensions(parents | bit(child))
        terms = joint - self.parent_terms(child).extensions(parents) + offsets
        terms[offsets[:, 0] == NOT_A_CANDIDATE, 0] = NOT_A_CANDIDATE
        return terms
