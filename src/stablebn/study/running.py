"""The runner: every job of a study that is not in the store goes to a worker, and its outcome to the store."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from importlib.util import find_spec
from typing import Protocol

from stablebn.errors import OptionError
from stablebn.options import at_least
from stablebn.study.definition import Study
from stablebn.study.job import failed
from stablebn.study.jobs import Job, jobs_of
from stablebn.study.record import Record, Sample
from stablebn.study.store import Store
from stablebn.threads import cores


class Workers(Protocol):
    """Processes that do the jobs: what comes of a job does not depend on which.

    Attributes
    ----------
    size : int
        How many there are.
    capacity : int
        How many jobs they take at a time: few, so that they can be stopped.
    """

    size: int
    capacity: int

    def start(self, job: Job) -> None:
        """Take a job; no more than `capacity` are under way."""

    def next_ended(self) -> tuple[Job, tuple[Sample | None, Record] | None]:
        """Wait for a job to end; None for its outcome: its worker died."""

    def stop(self) -> None:
        """Stop at once."""


def check_workers(processes: int | None, scheduler: str | None) -> None:
    """Refuse workers that cannot be."""
    if processes is not None and scheduler is not None:
        raise OptionError("--jobs is for processes of this machine and --dask for a cluster. Leave one out.")
    if processes is not None:
        at_least(1, most=1024)("--jobs", processes)


def start_workers(processes: int | None = None, scheduler: str | None = None) -> Workers:
    """Workers: so many processes, or those of a Dask scheduler.

    Without either it is a local Dask cluster where Dask is installed, and else a process a core.
    """
    from stablebn.study.dask_workers import DaskWorkers
    from stablebn.study.processes import Processes

    check_workers(processes, scheduler)
    if scheduler is not None or (processes is None and find_spec("distributed") is not None):
        return DaskWorkers(scheduler)
    return Processes(processes or cores())


def missing_jobs(study: Study, store: Store) -> list[Job]:
    """The jobs of a study that are not in the store, each once."""
    known = store.statuses()
    return list({job.key: job for job in jobs_of(study) if job.key not in known}.values())


def run_jobs(jobs: Iterable[Job], workers: Workers, store: Store, progress: Callable[[Job, Record], None]) -> None:
    """Run jobs, and write each down as soon as it has ended.

    Parameters
    ----------
    jobs : iterable of Job
    workers : Workers
        They are stopped at the end, and also if something is raised, such as KeyboardInterrupt.
    store : Store
    progress : callable
        Called with every job that has ended.
    """
    try:
        for job, sample, record in _outcomes(jobs, workers):
            store.add(job, sample, record)
            progress(job, record)
    finally:
        workers.stop()


def _outcomes(jobs: Iterable[Job], workers: Workers) -> Iterator[tuple[Job, Sample | None, Record]]:
    """The outcome of every job, as they come; a job whose worker dies has a second chance."""
    waiting, under_way, tried = deque(jobs), 0, set[str]()
    while waiting or under_way:
        while waiting and under_way < workers.capacity:
            workers.start(waiting.popleft())
            under_way += 1
        job, ended = workers.next_ended()
        under_way -= 1
        if ended is not None:
            yield job, *ended
        elif job.key in tried:
            yield job, None, failed(job, "its worker died, twice: killed, out of memory, or a crash")
        else:
            tried.add(job.key)
            waiting.appendleft(job)
