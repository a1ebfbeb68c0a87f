"""Run the algorithm on its problem: with signals handled, and a checkpoint written if there is one."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace

from stablebn.api.build_problem import LearningTask
from stablebn.api.request import LearnRequest, Search
from stablebn.learners import Pattern, Problem, SearchConfig
from stablebn.search import Climb, climb


def run_learner(task: LearningTask, request: LearnRequest) -> Climb | Pattern:
    """Return the graph that the algorithm finds; if time is up before the search, the graph that it starts from."""
    search = request.search or (_start_of if task.decided_by_names else task.learner.learn)
    interruption = request.interruption
    with nullcontext() if interruption is None else interruption.heard():
        return _searched(search, task)


def _start_of(problem: Problem, config: SearchConfig) -> Climb:
    """Return the DAG that a search would start from."""
    [found] = climb(
        problem.scores,
        [problem.decreasing],
        start=problem.start,
        constraints=problem.constraints,
        time_is_up=problem.time_is_up,
    )
    return found


def _searched(search: Search, task: LearningTask) -> Climb | Pattern:
    """Search, and write the checkpoint even if an error ends the search."""
    checkpoint = task.checkpoint
    if checkpoint is None:
        return search(task.problem, task.search)
    finished = False
    try:
        found = search(replace(task.problem, journal=checkpoint.journal), task.search)
        finished = found.finished
    finally:
        checkpoint.write(finished=finished)
    return found
