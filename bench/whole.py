"""Whole processes, from the start of Python to its end: ours, PyBNesian's, and those of an earlier stablebn.

All processes that do the same take turns, one of each at a time; a first round, which writes Python's bytecode and
brings the files into memory, is not counted.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
from cases import SEED
from machine import installation
from processes import Finished, run

import stablebn as sb

ROUNDS = 15
FIRST_LIMIT = 600
"""Seconds for a process that may still have kernels to compile, as those of earlier installations have."""

LEARN = "import stablebn as sb; sb.learn({file!r})"
# As bench/worker.py asks PyBNesian, from a frame of the levels that occur: it stumbles over others.
PYBNESIAN = """
import pandas as pd
import pybnesian as pb

frame = {read}
for column in frame.columns:
    frame[column] = frame[column].astype("category").cat.remove_unused_categories()
start = pb.DiscreteBN(list(frame.columns))
pb.GreedyHillClimbing().estimate(pb.ArcOperatorSet(), pb.BIC(frame), start)
"""
FORMATS = {".parquet": "Parquet, categories", "-text.parquet": "Parquet, text", ".csv": "CSV"}
"""How the name of a file ends, and what it says of its columns: sampled tables have categories."""
READ = {".parquet": "pd.read_parquet({file!r})", ".csv": 'pd.read_csv({file!r}, dtype="category")'}


def measure(before: str | None, *, quick: bool) -> dict[str, Any]:
    """Seconds of each kind of process, by the clock and of the processors."""
    rounds = 2 if quick else ROUNDS
    installations = {"now": sys.executable, **({"before": before} if before else {})}
    tables = [("asia", 1_000)] if quick else [("asia", 1_000), ("alarm", 10_000)]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        first = _first_commands(installations, folder)
        rows = [
            {"task": "python", "seconds": _in_turn({"now": _python(sys.executable, "pass")}, rounds, folder)},
            {
                "task": "import",
                "seconds": _in_turn(
                    {
                        **{when: _python(python, "import stablebn") for when, python in installations.items()},
                        **_peer("import pybnesian"),
                    },
                    rounds,
                    folder,
                ),
            },
        ]
        for name, size in tables:
            for suffix in FORMATS:
                file = f"{name}{suffix}"
                _write(sb.read_network(name).sample(size, seed=SEED), folder / file)
                rows += _learning(file, size, installations, rounds, folder)
        return {
            "rounds": rounds,
            "installations": {when: installation(python) for when, python in installations.items()},
            "processes": rows,
            "first": first,
            "imports": {
                when: _imports(_command(python, "asia.csv"), python, folder) for when, python in installations.items()
            },
        }


def _learning(
    file: str, size: int, installations: Mapping[str, str], rounds: int, folder: Path
) -> list[dict[str, Any]]:
    """One row for learning a file from Python, and for a CSV file one for the command, which the peer does not have."""
    scripts = {when: _python(python, LEARN.format(file=file)) for when, python in installations.items()}
    peer = _peer(PYBNESIAN.format(read=READ[Path(file).suffix].format(file=file)))
    commands = {}
    if file.endswith(".csv"):
        commands = {f"command {when}": _command(python, file) for when, python in installations.items()}
    seconds = _in_turn({**scripts, **commands, **peer}, rounds, folder)
    rows = [("learn", {name: seconds[name] for name in (*scripts, *peer)})]
    if commands:
        own = {name.removeprefix("command "): seconds[name] for name in commands}
        rows.append(("command", {**own, **{name: seconds[name] for name in peer}}))
    return [{"task": task, "file": file, "rows": size, "seconds": found} for task, found in rows]


def _first_commands(installations: Mapping[str, str], folder: Path) -> dict[str, float]:
    """Seconds of the very first command, with the folder still empty in which Numba keeps what it compiled."""
    _write(sb.read_network("asia").sample(1_000, seed=SEED), folder / "asia.csv")
    environment = {"NUMBA_CACHE_DIR": str(folder / "compiled")}
    return {
        when: _finished(_command(python, "asia.csv"), folder, environment).seconds
        for when, python in installations.items()
    }


def _in_turn(commands: Mapping[str, Sequence[str]], rounds: int, folder: Path) -> dict[str, dict[str, float]]:
    """Least and median of the seconds of each command."""
    runs: dict[str, list[Finished]] = {name: [] for name in commands}
    for turn in range(rounds + 1):
        for name, command in commands.items():
            done = _finished(command, folder)
            if turn:
                runs[name].append(done)
    return {name: _summary(found) for name, found in runs.items()}


def _summary(runs: Sequence[Finished]) -> dict[str, float]:
    clock, cpu = [done.seconds for done in runs], [done.cpu for done in runs]
    return {
        "least": min(clock),
        "median": statistics.median(clock),
        "least cpu": min(cpu),
        "median cpu": statistics.median(cpu),
    }


def _imports(command: Sequence[str], python: str, folder: Path) -> float:
    """Seconds that a command of Python spends in imports, whenever they happen, as Python itself measures them."""
    done = _finished([python, "-X", "importtime", *command], folder)
    # "import time: self [us] | cumulative | module", after a line of headings.
    lines = [line.split("|")[0].split(":")[1] for line in done.errors.splitlines() if line.startswith("import time:")]
    return sum(int(own) for own in lines if own.strip().isdigit()) / 1e6


def _write(table: pa.Table, path: Path) -> None:
    if path.name.endswith("-text.parquet"):
        table = pa.table([column.cast("string") for column in table.columns], names=table.column_names)
    if path.suffix == ".csv":
        pa.csv.write_csv(table, path)
    else:
        pq.write_table(table, path)


def _python(python: str, program: str) -> list[str]:
    return [python, "-c", program]


def _command(python: str, file: str) -> list[str]:
    return [str(Path(python).with_name("stablebn")), "learn", file]


def _peer(program: str) -> dict[str, list[str]]:
    return {"PyBNesian": _python(sys.executable, program)} if find_spec("pybnesian") else {}


def _finished(command: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None) -> Finished:
    done = run(command, limit=FIRST_LIMIT, environment=environment, folder=folder)
    if done is None:
        raise RuntimeError("the command failed; the log says why.")
    return done
