"""Greedy hill climbing."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from stablebn.learners.config import SearchConfig
from stablebn.learners.problem import Problem
from stablebn.scores.notebook import Notebook
from stablebn.search import Climb, climb


def hill_climb(
    problem: Problem,
    order: Sequence[int],
    config: SearchConfig,
    stage: str = "search",
    notebook: Notebook | None = None,
) -> Climb:
    """Climb while the score improves; `order` decides between equal moves."""
    return climb(
        problem.scores,
        order,
        start=problem.start,
        max_parents=config.max_parents,
        max_iter=config.max_iter,
        time_is_up=problem.time_is_up,
        watch=None if problem.watch is None else partial(problem.watch, stage),
        notebook=notebook,
    )


def hc(problem: Problem, config: SearchConfig) -> Climb:
    """Hill climbing in the order of the columns: what the table's layout decides is arbitrary."""
    return hill_climb(problem, problem.given, config)


def hc_dec(problem: Problem, config: SearchConfig) -> Climb:
    """Hill climbing in decreasing order."""
    return hill_climb(problem, problem.decreasing, config)


def hc_inc(problem: Problem, config: SearchConfig) -> Climb:
    """Hill climbing in increasing order."""
    return hill_climb(problem, problem.increasing, config)
