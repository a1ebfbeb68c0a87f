"""Searches that are stopped: they return the best so far, and go on from a checkpoint to the same answer."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.drawn import CLIMBING, HYBRID, LEARNERS
from tests.preparing import prepare
from tests.tables import renamed, shuffled

import stablebn as sb
from stablebn import _core
from stablebn.api.arguments import LearnArguments
from stablebn.api.learn import learn_from_request, learn_without_signals
from stablebn.api.request import LearnRequest
from stablebn.errors import OptionError
from stablebn.knowledge import KnownArcs
from stablebn.learners.constraint_based import ci_test_runner as evidence
from stablebn.learners.shared import checkpoint as checkpoints
from stablebn.search.search_log import Journal

ASIA = sb.read_network("asia").sample(200, seed=1).to_pydict()
BEFORE = ("reading", "encoding", "discretising", "counting", "ordering", "telling columns apart")
# Searches of a learner that are told to be over when it goes on after them.
TOLD_AGAIN = {"tabu-stable": 2, "hc-stable": 2, "best": 24, "exact": 24}

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are another matter there")


class Stop:
    """Counts what a search tells of, and interrupts it at its k-th word."""

    def __init__(self, at: int | None = None, do: Callable[[], None] | None = None) -> None:
        self.told = 0
        self._at = at
        self._do = do or interrupt

    def __call__(self, stage: str, steps: int) -> None:
        if stage not in BEFORE:
            self.told += 1
            if self.told == self._at:
                self._do()


def interrupt() -> None:
    """What Ctrl-C does."""
    os.kill(os.getpid(), signal.SIGINT)


@pytest.fixture(autouse=True)
def _one_step_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    for search in ("hill_climbing", "order_search"):
        monkeypatch.setattr(import_module(f"stablebn.search.{search}"), "_SECONDS_AT_ONCE", 1e-9)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "search.checkpoint"


def words(algorithm: str, **options: Any) -> int:
    """How often a search tells how far it is."""
    whole = Stop()
    sb.learn(ASIA, algorithm, threads=1, progress=whole, **options)
    return whole.told


@pytest.mark.parametrize("algorithm", LEARNERS)
def test_ctrl_c_returns_the_best_graph_so_far_marked_unfinished(algorithm: str) -> None:
    result = sb.learn(ASIA, algorithm, threads=1, progress=Stop(at=3))
    assert not result.finished
    assert [caution.code for caution in result.warnings] == ["interrupted"]
    assert json.loads(result.to_json())["finished"] is False
    assert result.summary().startswith("Unfinished, so far ")
    # Python's own way is back.
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    whole = sb.learn(ASIA, algorithm, threads=1)
    assert whole.finished
    assert whole.to_dict()["finished"] is True
    if algorithm in CLIMBING:
        assert result.arcs
        assert result.score is not None
        assert whole.score is not None
        assert result.score < whole.score


def test_the_best_so_far_of_a_stable_learner_may_be_what_the_order_was_read_off() -> None:
    found: list[str] = []
    sb.learn(ASIA, threads=1, progress=lambda stage, steps: found.append(stage))
    first_of_last = [stage for stage in found if stage not in BEFORE].index("search") + 1
    result = sb.learn(ASIA, threads=1, progress=Stop(at=first_of_last))
    assert not result.finished
    assert len(result.arcs) > 1


def test_a_second_ctrl_c_raises(path: Path) -> None:
    def twice() -> None:
        interrupt()
        interrupt()

    with pytest.raises(KeyboardInterrupt):
        sb.learn(ASIA, "tabu-stable", threads=1, progress=Stop(at=5, do=twice), checkpoint=path)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    # What was found until then is kept all the same.
    rest = Stop()
    assert sb.learn(ASIA, "tabu-stable", threads=1, progress=rest, checkpoint=path, resume=True) == sb.learn(
        ASIA, "tabu-stable"
    )
    assert rest.told < words("tabu-stable")


@pytest.mark.parametrize("stage", ["reading", "encoding", "counting", "ordering"])
def test_before_there_is_anything_to_return_ctrl_c_raises(stage: str) -> None:
    with pytest.raises(KeyboardInterrupt):
        sb.learn(ASIA, progress=lambda at, steps: interrupt() if at == stage else None)


def test_in_loops_of_ours_ctrl_c_raises() -> None:
    with pytest.raises(KeyboardInterrupt):
        learn_without_signals(ASIA, threads=1, progress=Stop(at=3))


def test_whoever_listens_for_ctrl_c_is_left_alone() -> None:
    heard: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
    try:
        assert sb.learn(ASIA, threads=1, progress=Stop(at=3)).finished
    finally:
        signal.signal(signal.SIGINT, before)
    assert heard == [signal.SIGINT]


def test_in_another_thread_nothing_is_changed() -> None:
    seen: list[object] = []
    results: list[sb.Result] = []

    def learn() -> None:
        seen_by = Stop(at=3, do=lambda: seen.append(signal.getsignal(signal.SIGINT)))
        results.append(sb.learn(ASIA, threads=1, progress=seen_by))

    thread = threading.Thread(target=learn)
    thread.start()
    thread.join()
    assert seen == [signal.default_int_handler]
    assert results == [sb.learn(ASIA)]


@pytest.mark.parametrize("algorithm", LEARNERS)
def test_a_search_that_is_stopped_after_every_step_ends_with_the_same_answer(algorithm: str, path: Path) -> None:
    whole = sb.learn(ASIA, algorithm, threads=1)
    stops = 0
    at = TOLD_AGAIN.get(algorithm, 0) + 1
    while not (result := sb.learn(ASIA, algorithm, threads=1, checkpoint=path, progress=Stop(at=at))).finished:
        stops += 1
        assert stops < 100
    assert result == whole
    assert result.trace == whole.trace
    assert stops > 4


@pytest.mark.parametrize("algorithm", LEARNERS)
def test_stopped_anywhere_it_goes_on_to_the_same_answer_and_does_not_begin_anew(algorithm: str, path: Path) -> None:
    # With a checkpoint, as a search that is made twice is then told of once.
    whole, length = sb.learn(ASIA, algorithm, threads=1), words(algorithm, checkpoint=path)
    for at in range(2, length, 5):
        path.unlink(missing_ok=True)
        assert not sb.learn(ASIA, algorithm, threads=1, checkpoint=path, progress=Stop(at=at)).finished
        rest = Stop()
        assert sb.learn(ASIA, algorithm, threads=1, checkpoint=path, progress=rest, resume=True) == whole
        # Of steps that were made nothing is told again, but at most that they were.
        assert rest.told <= length - at + max(2, TOLD_AGAIN.get(algorithm, 0))


def test_a_search_among_orders_goes_on_round_by_round(path: Path) -> None:
    table = sb.random_network(12, density=2.0, seed=2).sample(300, seed=1)
    whole = sb.learn(table, "best", effort="high")
    rounds: list[tuple[str, int]] = []

    def one_round(stage: str, steps: int) -> None:
        if stage.startswith(("orders", "grown parents")):
            rounds.append((stage, steps))
            interrupt()

    while not (result := sb.learn(table, "best", effort="high", checkpoint=path, progress=one_round)).finished:
        assert len(rounds) < 100
    assert result == whole
    # Each search is told of by a name of its own, and no round of it twice.
    assert len(rounds) == len(set(rounds)) > 2


@pytest.mark.parametrize("algorithm", [*CLIMBING, *HYBRID])
def test_max_iter_can_grow_step_by_step(algorithm: str, path: Path) -> None:
    for steps in (0, 1, 2, 3, 5, 8, None, 4):
        fresh = sb.learn(ASIA, algorithm, max_iter=steps)
        assert fresh.finished == (steps is None or "max-iter" not in [caution.code for caution in fresh.warnings])
        found = sb.learn(ASIA, algorithm, max_iter=steps, checkpoint=path)
        assert (found.pdag, found.score, found.order, found.trace) == (
            fresh.pdag,
            fresh.score,
            fresh.order,
            fresh.trace,
        )


@pytest.mark.parametrize("algorithm", LEARNERS)
def test_what_max_time_stops_goes_on(algorithm: str, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = sb.learn(ASIA, algorithm, threads=1)
    for at in (1, 2):
        # A clock that stands still, and jumps an hour at a step.
        jumps: list[float] = []
        monkeypatch.setattr(time, "monotonic", partial(sum, jumps))
        late = Stop(at=at, do=partial(jumps.append, 3600.0))
        stopped = sb.learn(ASIA, algorithm, threads=1, max_time=1.0, checkpoint=path, progress=late)
        assert (stopped.finished, "max-time" in [own.code for own in stopped.warnings]) == (False, True)
    assert sb.learn(ASIA, algorithm, threads=1, checkpoint=path, resume=True) == whole


@pytest.fixture
def _everything_is_shared(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(evidence, "VALUES_FOR_THREADS", 0)
    before = _core.worth_a_thread()
    _core.set_worth_a_thread(0)
    yield
    _core.set_worth_a_thread(before)


@pytest.mark.usefixtures("_everything_is_shared")
@pytest.mark.parametrize("algorithm", LEARNERS)
def test_with_threads_it_is_the_same(algorithm: str, path: Path) -> None:
    whole = sb.learn(ASIA, algorithm, threads=1)
    for at in (1, 2, 4):
        sb.learn(ASIA, algorithm, threads=3, checkpoint=path, progress=Stop(at=at))
    assert sb.learn(ASIA, algorithm, threads=3, checkpoint=path) == whole


@pytest.mark.parametrize("algorithm", ["tabu-stable", "pc-stable", "mmhc", "fges"])
def test_a_checkpoint_is_of_the_table_in_any_layout(algorithm: str, path: Path) -> None:
    sb.learn(ASIA, algorithm, threads=1, checkpoint=path, progress=Stop(at=6))
    other, names = renamed(shuffled(ASIA, 3), 4)
    rest = Stop()
    found = sb.learn(other, algorithm, threads=1, checkpoint=path, progress=rest, resume=True)
    whole = sb.learn(ASIA, algorithm, threads=1)
    assert found.fingerprint == whole.fingerprint
    assert {(names[u], names[v]) for u, v in found.arcs} == set(whole.arcs)
    assert rest.told < words(algorithm) - 3


@pytest.mark.parametrize("algorithm", ["tabu-stable", "gs", "fges"])
def test_a_killed_process_leaves_what_it_wrote_last(algorithm: str, path: Path) -> None:
    program = f"""
