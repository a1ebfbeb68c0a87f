"""The GPU beside the processor with all its threads, in one run: learning, and how near counting comes to the limits.

python bench/gpu.py FOLDER_OF_NETWORKS [--case alarm:1000000 --case random-1000:100000 --case mixed-20:1000000]

A case is a table and its rows: the name of a network in the folder, or `random-N`, `mixed-N` or `dg-N` for a random
network of N variables: categorical, mixed, and mixed with the degenerate Gaussian score. A third number, as in
`random-5000:100000:1000`, ends each climb after so many steps.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import stablebn as sb
from stablebn.learners import LEARNERS, define_problem
from stablebn.learners.shared.config import SearchConfig
from stablebn.prepare.prepare import prepare
from stablebn.scores.registry import ScoreConfig
from stablebn.stats.engines.device import Device
from stablebn.stats.engines.gpu import GpuSource
from stablebn.stats.engines.memory import TableSource
from stablebn.table.table import CategoricalTable, ContinuousTable, MixedTable
from stablebn.threads import cores

CASES = [f"{name}:{rows}" for rows in (10**6, 10**7) for name in ("alarm", "hepar2", "pathfinder", "ecoli70_c")]
SAMPLED = 10**6
# Whoever takes longer than so many seconds runs once. The first run on a GPU compiles kernels, which is less.
LONG = 10.0


def say(line: str) -> None:
    """A line of the report, at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    """How long some work takes, and what it gives."""
    began = time.perf_counter()
    found = work()
    return time.perf_counter() - began, found


def table_of(network: sb.Network, rows: int) -> Any:
    """A sample; of more rows than can be sampled soon, the same ones several times."""
    table = prepare(network.sample(min(rows, SAMPLED), seed=1)).table
    return repeated(table, -(-rows // SAMPLED))


def repeated(table: Any, times: int) -> Any:
    """The same rows several times."""
    if times == 1:
        return table
    if isinstance(table, MixedTable):
        return MixedTable(table.names, repeated(table.categorical, times), repeated(table.continuous, times))
    if isinstance(table, CategoricalTable):
        codes: Any = np.tile(table.codes, (1, times))
        return CategoricalTable(table.names, codes, table.levels)
    return ContinuousTable(table.names, np.tile(table.values, (1, times)))


def learned(table: Any, score: str, steps: int | None, threads: int) -> Any:
    """What tabu-stable finds, as `sb.learn` asks for it."""
    like = getattr(table, "like", table)
    problem = define_problem(
        table, ScoreConfig(score=score), unit_free=not isinstance(like, CategoricalTable), threads=threads
    )
    return LEARNERS["tabu-stable"].learn(problem, SearchConfig(max_iter=steps))


def best_of_two(work: Callable[[], Any]) -> tuple[float, Any]:
    """The shorter of two runs, where the first is not long."""
    took, found = seconds(work)
    return (took, found) if took > LONG else (min(took, seconds(work)[0]), found)


def compare(name: str, table: Any, score: str, steps: int | None, device: Device) -> None:
    """A line of the table: both engines, warm."""
    threads = cores()
    brought, source = seconds(lambda: GpuSource(TableSource(table, threads=threads), device))
    gpu, found = best_of_two(lambda: learned(source, score, steps, threads))
    rows = f"{table.rows:,}"
    say(f"  ({name}, {rows}: to the GPU {brought:.3f} s, GPU {gpu:.3f} s)")
    cpu, right = best_of_two(lambda: learned(table, score, steps, threads))
    same = "yes" if found.trace == right.trace else "NO"
    say(f"| {name} | {rows} | {cpu:.3f} | {brought:.3f} | {gpu:.3f} | {cpu / gpu:.1f} | {same} |")


def run_case(case: str, networks: Path, device: Device) -> None:
    """One table; what goes wrong is said, and the next comes."""
    name, rows, *steps = case.split(":")
    kind, _, variables = name.partition("-")
    try:
        if variables:
            kinds = "categorical" if kind == "random" else "mixed"
            network = sb.random_network(int(variables), kinds=kinds, seed=1)
        else:
            network = sb.read_network(next(networks.glob(f"{name}.*")))
        most = int(steps[0]) if steps else None
        title = f"{name}, {most} steps" if most else name
        compare(title, table_of(network, int(rows)), "dg" if kind == "dg" else "bic", most, device)
    except Exception:
        say(traceback.format_exc())


def limits(device: Device) -> None:
    """Intersections of bits alone: rows a nanosecond and cell."""
    xp = device.xp
    bits = xp.asarray(np.random.default_rng(1).integers(0, 2**63, (1024, 10**6 // 64), dtype=np.uint64))
    levels = np.arange(1024, dtype=np.int32)
    for _ in range(3):
        took, _ = seconds(lambda: device.crossed(bits, [(levels[:, np.newaxis], levels)]))
    say(
        f"all pairs of 1,024 one-hot columns x 1,000,000 rows: {1000 * took:.2f} ms, "
        f"{1024 * 1024 * 1e6 / took / 1e9:,.0f} rows/ns/cell"
    )


def check(device: Device) -> None:
    """Every kind of table, with and without weights: the same steps and sums as in memory."""
    for kinds, scores in (
        ("categorical", ("bic", "bde", "dg")),
        ("continuous", ("bic", "dg", "bge")),
        ("mixed", ("bic", "dg")),
    ):
        network = sb.random_network(12, kinds=kinds, seed=3)
        for rows in (300, 20000):
            for weighted in (False, True):
                weights = np.random.default_rng(rows).integers(1, 1 << 12, rows) if weighted else None
                prepared = sb.learn(network.sample(rows, seed=2), "hc", max_iter=0, weights=weights).prepared
                assert prepared is not None
                table: Any = prepared.table
                for score in scores:
                    config, unit_free = ScoreConfig(score=score), kinds != "categorical" and score != "bge"
                    steps = []
                    for rows_from in (table, GpuSource(TableSource(table), device)):
                        problem = define_problem(rows_from, config, unit_free=unit_free, threads=4)
                        steps.append(LEARNERS["tabu-stable"].learn(problem, SearchConfig()).trace)
                    say(f"check {kinds} {score} {rows} weighted={weighted}: {'same' if steps[0] == steps[1] else 'NO'}")


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("networks", type=Path)
    parser.add_argument("--case", action="append")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--twin", action="store_true", help="NumPy in place of the GPU: a rehearsal")
    chosen = parser.parse_args()
    device = Device.twin() if chosen.twin else Device.gpu()
    if chosen.check:
        check(device)
    limits(device)
    say(f"| table | rows | {cores()} threads, s | to the GPU, s | GPU, s | times as fast | same bits |")
    say("|---|---:|---:|---:|---:|---:|---|")
    for case in chosen.case or CASES:
        run_case(case, chosen.networks, device)


if __name__ == "__main__":
    main()
