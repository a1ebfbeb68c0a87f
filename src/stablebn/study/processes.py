"""Workers on this machine: processes that do one job at a time each."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait

from stablebn.study.job import ignore_interrupts, work
from stablebn.study.jobs import Job
from stablebn.study.record import Record, Sample

# Not forked: the threads of Arrow do not survive that.
_CONTEXT = multiprocessing.get_context("spawn")


class Processes:
    """Processes of this machine, each with a pipe of its own, so that one that dies takes no more than its job along.

    Parameters
    ----------
    size : int
        How many.
    """

    def __init__(self, size: int) -> None:
        self.size = self.capacity = size
        # All there are, whatever they do: an interrupt can come when one is neither idle nor busy.
        self._processes: list[_Process] = []
        self._idle: list[_Process] = []
        self._busy: dict[Connection, tuple[_Process, Job]] = {}
        try:
            for _ in range(size):
                self._idle.append(self._begin())
        except BaseException:
            self.stop()
            raise

    def start(self, job: Job) -> None:
        """Give a job to an idle process."""
        process = self._idle.pop()
        self._busy[process.pipe] = process, job
        # One that has died meanwhile is found out when its job is waited for.
        with suppress(BrokenPipeError):
            process.pipe.send(job)

    def next_ended(self) -> tuple[Job, tuple[Sample | None, Record] | None]:
        """Wait for a job to end; None for its outcome: its process died."""
        pipe = wait(list(self._busy))[0]
        assert isinstance(pipe, Connection)
        process, job = self._busy.pop(pipe)
        try:
            ended = pipe.recv()
        except (EOFError, OSError):
            process.kill()
            self._processes.remove(process)
            process, ended = self._begin(), None
        self._idle.append(process)
        return job, ended

    def stop(self) -> None:
        """End all processes at once, whatever they are doing."""
        for process in self._processes:
            process.kill()

    def _begin(self) -> _Process:
        process = _Process()
        self._processes.append(process)
        process.begin()
        return process


class _Process:
    def __init__(self) -> None:
        self.pipe, self._theirs = _CONTEXT.Pipe()
        self._process = _CONTEXT.Process(target=_serve, args=(self._theirs,), daemon=True)

    def begin(self) -> None:
        with _interrupts_later():
            self._process.start()
        # Only the process holds this end now, so that the pipe breaks when it dies.
        self._theirs.close()

    def kill(self) -> None:
        if self._process.pid is not None:
            self._process.kill()
            self._process.join()
        self.pipe.close()


@contextmanager
def _interrupts_later() -> Iterator[None]:
    """Hear Ctrl-C a moment later, and let no process hear it that starts meanwhile and cannot yet ignore it."""
    if not hasattr(signal, "pthread_sigmask"):
        # Windows, where nothing can be held back.
        yield
        return
    # It starts with the first process, and lets interrupts through when it has.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(pipe: Connection) -> None:
    """What a process does: job after job, until there are no more."""
    ignore_interrupts()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    while True:
        pipe.send(work(pipe.recv()))


def _end_with_parent() -> None:
    """Nobody is left to hear of a job when the first process has been killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
