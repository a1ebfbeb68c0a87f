"""Write the tables and figures of a study to a folder, with a page that lists them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from stablebn.errors import OptionError, listed
from stablebn.files import make_folder, write_atomically
from stablebn.networks.model import Network
from stablebn.study.record import Record, Sample
from stablebn.study.tables.panels import ENDINGS, write_picture
from stablebn.study.tables.study_report import StudyReport, report_of
from stablebn.study.tables.study_table import StudyTable, to_csv, to_latex, to_markdown
from stablebn.study.tables.summary import METRIC_OF, Experiments

INDEX = "README.md"
MADE_BY = "Made by `stablebn study`; not to be edited by hand."
"""The line of the page that identifies a folder written by a study."""

WRITERS = {".md": to_markdown, ".csv": to_csv, ".tex": to_latex}


def study_tables(
    samples: Sequence[Sample],
    records: Sequence[Record],
    *,
    report: str = "general",
    metrics: Sequence[str] = tuple(METRIC_OF),
    networks: Mapping[str, Network] | None = None,
    published: Path | None = None,
) -> list[StudyTable]:
    """Make the tables of a study.

    Parameters
    ----------
    samples, records
        The samples and the finished jobs of the study.
    report : {"general", "paper"}
        Whether to make the tables of any study, or those of the paper.
    metrics : sequence of str
        The metrics of general tables: fields of `Record`.
    networks : mapping of name to Network, optional
        The networks for tables that describe them.
    published : Path, optional
        A file with the published numbers to show beside ours.
    """
    return report_of(report).tables(Experiments.of(samples, records), metrics, networks or {}, published)


def write_tables(
    study: str,
    samples: Sequence[Sample],
    records: Sequence[Record],
    folder: Path,
    *,
    report: str = "general",
    force: bool = False,
    **options: Any,
) -> list[Path]:
    """Write the tables of a study as Markdown, CSV and LaTeX, and README.md, which lists what the folder has.

    Parameters
    ----------
    study : str
        Its title.
    samples, records
        The samples and the finished jobs of the study.
    folder : Path
        Created if needed. In a folder that a study has written, tables of the same name are replaced.
    report : {"general", "paper"}
    force : bool
        Replace also files that no study has written.
    **options
        Those of `study_tables`.

    Returns
    -------
    list of Path
        All files written.
    """
    shown = report_of(report)
    tables = study_tables(samples, records, report=report, **options)
    # Check the names of figures too: after the tables are written, figures may replace files in the folder.
    pictures = [f"{name}{ending}" for name in shown.captions for ending in ENDINGS]
    names = [*(f"{table.name}{ending}" for table in tables for ending in WRITERS), *pictures]
    _claim(study, shown, folder, names, force=force)
    written = [_write(table, folder, ending) for table in tables for ending in WRITERS]
    return [*written, write_index(study, shown, folder)]


def write_figures(
    study: str,
    samples: Sequence[Sample],
    records: Sequence[Record],
    folder: Path,
    *,
    report: str = "general",
    published: Path | None = None,
    force: bool = False,
) -> list[Path]:
    """Write the figures of a study as PNG and SVG, and README.md, which lists what the folder has.

    Parameters as in `write_tables`. Raises `MissingExtraError` if matplotlib is not installed.
    """
    shown = report_of(report)
    pictures = shown.pictures(Experiments.of(samples, records), published)
    _claim(study, shown, folder, [f"{picture.name}{ending}" for picture in pictures for ending in ENDINGS], force=force)
    written = [path for picture in pictures for path in write_picture(picture, folder)]
    return [*written, write_index(study, shown, folder)]


def _claim(study: str, report: StudyReport, folder: Path, names: Sequence[str], *, force: bool) -> None:
    """Write the page that marks the folder as written by a study; raise if other files would be replaced."""
    make_folder(folder)
    if not force and not _is_ours(folder / INDEX):
        existing = [name for name in (INDEX, *names) if (folder / name).exists()]
        if existing:
            raise OptionError(
                f"in {folder} there are files that `stablebn study` has not made: {listed(existing)}. "
                "Choose another --out, or replace them with --force (force=True)."
            )
    # The page is written first: after an interruption the files can be written again.
    write_index(study, report, folder)


def _is_ours(index: Path) -> bool:
    try:
        return MADE_BY in index.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False


def write_index(study: str, report: StudyReport, folder: Path) -> Path:
    """Write README.md: the title of every table, and every figure with its caption."""
    ranks = {name: rank for rank, name in enumerate(report.table_order)}
    tables = sorted(
        (path for path in folder.glob("*.md") if path.with_suffix(".csv").exists()),
        key=lambda path: (ranks.get(path.stem, len(ranks)), path.stem),
    )
    lines = [f"# Study: {study}", "", MADE_BY, "", "## Tables", ""]
    for path in tables:
        title = path.read_text(encoding="utf-8", errors="replace").partition("\n")[0].removeprefix("# ")
        lines.append(f"- [{title}]({path.name}) ([CSV]({path.stem}.csv), [LaTeX]({path.stem}.tex))")
    drawn = {name: caption for name, caption in report.captions.items() if (folder / f"{name}.png").exists()}
    if drawn:
        lines += ["", "## Figures"]
    for name, caption in drawn.items():
        lines += ["", f"![{name}]({name}.png)", "", f"{caption} ([SVG]({name}.svg))"]
    path = folder / INDEX
    write_atomically(path, "\n".join(lines) + "\n", force=True)
    return path


def _write(table: StudyTable, folder: Path, ending: str) -> Path:
    path = folder / f"{table.name}{ending}"
    write_atomically(path, WRITERS[ending](table), force=True)
    return path
