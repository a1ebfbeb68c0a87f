"""Compare the scores that `best` and FLOP reach with the same penalty, and the score of the true graph.

Usage: python -m bench.best_flop [--jobs 2] [--page docs/best-flop-table.md]

The tables are the linear ones of `bench/accuracy_tables.py`, all seeds. FLOP (the package flopsearch) is run five times
with 50 restarts, and its best graph counts; `best` is run once. Both use one thread. Scores are our exact BIC.
"""

from __future__ import annotations

import argparse
import statistics
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
from bench.accuracy_tables import GROUPS, draw
from bench.machine import about

import stablebn as sb

GROUPS_OF_LINEAR = ("gaussian-2", "gaussian-6", "gaussian-dense", "gaussian-100", "gaussian-300", "non-gaussian")
PENALTIES = (1.0, 2.0)
RUNS = 5
ROUNDING = 1e-6
"""Nats: scores that differ by less are equal."""


@dataclass(frozen=True)
class Outcome:
    """Scores of one table, in nats, and CPU seconds: of FLOP those of one run, in the mean."""

    group: str
    k: float
    best: float
    flop: float
    truth: float
    best_seconds: float
    flop_seconds: float


def compare(group: str, seed: int, k: float) -> Outcome:
    """Let both programs learn from a table."""
    import flopsearch

    table = draw(group, seed=seed)
    names = table.data.column_names
    values = np.ascontiguousarray(np.column_stack([column.to_numpy() for column in table.data.columns]))
    scores, seconds = [], []
    for _ in range(RUNS):
        began = time.process_time()
        marks = np.asarray(flopsearch.flop(values, k, restarts=50))
        seconds.append(time.process_time() - began)
        directed = [(names[u], names[v]) for u, v in np.argwhere(marks == 1).tolist()]
        undirected = [(names[u], names[v]) for u, v in np.argwhere(marks == 2).tolist() if u < v]
        dag = sb.PDAG(names, directed, undirected).extension()
        assert dag is not None
        scores.append(sb.score(dag, table.data, "bic", k=k).total)
    began = time.process_time()
    result = sb.learn(table.data, "best", score="bic", k=k, threads=1)
    best_seconds = time.process_time() - began
    assert result.score is not None
    truth = sb.score(table.truth, table.data, "bic", k=k).total
    return Outcome(group, k, result.score, max(scores), truth, best_seconds, statistics.mean(seconds))


def lines(outcomes: list[Outcome]) -> list[str]:
    """Return the rows of the page."""
    rows = []
    for group, k in product(GROUPS_OF_LINEAR, PENALTIES):
        own = [outcome for outcome in outcomes if (outcome.group, outcome.k) == (group, k)]
        below_flop = [outcome.flop - outcome.best for outcome in own if outcome.flop - outcome.best > ROUNDING]
        above_flop = [outcome.best - outcome.flop for outcome in own if outcome.best - outcome.flop > ROUNDING]
        below_truth = [outcome.truth - outcome.best for outcome in own if outcome.truth - outcome.best > ROUNDING]
        ratio = sum(o.best_seconds for o in own) / sum(o.flop_seconds for o in own)
        rows.append(
            f"| {GROUPS[group].about} | {k:g} | {len(own)} | {len(above_flop)} ({max(above_flop, default=0):.1f}) "
            f"| {len(below_flop)} ({max(below_flop, default=0):.1f}) | {len(below_truth)} "
            f"| {statistics.mean(o.best_seconds for o in own):.2f} | {ratio:.2f} |"
        )
    return rows


def main() -> None:
    """Run all tables and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--page", type=Path, default=Path("docs/best-flop-table.md"))
    options = parser.parse_args()
    cases = [(group, seed, k) for k in PENALTIES for group in GROUPS_OF_LINEAR for seed in GROUPS[group].seeds]
    with ProcessPoolExecutor(options.jobs) as pool:
        # The longest first.
        cases.sort(key=lambda case: case[0] != "gaussian-300")
        outcomes = list(pool.map(compare, *zip(*cases, strict=True)))
    machine = ", ".join(f"{key} {value}" for key, value in about().items())
    options.page.write_text(
        "\n".join(
            [
                "# `best` beside FLOP: scores with the same penalty",
                "",
                f"Made by `python -m bench.best_flop`; {machine}.",
                "FLOP (flopsearch) has 50 restarts and the best of five runs; `best` runs once. BIC with the penalty",
                "`k`, in nats; CPU seconds of one run each, one thread.",
                "",
                "| tables | k | n | `best` above, nats | `best` below, nats | below the truth | CPU s | times FLOP |",
                "|---|---:|---:|---:|---:|---:|---:|---:|",
                *lines(outcomes),
                "",
            ]
        )
    )


if __name__ == "__main__":
    main()
