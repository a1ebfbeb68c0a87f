"""`make bench`: ours and the peers that are installed, on the same rows in the same run.

Every tool learns every table in a process of its own, the tools in turn, several times over; the median counts.
Writes docs/performance.json (all figures), docs/performance-table.md and docs/performance.png.

Usage: python bench/run.py [--networks FOLDER] [--quick]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import date
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from worker import TOOLS

import stablebn as sb

DOCS = Path(__file__).resolve().parents[1] / "docs"
WORKER = Path(__file__).with_name("worker.py")
CATEGORICAL = ("asia", "child", "insurance", "alarm", "hailfinder2", "hepar2", "win95pts2", "formed", "pathfinder")
CONTINUOUS = ("ecoli70_c", "magic-niab_c", "arth150_c")
LIMIT = 60
"""Seconds a process may take; a tool that needs longer is not asked for more rows of that network."""


def cases(*, quick: bool) -> list[tuple[str, int]]:
    """(network, rows)."""
    sizes = (1_000,) if quick else (1_000, 10_000, 100_000)
    found = [(name, rows) for rows in sizes for name in CATEGORICAL]
    found += [(name, rows) for rows in sizes for name in CONTINUOUS]
    return found


def main() -> None:
    """Measure, and write the table and the plot."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--networks", action="append", default=[])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--repeats", type=int, default=2)
    options = parser.parse_args()
    tools = [tool for tool in TOOLS if find_spec(tool.split()[0]) is not None]
    rows: list[dict[str, Any]] = []
    too_slow: set[tuple[str, str]] = set()
    with tempfile.TemporaryDirectory() as folder:
        for name, size in cases(quick=options.quick):
            try:
                network = sb.read_network(name, directories=options.networks)
            except sb.OptionError as error:
                print(error, file=sys.stderr)  # noqa: T201
                continue
            path = Path(folder) / "table.parquet"
            _write_table(network, size, path)
            asked = [tool for tool in tools if (tool, name) not in too_slow and _can(tool, network, size)]
            measured: dict[str, list[dict[str, Any]]] = {tool: [] for tool in asked}
            for repeat in range(options.repeats):
                for tool in asked:
                    if (tool, name) in too_slow or (repeat and measured[tool] and measured[tool][0]["seconds"] > 10):
                        continue
                    answer = _run(tool, path)
                    if answer is None:
                        too_slow.add((tool, name))
                    else:
                        measured[tool].append(answer)
            row = _row(name, size, network, path, measured)
            rows.append(row)
            print(json.dumps({key: value for key, value in row.items() if key != "tools"}), file=sys.stderr)  # noqa: T201
            _write(rows, options.repeats)


def _can(tool: str, network: sb.Network, size: int) -> bool:
    """PyAgrum learns categories only; pgmpy takes minutes beyond a few dozen columns or some thousand rows."""
    if tool.startswith("pyagrum"):
        return not network.is_continuous
    return not tool.startswith("pgmpy") or (len(network) <= 40 and size <= 1000)


def _write_table(network: sb.Network, size: int, path: Path) -> None:
    """A sample without columns of one value, which peers do not take."""
    table = network.sample(size, seed=1)
    varying = [name for name in table.column_names if len(table[name].unique()) > 1]
    pq.write_table(table.select(varying), path)


def _run(tool: str, path: Path) -> dict[str, Any] | None:
    began = time.perf_counter()
    command = [sys.executable, str(WORKER), tool, str(path), "3"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=True)
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as error:
        print(tool, path.name, type(error).__name__, str(getattr(error, "stderr", ""))[-300:], file=sys.stderr)  # noqa: T201
        return None
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return {**answer, "whole": time.perf_counter() - began}


