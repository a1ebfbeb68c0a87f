"""The runner of stability, bootstrap and cross-validation: order, checkpoint, progress and new processes."""

from __future__ import annotations

import os
import pickle
import threading
from collections.abc import Mapping

import pytest

from stablebn.resampling.runner import run_in_new_process, run_jobs


class SavedSquares:
    """A checkpoint in memory of jobs whose outcome is their square."""

    def __init__(self, done: Mapping[int, int]) -> None:
        self.done = done
        self.added: list[int] = []

    def add(self, outcome: int) -> None:
        self.added.append(outcome)


@pytest.mark.parametrize("threads", [1, 3])
def test_outcomes_are_in_the_order_of_the_jobs(threads: int) -> None:
    jobs = [5, 3, 8, 1]
    assert run_jobs(jobs, lambda job, factor: job * factor, 10, threads=threads) == [50, 30, 80, 10]


def test_jobs_of_one_thread_run_in_order_in_the_calling_thread() -> None:
    seen: list[tuple[int, int]] = []
    run_jobs([2, 0, 1], lambda job: seen.append((job, threading.get_ident())))
    assert seen == [(job, threading.get_ident()) for job in (2, 0, 1)]


def test_jobs_of_the_checkpoint_are_not_run_again_and_the_others_are_saved() -> None:
    saved = SavedSquares({1: 1, 3: 9, 7: 49})
    run: list[int] = []

    def square(job: int) -> int:
        run.append(job)
        return job * job

    assert run_jobs([1, 2, 3, 4], square, checkpoint=saved) == [1, 4, 9, 16]
    assert (run, saved.added) == ([2, 4], [4, 16])


def test_progress_starts_after_the_jobs_of_the_checkpoint() -> None:
    seen: list[tuple[int, int]] = []
    run_jobs(range(4), lambda job: job, checkpoint=SavedSquares({0: 0}), progress=lambda *done: seen.append(done))
    assert seen == [(2, 4), (3, 4), (4, 4)]


def test_error_of_a_job_ends_the_run() -> None:
    saved = SavedSquares({})
    with pytest.raises(ZeroDivisionError):
        run_jobs([1, 0, 2], lambda job: 1 // job, checkpoint=saved)
    assert saved.added == [1]


def test_new_process_has_the_hash_seed() -> None:
    call = pickle.dumps((os.getenv, ("PYTHONHASHSEED",)))
    assert run_in_new_process(call, hash_seed=7) == "7"


def test_error_in_a_new_process_is_shown() -> None:
    with pytest.raises(RuntimeError, match=r"PYTHONHASHSEED=7:(?s:.*)ValueError"):
        run_in_new_process(pickle.dumps((int, ("x",))), hash_seed=7)
