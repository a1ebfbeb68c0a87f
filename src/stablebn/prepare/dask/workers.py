"""Parts of a table with the workers of a Dask cluster, and what is asked of them.

All is done by Dask's own futures. What workers keep is made of files or of a Dask dataframe, so that Dask makes it
anew where a worker is lost.
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

# Dask itself tries four workers: where all of them die, so often more.
_TIMES_MORE = 2

# If the cluster has had no worker for this long, the wait for answers ends with an error.
_SECONDS_WITHOUT_WORKERS = 120.0

# What is asked goes along with every task; more than so many bytes go to one worker, from which the others have them.
_BYTES_TO_ALL = 1 << 16


def connected(address: str) -> Client:
    """A client of the scheduler at an address."""
    try:
        from distributed import Client
        from distributed.comm.addressing import get_address_host_port
    except ImportError:
        raise MissingExtraError("Dask", "dask") from None
    try:
        # A client that has met what cannot be an address is never closed, and holds up whoever collects it.
        get_address_host_port(address)
        return Client(address, timeout=_SECONDS_TO_CONNECT)
    except (OSError, ValueError, OverflowError) as error:
        where, reason = shown(address), str(error)[:200]
        raise OptionError(f"no Dask scheduler answers at {where}: {reason}. Start one: dask scheduler") from None


class Cluster:
    """The workers of a Dask cluster.

    Parameters
    ----------
    client : distributed.Client
    ours : bool
        Whether the connection ends when nobody has this any more; what the user has opened stays open.
    """

    def __init__(self, client: Client, *, ours: bool = False) -> None:
        self.client = client
        if ours:
            weakref.finalize(self, client.close)

    @property
    def threads(self) -> int:
        """How many threads all workers have."""
        return sum(self.client.nthreads().values())


def cluster_of(given: object) -> Cluster:
    """The cluster that the user names: by a client, the address of a scheduler, or None for the client that there is.

    Raises
    ------
    OptionError
        There is none, or workers do not fit.
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
    cluster = Cluster(client, ours=isinstance(given, str))
    check_workers(client)
    return cluster


def check_workers(client: Client) -> None:
    """Raise unless there are workers, all of them with this version of the library."""
    there = client.run(_version)
    address = client.scheduler_info()["address"]
    if not there:
        raise OptionError(f"the Dask scheduler at {address} has no workers. Start some: dask worker {address}")
    others = sorted({version for version in there.values() if version != __version__})
    if others:
        raise OptionError(f"workers have stablebn {', '.join(others)}; here it is {__version__}. Install the same.")


def _version() -> str:
    return __version__


