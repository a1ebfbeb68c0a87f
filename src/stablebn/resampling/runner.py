"""Run the jobs of stability, bootstrap and cross-validation: in threads, on a Dask cluster or in new processes.

A job is a number, or a few: a layout, a replicate or a fold. `run_jobs` skips the jobs of a checkpoint and reports
progress. `ResampledLearner` is what bootstrap and cross-validation need of a learner.
"""

from __future__ import annotations

import os
import pickle
import random
import subprocess
import sys
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from stablebn.graph import PDAG
from stablebn.prepare.dask.workers import Partitions
from stablebn.threads import run_at_once

if TYPE_CHECKING:
    from stablebn.canonical.rows import CanonicalRows
    from stablebn.prepare.dask.workers import DaskCluster
    from stablebn.result.result import Result

AnyJob = TypeVar("AnyJob", bound=Hashable)
JobOutcome = TypeVar("JobOutcome")

LearnerLike: TypeAlias = str | Callable[[Any], object]
"""The name of an algorithm of stablebn, or a callable from a frame to edges."""

_PROGRAM = "import sys; from stablebn.resampling.runner import run_pickled; run_pickled(sys.argv[1])"


class ResampledLearner(ABC):
    """A learner with a table: it learns from other rows of that table.

    Attributes
    ----------
    title : str
    stable : bool
        Whether the graph depends on the content of the table alone, and not on its layout.
    result : Result or None
        Learned from the complete table; None for a callable.
    learned : PDAG
        The CPDAG learned from the complete table.
    rows : int
        N, the sum of the weights.
    canonical : tuple of names
        The variables in canonical order.
    distinct : CanonicalRows
    failures : tuple of exception types
        Errors that make one replicate fail; any other error ends the run.
    threads : int
        How many jobs run at once.
    cluster : DaskCluster or None
        The Dask cluster whose workers run the jobs.
    """

    title: str
    stable: bool
    result: Result | None
    learned: PDAG
    rows: int
    canonical: tuple[Hashable, ...]
    distinct: CanonicalRows
    failures: ClassVar[tuple[type[Exception], ...]]
    threads: int
    cluster: DaskCluster | None = None

    @abstractmethod
    def learn(self, times: NDArray[np.int64], columns: list[Hashable] | None, shuffle: random.Random) -> PDAG:
        """Learn the CPDAG of a replicate.

        Parameters
        ----------
        times : int64 array
            How often each distinct row occurs in the replicate.
        columns : list of names, optional
            The column order; by default that of the table.
        shuffle : random.Random
            Generator of the row order, if the learner depends on it.
        """

    @abstractmethod
    def identity(self) -> dict[str, Any]:
        """Return what decides on the graphs besides the table, for the key of a checkpoint."""

    @abstractmethod
    def contents(self) -> Iterator[Any]:
        """Yield the table as arrays, in any layout the same: columns by name, rows in canonical order."""


class SavedOutcomes(Protocol[AnyJob, JobOutcome]):
    """A checkpoint of jobs.

    Attributes
    ----------
    done : mapping of AnyJob to JobOutcome
        The jobs that an earlier run finished.
    """

    done: Mapping[AnyJob, JobOutcome]

    def add(self, outcome: JobOutcome) -> None:
        """Save an outcome; several threads may call this at once."""


def run_jobs(
    jobs: Sequence[AnyJob],
    work: Callable[..., JobOutcome],
    *arguments: object,
    threads: int = 1,
    cluster: DaskCluster | None = None,
    checkpoint: SavedOutcomes[AnyJob, JobOutcome] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[JobOutcome]:
    """Run every job that is not in the checkpoint, and return all outcomes in the order of the jobs.

    Parameters
    ----------
    jobs : sequence
    work : callable
        Called as ``work(job, *arguments)``. For a cluster all of it must be picklable.
    threads : int
        How many jobs run at once. With 1 they run one after another in the calling thread.
    cluster : DaskCluster, optional
        A Dask cluster whose workers run the jobs, instead of threads.
    checkpoint : SavedOutcomes, optional
        Gets every outcome as soon as it is there.
    progress : callable, optional
        Called with the number of finished jobs and of all jobs, possibly from several threads.
    """
    outcomes = {} if checkpoint is None else dict(checkpoint.done)
    # A list instead of a number: appending is atomic, and several threads count.
    finished = [None for job in jobs if job in outcomes]

    def finish(job: AnyJob, outcome: JobOutcome) -> None:
        if checkpoint is not None:
            checkpoint.add(outcome)
        outcomes[job] = outcome
        finished.append(None)
        if progress is not None:
            progress(len(finished), len(jobs))

    def run(job: AnyJob) -> None:
        finish(job, work(job, *arguments))

    missing = [job for job in jobs if job not in outcomes]
    if cluster is not None:
        for index, outcome in Partitions.of(cluster, missing).one_by_one(work, *arguments):
            finish(missing[index], outcome)
    else:
        run_at_once([partial(run, job) for job in missing], threads, lambda: None)
    return [outcomes[job] for job in jobs]


def run_in_new_process(call: bytes, *, hash_seed: int) -> Any:
    """Call a function in a new Python process with this PYTHONHASHSEED, and return what it returns.

    Sets and dicts of text may iterate in another order there.

    Parameters
    ----------
    call : bytes
        The function and the tuple of its arguments, pickled.
    hash_seed : int
    """
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "call").write_bytes(call)
        # The new process needs the path too, to find what this process has imported.
        search = os.pathsep.join(entry or os.getcwd() for entry in sys.path)
        settings = {**os.environ, "PYTHONHASHSEED": str(hash_seed), "PYTHONPATH": search}
        done = subprocess.run(
            [sys.executable, "-c", _PROGRAM, folder], env=settings, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RuntimeError(f"the learner failed in a process with PYTHONHASHSEED={hash_seed}:\n{done.stderr}")
        return pickle.loads(Path(folder, "outcome").read_bytes())


def run_pickled(folder: str) -> None:
    """Make the call of `run_in_new_process`, in that process; files carry the data, as the call may print."""
    function, arguments = pickle.loads(Path(folder, "call").read_bytes())
    Path(folder, "outcome").write_bytes(pickle.dumps(function(*arguments)))
