"""`make bench`: measure ours, and beside it the peers that are installed.

    run.py        this file: which parts to measure, and where the report goes
    cases.py      the tables and the tools, and how far each tool is asked
    peers.py      part "peers": all tools on the same rows, in turn, each in a process of its own
    scale.py      part "scale": growth with rows and variables, and peak memory
    cold.py       part "cold": the first command in a fresh process
    limits.py     part "limits": kernels beside what the machine can do
    hotspots.py   part "hotspots": where the time of a run goes
    processes.py  start a process, time it, stop it at its limit
    worker.py     in that process: one tool, one table (bnlearn.R: the same for R)
    report.py     the tables; plot.py the plot; machine.py what they belong to

Writes performance.json (all figures), performance-table.md and performance.png; a part that is not measured keeps its
figures from the last time. Usage: python bench/run.py [--networks FOLDER] [--only PART] [--quick] [--repeats N]
"""

from __future__ import annotations

import argparse
import json
import logging
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import cold
import hotspots
import limits
import peers
import scale
from cases import OURS, RANDOM, RANDOM_CONTINUOUS, Case, cases, write_table
from machine import about
from processes import learn
from report import write

ROOT = Path(__file__).resolve().parents[1]
PARTS = ("peers", "scale", "cold", "limits", "hotspots")

logger = logging.getLogger("bench")


def main() -> None:
    """Measure part by part, and write the report after each step: a run that is stopped is not lost."""
    parser = argparse.ArgumentParser(description="Measure stablebn, and beside it the peers that are installed.")
    parser.add_argument("--networks", action="append", default=[], help="folder with networks; may be repeated")
    parser.add_argument("--only", choices=PARTS, action="append", help="a part to measure; may be repeated [all]")
    parser.add_argument("--quick", action="store_true", help="a smoke run of a minute, written to build/bench")
    parser.add_argument("--repeats", type=int, default=3, help="processes of each tool on each table [3]")
    options = parser.parse_args()
    logging.basicConfig(format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    logger.setLevel(logging.INFO)
    folder = ROOT / ("build/bench" if options.quick else "docs")
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "performance.json"
    stored: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {}
    report = {part: stored[part] for part in PARTS if part in stored}
    _compile_kernels()
    for part in options.only or PARTS:
        logger.info("measuring: %s", part)
        for figures in _measure(part, options.networks, 1 if options.quick else options.repeats, quick=options.quick):
            report[part] = {"about": about(), "figures": figures}
            write(report, folder)


def _measure(part: str, networks: Sequence[str], repeats: int, *, quick: bool) -> Iterator[Any]:
    """Figures of one part: of the peers again and again as they grow, of the others once."""
    if part == "peers":
        rows = []
        for row in peers.measure(cases(quick=quick), networks, repeats):
            rows.append(row)
            times = {tool: round(found["seconds"], 4) for tool, found in row["tools"].items()}
            logger.info("%s, %d variables, %d rows: %s", row["network"], row["variables"], row["rows"], times)
            yield {"processes": repeats, "rows": rows}
    elif part == "scale":
        yield scale.measure(quick=quick)
    elif part == "cold":
        yield cold.measure(quick=quick)
    elif part == "limits":
        yield limits.measure(quick=quick)
    else:
        yield hotspots.measure(networks, quick=quick)


def _compile_kernels() -> None:
    """So that no process that is measured has to, but the one that measures just this."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.parquet"
        # The second is large enough for all ways of counting.
        for case in (Case("asia", 1_000), Case(RANDOM, 30_000, 50), Case(RANDOM_CONTINUOUS, 1_000, 10)):
            write_table(case.network(), case.rows, path)
            learn(OURS, path, repeats=0)


if __name__ == "__main__":
    main()