import os, signal, sys
import stablebn as sb
from stablebn.learners.shared import checkpoint
import stablebn.search
sys.modules["stablebn.search.hill_climbing"]._SECONDS_AT_ONCE = 1e-9
checkpoint.SECONDS_BETWEEN_WRITES, checkpoint._PATIENCE = -1.0, 0

told = 0
def die(stage, steps):
    global told
    told += stage not in {BEFORE}
    if told == 6:
        os.kill(os.getpid(), signal.SIGKILL)

table = sb.read_network("asia").sample(200, seed=1)
sb.learn(table, "{algorithm}", threads=1, checkpoint=sys.argv[1], progress=die)
"""
    done = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (-signal.SIGKILL, "")
    rest = Stop()
    assert sb.learn(ASIA, algorithm, threads=1, checkpoint=path, progress=rest, resume=True) == sb.learn(
        ASIA, algorithm
    )
    assert rest.told <= words(algorithm) - 4


def test_a_finished_search_is_kept_and_returned_at_once(path: Path) -> None:
    for algorithm in ("pc-stable", "fges"):
        path.unlink(missing_ok=True)
        whole = sb.learn(ASIA, algorithm, threads=1, checkpoint=path)
        assert json.loads(path.read_text())["finished"] is True
        again = Stop()
        assert sb.learn(ASIA, algorithm, threads=1, checkpoint=path, progress=again) == whole
        assert again.told == 0


def test_a_search_can_begin_anew(path: Path) -> None:
    sb.learn(ASIA, "tabu-stable", threads=1, checkpoint=path)
    anew = Stop()
    whole = sb.learn(ASIA, "tabu-stable")
    assert sb.learn(ASIA, "tabu-stable", threads=1, checkpoint=path, resume=False, progress=anew) == whole
    assert anew.told == words("tabu-stable")


def test_a_checkpoint_is_no_part_of_the_answer(path: Path) -> None:
    found, whole = sb.learn(ASIA, checkpoint=path), sb.learn(ASIA)
    assert found == whole
    assert found.to_json() == whole.to_json()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"algorithm": "hc-stable"}, "algorithm='tabu-stable'"),
        ({"score": "bde"}, "score='bic'"),
        ({"max_parents": 2}, "max_parents=None"),
        (
            {"data": {name: column[1:] for name, column in ASIA.items()}},
            "another table, with 8 columns .* and 200 rows",
        ),
        ({"data": {**ASIA, "xray": ASIA["xray"][::-1]}}, "another table"),
        ({"start": [("smoke", "lung")]}, "another start"),
    ],
    ids=["learner", "score", "option", "rows", "values", "start"],
)
def test_the_checkpoint_of_another_search_is_refused_and_stays(change: dict[str, Any], words: str, path: Path) -> None:
    sb.learn(ASIA, "tabu-stable", checkpoint=path, max_iter=3)
    before = path.read_bytes()
    for resume in (None, True, False):
        with pytest.raises(OptionError, match=words):
            sb.learn(**{"data": ASIA, "algorithm": "tabu-stable", **change}, checkpoint=path, resume=resume)
    assert path.read_bytes() == before


def test_what_is_known_is_part_of_the_search(path: Path) -> None:
    asked = LearnArguments.of_learn((ASIA, "tabu-stable"), {"checkpoint": path, "max_iter": 3})
    learn_from_request(LearnRequest.of(asked, known=KnownArcs(forbidden=(("smoke", "lung"),))))
    with pytest.raises(OptionError, match="other arcs were allowed"):
        learn_from_request(LearnRequest.of(asked))


def test_a_learner_that_goes_by_the_columns_refuses_other_columns(path: Path) -> None:
    sb.learn(ASIA, "hc", checkpoint=path, max_iter=3)
    with pytest.raises(OptionError, match="columns stand in another order"):
        sb.learn(dict(reversed(ASIA.items())), "hc", checkpoint=path)
    by_rows = shuffled(ASIA, 1, order=False)
    assert sb.learn(by_rows, "hc", checkpoint=path, resume=True).fingerprint == sb.learn(ASIA, "hc").fingerprint


@pytest.mark.parametrize(
    "content",
    ["a,b\n1,2\n", "{}", "[]", '{"stablebn checkpoint": 1, "about": {}, "digest": "", "records": {}}', "\x00\xff"],
)
def test_any_other_file_is_refused_and_stays(content: str, path: Path) -> None:
    path.write_text(content, encoding="latin-1")
    with pytest.raises(OptionError, match="is no checkpoint"):
        sb.learn(ASIA, checkpoint=path)
    assert path.read_text(encoding="latin-1") == content


def test_a_damaged_checkpoint_is_refused(path: Path) -> None:
    sb.learn(ASIA, checkpoint=path)
    whole = path.read_text()
    steps = whole.index('"steps": [[0')
    for damaged in (whole[: len(whole) // 2], whole[:steps] + whole[steps:].replace("[[0", "[[1", 1)):
        path.write_text(damaged)
        with pytest.raises(OptionError, match="damaged"):
            sb.learn(ASIA, checkpoint=path)


def test_an_empty_file_is_a_place_for_a_checkpoint(path: Path) -> None:
    path.touch()
    sb.learn(ASIA, checkpoint=path)
    assert path.stat().st_size


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"resume": True}, "goes with checkpoint"),
        ({"checkpoint": "{folder}/none", "resume": True}, "no checkpoint .* to go on from"),
        ({"checkpoint": "{folder}/no/such/place"}, "directory"),
        ({"checkpoint": "{folder}"}, "directory"),
        ({"checkpoint": ""}, "name of a file"),
        ({"checkpoint": 5}, "name of a file"),
    ],
)
def test_options_that_cannot_be_are_refused_before_the_table_is_read(
    options: dict[str, Any], words: str, tmp_path: Path
) -> None:
    asked: dict[str, Any] = {
        name: own.format(folder=tmp_path) if isinstance(own, str) else own for name, own in options.items()
    }
    with pytest.raises(OptionError, match=words):
        sb.learn("no such table", **asked)


def test_a_checkpoint_that_cannot_be_written_ends_no_search(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    lost = Stop(at=3, do=lambda: shutil.rmtree(folder))
    result = sb.learn(ASIA, threads=1, checkpoint=folder / "search", progress=lost)
    assert result.finished
    assert result.arcs == sb.learn(ASIA).arcs
    [caution] = result.warnings
    assert (caution.code, "not up to date" in str(caution)) == ("checkpoint", True)


@pytest.mark.parametrize("stopped", ["interrupted", "max-iter"])
def test_a_search_whose_checkpoint_is_not_up_to_date_is_not_said_to_go_on_from_it(stopped: str, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()

    def stop() -> None:
        shutil.rmtree(folder)
        if stopped == "interrupted":
            interrupt()

    most = 3 if stopped == "max-iter" else None
    watch = Stop(at=3, do=stop)
    result = sb.learn(ASIA, "hc", threads=1, checkpoint=folder / "search", progress=watch, max_iter=most)
    assert [caution.code for caution in result.warnings] == [stopped, "checkpoint"]
    assert "goes on from here" not in str(result.warnings[0])
    assert "not up to date" in str(result.warnings[1])
    # If the disk is full only for a while, it does.
    again = sb.learn(ASIA, "hc", threads=1, checkpoint=tmp_path / "search", max_iter=3)
    assert "goes on from here" in str(again.warnings[0])


def test_an_audit_takes_no_checkpoint(path: Path) -> None:
    with pytest.raises(OptionError, match="checkpoint"):
        sb.stability(ASIA, "tabu", repeats=2, checkpoint=path)  # type: ignore[call-arg]


def test_it_is_written_now_and_then_and_not_always(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[bool] = []
    write = checkpoints.Checkpoint.write

    def count(own: checkpoints.Checkpoint, *, finished: bool) -> None:
        written.append(finished)
        write(own, finished=finished)

    monkeypatch.setattr(checkpoints.Checkpoint, "write", count)
    # Seconds pass at every look: one in five steps is written, and the end.
    seconds = iter(range(10**6))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(seconds)))
    sb.learn(ASIA, "hc", threads=1, checkpoint=path)
    assert written[-1] is True
    assert 1 <= len(written[:-1]) < words("hc")


@pytest.mark.parametrize("tabu", [0, 4])
def test_steps_that_are_made_again_lead_to_the_same_climb(tabu: int) -> None:
    problem = sb.learners.define_problem(
        prepare(sb.random_network(9, density=3.0, seed=2).sample(2000, seed=1)).table,
        sb.scores.registry.ScoreConfig(),
    )
    options = _core.ClimbOptions(tabu=tabu, noinc=tabu, most_parents=9, most_steps=10**6)

    def climber() -> _core.Climber:
        return _core.Climber(problem.scores.compiled, list(range(9)), [0] * 9, options)

    whole = climber()
    _core.climb_on([whole], 1e9)
    steps, deltas = whole.steps()
    assert len(steps) > 8
    for made in range(len(steps) + 1):
        again = climber()
        again.replay(steps[:made], deltas[:made])
        assert again.made == made
        _core.climb_on([again], 1e9)
        assert np.array_equal(again.steps()[0], steps)
        assert np.array_equal(again.steps()[1], deltas)
        assert (again.best, again.has_converged) == (whole.best, True)


def test_a_climb_makes_one_step_at_least_in_any_time() -> None:
    problem = sb.learners.define_problem(prepare(ASIA).table, sb.scores.registry.ScoreConfig())
    options = _core.ClimbOptions(tabu=0, noinc=0, most_parents=8, most_steps=10**6)
    climber = _core.Climber(problem.scores.compiled, list(range(8)), [0] * 8, options)
    for made in range(4):
        assert climber.made == made
        assert not _core.climb_on([climber], 0.0)
        assert climber.made == made
        assert not _core.climb_on([climber], 1e-12)


def test_what_is_asked_after_an_unfinished_stage_is_not_kept() -> None:
    problem = sb.learners.define_problem(prepare(ASIA).table, sb.scores.registry.ScoreConfig())
    journal = Journal({})
    asked = evidence.gather(replace(problem, journal=journal), sb.learners.SearchConfig())

    def first(own: evidence.Evidence, question: int) -> int:
        if question == 2:
            raise _core.TimeIsUp
        return question + 10

    assert asked.answers("first", first, range(4)) == [10, 11, None, None]
    # Other questions than will be asked when the first stage has all its answers.
    assert asked.answers("second", lambda own, question: question, range(2)) == [0, 1]
    assert journal.records() == {"first": [[0, 0, "0xa"], [1, 0, "0xb"]]}


def test_slow_work_before_a_search_is_told_of() -> None:
    told: list[str] = []
    numbers = {name: np.random.default_rng(place).normal(size=60).tolist() for place, name in enumerate("abcd")}
    # Copies that only names tell apart.
    numbers["e"] = numbers["a"]
    sb.learn(numbers, discretise="quantile", progress=lambda stage, steps: told.append(stage))
    assert [stage for stage in dict.fromkeys(told) if stage in BEFORE] == list(BEFORE)
