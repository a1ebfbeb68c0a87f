"""The result of an algorithm that does not search among DAGs: a partially directed graph."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from stablebn.graph import DAG, PDAG
from stablebn.learners.shared.problem import Problem
from stablebn.stats.variable_sets import members

Edges = tuple[tuple[int, int], ...]


class PatternTrace(Protocol):
    """How a partially directed graph was found."""

    def renamed(self, names: Sequence[Hashable]) -> PatternTrace:
        """Return the same trace with names in place of numbers of variables."""

    def to_dict(self) -> dict[str, Any]:
        """Return everything, in types that JSON has."""

    def to_json(self) -> str:
        """Return `to_dict` as JSON text."""

    def to_csv(self) -> str:
        """Return the part that fits in one table, as CSV text."""


@dataclass(frozen=True)
class Pattern:
    """A partially directed graph over variables 0 .. n - 1.

    Attributes
    ----------
    directed : tuple of (from, to)
    undirected : tuple of (u, v) with u < v
    order : tuple of int
        The processing order.
    trace : PatternTrace
    finished : bool
        False if a limit stopped the algorithm.
    conflicts : tuple of (a, c, b)
        V-structures a -> c <- b that were left out because they contradict stronger evidence.
    has_directions : bool
        False if there was no time to direct the edges: the graph is a skeleton, and no DAG is derived from it.
    """

    directed: tuple[tuple[int, int], ...]
    undirected: tuple[tuple[int, int], ...]
    order: tuple[int, ...]
    trace: PatternTrace
    finished: bool
    conflicts: tuple[tuple[int, int, int], ...]
    has_directions: bool = True

    def named_trace(self, names: Sequence[Hashable]) -> PatternTrace:
        """Return the trace with names in place of numbers of variables."""
        return self.trace.renamed(names)


@dataclass(frozen=True)
class TestTrace:
    """The tests of independence of an algorithm.

    Attributes
    ----------
    tests : int
        Number of tests.
    blankets : dict of variable to tuple of variables
        Markov blankets, or candidate neighbours of each variable; empty if the algorithm does not use them.
    separating : dict of pair to tuple of variables
        The set given which a pair was found independent.
    """

    # Pytest must not collect this class as a test.
    __test__ = False

    tests: int
    blankets: Mapping[Hashable, tuple[Hashable, ...]] = field(default_factory=dict)
    separating: Mapping[tuple[Hashable, Hashable], tuple[Hashable, ...]] = field(default_factory=dict)

    def __len__(self) -> int:
        return self.tests

    def renamed(self, names: Sequence[Any]) -> TestTrace:
        """Return the same trace with names in place of numbers of variables."""

        def named(variables: Sequence[Any]) -> tuple[Any, ...]:
            return tuple(names[v] for v in variables)

        return TestTrace(
            self.tests,
            {named((v,))[0]: named(blanket) for v, blanket in self.blankets.items()},
            {(named(pair)[0], named(pair)[1]): named(given) for pair, given in self.separating.items()},
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything, in types that JSON has: pairs and their sets are lists."""
        return {
            "tests": self.tests,
            "blankets": [[v, list(blanket)] for v, blanket in self.blankets.items()],
            "separating": [[*pair, list(given)] for pair, given in self.separating.items()],
        }

    def to_json(self) -> str:
        """Return `to_dict` as JSON text."""
        return json.dumps(self.to_dict(), default=str)

    def to_csv(self) -> str:
        """Return the separating sets as CSV text, one pair per line."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(("x", "y", "given"))
        for (x, y), given in self.separating.items():
            writer.writerow((x, y, " ".join(map(str, given))))
        return text.getvalue()


def test_trace(tests: int, blankets: Mapping[int, int], separating: Mapping[tuple[int, int], int]) -> TestTrace:
    """Make a trace from sets of variables, sorted by number, so that equal runs have equal traces."""
    return TestTrace(
        tests,
        {v: tuple(members(blankets[v])) for v in sorted(blankets)},
        {pair: tuple(members(separating[pair])) for pair in sorted(separating)},
    )


def extension(pattern: Pattern, problem: Problem) -> DAG | None:
    """Return a DAG that extends a pattern and obeys the constraints; canonical numbers decide between several."""
    pdag = PDAG(range(problem.scores.n), pattern.directed, pattern.undirected)
    if problem.constraints is None:
        return pdag.extension()
    # Forbidden directions are excluded by directed edges of the pattern. The extension obeys the limits on parents.
    return pdag.extension(most_parents=problem.constraints.given_most_parents)


def numbered(edges: Iterable[tuple[object, object]]) -> Edges:
    """Return the sorted edges of a graph whose nodes are numbers."""
    return tuple(sorted((int(str(u)), int(str(v))) for u, v in edges))
