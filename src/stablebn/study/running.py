"""Run the jobs of a study that are not in its store on workers, and store their outcomes."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from importlib.util import find_spec
from typing import Protocol

from stablebn.errors import OptionError
from stablebn.options import at_least
from stablebn.study.definition import Study
from stablebn.study.jobs import Job, jobs_of
from stablebn.study.record import Record, Sample
from stablebn.study.run_job import failed
from stablebn.study.store import Store
from stablebn.threads import cores


class Workers(Protocol):
    """Processes that run jobs; the outcome of a job does not depend on the process.

    Attributes
    ----------
    size : int
        The number of processes.
    capacity : int
        The most jobs that may be started at once: few, so that they can be stopped.
    """

    size: int
    capacity: int

    def start(self, job: Job) -> None:
        """Start a job; at most `capacity` jobs may be running."""

    def next_ended(self) -> tuple[Job, tuple[Sample | None, Record] | None]:
        """Wait for a job to end; the outcome is None if its worker died."""

    def stop(self) -> None:
        """Stop all jobs at once."""


def check_workers(processes: int | None, scheduler: str | None) -> None:
    """Raise `OptionError` if the workers are specified wrongly."""
    if processes is not None and scheduler is not None:
        raise OptionError("--jobs is for processes of this machine and --dask for a cluster. Leave one out.")
    if processes is not None:
        at_least(1, most=1024)("--jobs", processes)


def start_workers(processes: int | None = None, scheduler: str | None = None) -> Workers:
    """Start workers: processes of this machine, or those of a Dask scheduler.

    Without either a local Dask cluster starts if Dask is installed, and otherwise one process per core.
    """
    from stablebn.study.dask_workers import DaskWorkers
    from stablebn.study.processes import Processes

    check_workers(processes, scheduler)
    if scheduler is not None or (processes is None and find_spec("distributed") is not None):
        return DaskWorkers(scheduler)
    return Processes(processes or cores())


def missing_jobs(study: Study, store: Store) -> list[Job]:
    """Return the jobs of a study that are not in the store, each once."""
    known = store.statuses()
    return list({job.key: job for job in jobs_of(study) if job.key not in known}.values())


def run_jobs(jobs: Iterable[Job], workers: Workers, store: Store, progress: Callable[[Job, Record], None]) -> None:
    """Run jobs, and store each outcome as soon as the job ends.

    Parameters
    ----------
    jobs : iterable of Job
    workers : Workers
        They are stopped at the end, also after an exception such as KeyboardInterrupt.
    store : Store
    progress : callable
        Called with every finished job.
    """
    try:
        for job, sample, record in _outcomes(jobs, workers):
            store.add(job, sample, record)
            progress(job, record)
    finally:
        workers.stop()


def _outcomes(jobs: Iterable[Job], workers: Workers) -> Iterator[tuple[Job, Sample | None, Record]]:
    """Yield the outcome of every job as it ends; a job whose worker dies is tried once again."""
    waiting, running, tried = deque(jobs), 0, set[str]()
    while waiting or running:
        while waiting and running < workers.capacity:
            workers.start(waiting.popleft())
            running += 1
        job, ended = workers.next_ended()
        running -= 1
        if ended is not None:
            yield job, *ended
        elif job.key in tried:
            yield job, None, failed(job, "its worker died, twice: killed, out of memory, or a crash")
        else:
            tried.add(job.key)
            waiting.appendleft(job)
