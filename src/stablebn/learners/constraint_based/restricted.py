"""Hill climbing among the edges that tests of independence leave: the second half of the hybrid algorithms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from stablebn.learners.constraint_based.ci_test_runner import CITestRunner, all_but, gather
from stablebn.learners.constraint_based.markov_blankets import symmetric
from stablebn.learners.hc import hill_climb
from stablebn.learners.shared.config import SearchConfig
from stablebn.learners.shared.hybrid_trace import HybridClimb
from stablebn.learners.shared.pattern import test_trace
from stablebn.learners.shared.problem import Problem
from stablebn.search import Climb, Constraints

# Share of `max_time` that the tests may take, so that time is left for the climb.
_SHARE_OF_TESTS = 0.5


def climb_among_candidates(
    problem: Problem, config: SearchConfig, candidates_of: Callable[[CITestRunner, int, int], int]
) -> Climb:
    """Run hill climbing that adds an arc only if it is required, or each end is a candidate neighbour of the other.

    Parameters
    ----------
    problem : Problem
    config : SearchConfig
    candidates_of : callable
        Returns the candidate neighbours of a variable, given the test runner, the variable, and the set of variables
        that an allowed arc can join to it.
    """
    runner = gather(problem, config, share=_SHARE_OF_TESTS)
    n = problem.scores.n
    constraints = problem.constraints or Constraints.of(n)

    def query(runner: CITestRunner, x: int) -> int:
        return candidates_of(runner, x, constraints.joinable[x])

    # If there was no time for a variable, all others remain its candidates.
    answers = runner.answers("candidates", query, range(n))
    neighbours = symmetric([all_but(n, x) if answer is None else answer for x, answer in enumerate(answers)])
    candidates = [tested | required for tested, required in zip(neighbours, constraints.joined, strict=True)]
    restricted = replace(problem, constraints=constraints.among(candidates), start=None)
    [climbed] = hill_climb(restricted, {"search": runner.order}, config)
    tests = test_trace(runner.test.performed, dict(enumerate(candidates)), {})
    return HybridClimb(
        climbed.parents,
        climbed.score,
        climbed.order,
        climbed.start,
        climbed.steps,
        climbed.deltas,
        finished=climbed.finished and runner.limit.kept,
        restriction=tests,
    )
