"""Cold start: what a first command in a fresh process costs on Asia, with kernels compiled before and never."""

from __future__ import annotations

import statistics
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow.csv
from processes import LIMIT, Finished, run

import stablebn as sb

ROWS = 10_000


def measure(*, quick: bool) -> dict[str, Any]:
    """Seconds of whole processes; the median of some where a process can be repeated."""
    repeats = 2 if quick else 7
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        pyarrow.csv.write_csv(sb.read_network("asia").sample(ROWS, seed=1), folder / "asia.csv")
        # Numba keeps what it compiled here; at first it is empty.
        environment = {"NUMBA_CACHE_DIR": str(folder / "compiled")}
        command = [str(Path(sys.executable).with_name("stablebn")), "learn", "asia.csv"]
        return {
            "rows": ROWS,
            "first compile": _median(command, 1, folder, environment),
            "learn": _median(command, repeats, folder, environment),
            "imports of learn": _imports(command, folder, environment),
            "import stablebn": _median(_python("import stablebn"), repeats, folder, environment),
            "python": _median(_python("pass"), repeats, folder, environment),
        }


def _imports(command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> float:
    """Seconds that a command of Python spends in imports, whenever they happen, as Python itself measures them."""
    done = _run([sys.executable, "-X", "importtime", *command], folder, environment)
    # "import time: self [us] | cumulative | module", after a line of headings.
    lines = [line.split("|")[0].split(":")[1] for line in done.errors.splitlines() if line.startswith("import time:")]
    return sum(int(own) for own in lines if own.strip().isdigit()) / 1e6


def _python(statement: str) -> list[str]:
    return [sys.executable, "-c", statement]


def _median(command: Sequence[str], repeats: int, folder: Path, environment: Mapping[str, str]) -> float:
    return statistics.median(_run(command, folder, environment).seconds for _ in range(repeats))


def _run(command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> Finished:
    done = run(command, limit=LIMIT, environment=environment, folder=folder)
    if done is None:
        raise RuntimeError("the command failed; the log says why.")
    return done
