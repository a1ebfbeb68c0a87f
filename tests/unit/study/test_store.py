from __future__ import annotations

import math
import random
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.study.studies import SMALL, study_of

import stablebn as sb
from stablebn.study.definition import Study
from stablebn.study.jobs import jobs_of
from stablebn.study.record import Record, Sample
from stablebn.study.store import Store, read_statuses_and_timings

SAMPLE = Sample("asia", "categorical", 50, 8, 8, 0, 1, -0.1, -1 / 3)
RECORD = Record("asia", 50, "tabu", 1, "done", "", 0.1, -math.pi * 1e3, True, '[["a", "b", "->"]]', 0.1 + 0.2, f1=1 / 3)


@pytest.mark.parametrize(
    "record", [RECORD, replace(RECORD, extendable=False, score=None), replace(RECORD, status="failed", graph=None)]
)
def test_what_was_written_comes_back_to_the_last_bit(tmp_path: Path, record: Record) -> None:
    study = study_of(tmp_path, SMALL)
    job = jobs_of(study)[0]
    with closing(Store(tmp_path / "s.sqlite")) as store:
        store.add(job, SAMPLE, record)
    with closing(Store(tmp_path / "s.sqlite")) as store:
        assert store.samples(study) == [SAMPLE]
        assert store.records(study) == [record]
        assert type(store.records(study)[0].extendable) is bool
        assert store.statuses() == {job.key: record.status}


def test_records_come_in_the_order_of_the_study_and_under_its_labels(tmp_path: Path) -> None:
    study = study_of(tmp_path, SMALL)
    with closing(Store(tmp_path / "s.sqlite")) as store:
        for job in reversed(jobs_of(study)):
            store.add(job, None, replace(RECORD, rows=job.rows, randomisation=job.randomisation))
        renamed = study_of(tmp_path, SMALL.replace('"pc"', '"other"'))
        told = [(record.rows, record.randomisation, record.learner) for record in store.records(renamed)]
    assert told == [(job.rows, job.randomisation, job.learner.label) for job in jobs_of(renamed)]
    assert "other" in {label for *_, label in told}


def test_jobs_of_other_studies_are_left_out(tmp_path: Path) -> None:
    study = study_of(tmp_path, SMALL)
    with closing(Store(tmp_path / "s.sqlite")) as store:
        for job in jobs_of(study):
            store.add(job, None, RECORD)
        quick = study_of(tmp_path, SMALL, quick=True)
        assert len(store.records(quick)) == len(jobs_of(quick)) < len(jobs_of(study))


def test_times_of_failed_jobs_are_no_guide(tmp_path: Path) -> None:
    first, second, *_ = jobs_of(study_of(tmp_path, SMALL))
    with closing(Store(tmp_path / "s.sqlite")) as store:
        store.add(first, None, replace(RECORD, status="failed"))
        store.add(second, None, replace(RECORD, status="timed out", seconds=2.5))
        assert store.timings() == [(second.timing_group, 2.5)]


def test_looking_makes_no_store(tmp_path: Path) -> None:
    assert read_statuses_and_timings(tmp_path / "s.sqlite") == ({}, [])
    assert not (tmp_path / "s.sqlite").exists()


def test_a_database_of_another_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE precious (gold)")
    before = path.read_bytes()
    with pytest.raises(sb.OptionError, match=r"another program\. Choose another --store"):
        Store(path)
    assert path.read_bytes() == before


def test_a_store_of_another_schema_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    Store(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(sb.OptionError, match="schema 99, here 1"):
        Store(path)


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("precious words " * 100)
    with pytest.raises(sb.OptionError, match="no store of a study"):
        Store(path)
    assert path.read_text().startswith("precious")


def test_a_folder_that_is_not_there_is_a_message(tmp_path: Path) -> None:
    with pytest.raises(sb.OptionError, match="directory does not exist"):
        Store(tmp_path / "no" / "s.sqlite")


def _filled(folder: Path) -> tuple[Study, Path]:
    """A store with many pages."""
    study, path = study_of(folder, SMALL.replace("randomisations = 3", "randomisations = 40")), folder / "s.sqlite"
    with closing(Store(path)) as store:
        for job in jobs_of(study):
            store.add(job, SAMPLE, replace(RECORD, graph="x" * 500))
    return study, path


@pytest.mark.parametrize("page", [1, 3, 7, 20])
def test_a_damaged_page_is_an_error_and_the_file_is_not_changed(page: int, tmp_path: Path) -> None:
    study, path = _filled(tmp_path)
    content = bytearray(path.read_bytes())
    content[4096 * page : 4096 * page + 4096] = b"\xa5" * 4096
    path.write_bytes(content)
    for use in (Store, read_statuses_and_timings, lambda path: sb.study.results(study, store=path)):
        with pytest.raises(sb.OptionError, match=r"s\.sqlite is damaged.*\.recover"):
            use(path)
    assert path.read_bytes() == bytes(content)


@pytest.mark.parametrize("seed", range(30))
def test_a_store_damaged_at_random_is_read_or_refused(seed: int, tmp_path: Path) -> None:
    study, path = study_of(tmp_path, SMALL), tmp_path / "s.sqlite"
    with closing(Store(path)) as store:
        for job in jobs_of(study):
            store.add(job, SAMPLE, RECORD)
    chance, content = random.Random(seed), bytearray(path.read_bytes())
    for _ in range(40):
        content[chance.randrange(len(content))] = chance.randrange(256)
    path.write_bytes(content)
    try:
        found = sb.study.results(study, store=path)
        found.write_tables(tmp_path / "tables")
        sb.study.plan(study, store=path).summary()
    except sb.OptionError as error:
        assert "s.sqlite" in str(error)  # noqa: PT017


@pytest.mark.parametrize(("column", "value"), [("status", "'dohe'"), ("f1", "'high'"), ("reason", "x'ff'")])
def test_values_of_wrong_types_are_an_error(column: str, value: str, tmp_path: Path) -> None:
    study, path = _filled(tmp_path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"UPDATE job SET {column} = {value}")
    with closing(Store(path)) as store, pytest.raises(sb.OptionError, match="is damaged"):
        store.records(study)


def test_no_room_for_a_job_is_a_message_and_what_was_written_stays(tmp_path: Path) -> None:
    study, path = _filled(tmp_path)
    with closing(Store(path)) as store:
        # With a limit of the present number of pages SQLite raises the error of a full disk.
        store._connection.execute("PRAGMA max_page_count = 1")
        job = replace(jobs_of(study)[0], randomisation=1000)
        with pytest.raises(sb.OptionError, match=r"cannot be used: database or disk is full\. Its jobs are kept"):
            store.add(job, SAMPLE, replace(RECORD, graph="x" * 5000))
    with closing(Store(path)) as store:
        assert len(store.records(study)) == len(jobs_of(study))


def test_a_name_that_is_too_long_is_a_message(tmp_path: Path) -> None:
    with pytest.raises(sb.OptionError, match="File name too long"):
        Store(tmp_path / ("x" * 300))
