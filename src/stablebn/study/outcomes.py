"""What a study found, in one small file: enough for its tables and figures, without networks and without a store."""

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
from stablebn.study.tables.table import StudyTable
from stablebn.study.tables.writing import study_tables, write_figures, write_tables

ENDING = ".json.gz"
"""Of the name of such a file."""

_VERSION = 1


@dataclass(frozen=True)
class Outcomes:
    """What a study found.

    Attributes
    ----------
    title : str
    report : {"general", "paper"}
        Which tables and figures it has.
    metrics : tuple of str
        What its tables tell.
    samples : tuple of Sample
    records : tuple of Record
        One a job that has ended.
    """

    title: str
    report: str
    metrics: tuple[str, ...]
    samples: tuple[Sample, ...]
    records: tuple[Record, ...]

    @cached_property
    def tables(self) -> tuple[StudyTable, ...]:
        """The tables of its report, with numbers in full; `str` of one is Markdown."""
        return self.tables_with()

    def tables_with(
        self, *, networks: Mapping[str, Network] | None = None, published: str | os.PathLike[str] | None = None
    ) -> tuple[StudyTable, ...]:
        """The tables, with those of the networks where these are given, and published numbers beside ours."""
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
            Made if need be; in a folder that has our page, tables of the same name are replaced.
        networks : mapping of name to Network, optional
            For the tables of networks.
        published : path, optional
            A JSON file of published numbers, to stand beside ours.
        force : bool
            Replace files that are not ours, too.

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
        """Draw the figures as PNG and SVG, and write a page that lists them; takes what `write_tables` takes."""
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
        """Write all of it to a file that `read_outcomes` reads.

        Of the learned graphs it says only which are the same, and seconds are rounded to microseconds; all else comes
        back bit for bit.

        Parameters
        ----------
        path : path
            Its name should end in .json.gz.
        force : bool
            Replace a file that is there.
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
        # Without the time: the same outcomes are the same bytes.
        write_atomically(Path(path), gzip.compress(text.encode(), mtime=0), force=force)


@checked_arguments(path=file_path)
def read_outcomes(path: str | os.PathLike[str]) -> Outcomes:
    """Read what `Outcomes.save` has written.

    Parameters
    ----------
    path : path

    Returns
    -------
    Outcomes

    Raises
    ------
    FormatError
        The file is none of these, or is damaged.
    """
    if Path(path).exists() and not Path(path).is_file():
        raise FormatError(str(path), None, "cannot be read as outcomes of a study: it is no file")
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
        raise FormatError(str(path), None, f"is not what a study has found: {error!r}") from error


def _digest(graph: str | None) -> str | None:
    return None if graph is None else hashlib.sha256(graph.encode()).hexdigest()[:12]


def _columns(kind: type[SampleOrRecord], entries: Any) -> dict[str, list[Any]]:
    """By field: so a compressor finds what is alike."""
    return {field.name: [getattr(entry, field.name) for entry in entries] for field in fields(kind)}


def _entries(kind: type[SampleOrRecord], columns: Mapping[str, list[Any]]) -> tuple[SampleOrRecord, ...]:
    names = [field.name for field in fields(kind)]
    entries = tuple(kind(*values) for values in zip(*(columns[name] for name in names), strict=True))
    wrong = next((entry for entry in entries if not fits(entry)), None)
    if wrong is not None:
        raise ValueError(f"there is no {wrong}")
    return entries
