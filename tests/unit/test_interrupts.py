"""Ctrl-C, and callbacks that raise: a call gives the right answer or what was raised, and the next call is right."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

import stablebn as sb
from stablebn import _core
from stablebn.learners import LEARNERS, evidence

ASIA = sb.read_network("asia").sample(300, seed=1)
CONTINUOUS = sb.random_network(8, density=1.5, continuous=True, seed=1).sample(200, seed=1)
TABLES = {"categorical": ASIA, "continuous": CONTINUOUS}

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no such timers")


@pytest.fixture
def _everything_is_shared(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(evidence, "VALUES_FOR_THREADS", 0)
    before = _core.worth_a_thread()
    _core.set_worth_a_thread(0)
    yield
    _core.set_worth_a_thread(before)


def test_an_interrupted_call_ends_with_the_right_answer_or_keyboard_interrupt() -> None:
    program = """
import random, signal, threading
import stablebn as sb
from stablebn import _core
from stablebn.learners import LEARNERS, evidence

evidence.VALUES_FOR_THREADS = 0
_core.set_worth_a_thread(0)
armed = False

def interrupt(*_):
    global armed
    if armed:
        armed = False
        raise KeyboardInterrupt

signal.signal(signal.SIGALRM, interrupt)
tables = (
    sb.read_network("asia").sample(300, seed=1),
    sb.random_network(8, density=1.5, continuous=True, seed=1).sample(200, seed=1),
)
cases = [(algorithm, table, threads) for algorithm in LEARNERS for table in tables for threads in (1, 3)]
right = [sb.learn(table, algorithm, threads=1) for algorithm, table, _ in cases]
moments = random.Random(1)
interrupted = 0
for _ in range(6):
    for (algorithm, table, threads), own in zip(cases, right):
        try:
            try:
                armed = True
                signal.setitimer(signal.ITIMER_REAL, 1e-5 + 0.02 * moments.random())
                assert sb.learn(table, algorithm, threads=threads).fingerprint == own.fingerprint
            finally:
                armed = False
                signal.setitimer(signal.ITIMER_REAL, 0)
        except KeyboardInterrupt:
            interrupted += 1
assert interrupted > 20, interrupted
for (algorithm, table, threads), own in zip(cases, right):
    assert sb.learn(table, algorithm, threads=threads) == own
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=600)
    assert (done.returncode, done.stderr) == (0, "")


def test_signals_are_heard_inside_long_work_of_the_core() -> None:
    values = np.random.default_rng(1).standard_normal((120, 60_000))
    calls: list[int] = []

    def count(number: int, frame: object) -> None:
        calls.append(number)

    before = signal.signal(signal.SIGALRM, count)
    signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
    try:
        # Some 4e9 products: without a look in between there is one call of what came meanwhile, at the end.
        _core.sums_of_products(values, np.full(120, 4), 3, np.empty(0, dtype=np.int32), 1)
        heard = len(calls)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert heard > 2


@pytest.mark.usefixtures("_everything_is_shared")
@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("algorithm", LEARNERS)
def test_what_a_callback_raises_ends_the_call(algorithm: str, kind: str, error: type[BaseException]) -> None:
    right = sb.learn(TABLES[kind], algorithm)

    def fail(stage: str, steps: int) -> None:
        if steps and stage not in ("encoding", "telling columns apart"):
            raise error("stop")

    with pytest.raises(error, match="stop"):
        sb.learn(TABLES[kind], algorithm, threads=3, progress=fail)
    assert sb.learn(TABLES[kind], algorithm, threads=3) == right


@pytest.mark.usefixtures("_everything_is_shared")
@pytest.mark.parametrize("algorithm", ["tabu-stable", "pc-stable", "mmhc", "fges"])
def test_a_callback_may_learn_in_turn(algorithm: str) -> None:
    right = sb.learn(ASIA, algorithm)
    seen: Counter[str] = Counter()

    def learn_in_turn(stage: str, steps: int) -> None:
        seen[sb.learn(ASIA, algorithm, threads=2).fingerprint] += 1

    assert sb.learn(ASIA, algorithm, threads=2, progress=learn_in_turn) == right
    assert set(seen) == {right.fingerprint}
