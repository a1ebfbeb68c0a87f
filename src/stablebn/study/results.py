"""Represent the results of a study so far: samples, records, tables and figures."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from stablebn.errors import OptionError
from stablebn.networks.model import Network
from stablebn.study.definition import Study
from stablebn.study.estimate import duration_in_words
from stablebn.study.jobs import jobs_of
from stablebn.study.outcomes import Outcomes
from stablebn.study.record import Record, Sample
from stablebn.study.tables.study_table import StudyTable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MOST_REASONS = 5


class Run(NamedTuple):
    """How many jobs a run had, how many seconds it took, and how many workers it had."""

    jobs: int
    seconds: float
    workers: int

    def __str__(self) -> str:
        return f"Ran {self.jobs:,} jobs in {duration_in_words(self.seconds)}, {self.workers} at a time."


@dataclass(frozen=True, repr=False)
class StudyResults:
    """The results of a study so far.

    Attributes
    ----------
    study : Study
    store : Path
        The file with all samples and records.
    samples : tuple of Sample
        The tables that were drawn.
    records : tuple of Record
        The outcomes of the jobs that have ended.
    run : Run or None
        The run that made these results; None if no job was left to run.
    """

    study: Study
    store: Path
    samples: tuple[Sample, ...]
    records: tuple[Record, ...]
    run: Run | None = field(compare=False)

    @cached_property
    def outcomes(self) -> Outcomes:
        """The data of tables and figures; `outcomes.save` writes them to one small file."""
        return Outcomes(self.study.title, self.study.report, self.study.metrics, self.samples, self.records)

    @cached_property
    def tables(self) -> tuple[StudyTable, ...]:
        """The tables of its report, with all digits; `str` of a table is Markdown."""
        return self.outcomes.tables_with(networks=self._networks)

    def write_tables(
        self,
        folder: str | os.PathLike[str],
        *,
        published: str | os.PathLike[str] | None = None,
        force: bool = False,
    ) -> list[Path]:
        """Write the tables as Markdown, CSV and LaTeX, and a page that lists them.

        Parameters
        ----------
        folder : path
            Created if needed. In a folder that an earlier call wrote, tables of the same name are replaced.
        published : path, optional
            A JSON file of published numbers to show beside ours; for the report "paper".
        force : bool
            Replace also files that stablebn has not written.

        Returns
        -------
        list of Path
            All files written.
        """
        return self.outcomes.write_tables(folder, networks=self._networks, published=published, force=force)

    def write_figures(
        self,
        folder: str | os.PathLike[str],
        *,
        published: str | os.PathLike[str] | None = None,
        force: bool = False,
    ) -> list[Path]:
        """Draw the figures as PNG and SVG, and write a page that lists them; parameters as in `write_tables`."""
        return self.outcomes.write_figures(folder, published=published, force=force)

    def plot(self, path: str | os.PathLike[str] | None = None, *, force: bool = False) -> Figure:
        """Draw F1 against the number of rows: a panel per network, a line per learner with its SD; needs matplotlib.

        Parameters
        ----------
        path : path, optional
            A file to write: .png, .svg or .pdf.
        force : bool
            Replace a file that exists.

        Returns
        -------
        matplotlib.figure.Figure
            Notebooks show it.
        """
        from stablebn.plotting.matplotlib_figures import drawn
        from stablebn.study.tables.curves import f1_by_size
        from stablebn.study.tables.summary import Experiments

        experiments = Experiments.of(self.samples, self.records)
        if not experiments.samples:
            raise OptionError("no job of the study has been run yet, so there is nothing to draw. Run it first.")
        titles = {name: name for name in experiments.networks}
        return drawn(lambda: f1_by_size(experiments, experiments.learners, titles), path, force=force)

    def summary(self) -> str:
        """Return how many jobs are done, failed or timed out, and the most frequent reasons."""
        statuses = Counter(record.status for record in self.records)
        parts = [f"{statuses[status]:,} {status}" for status in ("done", "failed", "timed out") if statuses[status]]
        total = len(jobs_of(self.study))
        missing = f"; {total - len(self.records):,} are missing" if total > len(self.records) else ""
        done = ", ".join(parts) or "none done"
        lines = [f"{len(self.records):,} of {total:,} jobs are in {self.store}: {done}{missing}."]
        reasons = Counter((record.learner, record.reason) for record in self.records if record.status != "done")
        lines += [f"  {times:,} x {learner}: {why}" for (learner, why), times in reasons.most_common(_MOST_REASONS)]
        if len(reasons) > _MOST_REASONS:
            lines.append(f"  and {len(reasons) - _MOST_REASONS:,} more reasons")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return self.summary()

    @property
    def _networks(self) -> Mapping[str, Network]:
        return {name: named.model for name, named in self.study.named_networks.items()}
