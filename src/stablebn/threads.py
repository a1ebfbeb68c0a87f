"""Run Python tasks in threads so that Ctrl-C stays safe.

The core has its own threads for counting. The threads of this module run several calls of the core at the same time,
which release the interpreter's lock.

`concurrent.futures` is not used, because it is not safe for Ctrl-C. Python joins its threads at exit, so a thread that
waits for a pipe or a stalled disk keeps the process alive after Ctrl-C. It also takes locks in the main thread: of 60
processes that were interrupted while they used a pool of four threads, one hung.
"""

from __future__ import annotations

import os
import threading
from _thread import start_new_thread
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from contextvars import copy_context
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeVar

Returned = TypeVar("Returned")

_POLL_SECONDS = 0.1


def cores() -> int:
    """Return the number of cores that this process may use, which can be fewer than those of the machine."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_at_once(tasks: Sequence[Callable[[], Returned]], threads: int, give_up: Callable[[], None]) -> list[Returned]:
    """Run tasks in parallel in the thread of the caller and others; return their results in the order of the tasks.

    Parameters
    ----------
    tasks : sequence of callable
        A task may itself call this function.
    threads : int
        The largest number of threads; if the system has fewer, the results are the same.
    give_up : callable
        Called, perhaps twice, when a task fails or the caller is interrupted; running tasks should then end soon.
    """
    batch = _Batch(tasks, give_up)
    try:
        _helpers.invite(batch, min(threads, len(tasks)) - 1)
        batch.work()
        batch.wait_for_helpers()
    except BaseException:
        # Helpers must not run after this function has ended.
        batch.stop()
        batch.wait_for_helpers()
        raise
    finally:
        batch.forget_tasks()
    return batch.result()


def run_interruptibly(task: Callable[[], Returned]) -> Returned:
    """Run a task that reads files in another thread, so that Ctrl-C ends the wait for it.

    A system call that waits for a pipe or a stalled disk does not return at Ctrl-C. So the main thread, which receives
    signals, does not make it: it waits for a thread that does. If the wait is interrupted, the thread is abandoned: it
    runs until the call returns, and its result is lost. The same holds if a limit of time ends the wait
    (`_core.within_time`). Other threads receive no signals and run the task themselves.
    """
    if threading.current_thread() is not threading.main_thread():
        return task()
    background = _BackgroundTask(task)
    try:
        # Not threading.Thread: Python would wait for it at exit, and an interrupt while it starts would block for ever.
        start_new_thread(copy_context().run, (background.run,))
    except RuntimeError:
        # The system cannot start more threads.
        return task()
    return background.result()


def iterate_interruptibly(items: Iterable[Returned]) -> Iterator[Returned]:
    """Iterate over items that are read from files; read each item with `run_interruptibly`."""
    iterator = iter(items)
    end = object()
    while (item := run_interruptibly(lambda: next(iterator, end))) is not end:
        yield item  # type: ignore[misc]


def is_a_thread_abandoned() -> bool:
    """Return whether an abandoned thread of `run_interruptibly` still runs, which can keep the process alive."""
    return any(not background.ended for background in _abandoned)


class _BackgroundTask(Generic[Returned]):
    """A task in another thread, with its result or error."""

    def __init__(self, task: Callable[[], Returned]) -> None:
        self.ended = False
        self._task = task
        self._events: SimpleQueue[tuple[Returned | None, BaseException | None]] = SimpleQueue()

    def run(self) -> None:
        """Run the task; called in the other thread."""
        try:
            self._events.put((self._task(), None))
        except BaseException as error:
            self._events.put((None, error))
        self.ended = True

    def result(self) -> Returned:
        """Wait for the result; Ctrl-C and a limit of time end the wait."""
        from stablebn import _core

        try:
            returned, error = self._next_event()
        except BaseException:
            _abandoned.append(self)
            _core.let_threads_outlive_python()
            raise
        if error is not None:
            try:
                raise error
            finally:
                # Its traceback refers to this frame; the reference cycle would keep the table in memory.
                del error
        return returned  # type: ignore[return-value]

    def _next_event(self) -> tuple[Returned | None, BaseException | None]:
        from stablebn import _core

        while True:
            _core.check_time()
            with suppress(Empty):
                return self._events.get(timeout=_POLL_SECONDS)


_abandoned: list[_BackgroundTask[Any]] = []


class _Batch(Generic[Returned]):
    """Tasks that several threads run.

    Ctrl-C can interrupt the main thread between any two bytecodes, and a lock taken there might never be released. So
    this class uses no locks: every step that must be atomic is one operation of a list or a `SimpleQueue`.
    """

    def __init__(self, tasks: Sequence[Callable[[], Returned]], give_up: Callable[[], None]) -> None:
        self._tasks = tasks
        self._give_up = give_up
        self._waiting = list(range(len(tasks)))[::-1]
        self._results: dict[int, Returned] = {}
        self._failures: list[BaseException] = []
        self._stopped = False
        self._helping: list[object] = []
        self._events: SimpleQueue[None] = SimpleQueue()

    def work(self) -> None:
        """Run tasks that have not started until none is left."""
        while not self._stopped:
            try:
                index = self._waiting.pop()
            except IndexError:
                return
            self._results[index] = self._tasks[index]()

    def help(self) -> None:
        """Run tasks in a helper thread, which signals never interrupt."""
        helper = object()
        # Register before taking a task: then the waiting caller sees this helper, or no task is left for it.
        self._helping.append(helper)
        try:
            self.work()
        except BaseException as error:
            self._failures.append(error)
            self.stop()
        self._helping.remove(helper)
        self._events.put(None)

    def stop(self) -> None:
        """Start no more tasks."""
        self._stopped = True
        self._give_up()

    def wait_for_helpers(self) -> None:
        """Wait until no helper runs; later helpers find no task, because none is left or the batch is stopped."""
        while self._helping:
            self._events.get()

    def forget_tasks(self) -> None:
        """Release the tasks and their table, because a late helper may still refer to the batch."""
        self._tasks = ()

    def result(self) -> list[Returned]:
        """Return the results in the order of the tasks, or raise the error of a helper."""
        if self._failures:
            raise self._failures[0]
        return [self._results[index] for index in sorted(self._results)]


class _Helpers:
    """A pool of threads that are kept, because starting them takes longer than most tasks."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Reset the pool: a forked process has none of the threads."""
        self._invitations: SimpleQueue[_Batch[Any]] = SimpleQueue()
        self._started = 0

    def invite(self, batch: _Batch[Any], count: int) -> None:
        """Let `count` threads help with a batch; busy threads help later, if tasks are left."""
        while self._started < count:
            try:
                # Not threading.Thread: an interrupt during its start leaves a thread that waits for ever.
                start_new_thread(self._serve, ())
            except RuntimeError:
                # The system cannot start more: the present threads run all tasks.
                break
            self._started += 1
        for _ in range(min(count, self._started)):
            self._invitations.put(batch)

    def _serve(self) -> None:
        while True:
            # Without a variable, which would keep the last batch and its table in memory.
            self._invitations.get().help()


_helpers = _Helpers()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_helpers.forget)
