"""What a learner finds that does not search among DAGs: a graph in which some edges have no direction."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from stablebn.graph import DAG, PDAG
from stablebn.learners.shared.problem import Problem
from stablebn.stats.variable_sets import members


class PatternTrace(Protocol):
    """How a pattern was found."""

    def renamed(self, names: Sequence[Hashable]) -> PatternTrace:
        """The same with names in place of numbers of variables."""

    def to_dict(self) -> dict[str, Any]:
        """Everything, in types that JSON has."""

    def to_json(self) -> str:
        """`to_dict` as JSON text."""

    def to_csv(self) -> str:
        """What fits in one table, as CSV text."""


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
        False if a limit stopped the learner.
    conflicts : tuple of (a, c, b)
        Evidence for a -> c <- b that could not be followed, because it contradicts stronger evidence.
    has_directions : bool
        False: it is a mere skeleton, as there was no time to direct its edges, and no DAG of it is looked for.
    """

    directed: tuple[tuple[int, int], ...]
    undirected: tuple[tuple[int, int], ...]
    order: tuple[int, ...]
    trace: PatternTrace
    finished: bool
    conflicts: tuple[tuple[int, int, int], ...]
    has_directions: bool = True

    def named_trace(self, names: Sequence[Hashable]) -> PatternTrace:
        """How it was found, with variables by their names."""
        return self.trace.renamed(names)


@dataclass(frozen=True)
class TestTrace:
    """What tests of independence told a learner.

    Attributes
    ----------
    tests : int
        How many were performed.
    blankets : dict of variable to tuple of variables
        Markov blankets, or the candidates for neighbours of each; empty for a learner without them.
    separating : dict of pair to tuple of variables
        The set given which a pair was found independent.
    """

    # Not a class of tests, whatever pytest thinks of its name.
    __test__ = False

    tests: int
    blankets: Mapping[Hashable, tuple[Hashable, ...]] = field(default_factory=dict)
    separating: Mapping[tuple[Hashable, Hashable], tuple[Hashable, ...]] = field(default_factory=dict)

    def __len__(self) -> int:
        return self.tests

    def renamed(self, names: Sequence[Any]) -> TestTrace:
        """The same with names in place of numbers of variables."""

        def named(variables: Sequence[Any]) -> tuple[Any, ...]:
            return tuple(names[v] for v in variables)

        return TestTrace(
            self.tests,
            {named((v,))[0]: named(blanket) for v, blanket in self.blankets.items()},
            {(named(pair)[0], named(pair)[1]): named(given) for pair, given in self.separating.items()},
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything, in types that JSON has: pairs and their sets are lists."""
        return {
            "tests": self.tests,
            "blankets": [[v, list(blanket)] for v, blanket in self.blankets.items()],
            "separating": [[*pair, list(given)] for pair, given in self.separating.items()],
        }

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json.dumps(self.to_dict(), default=str)

    def to_csv(self) -> str:
        """The separating sets as CSV text, one pair a line."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(("x", "y", "given"))
        for (x, y), given in self.separating.items():
            writer.writerow((x, y, " ".join(map(str, given))))
        return text.getvalue()


def test_trace(tests: int, blankets: Mapping[int, int], separating: Mapping[tuple[int, int], int]) -> TestTrace:
    """A trace from sets of variables; all in the order of numbers, so that equal runs have equal traces."""
    return TestTrace(
        tests,
        {v: tuple(members(blankets[v])) for v in sorted(blankets)},
        {pair: tuple(members(separating[pair])) for pair in sorted(separating)},
    )


def extension(pattern: Pattern, problem: Problem) -> DAG | None:
    """A DAG that extends a pattern and obeys: by canonical numbers, so that no name has a say in which one it is."""
    pdag = PDAG(range(problem.scores.n), pattern.directed, pattern.undirected)
    if problem.constraints is None:
        return pdag.extension()
    # What is not allowed is directed in the pattern. How many parents there are is up to the extension.
    return pdag.extension(most_parents=problem.constraints.given_most_parents)
