"""What there is to do in a study."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from stablebn.study.definition import Study
from stablebn.study.estimate import in_words
from stablebn.study.jobs import jobs_of


@dataclass(frozen=True)
class StudyPlan:
    """What there is to do in a study, and how long it will take.

    Attributes
    ----------
    study : Study
    known : frozenset of str
        Keys of the jobs in its store.
    workers : int
        How many jobs there will be at a time.
    seconds : float
        What the rest will take.
    measured : bool
        Whether that rests on jobs that were run; else it is a guess.
    """

    study: Study
    known: frozenset[str]
    workers: int
    seconds: float
    measured: bool

    @property
    def jobs(self) -> int:
        """How many jobs the study has."""
        return len(jobs_of(self.study))

    @property
    def done(self) -> int:
        """How many of them are in the store."""
        return sum(job.key in self.known for job in jobs_of(self.study))

    def summary(self) -> str:
        """How much there is to do, in a sentence."""
        return (
            f"{self.study.title}: {len(self.study.learners)} learners, {len(self.study.networks)} networks, "
            f"{self.jobs:,} jobs; {self.done:,} done, {self.jobs - self.done:,} to do."
        )

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Done and all jobs by network and rows: the head, and the rows."""
        everything = jobs_of(self.study)
        jobs = Counter((job.network.name, job.rows) for job in everything)
        done = Counter((job.network.name, job.rows) for job in everything if job.key in self.known)
        head = ["done / all", *(f"{rows:,} rows" for rows in self.study.sizes)]
        return head, [
            [network, *(f"{done[network, rows]:,} / {jobs[network, rows]:,}" for rows in self.study.sizes)]
            for network in self.study.networks
        ]

    def time_needed(self) -> str:
        """How long the rest will take, in a sentence."""
        guess = "" if self.measured else " (a guess: nothing was run yet)"
        return f"About {in_words(self.seconds)}, {self.workers} jobs at a time{guess}."