class Partitions:
    """Parts that workers keep for as long as somebody has this.

    Parameters
    ----------
    cluster : Cluster
    futures : sequence of distributed.Future
        The parts.
    """

    def __init__(self, cluster: Cluster, futures: Sequence[Future[Any]]) -> None:
        self._cluster = cluster
        self._client = cluster.client
        self._futures = list(futures)

    @classmethod
    def of(cls, cluster: Cluster, given: Iterable[object]) -> Partitions:
        """Parts that are given to workers."""
        return cls(cluster, cluster.client.map(_itself, list(given), pure=False))

    def __reduce__(self) -> tuple[type[AbsentPartitions], tuple[()]]:
        """What is sent to another process, or written to a file, goes without the rows."""
        return AbsentPartitions, ()

    def __deepcopy__(self, _: object) -> Partitions:
        """A copy in this process has the same."""
        return self

    def __len__(self) -> int:
        return len(self._futures)

    def made(self, function: Callable[..., object], *arguments: object) -> Partitions:
        """What a function makes of every part, kept where the part is."""
        asked = self._asked(function, arguments)
        return Partitions(
            self._cluster, [self._client.submit(_made, asked, part, pure=False) for part in self._futures]
        )

    def chosen(self, places: Sequence[int]) -> Partitions:
        """Some of the parts."""
        return Partitions(self._cluster, [self._futures[place] for place in places])

    def fetch(self, place: int) -> Any:
        """One part, brought here."""
        return next(self.chosen([place]).each(_itself))

    def in_order(self, function: Callable[..., Outcome], *arguments: object) -> list[Outcome]:
        """What a function makes of every part, in the order of parts."""
        found = dict(self.one_by_one(function, *arguments))
        return [found[place] for place in range(len(self))]

    def one_by_one(self, function: Callable[..., Outcome], *arguments: object) -> Iterator[tuple[int, Outcome]]:
        """What a function makes of every part, each by itself, with the places of parts, as they come."""
        tasks: list[_Task] = [([place], [part], None) for place, part in enumerate(self._futures)]
        for (place,), (outcome,) in self._answers(_listed, tasks, function, arguments):
            yield place, outcome

    def each(self, function: Callable[..., Outcome], *arguments: object) -> Iterator[Outcome]:
        """What a function makes of every part, in any order."""
        for _, outcomes in self._answers(_listed, self._at_workers(), function, arguments):
            yield from outcomes

    def joined(
        self, join: Callable[..., Outcome], function: Callable[..., Any], *arguments: object
    ) -> Iterator[Outcome]:
        """The same, but for each worker its own answers as one: `join` makes it of an iterator of them."""
        for _, outcome in self._answers(_joined, self._at_workers(), function, arguments, join):
            yield outcome

    def _at_workers(self) -> list[_Task]:
        """Parts that one worker has, as many groups of them as it has threads."""
        for _ in self._completed(self._futures):
            pass
        where = self._client.who_has(self._futures)
        threads = self._client.nthreads()
        places: dict[str, list[int]] = defaultdict(list)
        for place, part in enumerate(self._futures):
            # Nobody has what a worker had that was lost.
            workers = where.get(part.key) or ("",)
            places[min(workers)].append(place)
        tasks: list[_Task] = []
        for worker, own in places.items():
            groups = min(len(own), threads.get(worker, len(own)))
            for first in range(groups):
                group = own[first::groups]
                tasks.append((group, [self._futures[place] for place in group], worker or None))
        return tasks

    def _asked(self, function: Callable[..., object], arguments: tuple[object, ...], *besides: object) -> object:
        asked = pickle.dumps((function, arguments, *besides), protocol=5)
        # Not scattered: what is scattered is lost with the worker that has it.
        return asked if len(asked) <= _BYTES_TO_ALL else self._client.submit(_itself, asked, pure=False)

    def _answers(
        self,
        work: Callable[..., Any],
        tasks: Sequence[_Task],
        function: Callable[..., object],
        arguments: tuple[object, ...],
        *besides: object,
    ) -> Iterator[tuple[list[int], Any]]:
        """Give tasks to workers; the places of each with its answer, as they come."""
        from distributed import KilledWorker

        asked = self._asked(function, arguments, *besides)

        def given(task: _Task) -> Future[Any]:
            _, parts, worker = task
            return self._client.submit(
                work, asked, parts, workers=worker, allow_other_workers=worker is not None, pure=False
            )

        waiting = {given(task): task for task in tasks}
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
                    again = given((task[0], task[1], None))
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
    """Parts that did not come along."""

    def _refuse(self, *_: object) -> NoReturn:
        raise DataError(
            "the rows are with the workers of a Dask cluster, and did not come along when this was sent. Learn again."
        )

    made = each = joined = fetch = _refuse


_Task = tuple[list[int], "list[Future[Any]]", "str | None"]


def _made(asked: bytes, part: object) -> object:
    function, arguments = pickle.loads(asked)
    return function(part, *arguments)


def _listed(asked: bytes, parts: Sequence[object]) -> list[object]:
    function, arguments = pickle.loads(asked)
    return [function(part, *arguments) for part in parts]


def _joined(asked: bytes, parts: Sequence[object]) -> object:
    function, arguments, join = pickle.loads(asked)
    return join(function(part, *arguments) for part in parts)


def _itself(part: Any) -> Any:
    return part
