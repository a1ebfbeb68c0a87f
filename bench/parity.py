"""Compare our learners in the order of the columns with what R bnlearn learned, and write docs/parity-table.md.

Usage: python bench/parity.py SHARED [--rows 1000 10000] [--repeats 7] [--passes 3]

SHARED is the folder with `golden/bnlearn/NAME_N.json` and `data/NAME.parquet`.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

import stablebn as sb

TABLE = Path(__file__).resolve().parents[1] / "docs" / "parity-table.md"
LEARNERS = {"pc-stable": "pc.stable", "gs": "gs", "inter-iamb": "inter.iamb", "mmhc": "mmhc", "h2pc": "h2pc"}


@dataclass(frozen=True)
class Graph:
    """Edges by kind."""

    directed: frozenset[tuple[str, str]]
    undirected: frozenset[frozenset[str]]

    @property
    def skeleton(self) -> frozenset[frozenset[str]]:
        """Adjacent pairs."""
        return frozenset(map(frozenset, self.directed)) | self.undirected


def graph(directed: Iterable[Any], undirected: Iterable[Any]) -> Graph:
    """A graph from lists of pairs."""
    return Graph(
        frozenset((str(u), str(v)) for u, v in directed), frozenset(frozenset(map(str, e)) for e in undirected)
    )


def comparisons(shared: Path, sizes: list[int], repeats: int) -> Iterator[dict[str, Any]]:
    """One row a table and learner."""
    for path in sorted((shared / "golden" / "bnlearn").glob("*.json")):
        golden = json.loads(path.read_text())
        if golden["N"] not in sizes:
            continue
        table = pq.read_table(shared / "data" / f"{golden['dataset']}.parquet").slice(0, golden["N"])
        for ours, theirs in LEARNERS.items():
            right = golden["algorithms"].get(theirs, {})
            if right.get("status") == "ok":
                yield {"network": golden["dataset"], "rows": golden["N"], **compared(table, ours, right, repeats)}


def compared(table: Any, algorithm: str, right: dict[str, Any], repeats: int) -> dict[str, Any]:
    """Learn a table a few times, and set the graph beside the right one."""
    times = []
    for _ in range(repeats + 1):
        began = time.perf_counter()
        result = sb.learn(table, algorithm, order="given", unit_free=False)
        times.append(time.perf_counter() - began)
    found = graph(result.pdag.directed, result.pdag.undirected)
    true = graph(right["directed"], right["undirected"])
    both = found.skeleton & true.skeleton
    marked = sum(
        (edge in found.undirected) != (edge in true.undirected)
        or {arc for arc in found.directed if frozenset(arc) == edge}
        != {arc for arc in true.directed if frozenset(arc) == edge}
        for edge in both
    )
    trace = result.trace.restriction if isinstance(result.trace, sb.Trace) else result.trace
    return {
        "learner": algorithm,
        "edges": len(found.skeleton),
        "their edges": len(true.skeleton),
        "extra": len(found.skeleton - true.skeleton),
        "missing": len(true.skeleton - found.skeleton),
        "marks": marked,
        "conflicts": len(result.conflicts),
        "extendable": result.extendable,
        "their extendable": right["bic"] is not None,
        "tests": trace.tests,
        "their tests": right["ntests"],
        # The first run imports what is needed. Of the others the best: R's user time does not wait either.
        "seconds": min(times[1:]),
        "their seconds": right["user_seconds"],
    }


def written(rows: list[dict[str, Any]]) -> str:
    """The table, and a line of totals for each learner."""
    lines = [
        "| learner | tables | same skeleton | same graph | edges | extra | missing | other marks | speed-up | least |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for learner in LEARNERS:
        for size in sorted({row["rows"] for row in rows}):
            own = [row for row in rows if row["learner"] == learner and row["rows"] == size]
            if not own:
                continue
            same = [row for row in own if not row["extra"] + row["missing"]]
            ratios = [row["their seconds"] / row["seconds"] for row in own]
            sums = " | ".join(f"{sum(row[key] for row in own)}" for key in ("edges", "extra", "missing", "marks"))
            lines.append(
                f"| {learner}, {size:,} rows | {len(own)} | {len(same)} | {sum(not row['marks'] for row in same)} | "
                f"{sums} | {statistics.median(ratios):.0f} | {min(ratios):.1f} |"
            )
    lines += [
        "",
        "| network | rows | learner | edges (R) | extra | missing | other marks | tests (R) | seconds (R) | speed-up |",
        "|---|---:|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for row in rows:
        lines.append(
            f"| {row['network']} | {row['rows']:,} | {row['learner']} | {row['edges']} ({row['their edges']}) | "
            f"{row['extra']} | {row['missing']} | {row['marks']} | "
            f"{row['tests']:,} ({row['their tests']:,}) | {row['seconds']:.4f} ({row['their seconds']:.2f}) | "
            f"{row['their seconds'] / row['seconds']:.0f} |"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    """Compare, and write the table after every row."""
    parser = argparse.ArgumentParser()
    parser.add_argument("shared", type=Path)
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--passes", type=int, default=3)
    options = parser.parse_args()
    rows: dict[tuple[str, int, str], dict[str, Any]] = {}
    # What slows the machine for some seconds slows all runs of a table, but not in every pass.
    for _ in range(options.passes):
        for row in comparisons(options.shared, options.rows, options.repeats):
            key = row["network"], row["rows"], row["learner"]
            row["seconds"] = min(row["seconds"], rows.get(key, row)["seconds"])
            rows[key] = row
            print(json.dumps(row), file=sys.stderr)  # noqa: T201
            TABLE.write_text(written([*rows.values()]))


if __name__ == "__main__":
    main()
