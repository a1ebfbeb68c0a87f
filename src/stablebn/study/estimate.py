"""How long the jobs of a study will take."""

from __future__ import annotations

import math
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from stablebn.study.jobs import Job, TimingGroup

SECONDS_TO_START = 3.0
"""Until the first jobs run: processes start, and import what they need."""


@dataclass
class _Measured:
    """Jobs that have ended: how many, and what they took."""

    jobs: int = 0
    seconds: float = 0.0

    @property
    def mean(self) -> float:
        return self.seconds / self.jobs


class Estimate:
    """The seconds that jobs will take: the more of them have ended, the better.

    A job takes as long as others of its group did on average. Where there are none, it takes what the rule of thumb
    says, corrected by how far that was off for the same learner with other variables and rows, or else for all.

    Parameters
    ----------
    timings : iterable of (TimingGroup, float)
        Jobs that have ended, and the seconds they took.
    """

    def __init__(self, timings: Iterable[tuple[TimingGroup, float]] = ()) -> None:
        self._learners: dict[str, dict[TimingGroup, _Measured]] = defaultdict(lambda: defaultdict(_Measured))
        self._corrections: dict[str | None, tuple[float, float, float]] = {}
        for group, seconds in timings:
            self.add(group, seconds)

    def add(self, group: TimingGroup, seconds: float) -> None:
        """Take note of a job that has ended."""
        measured = self._learners[group.recipe][group]
        measured.jobs += 1
        measured.seconds += seconds
        self._corrections.pop(group.recipe, None)
        self._corrections.pop(None, None)

    def seconds(self, group: TimingGroup) -> float:
        """What a job will take."""
        own = self._learners.get(group.recipe, {})
        if group in own:
            return own[group].mean
        constant, nodes, rows = self._correction(group.recipe if own else None)
        return rule_of_thumb(group) * math.exp(constant + nodes * _nodes(group) + rows * _rows(group))

    def _correction(self, recipe: str | None) -> tuple[float, float, float]:
        """Of the logarithm of the rule of thumb for a learner; None: for all of them together."""
        if recipe not in self._corrections:
            learners = self._learners.values() if recipe is None else [self._learners[recipe]]
            self._corrections[recipe] = _fitted({group: own[group] for own in learners for group in own})
        return self._corrections[recipe]


def rule_of_thumb(group: TimingGroup) -> float:
    """Seconds of a learner of middling speed on one core, before anything is known of it."""
    return 0.002 + 1e-6 * group.nodes**2 * math.pow(group.rows, 0.3)


def seconds_besides(group: TimingGroup) -> float:
    """What a job takes besides learning: its sample is drawn, laid out, scored, compared and stored."""
    return 0.01 + 5e-8 * group.nodes * group.rows


def _fitted(groups: Mapping[TimingGroup, _Measured]) -> tuple[float, float, float]:
    """Least squares; that the rule has the growth right counts as two more groups, which decide where few tell."""
    if not groups:
        return 0.0, 0.0, 0.0
    known = [(1.0, _nodes(group), _rows(group)) for group in groups] + [(0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
    # No job takes no time, but a clock may say so.
    wrong = [math.log(max(measured.mean, 1e-6) / rule_of_thumb(group)) for group, measured in groups.items()] + [
        0.0,
        0.0,
    ]
    constant, nodes, rows = np.linalg.lstsq(np.array(known), np.array(wrong), rcond=None)[0].tolist()
    return constant, nodes, rows


def _nodes(group: TimingGroup) -> float:
    """Variables, on a scale on which a middling network is 0."""
    return math.log(group.nodes / 20)


def _rows(group: TimingGroup) -> float:
    """Rows, on a scale on which a middling sample is 0."""
    return math.log(group.rows / 1000)


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

    # How far what jobs take besides learning is off, a run shows. Its first minute is mostly starting, and says little
    # of the rest.
    _SETTLING = 60.0

    def __init__(self, jobs: Iterable[Job], estimate: Estimate, workers: int) -> None:
        self._left = Counter(job.timing_group for job in jobs)
        self._estimate = estimate
        self._workers = workers
        self._worked = 0.0
        self._began = time.monotonic()

    def ended(self, job: Job, seconds: float) -> None:
        """Take note of a job that has ended."""
        self._left[job.timing_group] -= 1
        self._worked += seconds + seconds_besides(job.timing_group)
        self._estimate.add(job.timing_group, seconds)

    def seconds(self) -> float:
        """How long it will take from now on."""
        spent = (time.monotonic() - self._began) * self._workers
        settling = self._SETTLING * self._workers
        overhead = max(1.0, (settling + spent) / (settling + self._worked))
        working = sum(
            jobs * (self._estimate.seconds(group) + seconds_besides(group))
            for group, jobs in self._left.items()
            if jobs
        )
        return working * overhead / self._workers


def in_words(seconds: float) -> str:
    """A time as people say it.

    >>> in_words(42), in_words(600), in_words(9000)
    ('42 s', '10 min', '2 h 30 min')
    """
    minutes = round(seconds / 60)
    if minutes < 2:
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
