"""Estimate how long the jobs of a study will take."""

from __future__ import annotations

import math
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from stablebn.study.jobs import Job, TimingGroup

SECONDS_TO_START = 3.0
"""Time until the first jobs run: processes start and import modules."""


@dataclass
class _Measured:
    """The number of finished jobs, and their total time."""

    jobs: int = 0
    seconds: float = 0.0

    @property
    def mean(self) -> float:
        return self.seconds / self.jobs


class Estimate:
    """Estimates of the time of jobs from the times of finished jobs.

    The estimate is the mean time of the finished jobs of the same group. Without any it is the rule of thumb times a
    correction: how wrong the rule was for the same learner with other variables and rows, or else for all learners.

    Parameters
    ----------
    timings : iterable of (TimingGroup, float)
        Finished jobs, and the seconds they took.
    """

    def __init__(self, timings: Iterable[tuple[TimingGroup, float]] = ()) -> None:
        self._learners: dict[str, dict[TimingGroup, _Measured]] = defaultdict(lambda: defaultdict(_Measured))
        self._corrections: dict[str | None, tuple[float, float, float]] = {}
        for group, seconds in timings:
            self.add(group, seconds)

    def add(self, group: TimingGroup, seconds: float) -> None:
        """Add the time of a finished job."""
        measured = self._learners[group.recipe][group]
        measured.jobs += 1
        measured.seconds += seconds
        self._corrections.pop(group.recipe, None)
        self._corrections.pop(None, None)

    def seconds(self, group: TimingGroup) -> float:
        """Return the estimated time of a job of this group."""
        groups = self._learners.get(group.recipe, {})
        if group in groups:
            return groups[group].mean
        constant, nodes, rows = self._correction(group.recipe if groups else None)
        return rule_of_thumb(group) * math.exp(constant + nodes * _nodes(group) + rows * _rows(group))

    def _correction(self, recipe: str | None) -> tuple[float, float, float]:
        """Return the coefficients that correct the logarithm of the rule of thumb for a learner, or (None) for all."""
        if recipe not in self._corrections:
            learners = self._learners.values() if recipe is None else [self._learners[recipe]]
            self._corrections[recipe] = _fitted({group: groups[group] for groups in learners for group in groups})
        return self._corrections[recipe]


def rule_of_thumb(group: TimingGroup) -> float:
    """Return the seconds of a learner of average speed on one core."""
    return 0.002 + 1e-6 * group.nodes**2 * math.pow(group.rows, 0.3)


def seconds_besides(group: TimingGroup) -> float:
    """Return the seconds of a job besides learning: its sample is drawn, its graph is scored, compared and stored."""
    return 0.01 + 5e-8 * group.nodes * group.rows


def _fitted(groups: Mapping[TimingGroup, _Measured]) -> tuple[float, float, float]:
    """Fit the correction by least squares. Two more observations say that the growth of the rule is right."""
    if not groups:
        return 0.0, 0.0, 0.0
    known = [(1.0, _nodes(group), _rows(group)) for group in groups] + [(0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
    # A clock can measure 0 seconds.
    errors = [math.log(max(measured.mean, 1e-6) / rule_of_thumb(group)) for group, measured in groups.items()] + [
        0.0,
        0.0,
    ]
    constant, nodes, rows = np.linalg.lstsq(np.array(known), np.array(errors), rcond=None)[0].tolist()
    return constant, nodes, rows


def _nodes(group: TimingGroup) -> float:
    """Return the logarithm of the number of variables, 0 for a network of average size."""
    return math.log(group.nodes / 20)


def _rows(group: TimingGroup) -> float:
    """Return the logarithm of the number of rows, 0 for a sample of average size."""
    return math.log(group.rows / 1000)


class Remaining:
    """The time until a study is done.

    Parameters
    ----------
    jobs : iterable of Job
        The jobs to run.
    estimate : Estimate
        Gets the times of the finished jobs.
    workers : int
    """

    # The overhead besides learning is corrected by the elapsed time. The first minute is mostly startup: it counts as
    # one minute without error.
    _SETTLING = 60.0

    def __init__(self, jobs: Iterable[Job], estimate: Estimate, workers: int) -> None:
        self._left = Counter(job.timing_group for job in jobs)
        self._estimate = estimate
        self._workers = workers
        self._worked = 0.0
        self._began = time.monotonic()

    def ended(self, job: Job, seconds: float) -> None:
        """Add a finished job."""
        self._left[job.timing_group] -= 1
        self._worked += seconds + seconds_besides(job.timing_group)
        self._estimate.add(job.timing_group, seconds)

    def seconds(self) -> float:
        """Return the estimated time from now until the end."""
        spent = (time.monotonic() - self._began) * self._workers
        settling = self._SETTLING * self._workers
        overhead = max(1.0, (settling + spent) / (settling + self._worked))
        working = sum(
            jobs * (self._estimate.seconds(group) + seconds_besides(group))
            for group, jobs in self._left.items()
            if jobs
        )
        return working * overhead / self._workers


def duration_in_words(seconds: float) -> str:
    """Write a duration in hours, minutes or seconds.

    >>> duration_in_words(42), duration_in_words(600), duration_in_words(9000)
    ('42 s', '10 min', '2 h 30 min')
    """
    minutes = round(seconds / 60)
    if minutes < 2:
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
