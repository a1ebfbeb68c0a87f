"""The report of the paper's study: its tables and figures, with the published numbers beside ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from stablebn.networks.model import Network
from stablebn.study.paper.paper import PaperStudy
from stablebn.study.paper.paper_figures import PAPER_CAPTIONS, paper_pictures
from stablebn.study.paper.paper_tables import ORDER, paper_tables
from stablebn.study.paper.published import NumberTables, read_published
from stablebn.study.tables.panels import Picture
from stablebn.study.tables.study_report import StudyReport
from stablebn.study.tables.study_table import StudyTable
from stablebn.study.tables.summary import Experiments


class PaperReport(StudyReport):
    """The tables and figures of the paper."""

    captions = PAPER_CAPTIONS
    table_order = ORDER

    def tables(
        self,
        experiments: Experiments,
        metrics: Sequence[str],
        networks: Mapping[str, Network],
        published: Path | None,
    ) -> list[StudyTable]:
        """Return the tables for which there are results; they have all metrics of the paper."""
        return paper_tables(PaperStudy(experiments), networks, _read(published))

    def pictures(self, experiments: Experiments, published: Path | None) -> list[Picture]:
        """Return the figures for which there are results."""
        return paper_pictures(PaperStudy(experiments), _read(published))


def _read(published: Path | None) -> NumberTables:
    return {} if published is None else read_published(published)
