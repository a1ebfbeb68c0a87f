"""What a search asks of a score."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from stablebn.kernels.logarithm import limbs
from stablebn.scores.set_terms import SetTerms
from stablebn.stats.counts import Terms
from stablebn.stats.variable_sets import bit, members

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
    """

    n: int
    most_parents: int
    score_equivalent: bool = True

    @abstractmethod
    def family(self, child: int, parents: int) -> int:
        """Score of a child with a set of parents."""

    @abstractmethod
    def extended(self, child: int, parents: int) -> Terms:
        """Scores of a child with the parents and u, limbs in row u; rows of the family's members mean nothing."""

    @abstractmethod
    def reordered(self, order: Sequence[int]) -> FamilyScores:
        """The same score for variables renumbered so that new i is old order[i]."""

    @cached_property
    def _changes(self) -> dict[tuple[int, int], tuple[int, Changes]]:
        return {(v, 0): found for v, found in enumerate(self.changes_without_parents())}

    def changes_without_parents(self) -> list[tuple[int, Changes]]:
        """What `changes` gives for every variable without parents."""
        return [self.compute_changes(v, 0) for v in range(self.n)]

    def changes(self, child: int, parents: int) -> tuple[int, Changes]:
        """Score of a family, and what each single change of the parents would bring; computed once for all searches.

        Returns
        -------
        own : int
        changes : int64 array [n, 3]
            In row u, limbs of the score's change when u becomes a parent, or ceases to be one; and 1 where the family
            may not become that. The child's own row is 0.
        """
        key = (child, parents)
        if key not in self._changes:
            self._changes[key] = self.compute_changes(child, parents)
        return self._changes[key]

    def adopt(self, other: FamilyScores, order: Sequence[int]) -> None:
        """Take over the changes of families without parents, where this variable i is `other`'s order[i]."""
        known = other._changes
        self.__dict__["_changes"] = {(i, 0): (known[v, 0][0], known[v, 0][1][list(order)]) for i, v in enumerate(order)}

    def compute_changes(self, child: int, parents: int) -> tuple[int, Changes]:
        """What `changes` gives, from `family` and `extended`."""
        own = self.family(child, parents)
        changes = np.zeros((self.n, 3), dtype=np.int64)
        if parents.bit_count() < self.most_parents:
            changes[:, :2] = self.extended(child, parents)
            changes[:, 2] = changes[:, 0] == NOT_A_CANDIDATE
            changes[:, :2] -= limbs(own)
            changes[child] = 0
        for u in members(parents):
            changes[u] = *limbs(self.family(child, parents ^ bit(u)) - own), 0
        return own, changes


class DifferenceScores(FamilyScores):
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
