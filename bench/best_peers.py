"""Does `best` ever end below another package? Its BIC beside that of the graphs that peers learned in the benchmark.

Usage: python bench/best_peers.py [--networks FOLDER]

Peers are not run again: docs/performance.json, which `make bench` writes, has the BIC of their graphs, scored by us.
Writes docs/best-peers-table.md.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from best import markdown
from cases import Case, write_table
from machine import about

import stablebn as sb

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE = DOCS / "best-peers-table.md"
MOST_ROWS, MOST_VARIABLES = 100_000, 110
SAME = 1e-6
"""Nats: scores of continuous tables have been rounded otherwise since."""


@dataclass(frozen=True)
class Row:
    """A table of the benchmark: the BIC of `best`, and what the graph of each peer is below it, in nats."""

    table: str
    score: float
    below: dict[str, float]


def measure(figures: dict[str, Any], directories: Sequence[str]) -> Row:
    """Learn a table of the benchmark with `best`."""
    rows, variables = figures["rows"], figures["variables"]
    case = Case(figures["network"], rows, variables if figures["network"].startswith("random") else 0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.parquet"
        write_table(case.network(directories), rows, path)
        scores = {tool: found["bic"] * rows for tool, found in figures["tools"].items() if found["bic"] is not None}
        # It is the table that the peers learned from: plain hill climbing comes to the same score.
        again = sb.score(sb.learn(path, "hc"), path).total
        assert abs(again - scores["stablebn hc"]) < SAME, f"another table: {case}"
        best = sb.score(sb.learn(path, "best"), path).total
    peers = [tool for tool in scores if not tool.startswith("stablebn")]
    return Row(
        f"{case.series}, {variables} variables, {rows:,} rows", best, {tool: best - scores[tool] for tool in peers}
    )


def page(rows: Sequence[Row], measured: str) -> list[str]:
    """The whole page."""
    tools = list(dict.fromkeys(tool for row in rows for tool in row.below))
    lines = [
        [row.table, f"{row.score:.3f}", *(f"{row.below[tool]:.3f}" if tool in row.below else "" for tool in tools)]
        for row in rows
    ]
    totals = []
    for tool in tools:
        gaps = [row.below[tool] for row in rows if tool in row.below]
        below, above = sum(gap > SAME for gap in gaps), sum(gap < -SAME for gap in gaps)
        totals.append([tool, *map(str, (len(gaps), below, len(gaps) - below - above, above)), f"{max(gaps):.1f}"])
    return [
        "# `best` beside other packages",
        "",
        f"Made by `bench/best_peers.py`; {', '.join(f'{key} {value}' for key, value in about().items())}.",
        f"The tables of the benchmark ([performance.md](performance.md)) of up to {MOST_ROWS:,} rows and",
        f"{MOST_VARIABLES} variables, and the graphs that the peers learned there ({measured}), scored with our",
        "exact BIC. Where there is no figure, the peer does not take such data, or needs more than a minute. All climb",
        "hills by BIC; causal-learn has no hill climbing, its nearest is GES, with BDeu where data are categorical.",
        "",
        *markdown(["peer", "tables", "below `best`", "as good", "above `best`", "most nats below"], totals),
        "",
        "## Table by table: nats below `best`",
        "",
        *markdown(["table", "BIC of `best`", *tools], lines),
    ]


def main() -> None:
    """Measure, and write the page after each table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--networks", action="append", default=[])
    options = parser.parse_args()
    benchmark = json.loads((DOCS / "performance.json").read_text(encoding="utf-8"))["peers"]
    tables = [
        figures
        for figures in benchmark["figures"]["rows"]
        if figures["rows"] <= MOST_ROWS and figures["variables"] <= MOST_VARIABLES
    ]
    rows: list[Row] = []
    for figures in tables:
        rows.append(measure(figures, options.networks))
        PAGE.write_text("\n".join(page(rows, benchmark["about"]["date"])) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
