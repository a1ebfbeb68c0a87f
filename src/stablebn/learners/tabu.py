"""Tabu search."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from stablebn.learners.config import SearchConfig
from stablebn.learners.problem import Problem
from stablebn.scores.notebook import Notebook
from stablebn.search import Climb, climb


def tabu_search(
    problem: Problem,
    order: Sequence[int],
    config: SearchConfig,
    stage: str = "search",
    notebook: Notebook | None = None,
) -> Climb:
    """Climb on through moves that do not improve, away from the last DAGs visited."""
    return climb(
        problem.scores,
        order,
        start=problem.start,
        tabu=config.tabu,
        noinc=config.patience,
        max_parents=config.max_parents,
        max_iter=config.max_iter,
        time_is_up=problem.time_is_up,
        watch=None if problem.watch is None else partial(problem.watch, stage),
        notebook=notebook,
    )


def tabu(problem: Problem, config: SearchConfig) -> Climb:
    """Tabu search in the order of the columns: what the table's layout decides is arbitrary."""
    return tabu_search(problem, problem.given, config)


def tabu_dec(problem: Problem, config: SearchConfig) -> Climb:
    """Tabu search in decreasing order."""
    return tabu_search(problem, problem.decreasing, config)


def tabu_inc(problem: Problem, config: SearchConfig) -> Climb:
    """Tabu search in increasing order."""
    return tabu_search(problem, problem.increasing, config)
