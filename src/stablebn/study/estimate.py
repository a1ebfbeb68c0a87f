"""How long the jobs of a study will take."""

from __future__ import annotations

import math
import time
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from stablebn.study.jobs import Cell, Job


@dataclass
class _Measured:
    """Jobs that have ended: how many, what they took, and what the rule of thumb had said."""

    jobs: int = 0
    seconds: float = 0.0
    by_rule: float = 0.0


class Estimate:
    """The seconds that jobs will take: the more of them have ended, the better.

    A job takes as long as others of its cell did on average. Where there are none, it takes what the rule of thumb
    says, times how far that was off for the same learner elsewhere, or else for all learners.

    Parameters
    ----------
    timings : iterable of (Cell, float)
        Jobs that have ended, and the seconds they took.
    """

    def __init__(self, timings: Iterable[tuple[Cell, float]] = ()) -> None:
        self._cells: dict[Cell, _Measured] = defaultdict(_Measured)
        self._learners: dict[str, _Measured] = defaultdict(_Measured)
        self._all = _Measured()
        for cell, seconds in timings:
            self.add(cell, seconds)

    def add(self, cell: Cell, seconds: float) -> None:
        """Take note of a job that has ended."""
        for measured in (self._cells[cell], self._learners[cell.recipe], self._all):
            measured.jobs += 1
            measured.seconds += seconds
            measured.by_rule += rule_of_thumb(cell)

    def seconds(self, cell: Cell) -> float:
        """What a job will take."""
        if cell in self._cells:
            return self._cells[cell].seconds / self._cells[cell].jobs
        measured = self._learners.get(cell.recipe, self._all)
        correction = measured.seconds / measured.by_rule if measured.jobs else 1.0
        return rule_of_thumb(cell) * correction


def rule_of_thumb(cell: Cell) -> float:
    """Seconds of a learner of middling speed on one core, before anything is known of it."""
    return 0.002 + 1e-6 * cell.nodes**2 * math.pow(cell.rows, 0.3)


class Remaining:
    """The time until a study is done.

    Parameters
    ----------
    jobs : iterable of Job
        Those to run.
    estimate : Estimate
        It learns from those that end.
    workers : int
    """

    # What is drawn, laid out and compared besides learning takes time too: how much, a run shows. Its first minute is
    # mostly starting, and says little of the rest.
    _SETTLING = 60.0

    def __init__(self, jobs: Iterable[Job], estimate: Estimate, workers: int) -> None:
        self._left = Counter(job.cell for job in jobs)
        self._estimate = estimate
        self._workers = workers
        self._learned = 0.0
        self._began = time.monotonic()

    def ended(self, job: Job, seconds: float) -> None:
        """Take note of a job that has ended."""
        self._left[job.cell] -= 1
        self._learned += seconds
        self._estimate.add(job.cell, seconds)

    def seconds(self) -> float:
        """How long it will take from now on."""
        spent = (time.monotonic() - self._began) * self._workers
        settling = self._SETTLING * self._workers
        overhead = max(1.0, (settling + spent) / (settling + self._learned))
        learning = sum(jobs * self._estimate.seconds(cell) for cell, jobs in self._left.items() if jobs)
        return learning * overhead / self._workers


def in_words(seconds: float) -> str:
    """A time as people say it.

    >>> in_words(42), in_words(600), in_words(9000)
    ('42 s', '10 min', '2 h 30 min')
    """
    minutes = round(seconds / 60)
    if minutes < 2:
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
