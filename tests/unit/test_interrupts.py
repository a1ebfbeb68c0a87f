"""Ctrl-C, and callbacks that raise: a call gives the right answer or what was raised, and the next call is right."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import stablebn as sb
from stablebn import _core
from stablebn.lazy import interrupts_recognised
from stablebn.learners import LEARNERS
from stablebn.learners.constraint_based import ci_test_runner as evidence
from stablebn.threads import is_a_thread_abandoned, iterate_interruptibly, run_interruptibly

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
from stablebn.learners import LEARNERS
from stablebn.learners.constraint_based import ci_test_runner as evidence

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


# Reading and importing.


def _run(program: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    os.mkfifo(tmp_path / "table.csv")
    return tmp_path / "table.csv"


@pytest.mark.parametrize("options", [{}, {"memory": 1 << 26}], ids=str)
@pytest.mark.parametrize("source", ["table.csv", "*.csv", "."])
def test_a_pipe_is_refused_instead_of_waited_for(source: str, options: dict[str, int], pipe: Path) -> None:
    program = f"import sys, stablebn as sb; sb.learn(sys.argv[1], **{options})"
    done = _run(program, pipe.parent / source)
    assert "is a pipe or a device, and a table is read more than once" in done.stderr.splitlines()[-1]


@pytest.mark.parametrize("options", [{}, {"memory": 1 << 26}], ids=str)
def test_a_pipe_in_a_folder_of_parquet_files_is_refused(options: dict[str, int], tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "table.parquet")
    done = _run(f"import sys, stablebn as sb; sb.learn(sys.argv[1], **{options})", tmp_path)
    assert "is a pipe or a device, and a table is read more than once" in done.stderr.splitlines()[-1]


STALLED = """
import os, sys
from stablebn import threads
run, pipe = threads._BackgroundTask.run, sys.argv[1]

def stall(self):
    # A pipe stands for a disk that does not answer: this waits for its other side, and then for what is written there.
    print("reading", file=sys.stderr, flush=True)
    os.read(os.open(pipe, os.O_RDONLY), 1)
    run(self)

threads._BackgroundTask.run = stall
"""
COMMAND = "from stablebn.cli.start import main; sys.argv[1:] = [*sys.argv[2:], sys.argv[1]]; main()"


@pytest.mark.parametrize(
    ("program", "words"),
    [
        (COMMAND, ["learn"]),
        (COMMAND, ["check"]),
        (COMMAND, ["learn", "--memory", "64 MB"]),
        (COMMAND, ["bootstrap"]),
        ("import stablebn as sb; sb.learn(sys.argv[1])", []),
        ("import stablebn as sb; sb.learn(sys.argv[1], memory=1 << 26)", []),
        ("from stablebn.networks.formats.parsing.text_files import read_text; read_text(sys.argv[1])", []),
    ],
)
@pytest.mark.parametrize("opened", [False, True])
def test_ctrl_c_ends_the_wait_for_a_file(opened: bool, program: str, words: list[str], pipe: Path) -> None:
    command = [sys.executable, "-c", STALLED + program, str(pipe), *words]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as running:
        assert running.stderr is not None
        assert running.stderr.readline() == "reading\n"
        # This waits until the other side is open too; then nothing is written.
        end = os.open(pipe, os.O_WRONLY) if opened else -1
        running.send_signal(signal.SIGINT)
        told = running.stderr.read()
        running.wait(300)
        if opened:
            os.close(end)
    if words:
        assert (running.returncode, "Traceback" in told) == (130, False)
    else:
        assert told.splitlines()[-1] == "KeyboardInterrupt"


def test_a_read_that_goes_on_while_python_ends_does_not_abort_the_process(tmp_path: Path) -> None:
    # At its end Python unwinds the stack of a thread that wants the interpreter again. Within a function of C++ that
    # must not throw, as the one that frees PyArrow's reader, this would abort the process.
    program = """
