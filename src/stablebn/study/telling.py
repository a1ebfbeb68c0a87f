"""What is said of a study on the command line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from pathlib import Path

from stablebn.study.definition import Study
from stablebn.study.jobs import Job, jobs_of
from stablebn.study.record import Record

_MOST_REASONS = 5


def plan(study: Study, known: Container[str]) -> tuple[str, list[list[str]]]:
    """How much is to be done: a sentence, and the table of it by network and rows, its head first.

    Parameters
    ----------
    study : Study
    known : container of keys
        Of the jobs that have been done.
    """
    everything = jobs_of(study)
    jobs = Counter((job.source.name, job.rows) for job in everything)
    done = Counter((job.source.name, job.rows) for job in everything if job.key in known)
    head = ["done / all", *(f"{rows:,} rows" for rows in study.sizes)]
    table = [
        [network, *(f"{done[network, rows]:,} / {jobs[network, rows]:,}" for rows in study.sizes)]
        for network in study.networks
    ]
    sentence = (
        f"{study.title}: {len(study.learners)} learners, {len(study.networks)} networks, {len(everything):,} jobs; "
        f"{done.total():,} done, {len(everything) - done.total():,} to do."
    )
    return sentence, [head, *table]


def outcome(records: Sequence[Record], jobs: Iterable[Job], store: Path) -> Iterator[str]:
    """What has come of the jobs of a study, and why some came to nothing."""
    statuses = Counter(record.status for record in records)
    parts = [f"{statuses[status]:,} {status}" for status in ("done", "failed", "timed out") if statuses[status]]
    total = len(list(jobs))
    missing = f"; {total - len(records):,} are missing" if total > len(records) else ""
    yield f"{len(records):,} of {total:,} jobs are in {store}: {', '.join(parts) or 'none done'}{missing}."
    reasons = Counter((record.learner, record.reason) for record in records if record.status != "done")
    for (learner, reason), times in reasons.most_common(_MOST_REASONS):
        yield f"  {times:,} x {learner}: {reason}"
    if len(reasons) > _MOST_REASONS:
        yield f"  and {len(reasons) - _MOST_REASONS:,} more reasons"
