"""Represent the plan of a study: its jobs, and how long they will take."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from stablebn.study.definition import Study
from stablebn.study.estimate import duration_in_words
from stablebn.study.jobs import jobs_of


@dataclass(frozen=True)
class StudyPlan:
    """The jobs of a study, and how long they will take.

    Attributes
    ----------
    study : Study
    known : frozenset of str
        The keys of the jobs in its store.
    workers : int
        How many jobs will run at once.
    seconds : float
        The estimated time of the remaining jobs.
    measured : bool
        Whether the estimate is based on finished jobs; otherwise it is a guess.
    """

    study: Study
    known: frozenset[str]
    workers: int
    seconds: float
    measured: bool

    @property
    def jobs(self) -> int:
        """The number of jobs of the study."""
        return len(jobs_of(self.study))

    @property
    def done(self) -> int:
        """The number of its jobs that are in the store."""
        return sum(job.key in self.known for job in jobs_of(self.study))

    def summary(self) -> str:
        """Return one sentence that says how much there is to do."""
        return (
            f"{self.study.title}: {len(self.study.learners)} learners, {len(self.study.networks)} networks, "
            f"{self.jobs:,} jobs; {self.done:,} done, {self.jobs - self.done:,} to do."
        )

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Return the head and the rows of a table: finished and all jobs by network and number of rows."""
        everything = jobs_of(self.study)
        jobs = Counter((job.network.name, job.rows) for job in everything)
        done = Counter((job.network.name, job.rows) for job in everything if job.key in self.known)
        head = ["done / all", *(f"{rows:,} rows" for rows in self.study.sizes)]
        return head, [
            [network, *(f"{done[network, rows]:,} / {jobs[network, rows]:,}" for rows in self.study.sizes)]
            for network in self.study.networks
        ]

    def time_needed(self) -> str:
        """Return one sentence that says how long the remaining jobs will take."""
        guess = "" if self.measured else " (a guess: nothing was run yet)"
        return f"About {duration_in_words(self.seconds)}, {self.workers} jobs at a time{guess}."
