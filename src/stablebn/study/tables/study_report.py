"""Define what a report of a study is: its tables, its figures and their captions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from stablebn.networks.model import Network
from stablebn.study.tables.general_figures import GENERAL_CAPTIONS, general_pictures
from stablebn.study.tables.general_tables import general_tables
from stablebn.study.tables.panels import Picture
from stablebn.study.tables.study_table import StudyTable
from stablebn.study.tables.summary import Experiments


class StudyReport(ABC):
    """The tables and figures that a study can have.

    Attributes
    ----------
    captions : mapping of str to str
        The caption of every figure that it can have, by the name of its files.
    table_order : sequence of str
        Names of tables in the order in which they are listed; other tables follow by name.
    """

    captions: ClassVar[Mapping[str, str]]
    table_order: ClassVar[Sequence[str]]

    @abstractmethod
    def tables(
        self,
        experiments: Experiments,
        metrics: Sequence[str],
        networks: Mapping[str, Network],
        published: Path | None,
    ) -> list[StudyTable]:
        """Return the tables.

        Parameters
        ----------
        experiments : Experiments
        metrics : sequence of str
            The metrics of the study: fields of `Record`.
        networks : mapping of name to Network
            The networks for tables that describe them.
        published : Path, optional
            A file with published numbers to show beside ours.
        """

    @abstractmethod
    def pictures(self, experiments: Experiments, published: Path | None) -> list[Picture]:
        """Return the figures, not drawn yet."""


class GeneralReport(StudyReport):
    """The tables and figures of any study; it has no published numbers."""

    captions = GENERAL_CAPTIONS
    table_order = ()

    def tables(
        self,
        experiments: Experiments,
        metrics: Sequence[str],
        networks: Mapping[str, Network],
        published: Path | None,
    ) -> list[StudyTable]:
        """Return a table of all learners, and one per metric with a row per network."""
        return general_tables(experiments, metrics)

    def pictures(self, experiments: Experiments, published: Path | None) -> list[Picture]:
        """Return F1 by sample size, and the learners side by side."""
        return general_pictures(experiments)


def report_of(name: str) -> StudyReport:
    """Return the report with this name; the code of the paper is imported only for the report "paper"."""
    if name == "paper":
        from stablebn.study.paper.paper_report import PaperReport

        return PaperReport()
    return GeneralReport()
