"""Plan a study, run it, and read its results: the public functions of studies."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from stablebn.errors import OptionError
from stablebn.options import callback, checked_arguments, file_path, flag, list_of_names, text
from stablebn.study.definition import Study, read_study
from stablebn.study.estimate import SECONDS_TO_START, Estimate, Remaining
from stablebn.study.jobs import Job, jobs_of
from stablebn.study.plan import StudyPlan
from stablebn.study.record import Record
from stablebn.study.results import Run, StudyResults
from stablebn.study.running import check_workers, missing_jobs, run_jobs, start_workers
from stablebn.study.store import Store, read_statuses_and_timings
from stablebn.threads import cores

Folders = Sequence[str | os.PathLike[str]]


class Progress(NamedTuple):
    """How many jobs of a run are done, and how long the rest will take.

    Attributes
    ----------
    done, total : int
        Jobs of this run.
    seconds_left : float
        An estimate.
    """

    done: int
    total: int
    seconds_left: float


def _check_definition(name: str, value: object) -> None:
    if not isinstance(value, Study):
        file_path(name, value)


@checked_arguments(
    definition=_check_definition, networks=list_of_names, store=file_path, dask=text, quick=flag, progress=callback
)
def run(
    definition: str | os.PathLike[str] | Study,
    *,
    networks: Folders = (),
    store: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    dask: str | None = None,
    quick: bool = False,
    progress: Callable[[Progress], None] | None = None,
) -> StudyResults:
    """Run a study: every learner on every network, sample size and layout. Jobs in the store are not run again.

    Parameters
    ----------
    definition : str, path or Study
        "paper", the path of a TOML file, or a study that has been read.
    networks : sequence of paths
        Folders that are searched for networks before all others.
    store : path, optional
        The file that gets every outcome as soon as its job ends; by default NAME.sqlite in the working directory.
    jobs : int, optional
        The number of processes on this machine.
    dask : str, optional
        The address of a Dask cluster that runs the jobs. Without `jobs` and `dask` a local Dask cluster runs them if
        Dask is installed, and otherwise one process per core.
    quick : bool
        Only the part in the table [quick] of the study.
    progress : callable, optional
        Called with a `Progress` at the start and after every job.

    Returns
    -------
    StudyResults
        The samples, records and tables; its attribute `run` says how long the run took.

    Raises
    ------
    OptionError
        Something in the definition is unknown, or a network is missing.
    KeyboardInterrupt
        The finished jobs are in the store: the same call goes on from there.

    Notes
    -----
    New processes import the main module: in a script, call `run` under `if __name__ == "__main__":`.
    """
    check_workers(jobs, dask)
    study = _study(definition, networks, quick=quick)
    path = _store_path(study, store)
    took = None
    with closing(Store(path)) as kept:
        to_do = missing_jobs(study, kept)
        if to_do:
            began = time.monotonic()
            estimate = Estimate(kept.timings())
            # No call that may fail comes between these two, because only `run_jobs` stops the workers.
            workers = start_workers(jobs, dask)
            run_jobs(to_do, workers, kept, _reporting(to_do, estimate, workers.size, progress))
            took = Run(len(to_do), time.monotonic() - began, workers.size)
        return _results(study, kept, took)


@checked_arguments(definition=_check_definition, networks=list_of_names, store=file_path, quick=flag)
def results(
    definition: str | os.PathLike[str] | Study,
    *,
    networks: Folders = (),
    store: str | os.PathLike[str] | None = None,
    quick: bool = False,
) -> StudyResults:
    """Read the results that a study has so far, without running it.

    Parameters
    ----------
    definition, networks, store, quick
        As in `run`.

    Returns
    -------
    StudyResults
    """
    study = _study(definition, networks, quick=quick)
    path = _store_path(study, store)
    if not path.exists():
        raise OptionError(f"the store {path} does not exist yet. Run the study first, without --tables and --figures.")
    with closing(Store(path)) as kept:
        return _results(study, kept, None)


@checked_arguments(definition=_check_definition, networks=list_of_names, store=file_path, quick=flag)
def plan(
    definition: str | os.PathLike[str] | Study,
    *,
    networks: Folders = (),
    store: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    quick: bool = False,
) -> StudyPlan:
    """Estimate how much there is to do and how long it will take, without running or storing anything.

    Parameters
    ----------
    definition, networks, store, jobs, quick
        As in `run`.

    Returns
    -------
    StudyPlan
    """
    check_workers(jobs, None)
    study = _study(definition, networks, quick=quick)
    known, timings = read_statuses_and_timings(_store_path(study, store))
    workers = jobs or cores()
    to_do = [job for job in jobs_of(study) if job.key not in known]
    seconds = SECONDS_TO_START + Remaining(to_do, Estimate(timings), workers).seconds() if to_do else 0.0
    return StudyPlan(study, frozenset(known), workers, seconds, measured=bool(timings))


def _study(definition: str | os.PathLike[str] | Study, networks: Folders, *, quick: bool) -> Study:
    if not isinstance(definition, Study):
        return read_study(definition, quick=quick, directories=networks)
    if quick or networks:
        raise OptionError("quick and networks are for a study that is read from a file: give them to read_study.")
    return definition


def _store_path(study: Study, store: str | os.PathLike[str] | None) -> Path:
    return Path(f"{study.name}.sqlite") if store is None else Path(store)


def _results(study: Study, store: Store, took: Run | None) -> StudyResults:
    return StudyResults(study, store.path, tuple(store.samples(study)), tuple(store.records(study)), took)


def _reporting(
    jobs: Sequence[Job], estimate: Estimate, workers: int, progress: Callable[[Progress], None] | None
) -> Callable[[Job, Record], None]:
    """Return the function that is called after every job: it updates the estimate and reports progress."""
    remaining = Remaining(jobs, estimate, workers)
    done = 0
    if progress is not None:
        progress(Progress(done, len(jobs), remaining.seconds()))

    def ended(job: Job, record: Record) -> None:
        nonlocal done
        done += 1
        remaining.ended(job, record.seconds)
        if progress is not None:
            progress(Progress(done, len(jobs), remaining.seconds()))

    return ended
