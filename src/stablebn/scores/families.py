"""What a search asks of a score."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from stablebn.kernels.logarithm import joined, limbs
from stablebn.scores.notebook import NO_SOURCE, Notebook, Source
from stablebn.scores.set_terms import SetTerms
from stablebn.stats.counts import Terms
from stablebn.stats.joint import Nearby, nothing
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
    def write_changes(self, child: int, parents: int, out: Changes, nearby: Nearby = nothing) -> int:
        """Write what `changes` gives into int64 [n, 3], 0 at first, and return the score of the family.

        Parameters
        ----------
        child, parents, out
        nearby : callable
            Where joint tables may also be found.
        """

    @abstractmethod
    def reordered(self, order: Sequence[int]) -> FamilyScores:
        """The same score for variables renumbered so that new i is old order[i]."""

    def changes(self, child: int, parents: int) -> tuple[int, Changes]:
        """Score of a family, and what each single change of the parents would bring.

        Returns
        -------
        own : int
        changes : int64 array [n, 3]
            In row u, limbs of the score's change when u becomes a parent, or ceases to be one; and 1 where the family
            may not become that. The child's own row is 0.
        """
        if not parents:
            scores, first = self.without_parents
            return scores[child], first[child]
        if (child, parents) not in self._known:
            out = np.zeros((self.n, 3), dtype=np.int64)
            self._known[child, parents] = self.write_changes(child, parents, out), out
        return self._known[child, parents]

    @cached_property
    def without_parents(self) -> tuple[list[int], Changes]:
        """What `changes` gives for every variable without parents: their scores, and int64 [n, n, 3]."""
        changes = np.zeros((self.n, self.n, 3), dtype=np.int64)
        return self.write_first_changes(changes), changes

    def dag(self, parents: Sequence[int]) -> int:
        """Score of a DAG: of each variable with its set of parents."""
        return sum(map(self._family_at_hand, range(self.n), parents))

    def _family_at_hand(self, child: int, parents: int) -> int:
        """What `family` gives, read off where nothing need be counted: without parents, or with one."""
        scores, changes = self.without_parents
        if not parents:
            return scores[child]
        hi, lo, barred = changes[child, parents.bit_length() - 1].tolist()
        if parents.bit_count() > 1 or barred:
            return self.family(child, parents)
        return scores[child] + joined(hi, lo)

    @cached_property
    def _known(self) -> dict[tuple[int, int], tuple[int, Changes]]:
        return {}

    def new_notebook(self) -> Notebook:
        """A notebook for a search."""
        return Notebook(*self.without_parents, self.small_tables())

    def small_tables(self) -> Source:
        """What a compiled search works out families from by itself; by default it does not."""
        return NO_SOURCE

    def adopt(self, other: FamilyScores, order: Sequence[int]) -> None:
        """Take over the families without parents, where this variable i is `other`'s order[i]."""
        scores, changes = other.without_parents
        self.__dict__["without_parents"] = [scores[v] for v in order], changes[np.ix_(order, order)]

    def write_first_changes(self, out: Changes) -> list[int]:
        """Write the changes of all variables without parents into int64 [n, n, 3], 0 at first; return their scores."""
        return [self.write_changes(v, 0, own) for v, own in enumerate(out)]


class SingleScores(FamilyScores):
    """Scores whose changes follow from the scores of the single families they lead to."""

    @abstractmethod
    def extended(self, child: int, parents: int) -> Terms:
        """Scores of a child with the parents and u, limbs in row u; rows of the family's members mean nothing."""

    def write_changes(self, child: int, parents: int, out: Changes, nearby: Nearby = nothing) -> int:
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