import sys, threading
import pyarrow as pa
from pyarrow import parquet
from stablebn import _core
from stablebn.threads import run_interruptibly

parquet.write_table(pa.table({str(v): [v] for v in range(300)}), sys.argv[1])
begun = threading.Event()

def read():
    while True:
        parquet.ParquetFile(sys.argv[1])
        begun.set()

try:
    _core.within_time(begun.is_set, lambda: run_interruptibly(read))
except _core.TimeIsUp:
    sys.exit(3)
"""
    assert [_run(program, tmp_path / "table.parquet").returncode for _ in range(6)] == [3] * 6


def test_what_reading_raises_is_raised_to_the_caller(tmp_path: Path) -> None:
    def fail() -> None:
        raise ValueError("not today")

    with pytest.raises(ValueError, match="not today"):
        run_interruptibly(fail)
    found: list[str] = []
    thread = threading.Thread(target=lambda: found.append(run_interruptibly(threading.current_thread).name), name="own")
    thread.start()
    thread.join()
    # A thread that receives no signals has nothing to wait for.
    assert found == ["own"]
    assert list(iterate_interruptibly(iter("abc"))) == ["a", "b", "c"]
    assert not is_a_thread_abandoned()


INTERRUPTED_AT = """
import signal, sys

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == module:
            sys.meta_path.remove(self)
            signal.raise_signal(signal.SIGINT)

module = sys.argv.pop(1)
sys.meta_path.insert(0, Interrupting())
"""


# `logging` and `typing` were once imported with the package, before Ctrl-C could be handled.
@pytest.mark.parametrize("module", ["click", "stablebn.cli.main", "stablebn.errors", "logging", "typing"])
def test_ctrl_c_while_the_command_starts_shows_no_traceback(module: str) -> None:
    done = _run(INTERRUPTED_AT + "from stablebn.cli.start import main; main()", module, "networks")
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
    pyproject = Path(__file__).parents[2] / "pyproject.toml"
    assert 'stablebn = "stablebn.cli.start:main"' in pyproject.read_text()


def test_ctrl_c_waits_for_the_end_of_an_import() -> None:
    program = """
import stablebn
try:
    stablebn.learn
except KeyboardInterrupt:
    assert "stablebn.api.learn" in sys.modules and "pyarrow" in sys.modules
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    stablebn.learn({"a": ["x", "y", "x"], "b": ["p", "q", "q"]})
    print("interrupted")
"""
    done = _run(INTERRUPTED_AT + program, "pyarrow")
    assert (done.returncode, done.stdout, done.stderr) == (0, "interrupted\n", "")


SET_NAME = """
import signal, sys

class Interrupting:
    def __set_name__(self, owner, name):
        signal.raise_signal(signal.SIGINT)

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "rich.progress" or name == "stablebn.api.proofs":
            # As classes that a module defines do.
            type("Owner", (), {"own": Interrupting()})

sys.meta_path.insert(0, Finder())
"""


@pytest.mark.parametrize("raised", ["raise RuntimeError('__set_name__') from error", "raise ImportError('of numpy')"])
def test_an_error_that_ctrl_c_has_caused_is_an_interrupt(raised: str) -> None:
    program = f"""
import sys
from stablebn.lazy import interrupts_recognised
try:
    with interrupts_recognised():
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as error:
            {raised}
except KeyboardInterrupt:
    print("interrupted")
"""
    assert _run(program).stdout == "interrupted\n"
    with pytest.raises(ValueError, match="no interrupt"), interrupts_recognised():
        raise ValueError("no interrupt")


def test_ctrl_c_inside_an_import_of_a_command_is_no_bug(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("a,b\nx,p\ny,q\nx,q\n")
    done = _run(SET_NAME + "from stablebn.cli.start import main; main()", "learn", table, "--prove", "-a", "hc")
    assert (done.returncode, done.stderr) == (130, "Interrupted. No graph was written.\n")
