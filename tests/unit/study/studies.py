"""Small studies, and workers in this process."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from stablebn.study.definition import Study, read_study
from stablebn.study.jobs import Job
from stablebn.study.record import Record, Sample
from stablebn.study.run_job import work
from stablebn.study.running import missing_jobs, run_jobs
from stablebn.study.store import Store

SMALL = """
networks = ["asia"]
sizes = [50, 200]
randomisations = 3

[[learners]]
algorithm = "tabu"

[[learners]]
algorithm = "tabu-stable"

[[learners]]
label = "pc"
algorithm = "pc-stable"
alpha = 0.01
randomisations = 2

[quick]
sizes = [50]
randomisations = 2
"""


def study_of(folder: Path, text: str, *, quick: bool = False, directories: Sequence[Path] = ()) -> Study:
    """Read the study that a text defines."""
    path = folder / "mine.toml"
    path.write_text(text)
    return read_study(path, quick=quick, directories=directories)


class Here:
    """A worker in this process; it dies of each job in `deadly` as many times as given there."""

    size = 1
    capacity = 2

    def __init__(self, deadly: dict[str, int] | None = None) -> None:
        self.begun: list[str] = []
        self._deadly = deadly or {}
        self._jobs: deque[Job] = deque()

    def start(self, job: Job) -> None:
        assert len(self._jobs) < self.capacity
        self.begun.append(job.key)
        self._jobs.append(job)

    def next_ended(self) -> tuple[Job, tuple[Sample | None, Record] | None]:
        job = self._jobs.popleft()
        if self._deadly.get(job.key, 0):
            self._deadly[job.key] -= 1
            return job, None
        return job, work(job)

    def stop(self) -> None:
        self._jobs.clear()


def run_here(study: Study, path: Path, workers: Here | None = None) -> list[Record]:
    """Run the missing jobs, and return all records."""
    with closing(Store(path)) as store:
        run_jobs(missing_jobs(study, store), workers or Here(), store, lambda job, record: None)
        return store.records(study)


def all_but_seconds(path: Path, study: Study) -> tuple[list[Sample], list[Record]]:
    """Return the records of a study without their times, which differ between runs."""
    with closing(Store(path)) as store:
        return store.samples(study), [replace(record, seconds=0.0) for record in store.records(study)]
