from __future__ import annotations

import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from tests.unit.study.studies import SMALL, all_but_seconds, run_here, study_of

from stablebn.study.jobs import jobs_of

COMMAND = [sys.executable, "-c", "from stablebn.cli.main import main; main()", "study"]
# A second of work, or more.
LONG = SMALL.replace("randomisations = 3", "randomisations = 80")


def _run(folder: Path, *arguments: object, code: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [*COMMAND, *map(str, arguments)], cwd=folder, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == code, done.stderr
    return done


@contextmanager
def _running(folder: Path, *arguments: object, records: int) -> Iterator[subprocess.Popen[str]]:
    """Start a study in a new process group, and wait until some records, but not all, are in the store."""
    running = subprocess.Popen(
        [*COMMAND, *map(str, arguments)],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        until = time.monotonic() + 200
        while _recorded(folder / "mine.sqlite") < records:
            assert running.poll() is None, running.communicate()
            assert time.monotonic() < until
            time.sleep(0.02)
        yield running
    finally:
        if running.poll() is None:
            os.killpg(running.pid, signal.SIGKILL)
        running.communicate()


def _recorded(store: Path) -> int:
    if not store.exists():
        return 0
    with closing(sqlite3.connect(store)) as connection:
        try:
            return int(connection.execute("SELECT count(*) FROM job").fetchone()[0])
        except sqlite3.OperationalError:
            # The tables do not exist yet.
            return 0


def test_interrupted_study_resumes_to_the_same_table(tmp_path: Path) -> None:
    study = study_of(tmp_path, LONG)
    with _running(tmp_path, "mine.toml", "--jobs", 2, records=5) as running:
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()
    assert 5 <= _recorded(tmp_path / "mine.sqlite") < len(jobs_of(study))
    _run(tmp_path, "mine.toml", "--jobs", 2)
    run_here(study, tmp_path / "uninterrupted.sqlite")
    assert all_but_seconds(tmp_path / "mine.sqlite", study) == all_but_seconds(tmp_path / "uninterrupted.sqlite", study)


def test_interrupt_from_the_keyboard_says_how_to_go_on(tmp_path: Path) -> None:
    study_of(tmp_path, LONG)
    with _running(tmp_path, "mine.toml", "--jobs", 2, records=1) as running:
        os.killpg(running.pid, signal.SIGINT)
        _, errors = running.communicate(timeout=60)
    assert running.returncode == 130
    assert errors == "Interrupted. Finished jobs are saved in mine.sqlite: repeat the command to continue.\n"


def test_a_study_says_what_has_come_of_it(tmp_path: Path) -> None:
    wrong = '[[learners]]\nlabel = "wrong"\nalgorithm = "hc"\nscore = "bge"\nrandomisations = 1\n'
    study_of(tmp_path, SMALL + wrong)
    done = _run(tmp_path, "mine.toml", "--jobs", 1)
    first, second, third, last = done.stdout.splitlines()
    assert re.fullmatch(r"Ran 18 jobs in \d+ s, 1 at a time\.", first)
    assert second == "18 of 18 jobs are in mine.sqlite: 16 done, 2 failed."
    assert third.startswith("  2 x wrong: OptionError: score='bge' is not defined for categorical data.")
    assert "--tables --figures" in last
    assert done.stderr == ""
    again = _run(tmp_path, "mine.toml", "--jobs", 1).stdout.splitlines()
    assert again == [second, third, last]


def test_tables_and_figures_are_written_from_the_store(tmp_path: Path) -> None:
    study = study_of(tmp_path, f'title = "How stable are they?"\n{SMALL}')
    run_here(study, tmp_path / "mine.sqlite")
    said = _run(tmp_path, "mine.toml", "--tables", "--figures", "--out", "shown").stdout
    written = {path.name for path in (tmp_path / "shown").iterdir()}
    assert {"README.md", "learners-categorical.csv", "f1-categorical.svg"} <= written
    assert f"{len(written)} files written to shown." in said
    assert (tmp_path / "shown" / "README.md").read_text().startswith("# Study: How stable are they?\n")


def test_dry_run_counts_and_touches_nothing(tmp_path: Path) -> None:
    study_of(tmp_path, SMALL)
    said = _run(tmp_path, "mine.toml", "--dry-run").stdout
    assert "mine: 3 learners, 1 networks, 16 jobs; 0 done, 16 to do." in said
    assert re.search(r"asia +0 / 8 +0 / 8", said)
    assert "a guess" in said
    assert [path.name for path in tmp_path.iterdir()] == ["mine.toml"]


def test_dry_run_knows_what_is_done(tmp_path: Path) -> None:
    run_here(study_of(tmp_path, SMALL, quick=True), tmp_path / "mine.sqlite")
    before = (tmp_path / "mine.sqlite").read_bytes()
    said = _run(tmp_path, "mine.toml", "--dry-run").stdout
    assert "6 done, 10 to do." in said
    assert re.search(r"asia +6 / 8 +0 / 8", said)
    assert re.search(r"About .*, \d+ jobs at a time\.", said)
    assert (tmp_path / "mine.sqlite").read_bytes() == before
    assert "6 done, 0 to do." in _run(tmp_path, "mine.toml", "--dry-run", "--quick").stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere.toml"], "nowhere.toml"),
        (["mine.toml", "--tables"], "Run the study first"),
        (["mine.toml", "--jobs", "0"], "--jobs=0"),
        (["mine.toml", "--jobs", "1", "--dask", "tcp://127.0.0.1:9"], "Leave one out"),
        (["mine.toml", "--store", "mine.toml"], "no store of a study"),
        (["mine.toml", "--networks", "atlantis"], "not a folder: 'atlantis'"),
    ],
)
def test_mistakes_are_a_message_and_not_a_traceback(tmp_path: Path, arguments: list[str], words: str) -> None:
    study_of(tmp_path, SMALL)
    done = _run(tmp_path, *arguments, code=2)
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["mine.toml"]


def test_missing_networks_are_an_error_before_any_file_is_written(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(SMALL.replace('"asia"', '"asia", "atlantis"'))
    assert "'atlantis'" in _run(tmp_path, "mine.toml", code=2).stderr
    assert [path.name for path in tmp_path.iterdir()] == ["mine.toml"]


def test_the_name_of_the_store_can_be_chosen(tmp_path: Path) -> None:
    study = study_of(tmp_path, SMALL, quick=True)
    _run(tmp_path, "mine.toml", "--quick", "--jobs", 1, "--store", "other.sqlite")
    assert not (tmp_path / "mine.sqlite").exists()
    assert len(all_but_seconds(tmp_path / "other.sqlite", study)[1]) == len(jobs_of(study))


def test_outcomes_in_one_file_give_the_same_tables(tmp_path: Path) -> None:
    run_here(study_of(tmp_path, SMALL), tmp_path / "mine.sqlite")
    _run(tmp_path, "mine.toml", "--tables", "--outcomes", "found.json.gz")
    (tmp_path / "mine.sqlite").unlink()
    done = _run(tmp_path, "found.json.gz", "--tables")
    assert "16 jobs are in found.json.gz." in done.stdout
    # Seconds are rounded, and this table does not have them.
    ours, again = (tmp_path / name / "f1-by-network-categorical.csv" for name in ("mine-study", "found-study"))
    assert again.read_text() == ours.read_text()


def test_outcomes_are_not_run_again(tmp_path: Path) -> None:
    done = _run(tmp_path, "found.json.gz", "--quick", code=2)
    assert "only --tables, --figures" in done.stderr
