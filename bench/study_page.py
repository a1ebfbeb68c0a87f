"""The one page of results of the paper's study, and the pictures that pages show, from the outcomes in docs/.

Usage: python bench/study_page.py [--published TABLES.json] [--networks FOLDER]

Reads docs/study-outcomes.json.gz, which `stablebn study paper --outcomes` writes. All tables and figures in all
formats: `make study-pages`.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from tempfile import TemporaryDirectory

import stablebn as sb
from stablebn.networks import known_networks
from stablebn.study.tables.study_table import StudyTable

DOCS = Path(__file__).resolve().parents[1] / "docs"
OUTCOMES = DOCS / "study-outcomes.json.gz"
PAGE = DOCS / "study-results.md"
PICTURES = {
    "asia-arcs": "study-asia.png",
    "algorithms-categorical": "study-learners.png",
    "more-score": "more-score.png",
}
"""Of those that the study draws, which are in docs/, and how they are called there."""


def page(title: str, tables: tuple[StudyTable, ...]) -> str:
    """All tables, each under a heading of its own."""
    return "\n".join(
        [
            f"# Results: {title}",
            "",
            "Made by `bench/study_page.py` from `study-outcomes.json.gz`; not to be edited by hand. What it means:",
            "[study.md](study.md), [more-score.md](more-score.md). `make study-pages` writes these tables as CSV and",
            "LaTeX too, and all figures as PNG and SVG.",
            "",
            *(f"- [{table.title}](#{anchor(table.title)})" for table in tables),
            "",
            "\n".join(f"#{table}" for table in tables),
        ]
    )


def anchor(heading: str) -> str:
    """By what name links find a heading.

    >>> anchor("The paper's claims: all, of both")
    'the-papers-claims-all-of-both'
    """
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def main() -> None:
    """Write the page and the pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--published", type=Path)
    parser.add_argument("--networks", type=Path)
    options = parser.parse_args()
    found = sb.study.read_outcomes(OUTCOMES)
    folders = [] if options.networks is None else [options.networks]
    known = {entry.name for entry in known_networks(folders)}
    names = {sample.network for sample in found.samples}
    networks = {name: sb.read_network(name, directories=folders) for name in sorted(names & known)}
    PAGE.write_text(
        page(found.title, found.tables_with(networks=networks, published=options.published)), encoding="utf-8"
    )
    with TemporaryDirectory() as folder:
        found.write_figures(folder, published=options.published)
        for name, file in PICTURES.items():
            (DOCS / file).write_bytes(Path(folder, f"{name}.png").read_bytes())


if __name__ == "__main__":
    main()
