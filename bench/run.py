"""`make bench`: measure ours, and beside it the peers that are installed.

    run.py        this file: which parts to measure, and where the report goes
    cases.py      the tables and the tools, and how far each tool is asked
    peers.py      part "peers": all tools on the same rows, in turn, each in a process of its own
    whole.py      part "processes": whole processes, from the start of Python to its end
    before.py     part "before": the same tables learned by an earlier installation and by this one, in turn
    scale.py      part "scale": growth with rows and variables, and peak memory
    limits.py     part "limits": the counting of the core beside what the machine can do (loops.cpp)
    hotspots.py   part "hotspots": where the time of a run goes
    processes.py  start a process, time it, stop it at its limit
    worker.py     in that process: one tool, one table (bnlearn.R: the same for R; warm.py: our learners)
    report.py     the tables; plot.py the plot; machine.py what they belong to

Writes performance.json (all figures), performance-table.md and performance.png; a part that is not measured keeps its
figures from the last time. Usage:

    python bench/run.py [--networks FOLDER] [--only PART] [--quick] [--repeats N] [--before PYTHON]

PYTHON is that of an environment with another stablebn, say the last release: part "before" needs it, and part
"processes" then has its figures too.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import before
import hotspots
import limits
import peers
import scale
import whole
from cases import cases
from machine import about, installation
from report import write

ROOT = Path(__file__).resolve().parents[1]
PARTS = ("peers", "processes", "before", "scale", "limits", "hotspots")

logger = logging.getLogger("bench")


def main() -> None:
    """Measure part by part, and write the report after each step: a run that is stopped is not lost."""
    parser = argparse.ArgumentParser(description="Measure stablebn, and beside it the peers that are installed.")
    parser.add_argument("--networks", action="append", default=[], help="folder with networks; may be repeated")
    parser.add_argument("--only", choices=PARTS, action="append", help="a part to measure; may be repeated [all]")
    parser.add_argument("--quick", action="store_true", help="a smoke run of a minute, written to build/bench")
    parser.add_argument("--repeats", type=int, default=3, help="processes of each tool on each table [3]")
    parser.add_argument("--before", metavar="PYTHON", type=os.path.abspath, help="of another installation of stablebn")
    options = parser.parse_args()
    if not options.before and "before" in (options.only or ()):
        parser.error("part 'before' needs --before PYTHON.")
    logging.basicConfig(format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    logger.setLevel(logging.INFO)
    folder = ROOT / ("build/bench" if options.quick else "docs")
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "performance.json"
    stored: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {}
    report = {part: stored[part] for part in PARTS if part in stored}
    for part in options.only or [part for part in PARTS if part != "before" or options.before]:
        logger.info("measuring: %s", part)
        for figures in _measure(part, options):
            report[part] = {"about": about(), "figures": figures}
            write(report, folder)


def _measure(part: str, options: argparse.Namespace) -> Iterator[Any]:
    """Figures of one part: of those that take long again and again as they grow, of the others once."""
    quick = options.quick
    repeats = 1 if quick else options.repeats
    rows = []
    if part == "peers":
        for row in peers.measure(cases(quick=quick), options.networks, repeats):
            rows.append(row)
            times = {tool: round(found["seconds"], 4) for tool, found in row["tools"].items()}
            logger.info("%s, %d variables, %d rows: %s", row["network"], row["variables"], row["rows"], times)
            yield {"processes": repeats, "rows": rows}
    elif part == "before":
        installations = {"before": installation(options.before), "now": installation(sys.executable)}
        for row in before.measure(cases(quick=quick), options.networks, options.before, repeats):
            rows.append(row)
            ratios = {learner: round(found["ratio"], 2) for learner, found in row["learners"].items()}
            logger.info("%s, %d variables, %d rows: %s", row["network"], row["variables"], row["rows"], ratios)
            yield {"processes": repeats, "installations": installations, "rows": rows}
    elif part == "processes":
        yield whole.measure(options.before, quick=quick)
    elif part == "scale":
        yield scale.measure(quick=quick)
    elif part == "limits":
        yield limits.measure(quick=quick)
    else:
        yield hotspots.measure(options.networks, quick=quick)


if __name__ == "__main__":
    main()