def _row(
    name: str, size: int, network: sb.Network, path: Path, measured: dict[str, list[dict[str, Any]]]
) -> dict[str, Any]:
    tools = {}
    for tool, answers in measured.items():
        if answers:
            tools[tool] = {
                "seconds": statistics.median(answer["seconds"] for answer in answers),
                "whole": statistics.median(answer["whole"] for answer in answers),
                "peak": max(answer["peak"] for answer in answers),
                "bic": sb.score([tuple(arc) for arc in answers[0]["arcs"]], path).total / size,
                "version": answers[0]["version"],
            }
    ours = tools["stablebn tabu-stable"]["seconds"]
    peers = {tool: found["seconds"] for tool, found in tools.items() if not tool.startswith("stablebn")}
    fastest = min(peers, key=peers.__getitem__) if peers else None
    return {
        "network": name,
        "rows": size,
        "variables": len(network),
        "continuous": network.is_continuous,
        "fastest peer": fastest,
        "ratio": None if fastest is None else peers[fastest] / ours,
        "stable : tabu": ours / tools["stablebn tabu"]["seconds"],
        "tools": tools,
    }


def _write(rows: list[dict[str, Any]], repeats: int) -> None:
    DOCS.mkdir(exist_ok=True)
    versions = sorted({f"{tool.split()[0]} {found['version']}" for row in rows for tool, found in row["tools"].items()})
    about = {
        "date": str(date.today()),
        "machine": _machine(),
        "python": platform.python_version(),
        "versions": versions,
    }
    (DOCS / "performance.json").write_text(json.dumps({**about, "rows": rows}, indent=1) + "\n")
    names = list(dict.fromkeys(tool for row in rows for tool in row["tools"]))
    lines = [
        f"Seconds to learn, median of {repeats} processes, each warm; in brackets the BIC reached, per row.",
        "Ratio: the time of the fastest peer's hill climb over that of Tabu-Stable, all three searches.",
        f"{about['date']}, {about['machine']}, Python {about['python']}, {', '.join(versions)}.",
        "",
        "| network | rows | " + " | ".join(names) + " | ratio | stable : tabu |",
        "|---|---:|" + "---:|" * (len(names) + 2),
    ]
    for row in rows:
        cells = [
            f"{row['tools'][tool]['seconds']:.4f} ({row['tools'][tool]['bic']:.3f})" if tool in row["tools"] else ""
            for tool in names
        ]
        ratio = "" if row["ratio"] is None else f"{row['ratio']:.1f}"
        lines.append(
            f"| {row['network']} | {row['rows']:,} | {' | '.join(cells)} | {ratio} | {row['stable : tabu']:.2f} |"
        )
    (DOCS / "performance-table.md").write_text("\n".join(lines) + "\n")
    _plot(rows)


def _plot(rows: list[dict[str, Any]]) -> None:
    if find_spec("matplotlib") is None:
        return
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    peers = sorted({tool for row in rows for tool in row["tools"] if not tool.startswith("stablebn")})
    labels = [f"{row['network']} {row['rows']:,}" for row in rows]
    figure, axes = plt.subplots(figsize=(9, 0.26 * len(rows) + 1.5))
    for place, tool in enumerate(peers):
        at = [v for v, row in enumerate(rows) if tool in row["tools"]]
        times = [rows[v]["tools"][tool]["seconds"] / rows[v]["tools"]["stablebn tabu-stable"]["seconds"] for v in at]
        axes.scatter(times, at, label=tool, s=28, marker="osD^"[place % 4])
    axes.axvline(1, color="grey", linewidth=1)
    axes.axvline(10, color="grey", linewidth=1, linestyle=":")
    axes.set(
        xscale="log", yticks=range(len(rows)), yticklabels=labels, xlabel="time of one hill climb : time of Tabu-Stable"
    )
    axes.invert_yaxis()
    axes.grid(axis="x", alpha=0.3)
    axes.legend(loc="lower right")
    figure.tight_layout()
    figure.savefig(DOCS / "performance.png", dpi=110)
    plt.close(figure)


def _machine() -> str:
    info = Path("/proc/cpuinfo")
    models = [line.split(":")[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")]
    return f"{os.cpu_count()} cores of {models[0]}" if models else platform.processor()


if __name__ == "__main__":
    main()
