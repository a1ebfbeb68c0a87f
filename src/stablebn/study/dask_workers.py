"""Run jobs on a Dask cluster: on a running one, or on a local one that is started for the study."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from stablebn.errors import MissingExtraError, OptionError
from stablebn.prepare.dask.workers import check_workers, connected
from stablebn.study.jobs import Job
from stablebn.study.record import Record, Sample
from stablebn.study.run_job import ignore_interrupts, work
from stablebn.threads import cores

if TYPE_CHECKING:
    from distributed import Client

logger = logging.getLogger(__name__)
# Without this, Python prints the warnings of this logger even if the user has not configured logging.
logger.addHandler(logging.NullHandler())

_SECONDS_TO_CLOSE = 30


class DaskWorkers:
    """The workers of a Dask scheduler.

    Parameters
    ----------
    address : str or None
        The address of the scheduler; None starts a local cluster with one process per core.
    """

    def __init__(self, address: str | None) -> None:
        try:
            from distributed import as_completed
        except ImportError:
            raise MissingExtraError("Dask", "dask") from None
        self._client = _local() if address is None else connected(address)
        self._jobs: dict[Any, Job] = {}
        try:
            check_workers(self._client)
        except OptionError:
            self.stop()
            raise
        self.size = sum(self._client.nthreads().values())
        # Each worker has a running and a waiting job, because the scheduler may answer slowly.
        self.capacity = 2 * self.size
        self._ended = as_completed()

    def start(self, job: Job) -> None:
        """Give a job to the scheduler."""
        # With pure=True Dask would hash the network to look for an earlier result.
        future = self._client.submit(work, job, pure=False)
        self._jobs[future] = job
        self._ended.add(future)

    def next_ended(self) -> tuple[Job, tuple[Sample | None, Record] | None]:
        """Wait for a job to end; the outcome is None if its worker died."""
        from distributed import KilledWorker

        future = next(self._ended)
        job = self._jobs.pop(future)
        try:
            return job, future.result()
        except KilledWorker:
            return job, None

    def stop(self) -> None:
        """Cancel the jobs that no worker has begun, and disconnect; stop a cluster that was started here.

        All finished jobs are stored before: so a cluster that does not answer in time is not an error.
        """
        cluster = self._client.cluster
        with _even_if_slow():
            self._client.cancel(list(self._jobs))
        with _even_if_slow():
            self._client.close()
        if cluster is not None:
            with _even_if_slow():
                cluster.close(timeout=_SECONDS_TO_CLOSE)


@contextmanager
def _even_if_slow() -> Iterator[None]:
    try:
        yield
    # Before Python 3.11 asyncio.TimeoutError is a different class.
    except (TimeoutError, asyncio.TimeoutError, OSError) as error:
        logger.warning("the Dask cluster did not stop cleanly: %r", error)


def _local() -> Client:
    import dask
    from distributed import Client, LocalCluster

    # `run_jobs` tries a job again if its worker dies: the scheduler must not do so too.
    dask.config.set({"distributed.scheduler.allowed-failures": 0})
    client = Client(
        LocalCluster(
            n_workers=cores(),
            threads_per_worker=1,
            memory_limit=0,
            dashboard_address=None,
            # The records report the jobs whose worker died.
            silence_logs=logging.CRITICAL,
        )
    )
    client.run(ignore_interrupts)
    return client
