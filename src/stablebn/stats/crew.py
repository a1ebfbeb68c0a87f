"""Threads that share work.

Who does what can change no result: each part writes what is its own, or what another would have written there.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import cache
from threading import Condition, Thread
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Answer = TypeVar("Answer")

# Nanoseconds of work below which handing it to a second thread costs more than it saves.
_WORTH_A_THREAD = 250_000
# More than one, so that a thread that becomes free in the midst still finds something to do.
_PARTS_A_THREAD = 2


class Crew:
    """Some threads; who waits for another lends a hand.

    Parameters
    ----------
    size : int
        How many, that of the caller included.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self._news = Condition()
        self._jobs: list[_Job] = []
        for _ in range(size - 1):
            Thread(target=self._help, args=(lambda: False,), kwargs={"with_tasks": True}, daemon=True).start()

    def share(self, work: Callable[[NDArray[np.int64]], Answer], items: NDArray[np.int64], cost: float) -> list[Answer]:
        """Share items with threads that have nothing better to do, where that pays.

        Parameters
        ----------
        work : callable
            From some of the items to an answer. It waits for nobody.
        items : int64 array
        cost : float
            Nanoseconds of work in all.
        """
        if self.size == 1 or cost < _WORTH_A_THREAD:
            return [work(items)]
        parts = _PARTS_A_THREAD * self.size
        return self._do(_Job(work, [items[part::parts] for part in range(parts)]))

    def do_all(self, tasks: Sequence[Callable[[], Answer]], give_up: Callable[[], None] | None = None) -> list[Answer]:
        """Do tasks at once, as far as there are threads.

        Parameters
        ----------
        tasks : sequence of callable
        give_up : callable, optional
            Called when one fails or the caller is interrupted; the others should then end soon.
        """
        return self._do(_Job(lambda task: task(), tasks, are_tasks=True, give_up=give_up))

    def wait_for(self, done: Callable[[], bool]) -> None:
        """Help others until something is done; who does it must `tell`."""
        # Not with tasks: they may wait for what this thread is about to do.
        self._help(done, with_tasks=False)

    def tell(self) -> None:
        """Let those who wait see whether it is done."""
        with self._news:
            self._news.notify_all()

    def _do(self, job: _Job) -> list[Any]:
        with self._news:
            self._jobs.append(job)
            self._news.notify_all()
        try:
            self._work_at(job)
            self.wait_for(lambda: not job.unanswered)
        except BaseException as error:
            # Interrupted: the others must not go on unwatched.
            self._abandon(job, error)
            self.wait_for(lambda: not job.unanswered)
        finally:
            with self._news:
                self._jobs.remove(job)
        if job.failure is not None:
            raise job.failure
        return job.answers

    def _abandon(self, job: _Job, error: BaseException) -> None:
        with self._news:
            job.failure = error
            job.unanswered -= len(job.todo)
            job.todo.clear()
        if job.give_up is not None:
            job.give_up()

    def _help(self, done: Callable[[], bool], *, with_tasks: bool) -> None:
        def job_to_do() -> _Job | None:
            # Jobs in which all is taken wait only for their last answers.
            return next((job for job in self._jobs if job.todo and (with_tasks or not job.are_tasks)), None)

        while True:
            with self._news:
                self._news.wait_for(lambda: done() or job_to_do())
                job = None if done() else job_to_do()
            if job is None:
                return
            self._work_at(job)
            # Who waits for the next job must not keep the last one's arrays.
            del job

    def _work_at(self, job: _Job) -> None:
        """Do parts of a job until none is left."""
        while job.todo:
            with self._news:
                if not job.todo:
                    return
                place = job.todo.pop()
            try:
                job.answers[place] = job.work(job.parts[place])
            except BaseException as error:
                self._abandon(job, error)
            finally:
                with self._news:
                    job.unanswered -= 1
                    if not job.unanswered:
                        self._news.notify_all()


class _Job:
    """Work in parts.

    Attributes
    ----------
    todo : list of int
        The parts that nobody has taken, the first of them last.
    answers : list
        By part.
    unanswered : int
        How many parts are neither done nor dropped.
    failure : exception or None
    """

    def __init__(
        self,
        work: Callable[[Any], Any],
        parts: Sequence[Any],
        *,
        are_tasks: bool = False,
        give_up: Callable[[], None] | None = None,
    ) -> None:
        self.work = work
        self.parts = parts
        self.are_tasks = are_tasks
        self.give_up = give_up
        self.todo = list(range(len(parts)))[::-1]
        self.answers: list[Any] = [None] * len(parts)
        self.unanswered = len(parts)
        self.failure: BaseException | None = None


def cores() -> int:
    """How many cores this process may use, which can be fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@cache
def crew(size: int) -> Crew:
    """The crew of this process with so many threads; they are kept, as to start them takes longer than much work."""
    return Crew(size)


if hasattr(os, "register_at_fork"):
    # A forked process has none of these threads.
    os.register_at_fork(after_in_child=crew.cache_clear)
