"""The GPU beside the processor with all its threads, in one run: learning, and how near counting comes to the limits.

python bench/gpu.py FOLDER_OF_NETWORKS [--rows 1000000 --rows 10000000] [--variables 1000]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import stablebn as sb
from stablebn.data.table import CategoricalTable
from stablebn.learners import LEARNERS, define_problem
from stablebn.learners.config import SearchConfig
from stablebn.scores.registry import ScoreConfig
from stablebn.stats.device import Device
from stablebn.stats.gpu import GpuSource
from stablebn.stats.sources import TableSource
from stablebn.threads import cores

NETWORKS = ("alarm", "hepar2", "pathfinder")
SAMPLED = 10**7


def say(line: str) -> None:
    """A line of the report, at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    """How long some work takes, and what it gives."""
    began = time.perf_counter()
    found = work()
    return time.perf_counter() - began, found


def table_of(network: sb.Network, rows: int) -> CategoricalTable:
    """A sample; of more rows than can be sampled soon, the same ones several times."""
    prepared = sb.learn(network.sample(min(rows, SAMPLED), seed=1), "hc", max_iter=0, duplicates="keep").prepared
    assert prepared is not None
    table = prepared.table
    assert isinstance(table, CategoricalTable)
    times = -(-rows // SAMPLED)
    return table if times == 1 else CategoricalTable(table.names, np.tile(table.codes, (1, times)), table.levels)


def learned(table: Any, threads: int) -> Any:
    """What tabu-stable finds."""
    problem = define_problem(table, ScoreConfig(), threads=threads)
    return LEARNERS["tabu-stable"].learn(problem, SearchConfig())


def compare(name: str, table: CategoricalTable, device: Device) -> None:
    """A line of the table: both engines, warm."""
    threads = cores()
    cpu, right = min((seconds(lambda: learned(table, threads)) for _ in range(2)), key=lambda own: own[0])
    brought, source = seconds(lambda: GpuSource(TableSource(table), device))
    seconds(lambda: learned(source, threads))
    gpu, found = seconds(lambda: learned(source, threads))
    same = "yes" if found.trace == right.trace else "NO"
    rows = f"{table.rows:,}"
    say(f"| {name} | {rows} | {cpu:.3f} | {brought:.3f} | {gpu:.3f} | {cpu / gpu:.1f} | {same} |")


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


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("networks", type=Path)
    parser.add_argument("--rows", type=int, action="append")
    parser.add_argument("--variables", type=int, action="append", default=[])
    chosen = parser.parse_args()
    device = Device.gpu()
    limits(device)
    say(f"| table | rows | {cores()} threads, s | to the GPU, s | GPU, s | times as fast | same bits |")
    say("|---|---:|---:|---:|---:|---:|---|")
    for rows in chosen.rows or (10**6, 10**7):
        for name in NETWORKS:
            compare(name, table_of(sb.read_network(next(chosen.networks.glob(f"{name}.*"))), rows), device)
    for variables in chosen.variables:
        network = sb.random_network(variables, seed=1)
        compare(f"random, {variables:,} variables", table_of(network, 10**5), device)


if __name__ == "__main__":
    main()
