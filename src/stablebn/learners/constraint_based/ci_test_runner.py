"""Run tests of independence for an algorithm: in order, on threads, within a time limit, and recorded in a journal."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from stablebn.ci_tests import IndependenceTest, independence_test
from stablebn.learners.constraint_based.separating_sets import Separation
from stablebn.learners.shared.config import SearchConfig
from stablebn.learners.shared.problem import Problem
from stablebn.learners.shared.time_limit import Limit
from stablebn.search.journal import Journal
from stablebn.stats.variable_sets import bit
from stablebn.threads import run_at_once

_BATCHES_PER_THREAD = 8
VALUES_FOR_THREADS = 150_000
"""Tables with fewer values have tests so short that threads do not pay."""

Query = TypeVar("Query")
Answer = TypeVar("Answer")

_Given = tuple[int, int, Any]
"""Position of a query, number of its tests, and its answer: a set, a p-value, a separation, a list of these, or None.
"""


@dataclass(frozen=True)
class CITestRunner:
    """Runs tests of independence with one test, order and significance level.

    Attributes
    ----------
    test : IndependenceTest
    order : tuple of int
        The processing order: ties go to the variable that comes first in it.
    alpha : float
        Variables are independent if the p-value is above it.
    most : int
        Most variables to condition on.
    limit : Limit
    threads : int
        Number of threads that run queries.
    watch : callable or None
        Called with the name of a stage and the number of queries answered in it.
    journal : Journal or None
        Contains answers of an earlier run, and records new ones.
    """

    test: IndependenceTest
    order: tuple[int, ...]
    alpha: float
    most: int
    limit: Limit
    threads: int = 1
    watch: Callable[[str, int], None] | None = None
    journal: Journal | None = None

    def answers(
        self, stage: str, ask: Callable[[CITestRunner, Query], Answer], queries: Sequence[Query]
    ) -> list[Answer | None]:
        """Answer queries that do not depend on each other; the answer is None if there was no time."""
        # Several threads append to this list, which is safe.
        given: list[_Given] = []
        # If an earlier stage was not finished, the queries differ from those of another run.
        if self.journal is not None and self.limit.kept:
            given += map(_read, self.journal.recall(stage) or [])
            self.test.performed += sum(tests for _, tests, _ in given)
            self.journal.note(stage, lambda: list(map(_written, list(given))))
        known = {position for position, _, _ in given}
        self._answer(
            stage, ask, queries, [position for position in range(len(queries)) if position not in known], given
        )
        answers: list[Answer | None] = [None] * len(queries)
        for position, _, answer in given:
            answers[position] = answer
        return answers

    def _answer(
        self,
        stage: str,
        ask: Callable[[CITestRunner, Query], Answer],
        queries: Sequence[Query],
        positions: Sequence[int],
        given: list[_Given],
    ) -> None:
        """Answer the queries at some positions and append the answers to `given`.

        Threads answer batches of queries; each batch counts its own tests, so the order of threads does not matter.
        """
        if self.threads == 1:
            self._answer_in_turn(stage, ask, queries, positions, given)
            return
        batches = _batches(positions, _BATCHES_PER_THREAD * self.threads)
        alone = replace(self, threads=1, watch=None)
        limits = [Limit(self.limit.deadline, self.limit.interrupted) for _ in batches]
        forks = [replace(alone, test=self.test.fork(), limit=limit) for limit in limits]

        def answer_batch(fork: CITestRunner, batch: Sequence[int]) -> None:
            fork._answer_in_turn(stage, ask, queries, batch, given)
            if self.watch is not None:
                self.watch(stage, len(given))

        def give_up() -> None:
            for fork in forks:
                fork.limit.deadline = -math.inf

        tasks = [partial(answer_batch, fork, batch) for fork, batch in zip(forks, batches, strict=True)]
        run_at_once(tasks, self.threads, give_up)
        self.test.performed += sum(fork.test.performed for fork in forks)
        self.limit.kept &= all(fork.limit.kept for fork in forks)

    def _answer_in_turn(
        self,
        stage: str,
        ask: Callable[[CITestRunner, Query], Answer],
        queries: Sequence[Query],
        positions: Sequence[int],
        given: list[_Given],
    ) -> None:
        def ask_all() -> None:
            for position in positions:
                before = self.test.performed
                answer = ask(self, queries[position])
                given.append((position, self.test.performed - before, answer))
                if self.watch is not None:
                    self.watch(stage, len(given))
                if self.journal is not None:
                    self.journal.something_is_new()

        self.limit.run(ask_all)

    def ordered(self, variables: int) -> list[int]:
        """Return the variables of a set, in the processing order."""
        return [v for v in self.order if variables >> v & 1]

    def p_values(self, x: int, candidates: Sequence[int], given: int) -> list[float]:
        """Return the p-value of each candidate; above alpha the value may be inexact."""
        self.limit.check()
        self.test.performed += len(candidates)
        return self.test.p_values(x, candidates, given, self.alpha) if candidates else []

    def first_dependent(self, x: int, candidates: Sequence[int], given: int) -> int | None:
        """Return the first candidate that depends on x, given a set."""
        self.limit.check()
        return self.test.first_dependent(x, candidates, given, self.alpha)

    def p_values_given_rest(self, x: int, among: Sequence[int], blanket: int, stop_above: float = 1.0) -> list[float]:
        """Return the p-value of each of some members of a set, given the other members.

        The list ends with the first value above `stop_above`.
        """
        self.limit.check()
        p_values = self.test.p_values_given_rest(x, among, blanket, stop_above) if among else []
        self.test.performed += len(p_values)
        return p_values

    def separating_set(self, x: int, y: int, pool: int, sizes: range, tried: int = 0) -> tuple[int, float] | None:
        """Return the first subset, of the given sizes, given which x and y are independent, and its p-value.

        Subsets of `tried` are known not to separate x and y; they still count as tests.
        """
        self.limit.check()
        others = self.ordered(pool)
        return self.test.separating_set(x, y, others, sizes, self.alpha, tried=tried, watch=self.limit.check)

    def first_separator(self, x: int, y: int, pool: Sequence[int], always: int) -> int | None:
        """Return the first variable of a pool that separates x and y together with the set `always`."""
        self.limit.check()
        separation = self.test.separating_set(x, y, pool, range(1, 2), self.alpha, always=always)
        return None if separation is None else (separation[0] & ~always).bit_length() - 1

    def inseparable(self, x: int, candidates: int) -> int:
        """Return the candidates that no subset of the other candidates separates from x."""
        self.limit.check()
        among = self.ordered(candidates)
        return sum(map(bit, self.test.inseparable(x, among, self.most, self.alpha, watch=self.limit.check)))

    def greatest_p_value(self, x: int, y: int, pool: int, always: int) -> float:
        """Return the greatest p-value of x and y given `always` and a subset of a pool; stop at one above alpha."""
        sizes = self.sizes(pool, always)
        others = self.ordered(pool)
        return self.test.greatest_p_value(x, y, others, sizes, self.alpha, always=always, watch=self.limit.check)

    def sizes(self, pool: int, always: int = 0) -> range:
        """Return the allowed sizes of the subsets of a pool, given together with the set `always`."""
        return range(min(pool.bit_count(), self.most - always.bit_count()) + 1)


def gather(problem: Problem, config: SearchConfig, *, share: float = 1.0) -> CITestRunner:
    """Return the test runner of a problem, with the order that the configuration specifies.

    Parameters
    ----------
    problem : Problem
    config : SearchConfig
    share : float
        Share of the remaining time that tests may take.
    """
    now = time.monotonic()
    deadline = None if problem.deadline is None else now + share * (problem.deadline - now)
    return CITestRunner(
        test=independence_test(problem.statistics, config.test) if problem.test is None else problem.test,
        order=problem.given if config.order == "given" else problem.decreasing,
        alpha=config.alpha,
        most=problem.scores.n if config.max_condition is None else config.max_condition,
        limit=Limit(deadline, problem.is_interrupted),
        threads=_threads(problem),
        watch=problem.watch,
        journal=problem.journal,
    )


def _threads(problem: Problem) -> int:
    """Return the number of threads: several only if the tests of a large table take long enough."""
    statistics = problem.statistics
    if problem.test is None and statistics.values >= VALUES_FOR_THREADS:
        return statistics.threads
    return 1


def _batches(queries: Sequence[Query], most: int) -> list[Sequence[Query]]:
    """Split queries into at most `most` batches of equal size."""
    size = max(1, -(-len(queries) // most))
    return [queries[start : start + size] for start in range(0, len(queries), size)]


def _written(given: _Given) -> list[Any]:
    """Return an answer in types that JSON has."""

    def written(answer: Any) -> Any:
        if isinstance(answer, Separation):
            return {"given": hex(answer.given), "p_value": answer.p_value}
        if isinstance(answer, list):
            return [written(one) for one in answer]
        return hex(answer) if isinstance(answer, int) else answer

    position, tests, answer = given
    return [position, tests, written(answer)]


def _read(record: Sequence[Any]) -> _Given:
    """Return an answer from its JSON form."""

    def read(answer: Any) -> Any:
        if isinstance(answer, dict):
            return Separation(int(answer["given"], 16), answer["p_value"])
        if isinstance(answer, list):
            return [read(one) for one in answer]
        return int(answer, 16) if isinstance(answer, str) else answer

    position, tests, answer = record
    return position, tests, read(answer)


def pair(x: int, y: int) -> tuple[int, int]:
    """Return two variables, the smaller number first."""
    return (x, y) if x < y else (y, x)


def all_but(n: int, x: int) -> int:
    """Return the set of all variables except one."""
    return ((1 << n) - 1) ^ bit(x)
