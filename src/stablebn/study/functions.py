"""The front door of studies: `plan`, `run` and `results`."""

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
    """How far a study is.

    Attributes
    ----------
    done, total : int
        Jobs of this run.
    seconds_left : float
        As far as can be said.
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
    """Run a study: learners by networks by sample sizes by layouts. What was run before is not run again.

    Parameters
    ----------
    definition : str, path or Study
        "paper", the path of a TOML file, or a study that has been read.
    networks : sequence of paths
        Folders to look for networks in before all others.
    store : path, optional
        Where outcomes are kept, each as soon as it is there; by default NAME.sqlite in the working directory.
    jobs : int, optional
        Run in so many processes of this machine.
    dask : str, optional
        Run on the Dask cluster with this address. Without `jobs` and `dask` it is a local cluster where Dask is
        installed, and else a process a core.
    quick : bool
        Only the part that the study calls quick.
    progress : callable, optional
        Called with a `Progress` at the start and after every job.

    Returns
    -------
    StudyResults
        Samples, records, tables; `run` says how long it took.

    Raises
    ------
    OptionError
        Something in the definition is not known, or a network is not there.
    KeyboardInterrupt
        What has ended is in the store: the same call goes on from there.

    Notes
    -----
    Processes start by importing the main module: in a script, call it under `if __name__ == "__main__":`.
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
            # Nothing that may fail comes between these two: who runs the jobs stops the workers.
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
    """What has come of a study so far. Nothing is run.

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
        raise OptionError(f"there is no store {path} yet. Run the study first, without --tables and --figures.")
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
    """How much there is to do, and how long it will take. Nothing is run, and no store is made.

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
        raise OptionError("quick and networks are for a study that is read from a file. Say them to read_study.")
    return definition


def _store_path(study: Study, store: str | os.PathLike[str] | None) -> Path:
    return Path(f"{study.name}.sqlite") if store is None else Path(store)


def _results(study: Study, store: Store, took: Run | None) -> StudyResults:
    return StudyResults(study, store.path, tuple(store.samples(study)), tuple(store.records(study)), took)


def _reporting(
    jobs: Sequence[Job], estimate: Estimate, workers: int, progress: Callable[[Progress], None] | None
) -> Callable[[Job, Record], None]:
    """What is done after every job."""
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
