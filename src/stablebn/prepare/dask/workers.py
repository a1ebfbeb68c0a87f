"""Keep parts of a table on the workers of a Dask cluster, and apply functions to them.

Parts are Dask futures. They are computed from files or from a Dask dataframe, so that Dask can compute them again if
a worker is lost.
"""

from __future__ import annotations

import pickle
import time
import weakref
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from stablebn import __version__
from stablebn.errors import DataError, MissingExtraError, OptionError, shown

if TYPE_CHECKING:
    from distributed import Client, Future

Outcome = TypeVar("Outcome")

_SECONDS_TO_CONNECT = 30

# Dask itself tries a task on four workers. If all of them die, the task is submitted this many times more.
_TIMES_MORE = 2

# If the cluster has had no worker for this long, the wait for answers ends with an error.
_SECONDS_WITHOUT_WORKERS = 120.0

# Functions and arguments are sent with every task. If they are larger than this, they are sent to one worker, from
# which the others fetch them.
_BYTES_TO_ALL = 1 << 16


def connected(address: str) -> Client:
    """Return a client of the scheduler at an address."""
    try:
        from distributed import Client
        from distributed.comm.addressing import get_address_host_port
    except ImportError:
        raise MissingExtraError("Dask", "dask") from None
    try:
        # The address is checked first: a client with an invalid one is never closed, and blocks when it is collected.
        get_address_host_port(address)
        return Client(address, timeout=_SECONDS_TO_CONNECT)
    except (OSError, ValueError, OverflowError) as error:
        where, reason = shown(address), str(error)[:200]
        raise OptionError(f"no Dask scheduler answers at {where}: {reason}. Start one: dask scheduler") from None


class DaskCluster:
    """Workers of a Dask cluster.

    Parameters
    ----------
    client : distributed.Client
    ours : bool
        Whether stablebn has opened the client, which is then closed when this object is garbage-collected. A client of
        the user stays open.
    """

    def __init__(self, client: Client, *, ours: bool = False) -> None:
        self.client = client
        if ours:
            weakref.finalize(self, client.close)

    @property
    def threads(self) -> int:
        """Total number of threads of the workers."""
        return sum(self.client.nthreads().values())


def cluster_of(given: object) -> DaskCluster:
    """Return the cluster of a client, of the address of a scheduler, or (None) of Dask's default client.

    Raises
    ------
    OptionError
        There is no cluster, or its workers have another version of stablebn.
    """
    try:
        from distributed import Client, default_client
    except ImportError:
        raise MissingExtraError("Dask", "dask") from None
    if given is None:
        try:
            given = default_client()
        except ValueError:
            raise OptionError(
                'engine="dask" needs a cluster: say client=distributed.Client(...), or the address of its scheduler '
                "(command line: --dask tcp://HOST:8786)."
            ) from None
    client = connected(given) if isinstance(given, str) else given
    if not isinstance(client, Client):
        raise OptionError(f"client={shown(given)} must be a distributed.Client, or the address of a Dask scheduler.")
    if client.asynchronous:
        raise OptionError("client= must not be asynchronous: make it by distributed.Client(address).")
    cluster = DaskCluster(client, ours=isinstance(given, str))
    check_workers(client)
    return cluster


def check_workers(client: Client) -> None:
    """Raise `OptionError` unless there are workers, all with this version of stablebn."""
    versions = client.run(_version)
    address = client.scheduler_info()["address"]
    if not versions:
        raise OptionError(f"the Dask scheduler at {address} has no workers. Start some: dask worker {address}")
    others = sorted({version for version in versions.values() if version != __version__})
    if others:
        raise OptionError(f"workers have stablebn {', '.join(others)}; here it is {__version__}. Install the same.")


def _version() -> str:
    return __version__


