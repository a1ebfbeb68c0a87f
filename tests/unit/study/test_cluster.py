"""Dask, with the real package."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.unit.study.studies import SMALL, all_but_seconds, run_here, study_of

pytest.importorskip("distributed", reason="Dask is not installed")

COMMAND = [sys.executable, "-c", "from stablebn.cli.main import main; main()", "study"]

# In a process of its own, so that Dask's threads and warnings are not this one's.
SCHEDULER = """
import sys
from distributed import LocalCluster

if __name__ == "__main__":
    workers = int(sys.argv[1])
    with LocalCluster(n_workers=workers, threads_per_worker=1, processes=False, dashboard_address=None,
                      protocol="tcp") as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
"""


def _run(folder: Path, *arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([*COMMAND, *arguments], cwd=folder, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == code, done.stderr
    return done


@pytest.fixture
def scheduler(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[str]:
    program = tmp_path / "scheduler.py"
    program.write_text(SCHEDULER)
    command = [sys.executable, str(program), str(request.param)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        yield running.stdout.readline().strip()
        running.communicate(timeout=60)


def test_a_local_cluster_gives_the_same_results(tmp_path: Path) -> None:
    study = study_of(tmp_path, SMALL)
    assert "16 of 16 jobs" in _run(tmp_path, "mine.toml").stdout
    run_here(study, tmp_path / "here.sqlite")
    assert all_but_seconds(tmp_path / "mine.sqlite", study) == all_but_seconds(tmp_path / "here.sqlite", study)


@pytest.mark.parametrize("scheduler", [1], indirect=True)
def test_a_cluster_elsewhere_gives_the_same_results(tmp_path: Path, scheduler: str) -> None:
    study = study_of(tmp_path, SMALL)
    assert "16 of 16 jobs" in _run(tmp_path, "mine.toml", "--dask", scheduler).stdout
    run_here(study, tmp_path / "here.sqlite")
    assert all_but_seconds(tmp_path / "mine.sqlite", study) == all_but_seconds(tmp_path / "here.sqlite", study)


@pytest.mark.parametrize("scheduler", [0], indirect=True)
def test_error_for_a_cluster_without_workers_says_how_to_start_some(tmp_path: Path, scheduler: str) -> None:
    study_of(tmp_path, SMALL)
    assert f"Start some: dask worker {scheduler}" in _run(tmp_path, "mine.toml", "--dask", scheduler, code=2).stderr


def test_a_scheduler_that_does_not_answer_is_a_message(tmp_path: Path) -> None:
    study_of(tmp_path, SMALL)
    done = _run(tmp_path, "mine.toml", "--dask", "nonsense://1", code=2)
    assert "no Dask scheduler answers at 'nonsense://1'" in done.stderr
    assert "Traceback" not in done.stderr


# As on a machine that is so busy that the workers do not end in time.
SLOW_TO_END = """
from distributed import LocalCluster

def late(close):
    def closed(self, *arguments, **options):
        close(self, *arguments, **options)
        raise TimeoutError("timed out after 30 s")
    return closed

LocalCluster.close = late(LocalCluster.close)

from stablebn.cli.main import main
if __name__ == "__main__":
    main()
"""


def test_a_cluster_that_ends_too_slowly_does_not_spoil_a_study(tmp_path: Path) -> None:
    study_of(tmp_path, SMALL)
    program = tmp_path / "slow.py"
    program.write_text(SLOW_TO_END)
    command = [sys.executable, str(program), "study", "mine.toml"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "16 of 16 jobs" in done.stdout
    assert "Traceback" not in done.stderr
