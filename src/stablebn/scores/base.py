"""The interface of decomposable scores."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from stablebn import _core
from stablebn.fixed_point import NOT_A_CANDIDATE, Limbs, integers, joined, limbs
from stablebn.stats.variable_sets import bit

if TYPE_CHECKING:
    from typing_extensions import Self


class FamilyScores(ABC):
    """Scores of families: one variable with a set of parents.

    Scores are exact integers in units of 2**-62 nats. Variables are 0 .. n - 1, sets of them the bits of an int.

    Attributes
    ----------
    n : int
    most_parents : int
        Largest number of parents of a family that can be scored.
    score_equivalent : bool
        Whether all DAGs of an equivalence class have the same score.
    """

    n: int
    most_parents: int
    score_equivalent: bool = True

    @abstractmethod
    def family(self, child: int, parents: int) -> int:
        """Return the score of a child with a set of parents."""

    @abstractmethod
    def changes(self, child: int, parents: int) -> Limbs:
        """Return the change of a family's score by each single change of its parents.

        Returns
        -------
        int64 array [n, 2]
            Row u has the limbs of the change if u is added as a parent, or removed. The high limb is NOT_A_CANDIDATE
            if the new family cannot be scored. The row of the child is 0.
        """

    def dag(self, parents: Sequence[int]) -> int:
        """Return the score of a DAG, given the set of parents of each variable."""
        return sum(map(self.family, range(self.n), parents))


class CompiledScores(FamilyScores):
    """Scores that the core computes and caches for all searches.

    Parameters
    ----------
    compiled : _core.FamilyScores

    Attributes
    ----------
    eliminates : bool
        Whether the last bits of a score depend on the numbers of the variables, as those of determinants do.
    relative_cost : int
        Approximate time to score a family relative to its counts or sums; exhaustive searches score fewer families if
        it is large.
    """

    eliminates: bool = False
    relative_cost: int = 1

    def __init__(self, compiled: _core.FamilyScores) -> None:
        self.compiled = compiled
        self.n = compiled.n
        self.most_parents = compiled.most_parents
        self._cost_of_arc = compiled.cost_of_arc
        self._families: dict[tuple[int, int], int] = {}

    @property
    def cost_of_arc(self) -> int:
        """By how much every arc lowers the score, in units of 2**-62."""
        return self._cost_of_arc

    def charge_arcs(self, cost: int) -> None:
        """Lower the score of every DAG by `cost` per arc, in units of 2**-62; call it before any family is scored."""
        self.compiled.charge_arcs(*limbs(cost))
        self._cost_of_arc = cost

    @abstractmethod
    def reordered(self, order: Sequence[int]) -> Self:
        """Return the score with the variables renumbered: new variable i is old variable order[i]."""

    def is_candidate(self, child: int, parents: int) -> bool:
        """Return whether a family can be scored."""
        return parents.bit_count() <= self.most_parents

    def full_score(self, child: int, parents: int, term: int) -> int:
        """Return the score of a family without the cost of its arcs, from the term of the core.

        The term holds less than 2**65 nats.
        """
        return term

    def family(self, child: int, parents: int) -> int:
        """Return the score of a child with a set of parents."""
        key = (child, parents)
        score = self._families.get(key)
        if score is None:
            without_arcs = self.full_score(child, parents, self.compiled.term(child, parents))
            score = self._families[key] = without_arcs - self._cost_of_arc * parents.bit_count()
        return score

    def changes(self, child: int, parents: int) -> Limbs:
        """Return the change of a family's score by each single change of its parents."""
        return self.without_parents[1][child] if not parents else self.compiled.changes(child, parents)

    @cached_property
    def without_parents(self) -> tuple[list[int], Limbs]:
        """The scores of all variables without parents, and the result of `changes` for them: int64 [n, n, 2]."""
        terms, changes = self.compiled.first()
        return [self.full_score(v, 0, term) for v, term in enumerate(integers(terms))], changes

    def dag(self, parents: Sequence[int]) -> int:
        """Return the score of a DAG."""
        return sum([self.cached_family(v, parent_set) for v, parent_set in enumerate(parents)])

    def cached_family(self, child: int, parents: int) -> int:
        """Return the score of a family; with at most one parent, from the scores of all pairs if they are cached."""
        if not self.compiled.knows_first:
            return self.family(child, parents)
        if not parents:
            return self.without_parents[0][child]
        if parents & (parents - 1):
            return self.family(child, parents)
        scores, changes = self.without_parents
        hi, lo = changes[child, parents.bit_length() - 1].tolist()
        return self.family(child, parents) if hi == NOT_A_CANDIDATE else scores[child] + joined(hi, lo)

    def sums_with_one_parent(self) -> list[int]:
        """Return, for every variable, the sum of the changes of its score by each single parent."""
        sums, barred = self.compiled.sums_of_first()
        for v, u in barred:
            if u != v and self.is_candidate(v, bit(u)):
                sums[v] += self.family(v, bit(u)) - self.without_parents[0][v]
        return sums
