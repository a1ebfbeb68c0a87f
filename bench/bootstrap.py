"""The bootstrap of alarm beside the same loop over PyBNesian, in one run; writes docs/bootstrap-table.md.

Usage: python bench/bootstrap.py [--rows 10000] [--replicates 200] [--rounds 4]

In every round ours learns from all replicates, and PyBNesian from its part of them: it learns by hill climbing from
frames with the same rows. Both processor time and the time of the clock are told, as other work may go on meanwhile.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pybnesian as pb
from machine import about

import stablebn as sb
from stablebn.canonical.row_draws import drawn_counts
from stablebn.canonical.rows import canonical_rows
from stablebn.prepare.prepare import prepare
from stablebn.threads import cores

TABLE = Path(__file__).resolve().parents[1] / "docs" / "bootstrap-table.md"
OURS: dict[str, dict[str, Any]] = {
    "stablebn tabu-stable": {"algorithm": "tabu-stable"},
    "stablebn tabu-stable, 1 thread": {"algorithm": "tabu-stable", "threads": 1},
    "stablebn hc, 1 thread": {"algorithm": "hc", "threads": 1, "layouts": 1},
}
PEER = "PyBNesian hill climbing"


class Took(NamedTuple):
    """Seconds for each replicate, by the clock and of the processor."""

    clock: float
    processor: float


def timed(work: Callable[[], object], replicates: int) -> Took:
    """What some work took for each of its replicates."""
    clock, processor = time.perf_counter(), time.process_time()
    work()
    return Took((time.perf_counter() - clock) / replicates, (time.process_time() - processor) / replicates)


def frames(table: pd.DataFrame, numbers: range) -> Iterator[pd.DataFrame]:
    """Replicates as frames: what a loop over a learner makes."""
    rows = canonical_rows(prepare(table).table)
    for number in numbers:
        frame = table.iloc[np.repeat(rows.places, drawn_counts(rows.counts, 0, number))]
        # PyBNesian stumbles over levels that do not occur, and over columns with a single one.
        frame = frame.apply(lambda column: column.cat.remove_unused_categories())
        yield frame.loc[:, [len(frame[name].cat.categories) > 1 for name in frame]].reset_index(drop=True)


def climb(table: pd.DataFrame, numbers: range) -> None:
    """PyBNesian on some replicates."""
    for frame in frames(table, numbers):
        start = pb.DiscreteBN(list(frame.columns))
        pb.GreedyHillClimbing().estimate(pb.ArcOperatorSet(), pb.BIC(frame), start)


def measure(rows: int, replicates: int, rounds: int) -> dict[str, list[Took]]:
    """Each tool in each round, in turn."""
    table = sb.read_network("alarm").sample(rows, seed=1)
    frame = table.to_pandas()
    sb.bootstrap(table, replicates=2)
    took: dict[str, list[Took]] = {name: [] for name in (*OURS, PEER)}
    for number in range(rounds):
        for name, options in OURS.items():
            own = partial(sb.bootstrap, table, replicates=replicates, **options)
            took[name].append(timed(own, replicates))
        some = range(replicates * number // rounds, replicates * (number + 1) // rounds)
        took[PEER].append(timed(partial(climb, frame, some), len(some)))
    return took


def report(took: dict[str, list[Took]], rows: int, replicates: int, rounds: int) -> str:
    """The page."""
    middle = {
        name: Took(statistics.median(own.clock for own in each), statistics.median(own.processor for own in each))
        for name, each in took.items()
    }
    lines = [
        "# Bootstrap of alarm, beside the same loop over PyBNesian",
        "",
        ", ".join(f"{what}: {value}" for what, value in about().items()) + f", PyBNesian: {pb.__version__}.",
        "",
        f"Alarm, {rows:,} rows, {replicates} replicates, the same rows for both. In each of {rounds} rounds ours",
        "learns from all of them and PyBNesian from its part of them, so that in the end it has learned from all too.",
        f"Medians of the rounds. Ours has {cores()} threads unless it says otherwise; reading the table and learning",
        "from all of it are in its time, as making the frames is in PyBNesian's. Tabu-Stable searches three times for",
        "a graph, hill climbing once.",
        "",
        "The machine was shared with other work, so the clock tells less than the time of the processor.",
        "",
        "| | processor, s | clock, s | processor, ms a replicate | PyBNesian takes, times |",
        "|---|--:|--:|--:|--:|",
    ]
    for name, own in middle.items():
        seconds = f"{own.processor * replicates:,.1f} | {own.clock * replicates:,.1f} | {1e3 * own.processor:,.1f}"
        lines.append(f"| {name} | {seconds} | {middle[PEER].processor / own.processor:,.0f} |")
    return "\n".join([*lines, "", "`python bench/bootstrap.py` makes this page.", ""])


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--replicates", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=4)
    asked = parser.parse_args()
    given = (asked.rows, asked.replicates, asked.rounds)
    TABLE.write_text(report(measure(*given), *given))


if __name__ == "__main__":
    main()
