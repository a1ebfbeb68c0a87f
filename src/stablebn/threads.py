"""Threads: how many there may be, and tasks in Python that run at once.

The core has threads of its own, which share the counting. These here ask several questions at once, each of which the
core answers without the interpreter's lock.
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

Answer = TypeVar("Answer")

_SECONDS_BETWEEN_LOOKS = 0.1


def cores() -> int:
    """How many cores this process may use, which can be fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_at_once(tasks: Sequence[Callable[[], Answer]], threads: int, give_up: Callable[[], None]) -> list[Answer]:
    """Do tasks at once, as far as there are threads, that of the caller included.

    Parameters
    ----------
    tasks : sequence of callable
        One may call this function in turn.
    threads : int
        With fewer, where the system has no more to give, the answers are the same.
    give_up : callable
        Called when one fails or the caller is interrupted, perhaps twice; the others should then end soon.
    """
    batch = _Batch(tasks, give_up)
    try:
        _helpers.invite(batch, min(threads, len(tasks)) - 1)
        batch.work()
        batch.wait_for_helpers()
    except BaseException:
        # The others must not go on unwatched.
        batch.stop()
        batch.wait_for_helpers()
        raise
    finally:
        batch.forget_tasks()
    return batch.result()


def run_interruptibly(task: Callable[[], Answer]) -> Answer:
    """Run a task that reads files in another thread, so that Ctrl-C ends the wait for it.

    A system call that waits for a pipe or a stalled disk does not return at Ctrl-C. So the main thread, which receives
    signals, does not make it: it waits for a thread that does. If the wait is interrupted, the thread is abandoned: it
    runs until the call returns, and its result is lost. The same holds if a limit of time ends the wait
    (`_core.within_time`). Other threads receive no signals and run the task themselves.
    """
    if threading.current_thread() is not threading.main_thread():
        return task()
    reading = _Reading(task)
    try:
        # Not threading.Thread: Python would wait for it at exit, and an interrupt while it starts would block for ever.
        start_new_thread(copy_context().run, (reading.run,))
    except RuntimeError:
        # The system has no more threads.
        return task()
    return reading.result()


def iterate_interruptibly(items: Iterable[Answer]) -> Iterator[Answer]:
    """Iterate over items that are read from files, each of them as `run_interruptibly` does."""
    iterator = iter(items)
    end = object()
    while (item := run_interruptibly(lambda: next(iterator, end))) is not end:
        yield item  # type: ignore[misc]


def is_a_thread_abandoned() -> bool:
    """Whether a thread that `run_interruptibly` has abandoned still runs: it can keep the process from ending."""
    return any(not reading.ended for reading in _abandoned)


class _Reading(Generic[Answer]):
    """A task in another thread, and what it returns or raises."""

    def __init__(self, task: Callable[[], Answer]) -> None:
        self.ended = False
        self._task = task
        self._news: SimpleQueue[tuple[Answer | None, BaseException | None]] = SimpleQueue()

    def run(self) -> None:
        """Run the task; called in the other thread."""
        try:
            self._news.put((self._task(), None))
        except BaseException as error:
            self._news.put((None, error))
        self.ended = True

    def result(self) -> Answer:
        """Wait for the result; Ctrl-C and a limit of time end the wait."""
        from stablebn import _core

        try:
            found, error = self._next_news()
        except BaseException:
            _abandoned.append(self)
            _core.let_threads_outlive_python()
            raise
        if error is not None:
            try:
                raise error
            finally:
                # Its traceback refers to this frame: the cycle would keep the table in memory.
                del error
        return found  # type: ignore[return-value]

    def _next_news(self) -> tuple[Answer | None, BaseException | None]:
        from stablebn import _core

        while True:
            _core.check_time()
            with suppress(Empty):
                return self._news.get(timeout=_SECONDS_BETWEEN_LOOKS)


_abandoned: list[_Reading[Any]] = []


class _Batch(Generic[Answer]):
    """Tasks that several threads do.

    Ctrl-C can interrupt the main thread between any two steps of Python. So nothing here takes a lock, which might then
    never be given back: steps that others must see whole are single ones of lists and of `SimpleQueue`.
    """

    def __init__(self, tasks: Sequence[Callable[[], Answer]], give_up: Callable[[], None]) -> None:
        self._tasks = tasks
        self._give_up = give_up
        self._waiting = list(range(len(tasks)))[::-1]
        self._answers: dict[int, Answer] = {}
        self._failures: list[BaseException] = []
        self._stopped = False
        self._helping: list[object] = []
        self._news: SimpleQueue[None] = SimpleQueue()

    def work(self) -> None:
        """Do tasks that nobody has begun until none is left."""
        while not self._stopped:
            try:
                place = self._waiting.pop()
            except IndexError:
                return
            self._answers[place] = self._tasks[place]()

    def help(self) -> None:
        """Do tasks in a thread that is not the caller's, and so is never interrupted."""
        helper = object()
        # Before the look whether there is something to do: who waits either sees the helper or has left it nothing.
        self._helping.append(helper)
        try:
            self.work()
        except BaseException as error:
            self._failures.append(error)
            self.stop()
        self._helping.remove(helper)
        self._news.put(None)

    def stop(self) -> None:
        """Begin no more tasks."""
        self._stopped = True
        self._give_up()

    def wait_for_helpers(self) -> None:
        """Wait until nobody helps any more: nobody will afterwards, as nothing is left or it is stopped."""
        while self._helping:
            self._news.get()

    def forget_tasks(self) -> None:
        """Let the tasks go, and their table: one who comes too late may still hold the batch."""
        self._tasks = ()

    def result(self) -> list[Answer]:
        """The answers, in the order of the tasks; or what a helper failed with."""
        if self._failures:
            raise self._failures[0]
        return [self._answers[place] for place in sorted(self._answers)]


class _Helpers:
    """Threads that are kept, as to start them takes longer than much work."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """A forked process has none of the threads."""
        self._invitations: SimpleQueue[_Batch[Any]] = SimpleQueue()
        self._started = 0

    def invite(self, batch: _Batch[Any], count: int) -> None:
        """Let so many threads help; those that are busy come later, or find nothing left."""
        while self._started < count:
            try:
                # Not threading.Thread: an interrupt while that starts leaves a thread that waits for ever.
                start_new_thread(self._serve, ())
            except RuntimeError:
                # The system has no more: those that are there do the work.
                break
            self._started += 1
        for _ in range(min(count, self._started)):
            self._invitations.put(batch)

    def _serve(self) -> None:
        while True:
            # Without a name for it: the last batch, and its table, would live on.
            self._invitations.get().help()


_helpers = _Helpers()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_helpers.forget)
