from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable

import pytest

from stablebn.threads import run_at_once


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
        "from stablebn.threads import cores; print(cores())"
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


def _run(program: str) -> None:
    """Run a program in a process of its own: one that hangs is ended, and fails."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_task_may_run_tasks_in_turn() -> None:
    _run("""
from stablebn.threads import run_at_once
nothing = lambda: None
inner = [lambda: 1, lambda: 2, lambda: 3]
outer = [lambda: sum(run_at_once(inner, 2, nothing))] * 8
for _ in range(100):
    assert run_at_once(outer, 2, nothing) == [6] * 8
""")


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no such timers")
def test_an_interrupt_at_any_moment_leaves_nobody_waiting() -> None:
    _run("""
import random, signal
from stablebn.threads import run_at_once

armed = False

def interrupt(*_):
    global armed
    if armed:
        armed = False
        raise KeyboardInterrupt

signal.signal(signal.SIGALRM, interrupt)
tasks = [lambda k=k: sum(range(50 * k)) for k in range(8)]
right = [task() for task in tasks]
moments = random.Random(1)
interrupted = 0
for _ in range(8000):
    try:
        try:
            armed = True
            signal.setitimer(signal.ITIMER_REAL, 1e-6 + 3e-4 * moments.random())
            assert run_at_once(tasks, 3, lambda: None) == right
        finally:
            armed = False
            signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        interrupted += 1
assert interrupted > 100, interrupted
assert run_at_once(tasks, 3, lambda: None) == right
""")


@pytest.mark.skipif(sys.platform != "linux", reason="where else a process may have so few threads is not known")
def test_fewer_threads_than_asked_for_give_the_same_graph() -> None:
    _run("""
import os, resource
import numpy as np, stablebn as sb
rng = np.random.default_rng(1)
columns = {f"x{v}": rng.integers(0, 3, 20_000) for v in range(10)}
right = [sb.learn(columns, algorithm, threads=1).fingerprint for algorithm in ("tabu-stable", "pc-stable")]
resource.setrlimit(resource.RLIMIT_NPROC, (4, 4))
if os.getuid() == 0:
    os.setuid(54321)  # The limit is not for root.
assert right == [sb.learn(columns, algorithm, threads=50).fingerprint for algorithm in ("tabu-stable", "pc-stable")]
""")
