from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from stablebn.stats.crew import Crew

DEAR = 1e12


def test_every_item_is_worked_at_once_and_answers_keep_their_place() -> None:
    def square(items: NDArray[np.int64]) -> dict[int, int]:
        return {int(item): int(item) ** 2 for item in items}

    answers = Crew(3).share(square, np.arange(100), DEAR)
    assert len(answers) > 1
    assert sum(map(len, answers)) == 100
    assert {item: value for answer in answers for item, value in answer.items()} == {i: i * i for i in range(100)}
    assert 0 in answers[0]


def test_cheap_work_is_not_shared() -> None:
    assert Crew(2).share(len, np.arange(10), 1.0) == [10]


def test_tasks_run_at_once() -> None:
    barrier = threading.Barrier(2, timeout=30)
    # Each waits for the other: in turn they would never end.
    assert Crew(2).do_all([lambda: barrier.wait() >= 0, lambda: barrier.wait() >= 0]) == [True, True]


def test_threads_that_wait_keep_nothing_alive() -> None:
    class Work:
        def __call__(self, items: NDArray[np.int64]) -> int:
            time.sleep(0.01)
            return len(items)

    crew, work = Crew(2), Work()
    forgotten = threading.Event()
    weakref.finalize(work, forgotten.set)
    crew.share(work, np.arange(8), DEAR)
    del work
    # The other thread may be a little behind; the limit is for one that never forgets.
    assert forgotten.wait(60)


def test_no_task_is_no_error_and_leaves_nothing() -> None:
    crew = Crew(2)
    assert crew.do_all([]) == []
    assert crew._jobs == []


def test_one_thread_does_all_in_turn() -> None:
    done: list[int] = []
    assert Crew(1).do_all([lambda: done.append(1), lambda: done.append(2)]) == [None, None]
    assert done == [1, 2]


def test_who_waits_lends_a_hand() -> None:
    crew = Crew(2)
    helpers: set[int] = set()
    both = threading.Barrier(2, timeout=30)

    def note(items: NDArray[np.int64]) -> None:
        helpers.add(threading.get_ident())
        if items[0] < 2:
            both.wait()

    shared = threading.Event()

    def share() -> None:
        crew.share(note, np.arange(8), DEAR)
        shared.set()
        crew.tell()

    crew.do_all([share, lambda: crew.wait_for(shared.is_set)])
    assert len(helpers) == 2


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
        time.sleep(0.01)
        ended.append("the other")

    tasks: list[Callable[[], None]] = [go_on, go_on]
    tasks[failing] = fail
    crew = Crew(2)
    with pytest.raises(MemoryError, match="no room"):
        crew.do_all(tasks, give_up=given_up.set)
    assert ended == ["the other"]
    assert crew.do_all([lambda: 1, lambda: 2]) == [1, 2]


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system binds no process to cores")
def test_cores_are_those_that_the_process_may_use() -> None:
    program = (
        "import os; os.sched_setaffinity(0, [min(os.sched_getaffinity(0))]); "
        "from stablebn.stats.crew import cores; print(cores())"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "1\n"
