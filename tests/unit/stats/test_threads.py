from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable

import pytest

from stablebn.stats.threads import run_at_once


def _nothing() -> None:
    """No way to give up is needed."""


def test_tasks_run_at_once_and_answers_keep_their_place() -> None:
    barrier = threading.Barrier(2, timeout=30)

    def meet(place: int) -> Callable[[], int]:
        # Each waits for the other: in turn they would never end.
        return lambda: (barrier.wait(), place)[1]

    assert run_at_once([meet(0), meet(1)], 2, _nothing) == [0, 1]


def test_no_task_is_no_error() -> None:
    assert run_at_once([], 2, _nothing) == []


@pytest.mark.parametrize("failing", [0, 1])
def test_a_failure_is_raised_when_the_others_have_ended(failing: int) -> None:
    begun, given_up = threading.Event(), threading.Event()
    ended: list[str] = []

    def fail() -> None:
        assert begun.wait(30)
        raise MemoryError("no room")

    def go_on() -> None:
        begun.set()
        assert given_up.wait(30)
        ended.append("the other")

    tasks: list[Callable[[], None]] = [go_on, go_on]
    tasks[failing] = fail
    with pytest.raises(MemoryError, match="no room"):
        run_at_once(tasks, 2, given_up.set)
    assert ended == ["the other"]
    assert run_at_once([lambda: 1, lambda: 2], 2, _nothing) == [1, 2]


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system binds no process to cores")
def test_cores_are_those_that_the_process_may_use() -> None:
    program = (
        "import os; os.sched_setaffinity(0, [min(os.sched_getaffinity(0))]); "
        "from stablebn.stats.threads import cores; print(cores())"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "1\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_process_has_threads_of_its_own() -> None:
    program = """
import os, warnings
import numpy as np, stablebn as sb
warnings.simplefilter("ignore", DeprecationWarning)
rng = np.random.default_rng(1)
columns = {f"x{v}": rng.integers(0, 3, 50_000) for v in range(20)}
right = sb.learn(columns, threads=2).fingerprint
child = os.fork()
if child == 0:
    os._exit(0 if sb.learn(columns, threads=2).fingerprint == right else 1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)