class Partitions:
    """Parts of a table that workers keep as long as this object exists.

    Parameters
    ----------
    cluster : DaskCluster
    futures : sequence of distributed.Future
        The parts.
    """

    def __init__(self, cluster: DaskCluster, futures: Sequence[Future[Any]]) -> None:
        self._cluster = cluster
        self._client = cluster.client
        self._futures = list(futures)

    @classmethod
    def of(cls, cluster: DaskCluster, given: Iterable[object]) -> Partitions:
        """Send objects to the workers as parts."""
        return cls(cluster, cluster.client.map(_itself, list(given), pure=False))

    def __reduce__(self) -> tuple[type[AbsentPartitions], tuple[()]]:
        """Pickle without the rows, which stay on the workers."""
        return AbsentPartitions, ()

    def __deepcopy__(self, _: object) -> Partitions:
        """Share the parts with copies in this process."""
        return self

    def __len__(self) -> int:
        return len(self._futures)

    def map(self, function: Callable[..., object], *arguments: object) -> Partitions:
        """Apply a function to every part; the results stay on the workers."""
        call = self._pickled(function, arguments)
        return Partitions(
            self._cluster, [self._client.submit(_apply, call, part, pure=False) for part in self._futures]
        )

    def chosen(self, numbers: Sequence[int]) -> Partitions:
        """Return some of the parts."""
        return Partitions(self._cluster, [self._futures[number] for number in numbers])

    def fetch(self, number: int) -> Any:
        """Bring one part to this process."""
        return next(self.chosen([number]).each(_itself))

    def in_order(self, function: Callable[..., Outcome], *arguments: object) -> list[Outcome]:
        """Apply a function to every part, and return the results in the order of parts."""
        results = dict(self.one_by_one(function, *arguments))
        return [results[number] for number in range(len(self))]

    def one_by_one(self, function: Callable[..., Outcome], *arguments: object) -> Iterator[tuple[int, Outcome]]:
        """Apply a function to every part in a task of its own; yield numbers of parts and results as they arrive."""
        tasks: list[_Task] = [([number], [part], None) for number, part in enumerate(self._futures)]
        for (number,), (outcome,) in self._results(_apply_to_each, tasks, function, arguments):
            yield number, outcome

    def each(self, function: Callable[..., Outcome], *arguments: object) -> Iterator[Outcome]:
        """Apply a function to every part, and yield the results in any order."""
        for _, outcomes in self._results(_apply_to_each, self._tasks_by_worker(), function, arguments):
            yield from outcomes

    def reduced(
        self, join: Callable[..., Outcome], function: Callable[..., Any], *arguments: object
    ) -> Iterator[Outcome]:
        """Like `each`, but every task combines its results with `join`, which takes an iterator of them."""
        for _, outcome in self._results(_apply_and_join, self._tasks_by_worker(), function, arguments, join):
            yield outcome

    def _tasks_by_worker(self) -> list[_Task]:
        """Group the parts of each worker into as many tasks as it has threads."""
        for _ in self._completed(self._futures):
            pass
        where = self._client.who_has(self._futures)
        threads = self._client.nthreads()
        numbers: dict[str, list[int]] = defaultdict(list)
        for number, part in enumerate(self._futures):
            # No worker has a part whose worker was lost.
            workers = where.get(part.key) or ("",)
            numbers[min(workers)].append(number)
        tasks: list[_Task] = []
        for worker, there in numbers.items():
            groups = min(len(there), threads.get(worker, len(there)))
            for first in range(groups):
                group = there[first::groups]
                tasks.append((group, [self._futures[number] for number in group], worker or None))
        return tasks

    def _pickled(self, function: Callable[..., object], arguments: tuple[object, ...], *besides: object) -> object:
        """Pickle a call; if it is large, keep it on one worker and return its future."""
        call = pickle.dumps((function, arguments, *besides), protocol=5)
        # Submitted rather than scattered, because scattered data are lost with their worker.
        return call if len(call) <= _BYTES_TO_ALL else self._client.submit(_itself, call, pure=False)

    def _results(
        self,
        work: Callable[..., Any],
        tasks: Sequence[_Task],
        function: Callable[..., object],
        arguments: tuple[object, ...],
        *besides: object,
    ) -> Iterator[tuple[list[int], Any]]:
        """Submit tasks, and yield the numbers of their parts and their results as they arrive."""
        from distributed import KilledWorker

        call = self._pickled(function, arguments, *besides)

        def submit(task: _Task) -> Future[Any]:
            _, parts, worker = task
            return self._client.submit(
                work, call, parts, workers=worker, allow_other_workers=worker is not None, pure=False
            )

        waiting = {submit(task): task for task in tasks}
        times = 0
        try:
            for future in self._completed(waiting):
                task = waiting.pop(future)
                try:
                    outcome = future.result()
                except KilledWorker as error:
                    times += 1
                    if times > _TIMES_MORE:
                        raise DataError(
                            "workers of the Dask cluster have died again and again while they had rows of the table: "
                            f"most likely they are short of memory. Give them more, or smaller parts. ({error})"
                        ) from error
                    self._client.retry([part for part in task[1] if part.status == "error"])
                    again = submit((task[0], task[1], None))
                    waiting[again] = task
                    continue
                yield task[0], outcome
        finally:
            if waiting:
                self._client.cancel(list(waiting))

    def _completed(self, futures: Collection[Future[Any]]) -> Iterator[Future[Any]]:
        """Yield futures as they complete, those too that join the collection meanwhile.

        Raises
        ------
        DataError
            The cluster has lost all of its workers, and none has come back.
        """
        from distributed import TimeoutError as WaitedTooLong
        from distributed import as_completed

        completed: set[str] = set()
        last_seen = time.monotonic()
        while keys := [future.key for future in futures if future.key not in completed]:
            # No reference to a future stays here: workers keep an answer for as long as there is one.
            ended = as_completed(
                [future for future in futures if future.key not in completed], timeout=_SECONDS_WITHOUT_WORKERS / 4
            )
            with suppress(WaitedTooLong):
                for future in ended:
                    completed.add(future.key)
                    yield future
            if self._client.nthreads():
                last_seen = time.monotonic()
            elif completed.isdisjoint(keys) and time.monotonic() - last_seen > _SECONDS_WITHOUT_WORKERS:
                raise DataError(
                    "the Dask cluster has lost all of its workers, and none has come back for "
                    f"{_SECONDS_WITHOUT_WORKERS:.0f} seconds. Start workers, then learn again."
                )


class AbsentPartitions:
    """Stands for the parts of an unpickled `Partitions`, and raises an error when it is used."""

    def _refuse(self, *_: object) -> NoReturn:
        raise DataError(
            "the rows are with the workers of a Dask cluster, and did not come along when this was sent. Learn again."
        )

    map = each = reduced = fetch = _refuse


# Numbers of parts, the parts, and the worker that has them.
_Task = tuple[list[int], "list[Future[Any]]", "str | None"]


def _apply(call: bytes, part: object) -> object:
    function, arguments = pickle.loads(call)
    return function(part, *arguments)


def _apply_to_each(call: bytes, parts: Sequence[object]) -> list[object]:
    function, arguments = pickle.loads(call)
    return [function(part, *arguments) for part in parts]


def _apply_and_join(call: bytes, parts: Sequence[object]) -> object:
    function, arguments, join = pickle.loads(call)
    return join(function(part, *arguments) for part in parts)


def _itself(part: Any) -> Any:
    return part
