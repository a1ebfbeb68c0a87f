"""What a constraint-based learner works with: a test, an order, a threshold and a limit of time."""

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
from stablebn.search.search_log import Journal
from stablebn.stats.variable_sets import bit
from stablebn.threads import run_at_once

_LOTS_A_THREAD = 8
VALUES_FOR_THREADS = 150_000
"""Of tables with fewer values the tests are so short that two threads would wait for each other, not for them."""

Question = TypeVar("Question")
Answer = TypeVar("Answer")

_Given = tuple[int, int, Any]
"""The place of a question, the tests it took, and the answer: a set, a p-value, a separation, a list of these, None."""


@dataclass(frozen=True)
class Evidence:
    """Answers to questions of independence.

    Attributes
    ----------
    test : IndependenceTest
    order : tuple of int
        The processing order: every choice that the data leave open falls to the variable that comes first in it.
    alpha : float
        Variables are independent if the p-value is above it.
    most : int
        Most variables to condition on.
    limit : Limit
    threads : int
        How many ask questions at once.
    watch : callable or None
        Called with the name of a stage and the number of questions answered in it.
    journal : Journal or None
        Has answers that were given another time, and takes new ones.
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
        self, stage: str, ask: Callable[[Evidence, Question], Answer], questions: Sequence[Question]
    ) -> list[Answer | None]:
        """The answers to questions that do not depend on each other; None to those for which there is no time."""
        # Two threads may be at it at once: no append is lost.
        given: list[_Given] = []
        # After a stage that was not finished, questions are others than they will be another time.
        if self.journal is not None and self.limit.kept:
            given += map(_read, self.journal.recall(stage) or [])
            self.test.performed += sum(tests for _, tests, _ in given)
            self.journal.note(stage, lambda: list(map(_written, list(given))))
        known = {place for place, _, _ in given}
        self._ask(stage, ask, questions, [place for place in range(len(questions)) if place not in known], given)
        answers: list[Answer | None] = [None] * len(questions)
        for place, _, answer in given:
            answers[place] = answer
        return answers

    def _ask(
        self,
        stage: str,
        ask: Callable[[Evidence, Question], Answer],
        questions: Sequence[Question],
        places: Sequence[int],
        given: list[_Given],
    ) -> None:
        """Ask the questions at some places, and add the answers to those that were given.

        Some are asked at once, each lot with tests counted apart: who is first cannot matter.
        """
        if self.threads == 1:
            self._ask_in_turn(stage, ask, questions, places, given)
            return
        lots = _lots(places, _LOTS_A_THREAD * self.threads)
        alone = replace(self, threads=1, watch=None)
        limits = [Limit(self.limit.deadline, self.limit.interrupted) for _ in lots]
        forks = [replace(alone, test=self.test.fork(), limit=limit) for limit in limits]

        def answer_lot(fork: Evidence, lot: Sequence[int]) -> None:
            fork._ask_in_turn(stage, ask, questions, lot, given)
            if self.watch is not None:
                self.watch(stage, len(given))

        def give_up() -> None:
            for fork in forks:
                fork.limit.deadline = -math.inf

        tasks = [partial(answer_lot, fork, lot) for fork, lot in zip(forks, lots, strict=True)]
        run_at_once(tasks, self.threads, give_up)
        self.test.performed += sum(fork.test.performed for fork in forks)
        self.limit.kept &= all(fork.limit.kept for fork in forks)

    def _ask_in_turn(
        self,
        stage: str,
        ask: Callable[[Evidence, Question], Answer],
        questions: Sequence[Question],
        places: Sequence[int],
        given: list[_Given],
    ) -> None:
        def ask_all() -> None:
            for place in places:
                before = self.test.performed
                answer = ask(self, questions[place])
                given.append((place, self.test.performed - before, answer))
                if self.watch is not None:
                    self.watch(stage, len(given))
                if self.journal is not None:
                    self.journal.something_is_new()

        self.limit.run(ask_all)

    def ordered(self, variables: int) -> list[int]:
        """The variables of a set, in the processing order."""
        return [v for v in self.order if variables >> v & 1]

    def p_values(self, x: int, candidates: Sequence[int], given: int) -> list[float]:
        """How compatible with independence each candidate is; of one above alpha no more may be known than that."""
        self.limit.check()
        self.test.performed += len(candidates)
        return self.test.p_values(x, candidates, given, self.alpha) if candidates else []

    def first_dependent(self, x: int, candidates: Sequence[int], given: int) -> int | None:
        """The first candidate that depends on x."""
        self.limit.check()
        return self.test.first_dependent(x, candidates, given, self.alpha)

    def p_values_given_rest(self, x: int, among: Sequence[int], blanket: int, stop_above: float = 1.0) -> list[float]:
        """How compatible with independence each of some members of a set is, given the other members.

        The list ends at the first that is above `stop_above`.
        """
        self.limit.check()
        found = self.test.p_values_given_rest(x, among, blanket, stop_above) if among else []
        self.test.performed += len(found)
        return found

    def separating_set(self, x: int, y: int, pool: int, sizes: range, tried: int = 0) -> tuple[int, float] | None:
        """The first subset of these sizes given which x and y are independent, and the p-value there.

        Subsets of `tried` are known not to be; they count as tests nevertheless.
        """
        self.limit.check()
        others = self.ordered(pool)
        return self.test.separating_set(x, y, others, sizes, self.alpha, tried=tried, watch=self.limit.check)

    def first_separator(self, x: int, y: int, pool: Sequence[int], always: int) -> int | None:
        """The first variable of a pool that separates x and y, together with some that always do their part."""
        self.limit.check()
        found = self.test.separating_set(x, y, pool, range(1, 2), self.alpha, always=always)
        return None if found is None else (found[0] & ~always).bit_length() - 1

    def inseparable(self, x: int, candidates: int) -> int:
        """The candidates that no subset of the other candidates separates from x."""
        self.limit.check()
        among = self.ordered(candidates)
        return sum(map(bit, self.test.inseparable(x, among, self.most, self.alpha, watch=self.limit.check)))

    def greatest_p_value(self, x: int, y: int, pool: int, always: int) -> float:
        """The greatest p-value of x and y given some variables and any subset of a pool; the first above alpha."""
        sizes = self.sizes(pool, always)
        others = self.ordered(pool)
        return self.test.greatest_p_value(x, y, others, sizes, self.alpha, always=always, watch=self.limit.check)

    def sizes(self, pool: int, always: int = 0) -> range:
        """The sizes of the subsets of a pool that may be given, besides some variables."""
        return range(min(pool.bit_count(), self.most - always.bit_count()) + 1)


def gather(problem: Problem, config: SearchConfig, *, share: float = 1.0) -> Evidence:
    """The evidence for a problem, in the order that the configuration asks for.

    Parameters
    ----------
    problem, config
    share : float
        Of the time that is left, the share that tests may take.
    """
    now = time.monotonic()
    deadline = None if problem.deadline is None else now + share * (problem.deadline - now)
    return Evidence(
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
    """How many threads ask questions: several where tests take so long that it pays, which only those of rows do."""
    statistics = problem.statistics
    if problem.test is None and statistics.values >= VALUES_FOR_THREADS:
        return statistics.threads
    return 1


def _lots(questions: Sequence[Question], most: int) -> list[Sequence[Question]]:
    """Questions in lots of equal size, no more than so many."""
    size = max(1, -(-len(questions) // most))
    return [questions[start : start + size] for start in range(0, len(questions), size)]


def _written(given: _Given) -> list[Any]:
    """An answer in types that JSON has."""

    def written(answer: Any) -> Any:
        if isinstance(answer, Separation):
            return {"given": hex(answer.given), "p_value": answer.p_value}
        if isinstance(answer, list):
            return [written(one) for one in answer]
        return hex(answer) if isinstance(answer, int) else answer

    place, tests, answer = given
    return [place, tests, written(answer)]


def _read(record: Sequence[Any]) -> _Given:
    """An answer that was written."""

    def read(answer: Any) -> Any:
        if isinstance(answer, dict):
            return Separation(int(answer["given"], 16), answer["p_value"])
        if isinstance(answer, list):
            return [read(one) for one in answer]
        return int(answer, 16) if isinstance(answer, str) else answer

    place, tests, answer = record
    return place, tests, read(answer)


def pair(x: int, y: int) -> tuple[int, int]:
    """Two variables, the smaller number first."""
    return (x, y) if x < y else (y, x)


def all_but(n: int, x: int) -> int:
    """The set of all variables except one."""
    return ((1 << n) - 1) ^ bit(x)
