"""Run a command in a process of its own, and time it from outside."""

from __future__ import annotations

import json
import logging
import os
import resource
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LIMIT = 120
"""Seconds that a process may take."""
WORKER = Path(__file__).with_name("worker.py")
R_WORKER = Path(__file__).with_name("bnlearn.R")

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Finished:
    """What a process printed, also as errors, the seconds from its start to its end, and those of its processors."""

    output: str
    errors: str
    seconds: float
    cpu: float


def run(
    command: Sequence[str],
    *,
    limit: float = LIMIT,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> Finished | None:
    """Run a command; None where it fails or exceeds the limit, which the log then says."""
    # Without bytecode every import of every process would compile Python: nobody works like that.
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = _seconds_of_children()
    began = time.perf_counter()
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=limit,
            check=True,
            env={**inherited, **(environment or {})},
            cwd=folder,
        )
    except subprocess.TimeoutExpired:
        logger.warning("more than %g s: %s", limit, " ".join(command))
        return None
    except subprocess.CalledProcessError as error:
        logger.warning("failed: %s\n%s", " ".join(command), error.stderr[-500:])
        return None
    return Finished(done.stdout, done.stderr, time.perf_counter() - began, _seconds_of_children() - before)


def _seconds_of_children() -> float:
    """Of all processors, for all processes that were started here and have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def learn(tool: str, table: Path, *, repeats: int = 5, limit: float = LIMIT) -> dict[str, Any] | None:
    """What `worker.py` (for bnlearn: `bnlearn.R`) reports of one tool and one table, and the time of the whole process.

    Returns
    -------
    dict
        `cold` (seconds of the first run), `warm` (of each further one), `arcs`, `version`, `peak` (bytes), and
        `whole`: seconds of the process, as if it had learned once.
    """
    if tool.startswith("bnlearn"):
        command = ["Rscript", str(R_WORKER), str(table.with_suffix(".csv")), str(repeats)]
    else:
        command = [sys.executable, str(WORKER), tool, str(table), str(repeats)]
    done = run(command, limit=limit)
    if done is None:
        return None
    answer: dict[str, Any] = json.loads(done.output.splitlines()[-1])
    return {**answer, "whole": done.seconds - sum(answer["warm"])}
