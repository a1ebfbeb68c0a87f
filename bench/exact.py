"""What `exact` proves and how long that takes, and how far all other learners are from the proven optimum.

Usage: python bench/exact.py SHARED

SHARED is the folder with `networks`, `data` and `optimum`. Nothing else should run meanwhile. Writes
docs/exact-table.md.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from best import LEARNERS, SEED, markdown, network, published
from machine import about

import stablebn as sb
from stablebn.learners import define_problem
from stablebn.prepare.prepare import prepare
from stablebn.prepare.read_options import ReadOptions
from stablebn.scores.registry import ScoreConfig
from stablebn.search.parent_sets import MOST_SCORED, candidate_sets
from stablebn.threads import cores

PAGE = Path(__file__).resolve().parents[1] / "docs" / "exact-table.md"
OTHERS = {learner: own for learner, own in LEARNERS.items() if learner not in ("best, low", "best, high")}
PUBLISHED = ("wine", "zoo", "voting", "insurance1000", "alarm1000", "flag")
STORED = ("asia", "sports", "child", "insurance")


@dataclass(frozen=True)
class Case:
    """A sample of a network, and the options of `exact`."""

    name: str
    rows: int
    options: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        said = "".join(f", {name}={value:,}" for name, value in self.options.items())
        return f"{self.name}, {self.rows:,} rows{said}"


THREE = {"max_parents": 3}
MORE = {"max_sets": 50_000_000}
CASES = (
    Case("barley", 100),
    Case("barley", 1_000),
    Case("barley", 10_000),
    Case("hailfinder2", 100),
    Case("hailfinder2", 1_000),
    Case("hepar2", 100),
    Case("pathfinder", 100),
    Case("win95pts2", 100),
    Case("formed", 100, MORE),
    Case("formed", 100, THREE),
    Case("alarm", 10_000, MORE),
    Case("alarm", 10_000, THREE),
    Case("hailfinder2", 10_000, THREE),
    Case("hepar2", 1_000, THREE),
    Case("hepar2", 10_000, THREE),
)


def tables(shared: Path) -> Iterator[tuple[str, pa.Table, Mapping[str, Any]]]:
    """Label, table and options."""
    for name in PUBLISHED:
        yield name, published(shared, name), {}
    for name in STORED:
        yield f"{name}, 1,000 rows", pq.read_table(shared / "data" / f"{name}.parquet").slice(0, 1_000), {}
    for case in CASES:
        yield str(case), network(shared, case.name).sample(case.rows, seed=SEED), case.options


def measure(label: str, table: pa.Table, options: Mapping[str, Any]) -> dict[str, Any]:
    """Prove, verify, and compare with the others."""
    prepared = prepare(table, ReadOptions(kinds="categorical"))
    began, cpu = time.perf_counter(), time.process_time()
    result = sb.learn(table, "exact", kinds="categorical", **options)
    clock, cpu = time.perf_counter() - began, time.process_time() - cpu
    began = time.perf_counter()
    assert result.certificate is not None
    assert sb.verify(result.certificate, table).optimal == result.optimal
    verified = time.perf_counter() - began
    listed = candidate_sets(
        define_problem(prepared.table, ScoreConfig(), threads=cores()).scores,
        max_parents=options.get("max_parents"),
        most_scored=options.get("max_sets", MOST_SCORED),
    )
    limit = {name: value for name, value in options.items() if name == "max_parents"}
    others = {learner: sb.learn(table, kinds="categorical", **limit, **own).score for learner, own in OTHERS.items()}
    return {
        "label": label,
        "variables": len(result.dag.nodes) - len(result.constants) if result.dag is not None else 0,
        "sets": len(listed),
        "scored": listed.scored,
        "score": result.score,
        "proven": result.optimal,
        "clock": clock,
        "cpu": cpu,
        "verified": verified,
        "below": {learner: result.score - score for learner, score in others.items()},
    }


def page(rows: list[dict[str, Any]]) -> list[str]:
    """The whole page."""
    proofs = [
        [
            row["label"],
            str(row["variables"]),
            f"{row['scored']:,}",
            f"{row['sets']:,}",
            f"{row['score']:.4f}" + ("" if row["proven"] else " (not proven)"),
            *(f"{row[key]:.1f}" for key in ("clock", "cpu", "verified")),
        ]
        for row in rows
    ]
    gaps = [
        # Scores are exact; as doubles they are not.
        [row["label"], *(f"{max(0.0, round(gap, 3)):.3f}" for gap in row["below"].values())]
        for row in rows
        if row["proven"]
    ]
    proven = [row for row in rows if row["proven"]]
    reached = sum(round(row["below"]["best, normal"], 6) <= 0 for row in proven)
    return [
        "# What `exact` proves",
        "",
        f"Made by `bench/exact.py`; {', '.join(f'{key} {value}' for key, value in about().items())}.",
        f"BIC; samples are `sample(rows, seed={SEED})` of the networks of the paper, but those of asia, sports, child",
        "and insurance, which are stored. What it means: [exact.md](exact.md).",
        "",
        "Seconds: `learn` by the clock and of the processors, all cores; and `verify` by the clock.",
        "",
        *markdown(
            ["table", "variables", "sets scored", "candidate sets", "best score", "seconds", "CPU", "verify"], proofs
        ),
        "",
        "## Nats below the optimum",
        "",
        f"`best` reaches it on {reached} of {len(proven)}. All have the same limit on parents; columns stand as in the",
        "files, which matters to `hc` and `tabu` alone.",
        "",
        *markdown(["table", *OTHERS], gaps),
    ]


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shared", type=Path)
    options = parser.parse_args()
    rows = []
    for label, table, given in tables(options.shared):
        rows.append(measure(label, table, given))
        PAGE.write_text("\n".join(page(rows)) + "\n")


if __name__ == "__main__":
    main()
