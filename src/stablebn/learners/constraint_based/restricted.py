"""What the hybrid learners share: hill climbing among the edges that tests of independence leave."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from stablebn.learners.constraint_based.ci_test_runner import Evidence, all_but, gather
from stablebn.learners.constraint_based.markov_blankets import symmetric
from stablebn.learners.constraint_based.pattern import TestTrace, test_trace
from stablebn.learners.shared.config import SearchConfig
from stablebn.learners.shared.problem import Problem
from stablebn.search import Climb, Constraints, Trace, climb, watch_stages

# Of a limited time, so that some is left to climb.
_SHARE_OF_TESTS = 0.5


@dataclass
class HybridTrace(Trace):
    """The steps of the climb, and what the tests said before it.

    Attributes
    ----------
    restriction : TestTrace
        The `blankets` are the candidates for neighbours of each variable.
    """

    restriction: TestTrace = field(default_factory=lambda: TestTrace(0))

    def renamed(self, names: Sequence[Hashable]) -> HybridTrace:
        """The same trace with names in place of numbers of variables."""
        columns: dict[str, Any] = self.renamed_columns(names)
        return replace(self, **columns, restriction=self.restriction.renamed(names))

    def to_json(self) -> str:
        """The columns, and what the tests said, as a JSON object."""
        return json.dumps({**self.to_dict(), "restriction": self.restriction.to_dict()}, default=str)


@dataclass(frozen=True, eq=False)
class HybridClimb(Climb):
    """A climb, and what the tests said before it."""

    restriction: TestTrace

    def named_trace(self, names: Sequence[Hashable]) -> HybridTrace:
        """The same with variables by their names."""
        return self.trace.renamed(names)

    @cached_property
    def trace(self) -> HybridTrace:
        """The steps, and what the tests said."""
        climbed = super().trace
        return HybridTrace(**climbed.to_dict(), best=climbed.best, restriction=self.restriction)


def climb_among_candidates(
    problem: Problem, config: SearchConfig, candidates_of: Callable[[Evidence, int, int], int]
) -> Climb:
    """Hill climbing that adds only arcs between variables that are candidates of each other, to those required.

    Parameters
    ----------
    problem, config
    candidates_of : callable
        Finds the set of candidates of a variable, given those to which an edge may join it.
    """
    evidence = gather(problem, config, share=_SHARE_OF_TESTS)
    n = problem.scores.n
    constraints = problem.constraints or Constraints.of(n)

    def ask(evidence: Evidence, x: int) -> int:
        return candidates_of(evidence, x, constraints.joinable[x])

    # Of a variable that time does not suffice for, nothing is excluded.
    answers = evidence.answers("candidates", ask, range(n))
    found_in_tests = symmetric([all_but(n, x) if answer is None else answer for x, answer in enumerate(answers)])
    candidates = [own | joined for own, joined in zip(found_in_tests, constraints.joined, strict=True)]
    [found] = climb(
        problem.scores,
        [evidence.order],
        max_parents=config.most_parents,
        max_iter=config.max_iter,
        constraints=constraints.among(candidates),
        time_is_up=problem.time_is_up,
        watch=watch_stages(problem.watch, ["search"]),
        journal=problem.journal,
    )
    tests = test_trace(evidence.test.performed, dict(enumerate(candidates)), {})
    return HybridClimb(
        found.parents,
        found.score,
        found.order,
        found.start,
        found.steps,
        found.deltas,
        finished=found.finished and evidence.limit.kept,
        restriction=tests,
    )
