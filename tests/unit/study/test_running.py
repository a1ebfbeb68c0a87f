from __future__ import annotations

import multiprocessing
import os
import signal
from contextlib import closing
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest
from tests.unit.study.studies import SMALL, Here, all_but_seconds, run_here, study_of

import stablebn as sb
from stablebn.study.jobs import Job, jobs_of
from stablebn.study.processes import Processes
from stablebn.study.record import Record
from stablebn.study.running import missing_jobs, run_jobs, start_workers
from stablebn.study.store import Store
from stablebn.threads import cores


def test_what_is_in_the_store_is_not_run_again(tmp_path: Path) -> None:
    study, quick = study_of(tmp_path, SMALL), study_of(tmp_path, SMALL, quick=True)
    first, second, third = Here(), Here(), Here()
    run_here(quick, tmp_path / "s.sqlite", first)
    run_here(study, tmp_path / "s.sqlite", second)
    run_here(study, tmp_path / "s.sqlite", third)
    assert set(first.begun) == {job.key for job in jobs_of(quick)}
    assert set(second.begun) == {job.key for job in jobs_of(study)} - set(first.begun)
    assert third.begun == []


def test_a_changed_option_runs_only_its_own_jobs(tmp_path: Path) -> None:
    run_here(study_of(tmp_path, SMALL), tmp_path / "s.sqlite")
    with closing(Store(tmp_path / "s.sqlite")) as store:
        missing = missing_jobs(study_of(tmp_path, SMALL.replace("0.01", "0.02")), store)
    assert {job.learner.label for job in missing} == {"pc"}


def test_one_learner_under_two_labels_is_run_once(tmp_path: Path) -> None:
    study = study_of(tmp_path, SMALL + '[[learners]]\nlabel = "again"\nalgorithm = "tabu"\n')
    workers = Here()
    records = run_here(study, tmp_path / "s.sqlite", workers)
    assert len(workers.begun) == len(set(workers.begun))
    told = [[record.graph for record in records if record.learner == label] for label in ("tabu", "again")]
    assert told[0] == told[1] != []


def test_a_failing_learner_does_not_stop_the_rest(tmp_path: Path) -> None:
    study = study_of(tmp_path, SMALL + '[[learners]]\nlabel = "wrong"\nalgorithm = "hc"\nscore = "bge"\n')
    records = run_here(study, tmp_path / "s.sqlite")
    assert {record.learner for record in records if record.status == "failed"} == {"wrong"}
    assert {record.learner for record in records if record.status == "done"} == {"tabu", "tabu-stable", "pc"}
    assert len(records) == len(jobs_of(study))


def test_a_job_whose_worker_dies_is_tried_twice(tmp_path: Path) -> None:
    study = study_of(tmp_path, SMALL)
    once, twice, *_ = [job.key for job in jobs_of(study)]
    workers = Here({once: 1, twice: 2})
    records = run_here(study, tmp_path / "s.sqlite", workers)
    assert [record.status for record in records] == ["done", "failed"] + ["done"] * (len(records) - 2)
    assert "worker died, twice" in records[1].reason
    assert (workers.begun.count(once), workers.begun.count(twice)) == (2, 2)


def test_results_are_the_same_whatever_the_number_of_workers(tmp_path: Path) -> None:
    study = study_of(tmp_path, SMALL)
    run_here(study, tmp_path / "here.sqlite")
    for number in (1, 2):
        with closing(Store(tmp_path / f"{number}.sqlite")) as store:
            run_jobs(jobs_of(study), Processes(number), store, lambda job, record: None)
        assert all_but_seconds(tmp_path / f"{number}.sqlite", study) == all_but_seconds(tmp_path / "here.sqlite", study)


def test_a_killed_worker_does_not_stop_the_rest(tmp_path: Path) -> None:
    study = study_of(tmp_path, SMALL.replace("randomisations = 3", "randomisations = 30"))
    of_others = multiprocessing.active_children()
    workers = Processes(2)
    killed: list[int] = []

    def kill_one(job: Job, record: Record) -> None:
        if not killed:
            (child, *_) = (child for child in multiprocessing.active_children() if child not in of_others)
            assert child.pid is not None
            killed.append(child.pid)
            os.kill(child.pid, signal.SIGKILL)

    with closing(Store(tmp_path / "s.sqlite")) as store:
        run_jobs(jobs_of(study), workers, store, kill_one)
        assert {record.status for record in store.records(study)} == {"done"}
        assert missing_jobs(study, store) == []
    assert killed


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="signals cannot be held back here")
def test_workers_that_are_starting_do_not_hear_an_interrupt(tmp_path: Path) -> None:
    of_others = multiprocessing.active_children()
    job, *_ = jobs_of(study_of(tmp_path, SMALL))
    workers = Processes(1)
    try:
        # Like Ctrl-C, which a terminal sends to all processes, also to one that has just started.
        [child] = [child for child in multiprocessing.active_children() if child not in of_others]
        assert child.pid is not None
        os.kill(child.pid, signal.SIGINT)
        workers.start(job)
        _, ended = workers.next_ended()
    finally:
        workers.stop()
    assert ended is not None
    assert ended[1].status == "done"


def test_an_interrupt_while_a_worker_is_starting_is_heard_then(monkeypatch: pytest.MonkeyPatch) -> None:
    of_others = multiprocessing.active_children()
    process = multiprocessing.get_context("spawn").Process
    start = process.start

    def interrupted(own: Any) -> None:
        signal.raise_signal(signal.SIGINT)
        start(own)

    monkeypatch.setattr(process, "start", interrupted)
    with pytest.raises(KeyboardInterrupt):
        Processes(1)
    assert set(multiprocessing.active_children()) <= set(of_others)


def test_workers_are_stopped_when_the_run_is_interrupted(tmp_path: Path) -> None:
    of_others = multiprocessing.active_children()

    def interrupt(job: Job, record: Record) -> None:
        raise KeyboardInterrupt

    study = study_of(tmp_path, SMALL)
    with closing(Store(tmp_path / "s.sqlite")) as store:
        with pytest.raises(KeyboardInterrupt):
            run_jobs(jobs_of(study), Processes(2), store, interrupt)
        assert len(store.statuses()) == 1
    assert set(multiprocessing.active_children()) <= set(of_others)


def test_a_worker_whose_answer_is_being_read_is_stopped_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    of_others = multiprocessing.active_children()

    def interrupt(pipe: Connection) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Connection, "recv", interrupt)
    with closing(Store(tmp_path / "s.sqlite")) as store, pytest.raises(KeyboardInterrupt):
        run_jobs(jobs_of(study_of(tmp_path, SMALL)), Processes(2), store, lambda job, record: None)
    assert set(multiprocessing.active_children()) <= set(of_others)


@pytest.mark.parametrize(
    ("processes", "scheduler", "said"), [(2, "tcp://localhost:1", "Leave one out"), (0, None, "--jobs=0 must be")]
)
def test_wrong_workers_are_refused(processes: int, scheduler: str | None, said: str) -> None:
    with pytest.raises(sb.OptionError, match=said):
        start_workers(processes, scheduler)


def test_without_dask_it_is_a_process_a_core(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stablebn.study.running.find_spec", lambda name: None)
    workers = start_workers()
    workers.stop()
    assert isinstance(workers, Processes)
    assert workers.size == cores()
