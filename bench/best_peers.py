"""Does `best` ever end below another package? Graphs of the peers, scored with our exact BIC, beside that of `best`.

Usage: python bench/best_peers.py [--networks FOLDER] [--quick]

The tables are those of the benchmark (`make bench`) that `best` learns in reasonable time. Writes
docs/best-peers-table.md.
"""

from __future__ import annotations

import argparse
import logging
import math
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from best import markdown
from cases import TOOLS, Case, Tool, cases, write_table
from machine import about
from peers import PATIENCE, Expectation
from processes import learn

import stablebn as sb

PAGE = Path(__file__).resolve().parents[1] / "docs" / "best-peers-table.md"
MOST_ROWS, MOST_VARIABLES = 100_000, 200

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Row:
    """A table: the BIC of `best`, and what the graph of each peer is below it, in nats."""

    case: Case
    variables: int
    score: float
    seconds: float
    below: dict[str, float]


def measure(tables: Sequence[Case], directories: Sequence[str]) -> Iterator[Row]:
    """One row a table, as soon as it is measured; peers that are expected to need too long are not asked."""
    peers = [tool for tool in TOOLS if not tool.name.startswith("stablebn") and tool.is_installed]
    expectation = Expectation()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.parquet"
        for case in tables:
            network = case.network(directories)
            if len(network) > MOST_VARIABLES:
                continue
            write_table(network, case.rows, path, csv=any(tool.name.startswith("bnlearn") for tool in peers))
            began = time.perf_counter()
            best = sb.score(sb.learn(path, "best"), path).total
            seconds = time.perf_counter() - began
            below = {}
            for tool in peers:
                if tool.takes(network, case.rows) and expectation.seconds(tool, case, network) <= PATIENCE:
                    score = _score(tool, path, case, network, expectation)
                    below |= {} if score is None else {tool.name: best - score}
            logger.warning("%s, %d rows: %.1f s, %s", case.series, case.rows, seconds, below)
            yield Row(case, len(network), best, seconds, below)


def _score(tool: Tool, path: Path, case: Case, network: sb.Network, expectation: Expectation) -> float | None:
    """The BIC of what a peer learns; None where it has not finished, or gives no DAG."""
    answer = learn(tool.name, path, repeats=0)
    expectation.learn(tool, case, network, math.inf if answer is None else answer["cold"])
    if answer is None or answer["arcs"] is None:
        return None
    return sb.score([tuple(arc) for arc in answer["arcs"]], path).total


def page(rows: Sequence[Row]) -> list[str]:
    """The whole page."""
    tools = list(dict.fromkeys(tool for row in rows for tool in row.below))
    lines = [
        [
            f"{row.case.series}, {row.variables} variables, {row.case.rows:,} rows",
            f"{row.score:.3f}",
            *(f"{row.below[tool]:.3f}" if tool in row.below else "" for tool in tools),
        ]
        for row in rows
    ]
    totals = []
    for tool in tools:
        gaps = [row.below[tool] for row in rows if tool in row.below]
        signs = [sum(gap > 0 for gap in gaps), sum(gap == 0 for gap in gaps), sum(gap < 0 for gap in gaps)]
        totals.append([tool, str(len(gaps)), *map(str, signs), f"{max(gaps):.1f}"])
    return [
        "# `best` beside other packages",
        "",
        f"Made by `bench/best_peers.py`; {', '.join(f'{key} {value}' for key, value in about().items())}.",
        f"The tables of the benchmark ([performance.md](performance.md)) of up to {MOST_ROWS:,} rows and",
        f"{MOST_VARIABLES} variables. Every peer learns in a process of its own, as in the benchmark; one that is",
        f"expected to need more than {PATIENCE} s, or that does not take such data, is not asked. Its graph is scored",
        "with our exact BIC: where two graphs are equally good the difference is 0, not nearly so. All climb hills with",
        "BIC; causal-learn has no hill climbing, its nearest is GES, with BDeu where data are categorical.",
        "",
        *markdown(["peer", "tables", "below `best`", "as good", "above `best`", "most nats below"], totals),
        "",
        "## Table by table: nats below `best`",
        "",
        *markdown(["table", "BIC of `best`", *tools], lines),
    ]


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--networks", action="append", default=[])
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    tables = [case for case in cases(quick=options.quick) if case.rows <= MOST_ROWS]
    lines = page(list(measure(tables, options.networks)))
    PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
