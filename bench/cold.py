"""Cold start: what a first command in a fresh process costs on Asia, with kernels compiled before and never."""

from __future__ import annotations

import statistics
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow.csv
from processes import LIMIT, run

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
            "imports of learn": _median(_python("import stablebn.cli, stablebn.api"), repeats, folder, environment),
            "import stablebn": _median(_python("import stablebn"), repeats, folder, environment),
            "python": _median(_python("pass"), repeats, folder, environment),
        }


def _python(statement: str) -> list[str]:
    return [sys.executable, "-c", statement]


def _median(command: Sequence[str], repeats: int, folder: Path, environment: Mapping[str, str]) -> float:
    times = []
    for _ in range(repeats):
        done = run(command, limit=LIMIT, environment=environment, folder=folder)
        if done is None:
            raise RuntimeError("the command failed; the log says why.")
        times.append(done.seconds)
    return statistics.median(times)
