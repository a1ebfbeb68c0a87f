"""The same tables learned warm by two installations of ours, an earlier one and this one, in turn."""

from __future__ import annotations

import json
import logging
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from cases import TOOLS, Case, write_table
from processes import run

import stablebn as sb

WARM = Path(__file__).with_name("warm.py")
LIMIT = 600
"""Seconds that a process may take, in which the earlier installation may have to compile."""
LONG = 10
"""Seconds of a warm run beyond which a learner is not asked again."""
WORSE = 1.05
"""Times the seconds of before from which on we are slower, not only unlucky."""
AGAIN = 3
"""So many times the usual number of processes are given to those that seem slower."""

logger = logging.getLogger(__name__)


def measure(cases: Sequence[Case], directories: Sequence[str], before: str, repeats: int) -> Iterator[dict[str, Any]]:
    """One row of the table a case, as soon as it is measured."""
    ours = [tool for tool in TOOLS if tool.name.startswith("stablebn ")]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.parquet"
        for case in cases:
            try:
                network = case.network(directories)
            except sb.OptionError as error:
                logger.warning("left out: %s", error)
                continue
            write_table(network, case.rows, path)
            learners = [tool.name.split()[1] for tool in ours if tool.takes(network, case.rows)]
            yield {
                "network": case.series,
                "rows": case.rows,
                "variables": len(network),
                "learners": _in_turn({"before": before, "now": sys.executable}, learners, path, repeats),
            }


def _in_turn(
    installations: dict[str, str], learners: Sequence[str], path: Path, repeats: int
) -> dict[str, dict[str, Any]]:
    """Least seconds of each learner and installation, and whether both learned the same."""
    best: dict[str, dict[str, float]] = {learner: {} for learner in learners}
    prints: dict[str, set[str]] = {learner: set() for learner in learners}
    asked = list(learners)
    for turn in range(AGAIN * repeats):
        if turn >= repeats:
            asked = [learner for learner in asked if _ratio(best[learner]) > WORSE]
        if not asked:
            break
        # Who is first has no advantage: the order changes with every turn.
        for when in sorted(installations, reverse=turn % 2 == 1):
            done = run([installations[when], str(WARM), str(path), *asked], limit=LIMIT)
            if done is None:
                raise RuntimeError("a learner failed, or took too long; the log says which.")
            for learner, answer in json.loads(done.output.splitlines()[-1]).items():
                best[learner][when] = min([*answer["warm"], best[learner].get(when, float("inf"))])
                prints[learner].add(answer["fingerprint"])
        asked = [learner for learner in asked if best[learner]["before"] < LONG]
    return {
        learner: {**best[learner], "ratio": _ratio(best[learner]), "same": len(prints[learner]) == 1}
        for learner in learners
    }


def _ratio(seconds: dict[str, float]) -> float:
    return seconds["now"] / seconds["before"]
