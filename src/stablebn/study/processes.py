"""Run jobs in processes of this machine, one job at a time in each."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait

from stablebn.study.jobs import Job
from stablebn.study.record import Record, Sample
from stablebn.study.run_job import ignore_interrupts, work

# Spawned and not forked, because the threads of Arrow do not survive a fork.
_CONTEXT = multiprocessing.get_context("spawn")


class Processes:
    """Processes of this machine. Each has its own pipe: if one dies, only its job is lost.

    Parameters
    ----------
    size : int
        The number of processes.
    """

    def __init__(self, size: int) -> None:
        self.size = self.capacity = size
        # All processes: an interrupt can come when one is neither idle nor busy.
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
        # If the process has died, `next_ended` notices it.
        with suppress(BrokenPipeError):
            process.pipe.send(job)

    def next_ended(self) -> tuple[Job, tuple[Sample | None, Record] | None]:
        """Wait for a job to end; the outcome is None if its process died."""
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
        """Kill all processes."""
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
        # Only the process has this end open now, so the pipe breaks when it dies.
        self._theirs.close()

    def kill(self) -> None:
        if self._process.pid is not None:
            self._process.kill()
            self._process.join()
        self.pipe.close()


@contextmanager
def _interrupts_later() -> Iterator[None]:
    """Delay Ctrl-C while a process starts, which cannot ignore it yet."""
    if not hasattr(signal, "pthread_sigmask"):
        # Windows cannot delay signals.
        yield
        return
    # The resource tracker starts with the first process, and would unblock the signal.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(pipe: Connection) -> None:
    """Run the jobs that come through the pipe; the main function of a process."""
    ignore_interrupts()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    while True:
        pipe.send(work(pipe.recv()))


def _end_with_parent() -> None:
    """End this process when the main process ends: it could not receive any outcome."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
