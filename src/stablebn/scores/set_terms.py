"""Functions of a *set* of variables, of which scores are differences.

The log-likelihood of v given S is H(S + v) - H(S); so one cache keyed by the set serves every child,
every order and every search. And the gain of an arc, (g(S+u+v) + g(S)) - (g(S+u) + g(S+v)), is
symmetric in u and v by its very form: in integers, u->v and v->u with equal parents tie exactly.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from stablebn.kernels import counting
from stablebn.kernels.logarithm import joined, m_ln_m_table
from stablebn.stats.counts import Counts, Terms
from stablebn.stats.variable_sets import bit, members

# Fewer rows are counted again in less time than a look-up takes.
_DEAR_ROWS = 5000
# m ln m of larger counts is rare, and computed when it is met.
_LARGEST_TABLE = 1 << 20


class SetTerms(ABC):
    """A fixed-point function of sets of variables, each value computed once.

    Parameters
    ----------
    n : int
        Variables are 0 .. n - 1.
    dear : bool
        Whether a value costs more to compute than to look up among those of other rows.
    """

    def __init__(self, n: int, *, dear: bool) -> None:
        self.n = n
        self._dear = dear
        self._terms: dict[int, int] = {}
        self._rows: dict[int, Terms] = {}
        # For a set, the variables by which sets with a row extend it.
        self._extended_by: dict[int, int] = {}

    def term(self, variables: int) -> int:
        """The value for one set, in units of 2**-62."""
        if variables not in self._terms:
            for m in members(variables):
                row = self._rows.get(variables ^ bit(m))
                if row is not None:
                    self._terms[variables] = joined(*row[m])
                    break
            else:
                self._terms[variables] = self._compute(variables)
        return self._terms[variables]

    def extensions(self, base: int) -> Terms:
        """The values for base + u, limbs in row u; rows of members of the base mean nothing."""
        if base not in self._rows:
            known = self._known_extensions(base) if self._dear else {}
            unknown = [u for u in range(self.n) if not base >> u & 1 and u not in known]
            out = self._compute_extensions(base, np.array(unknown, dtype=np.int64))
            for u, limbs in known.items():
                out[u] = limbs
            self._keep(base, out)
        return self._rows[base]

    def _known_extensions(self, base: int) -> dict[int, Terms]:
        """Values for base + u that stand in another row: that of base - m + u, at m."""
        known: dict[int, Terms] = {}
        for m in members(base):
            rest = base ^ bit(m)
            for u in members(self._extended_by.get(rest, 0) & ~base):
                known[u] = self._rows[rest | bit(u)][m]
        return known

    def _keep(self, base: int, row: Terms) -> None:
        self._rows[base] = row
        for m in members(base):
            rest = base ^ bit(m)
            self._extended_by[rest] = self._extended_by.get(rest, 0) | bit(m)

    @abstractmethod
    def _compute(self, variables: int) -> int: ...

    @abstractmethod
    def _compute_extensions(self, base: int, candidates: NDArray[np.int64]) -> Terms: ...


@lru_cache(maxsize=1)
def table_of_m_ln_m(total: int) -> NDArray[np.int64]:
    """Limbs of m ln m for counts up to `total`, or as many as are worth keeping."""
    table: NDArray[np.int64] = m_ln_m_table(min(total + 1, _LARGEST_TABLE))
    return table


class EntropyTerms(SetTerms):
    """H(S), the sum of m ln m over the joint counts m of S (SPEC 2)."""

    def __init__(self, counts: Counts) -> None:
        super().__init__(counts.n, dear=counts.table.codes.shape[1] > _DEAR_ROWS)
        self._counts = counts
        self.table = table_of_m_ln_m(counts.total)

    def _compute(self, variables: int) -> int:
        return joined(*counting.sum_m_ln_m(self._counts.cells(members(variables)), self.table))

    def _compute_extensions(self, base: int, candidates: NDArray[np.int64]) -> Terms:
        return self._counts.extension_sums(members(base), candidates, table=self.table)


class DirichletTerms(SetTerms):
    """Sum over joint counts m of ln(Gamma(m + a) / Gamma(a)), where the prior count a depends on the set alone.

    Parameters
    ----------
    counts : Counts
    prior : callable
        From the number of configurations of the set, seen or not, to its prior count a.
    """

    def __init__(self, counts: Counts, prior: Callable[[int], float]) -> None:
        super().__init__(counts.n, dear=True)
        self._counts = counts
        self._prior = prior

    def _compute(self, variables: int) -> int:
        inside = members(variables)
        return joined(*counting.sum_ln_rising(self._counts.cells(inside), self._prior(self._counts.states(inside))))

    def _compute_extensions(self, base: int, candidates: NDArray[np.int64]) -> Terms:
        inside = members(base)
        states = self._counts.states(inside)
        priors = np.array([self._prior(states * int(levels)) for levels in self._counts.levels])
        return self._counts.extension_sums(inside, candidates, priors=priors)
