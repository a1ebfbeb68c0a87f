"""Save the outcomes of a study to one small file: enough for its tables and figures, without networks and store."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from stablebn.errors import FormatError
from stablebn.files import write_atomically
from stablebn.networks.model import Network
from stablebn.options import checked_arguments, file_path
from stablebn.study.record import Record, Sample, SampleOrRecord, fits
from stablebn.study.tables.study_table import StudyTable
from stablebn.study.tables.writing import study_tables, write_figures, write_tables

ENDING = ".json.gz"
"""The extension of the file."""

_VERSION = 1


@dataclass(frozen=True)
class Outcomes:
    """The samples and the records of a study.

    Attributes
    ----------
    title : str
    report : {"general", "paper"}
        Which tables and figures it has.
    metrics : tuple of str
        The metrics that its tables show.
    samples : tuple of Sample
    records : tuple of Record
        One per finished job.
    """

    title: str
    report: str
    metrics: tuple[str, ...]
    samples: tuple[Sample, ...]
    records: tuple[Record, ...]

    @cached_property
    def tables(self) -> tuple[StudyTable, ...]:
        """The tables of its report, with all digits; `str` of a table is Markdown."""
        return self.tables_with()

    def tables_with(
        self, *, networks: Mapping[str, Network] | None = None, published: str | os.PathLike[str] | None = None
    ) -> tuple[StudyTable, ...]:
        """Return the tables, with tables of the given networks, and with published numbers beside ours."""
        return tuple(
            study_tables(
                self.samples,
                self.records,
                report=self.report,
                metrics=self.metrics,
                networks=networks,
                published=None if published is None else Path(published),
            )
        )

    def write_tables(
        self,
        folder: str | os.PathLike[str],
        *,
        networks: Mapping[str, Network] | None = None,
        published: str | os.PathLike[str] | None = None,
        force: bool = False,
    ) -> list[Path]:
        """Write the tables as Markdown, CSV and LaTeX, and a page that lists them.

        Parameters
        ----------
        folder : path
            Created if needed. In a folder that an earlier call wrote, tables of the same name are replaced.
        networks : mapping of name to Network, optional
            The networks for tables that describe them.
        published : path, optional
            A JSON file of published numbers to show beside ours; for the report "paper".
        force : bool
            Replace also files that stablebn has not written.

        Returns
        -------
        list of Path
            All files written.
        """
        return write_tables(
            self.title,
            self.samples,
            self.records,
            Path(folder),
            report=self.report,
            metrics=self.metrics,
            networks=networks,
            published=None if published is None else Path(published),
            force=force,
        )

    def write_figures(
        self,
        folder: str | os.PathLike[str],
        *,
        published: str | os.PathLike[str] | None = None,
        force: bool = False,
    ) -> list[Path]:
        """Draw the figures as PNG and SVG, and write a page that lists them; parameters as in `write_tables`."""
        return write_figures(
            self.title,
            self.samples,
            self.records,
            Path(folder),
            report=self.report,
            published=None if published is None else Path(published),
            force=force,
        )

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write everything to a file that `read_outcomes` reads.

        Learned graphs become hashes, which only show which graphs are equal, and seconds are rounded to microseconds.
        All other values are read back exactly.

        Parameters
        ----------
        path : path
            Its name should end in .json.gz.
        force : bool
            Replace a file that exists.
        """
        records = [
            replace(record, graph=_digest(record.graph), seconds=round(record.seconds, 6)) for record in self.records
        ]
        content = {
            "version": _VERSION,
            "title": self.title,
            "report": self.report,
            "metrics": self.metrics,
            "samples": _columns(Sample, self.samples),
            "records": _columns(Record, records),
        }
        text = json.dumps(content, separators=(",", ":"))
        # No time stamp, so that equal outcomes give equal bytes.
        write_atomically(Path(path), gzip.compress(text.encode(), mtime=0), force=force)


@checked_arguments(path=file_path)
def read_outcomes(path: str | os.PathLike[str]) -> Outcomes:
    """Read a file that `Outcomes.save` has written.

    Parameters
    ----------
    path : path

    Returns
    -------
    Outcomes

    Raises
    ------
    FormatError
        The file is no file of outcomes, or is damaged.
    """
    if Path(path).exists() and not Path(path).is_file():
        raise FormatError(str(path), None, "cannot be read as outcomes of a study: it is not a file")
    try:
        content = json.loads(gzip.decompress(Path(path).read_bytes()))
    except (OSError, EOFError, ValueError) as error:
        raise FormatError(str(path), None, f"cannot be read as outcomes of a study: {error}") from error
    try:
        if content["version"] != _VERSION:
            raise FormatError(str(path), None, f"has version {content['version']!r}, and here {_VERSION} is known")
        return Outcomes(
            title=str(content["title"]),
            report=str(content["report"]),
            metrics=tuple(map(str, content["metrics"])),
            samples=_entries(Sample, content["samples"]),
            records=_entries(Record, content["records"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(str(path), None, f"is no file of outcomes of a study: {error!r}") from error


def _digest(graph: str | None) -> str | None:
    return None if graph is None else hashlib.sha256(graph.encode()).hexdigest()[:12]


def _columns(kind: type[SampleOrRecord], entries: Any) -> dict[str, list[Any]]:
    """Return the values of each field as a list: similar values together compress better."""
    return {field.name: [getattr(entry, field.name) for entry in entries] for field in fields(kind)}


def _entries(kind: type[SampleOrRecord], columns: Mapping[str, list[Any]]) -> tuple[SampleOrRecord, ...]:
    names = [field.name for field in fields(kind)]
    entries = tuple(kind(*values) for values in zip(*(columns[name] for name in names), strict=True))
    wrong = next((entry for entry in entries if not fits(entry)), None)
    if wrong is not None:
        raise ValueError(f"there is no {wrong}")
    return entries
