"""The constraints of a problem: required and forbidden arcs and numbers of parents, for variables by number."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

import numpy as np

from stablebn.stats.symmetries.symmetry import Relation
from stablebn.stats.variable_sets import bit, matrix_of, members, sets_of

_ALLOWED, _REQUIRED = 1, 2


@dataclass(frozen=True)
class Constraints:
    """Constraints of graphs over variables 0 .. n - 1, which at least one DAG satisfies.

    Attributes
    ----------
    allowed : tuple of int
        For each variable the set of variables that may be its parents; its own number is ignored.
    required : tuple of int
        For each variable the set of variables that must be its parents.
    most_parents : tuple of int or None
        For each variable the largest number of parents; None if it is not limited.
    """

    allowed: tuple[int, ...]
    required: tuple[int, ...]
    most_parents: tuple[int | None, ...]

    @classmethod
    def of(
        cls,
        n: int,
        *,
        forbidden: Iterable[tuple[int, int]] = (),
        required: Iterable[tuple[int, int]] = (),
        most_parents: Mapping[int, int] | None = None,
    ) -> Constraints:
        """Make constraints on n variables; an arc that closes a cycle with required arcs is not allowed either.

        Parameters
        ----------
        n : int
        forbidden, required : iterable of (from, to)
        most_parents : mapping of variable to int, optional

        Raises
        ------
        ValueError
            If no DAG satisfies them: a required arc is forbidden, required arcs form a cycle, or exceed a limit.
        """
        may_be_parent = np.ones((n, n), dtype=bool)
        ends = np.fromiter(chain.from_iterable(forbidden), dtype=np.intp).reshape(-1, 2)
        may_be_parent[ends[:, 1], ends[:, 0]] = False
        allowed = sets_of(may_be_parent)
        parents = [0] * n
        for u, v in required:
            parents[v] |= bit(u)
        for v, above in enumerate(_ancestors(parents) if any(parents) else ()):
            for u in members(above):
                allowed[u] &= ~bit(v)
        most = [(most_parents or {}).get(v) for v in range(n)]
        for v, required_parents in enumerate(parents):
            limit = most[v]
            if (
                required_parents & ~allowed[v]
                or required_parents >> v & 1
                or (limit is not None and required_parents.bit_count() > limit)
            ):
                raise ValueError(f"the constraints on variable {v} contradict each other.")
            if limit == required_parents.bit_count():
                allowed[v] = required_parents
        return cls(tuple(allowed), tuple(parents), tuple(most))

    @property
    def is_everything(self) -> bool:
        """Return whether every DAG satisfies the constraints."""
        n = len(self.allowed)
        return (
            not any(self.required)
            and all(most is None for most in self.most_parents)
            and all((parent_set | bit(v)) == bit(n) - 1 for v, parent_set in enumerate(self.allowed))
        )

    @property
    def are_tiers(self) -> bool:
        """Return whether the constraints are tiers: only arcs from later to earlier tiers are forbidden."""
        n = len(self.allowed)
        # A total preorder: of every two variables one may precede the other, and "may precede" is transitive.
        allowed = [parent_set | bit(v) for v, parent_set in enumerate(self.allowed)]
        return (
            not any(self.required)
            and not self.limits_differ
            and all(neighbours | bit(v) == bit(n) - 1 for v, neighbours in enumerate(self.joinable))
            and all(not allowed[u] & ~parent_set for parent_set in allowed for u in members(parent_set))
        )

    @property
    def limited(self) -> list[int]:
        """Return the variables that may not have all allowed parents at once."""
        return [
            v
            for v, (parent_set, most) in enumerate(zip(self.allowed, self.most_parents, strict=True))
            if most is not None and (parent_set & ~bit(v)).bit_count() > most
        ]

    @property
    def limits_differ(self) -> bool:
        """Return whether limits on parents may allow some DAGs of a Markov equivalence class and not others.

        The largest number of parents is the same in all DAGs of a class, that of the last variable of the largest
        clique. Which variable this is matters only if limits differ.
        """
        return len(set(self.most_parents)) > 1 and bool(self.limited)

    @cached_property
    def children(self) -> tuple[int, ...]:
        """Return, for each variable, the set of variables of which it may be a parent."""
        return _children(self.allowed)

    @cached_property
    def joinable(self) -> tuple[int, ...]:
        """Return, for each variable, the set of variables that may be adjacent to it."""
        ends = enumerate(zip(self.allowed, self.children, strict=True))
        return tuple((above | below) & ~bit(v) for v, (above, below) in ends)

    @cached_property
    def joined(self) -> tuple[int, ...]:
        """Return, for each variable, the set of variables that a required arc makes adjacent to it."""
        return tuple(above | below for above, below in zip(self.required, _children(self.required), strict=True))

    def allows(self, u: int, v: int) -> bool:
        """Return whether the arc u -> v is allowed."""
        return bool(self.allowed[v] >> u & 1)

    def has_room(self, v: int, parents: int) -> bool:
        """Return whether a variable may have this number of parents."""
        most = self.most_parents[v]
        return most is None or parents <= most

    @property
    def given_most_parents(self) -> dict[Hashable, int]:
        """Return the largest number of parents of the variables that have a limit."""
        return {v: most for v, most in enumerate(self.most_parents) if most is not None}

    def limits(self, max_parents: int | None) -> list[int]:
        """Return the largest number of parents of each variable, by default `max_parents`."""
        usual = len(self.allowed) if max_parents is None else max_parents
        return [usual if most is None else most for most in self.most_parents]

    def within(self, max_parents: int | None) -> Constraints:
        """Return the constraints with `max_parents` as the limit of variables without one."""
        if max_parents is None:
            return self
        return replace(self, most_parents=tuple(self.limits(max_parents)))

    def among(self, candidates: Sequence[int]) -> Constraints:
        """Return the constraints with parents restricted to required ones and candidates."""
        allowed = (
            may & candidate_set | must
            for may, candidate_set, must in zip(self.allowed, candidates, self.required, strict=True)
        )
        return replace(self, allowed=tuple(allowed))

    def renumbered(self, numbers: Sequence[int]) -> Constraints:
        """Return the constraints with the variables renumbered: variable v becomes numbers[v]."""
        order = np.argsort(numbers)
        allowed, required = (sets_of(matrix_of(sets)[np.ix_(order, order)]) for sets in (self.allowed, self.required))
        return Constraints(tuple(allowed), tuple(required), tuple(self.most_parents[v] for v in order))

    def relation(self) -> Relation:
        """Return the constraints as a relation, which an exchange of variables must leave unchanged."""
        marks = np.where(matrix_of(self.required), _REQUIRED, matrix_of(self.allowed) * _ALLOWED).astype(np.int64)
        np.fill_diagonal(marks, [0 if most is None else 1 + most for most in self.most_parents])
        return Relation(marks)


def _ancestors(parents: Sequence[int]) -> list[int]:
    """Return, for each variable, its ancestors; a variable on a cycle is its own ancestor."""
    above = list(parents)
    for middle in range(len(above)):
        for v, ancestors in enumerate(above):
            if ancestors >> middle & 1:
                above[v] |= above[middle]
    return above


def _children(parents: Sequence[int]) -> tuple[int, ...]:
    return tuple(int.from_bytes(row.tobytes(), "little") for row in np.packbits(matrix_of(parents).T, 1, "little"))
