"""Write docs/networks-table.md: the paper's networks, how large they are and how long they take.

Usage: python bench/networks.py FOLDER, where FOLDER holds the paper's network files.
"""

from __future__ import annotations

import gzip
import logging
import platform
import sys
import time
from datetime import date
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from machine import machine

import stablebn as sb
from stablebn.networks import known_networks

ROWS = 100_000
HEAD = """# Networks

The paper's networks as `stablebn.read_network` reads them and `Network.sample` draws from them. Read and sample
times are the least of three, in seconds, in a warm process; a sample has {rows:,} rows. Made by
`python bench/networks.py FOLDER` on {day}, {machine}, Python {python}.

Differences to the paper's table: pathfinder has 72,079 free parameters here and 71,890 there (one level each of F51
and F95 has probability 0 everywhere; without those two levels the count is 71,890), formed 910 and 912 (the file
has 910).

| network | file | KiB | nodes | arcs | free parameters | read | sample |
|---|---|---:|---:|---:|---:|---:|---:|
"""


def main() -> None:
    """Measure every network of a folder."""
    folder = Path(sys.argv[1])
    lines = []
    for entry in known_networks([folder]):
        if entry.path is None or entry.path.parent != folder:
            continue
        read, network = _least(lambda path=entry.path: sb.read_network(path))
        drawn, _ = _least(lambda network=network: network.sample(ROWS, seed=1))
        size = entry.path.stat().st_size / 1024
        counts = f"{len(network)} | {len(network.arcs)} | {network.free_parameters:,}"
        lines.append(f"| {entry.name} | {entry.path.name} | {size:,.0f} | {counts} | {read:.3f} | {drawn:.3f} |")
    readers = _against_pgmpy()
    head = HEAD.format(rows=ROWS, day=date.today(), machine=machine(), python=platform.python_version())
    target = Path(__file__).resolve().parents[1] / "docs" / "networks-table.md"
    target.write_text(head + "\n".join([*lines, *readers]) + "\n", encoding="utf-8")


def _against_pgmpy() -> list[str]:
    """Lines of a table of read times, ours and pgmpy's in turn, for the files that pgmpy brings."""
    if find_spec("pgmpy") is None:
        return []
    logging.disable(logging.CRITICAL)
    from pgmpy.readwrite import BIFReader

    lines = [
        "",
        f"## Reading, beside pgmpy {version('pgmpy')}",
        "",
        "Seconds to read the BIF files that pgmpy brings, both from the packed file to the model, in one run.",
        "",
        "| network | nodes | free parameters | stablebn | pgmpy | ratio |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for entry in known_networks():
        if entry.source != "pgmpy" or entry.path is None or not entry.path.name.endswith(".bif.gz"):
            continue
        ours, network = _least(lambda path=entry.path: sb.read_network(path))
        began = time.perf_counter()
        BIFReader(string=gzip.decompress(entry.path.read_bytes()).decode()).get_model()
        theirs = time.perf_counter() - began
        counts = f"{len(network):,} | {network.free_parameters:,}"
        lines.append(f"| {entry.name} | {counts} | {ours:.3f} | {theirs:.2f} | {theirs / ours:.0f}x |")
    return lines


def _least(work):
    """Least time of three runs, and what the last one gave."""
    times = []
    for _ in range(3):
        began = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - began)
    return min(times), result


if __name__ == "__main__":
    main()
