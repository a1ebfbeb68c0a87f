"""Running: many cases, in as many processes as there are cores."""

from __future__ import annotations

import multiprocessing
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Sequence
from multiprocessing.connection import Connection, wait
from pathlib import Path

from fuzz.trying import Failure, drawn, smaller, try_case

LONGEST = 120.0
"""Seconds that a case may take."""

SHOWN_OF_A_GROUP = 2
"""Failures of a group that are made smaller and shown; the others are counted."""


def say(text: str) -> None:
    """Tell whoever runs it."""
    print(text, flush=True)  # noqa: T201


def seed_of(master: int, number: int) -> int:
    """The seed of a case of a run: 64 bits."""
    return random.Random(f"{master} {number}").getrandbits(64)


def _work(master: int, first: int, step: int, out: Connection) -> None:
    """Try every so-manyth case of a run: a message for each."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # So that its files and its other process go with it.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    seen: Counter[tuple[str, ...]] = Counter()
    number = first
    while True:  # Until it is told to end, or nobody listens.
        tried = list(try_case(seed_of(master, number)))
        failures = [failure for failure in tried if failure is not None]
        for place, failure in enumerate(failures):
            seen[failure.group] += 1
            if seen[failure.group] <= SHOWN_OF_A_GROUP:
                failures[place] = smaller(failure)
        try:
            out.send((len(tried), failures))
        except BrokenPipeError:
            return
        number += step


class Run:
    """Processes that try cases, and what they have found."""

    def __init__(self, master: int, jobs: int, out: Path | None) -> None:
        self._master = master
        self._jobs = jobs
        self._out = out
        self._next = list(range(jobs))
        self._since = [time.monotonic()] * jobs
        self._workers: dict[Connection, tuple[int, multiprocessing.process.BaseProcess]] = {}
        self._comparisons = self._cases = self._failed = 0
        self._groups: Counter[tuple[str, ...]] = Counter()

    def go(self, seconds: float, most: int) -> int:
        """Try cases for so long, or so many comparisons; 1 if one fails."""
        began = time.monotonic()
        say(f"Master seed {self._master}, {self._jobs} processes.")
        try:
            for job in range(self._jobs):
                self._start(job)
            while self._comparisons < most and (left := seconds - time.monotonic() + began) > 0:
                for ready in wait(list(self._workers), left):
                    assert isinstance(ready, Connection)
                    self._receive(ready)
        except KeyboardInterrupt:
            say("Stopped.")
        finally:
            for job, worker in self._workers.values():
                worker.terminate()
                if time.monotonic() - self._since[job] > LONGEST:
                    self.record(1, [self._without_answer(job, "no answer")])
        taken = time.monotonic() - began
        for group, times in self._groups.most_common():
            say(f"{times:>7,} x {' '.join(filter(None, group))}")
        say(
            f"{self._comparisons:,} comparisons of {self._cases:,} cases in {taken:.0f} s "
            f"({self._comparisons / max(taken, 1e-9):.0f} a second): {self._failed:,} failed."
        )
        return 1 if self._failed else 0

    def _start(self, job: int) -> None:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe(duplex=False)
        worker = context.Process(target=_work, args=(self._master, self._next[job], self._jobs, theirs))
        worker.start()
        theirs.close()
        self._workers[ours] = job, worker

    def _receive(self, ready: Connection) -> None:
        job, _ = self._workers[ready]
        try:
            comparisons, failures = ready.recv()
        except EOFError:
            # It has died: of what the case has done to it.
            comparisons, failures = 1, [self._without_answer(job, "the process died")]
            del self._workers[ready]
        self._next[job] += self._jobs
        self._since[job] = time.monotonic()
        self.record(comparisons, failures)
        if ready not in self._workers:
            self._start(job)

    def _without_answer(self, job: int, what: str) -> Failure:
        """The failure of the case that a process is at."""
        seed = seed_of(self._master, self._next[job])
        return Failure(seed, 0, (), None, None, (what,), drawn(seed).describe(), (what,))

    def record(self, comparisons: int, failures: Sequence[Failure]) -> None:
        """Count the comparisons of a case and its failures, and say how to repeat these."""
        self._cases += 1
        self._comparisons += comparisons
        for failure in failures:
            self._failed += 1
            self._groups[failure.group] += 1
            if self._groups[failure.group] <= SHOWN_OF_A_GROUP:
                say(f"[{self._comparisons:,}] {failure}")
            if self._out is not None:
                with self._out.open("a") as file:
                    file.write(f"{failure}\n")
