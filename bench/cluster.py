"""A table with the workers of a Dask cluster of this machine's processes, one of them killed meanwhile.

    python bench/cluster.py ROWS FOLDER

Draws the rows of alarm into files of FOLDER, unless there are some; learns from them in memory and on clusters, and
says how long it takes and whether the answers are the same.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

from distributed import Client, LocalCluster
from pyarrow import parquet

import stablebn as sb

_ROWS_A_FILE = 500_000
_BEFORE = ("reading", "encoding", "counting", "ordering", "telling columns apart")


def _draw(rows: int, folder: Path) -> None:
    network = sb.read_network("alarm")
    folder.mkdir(parents=True)
    for number in range(rows // _ROWS_A_FILE):
        parquet.write_table(network.sample(_ROWS_A_FILE, seed=number + 1), folder / f"{number:04d}.parquet")


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> None:
    """Measure."""
    rows, folder = int(sys.argv[1]), Path(sys.argv[2])
    if not folder.exists():
        _draw(rows, folder)
    began = time.perf_counter()
    right = sb.learn(folder)
    _say(f"in memory: {time.perf_counter() - began:.1f} s")
    for workers in (1, 2, 4):
        for kills in (False, True):
            with (
                LocalCluster(
                    n_workers=workers, threads_per_worker=1, memory_limit=0, dashboard_address=":0"
                ) as cluster,
                Client(cluster) as client,
            ):
                killed: list[int] = []

                def kill(stage: str, _: int, client: Client = client, killed: list[int] = killed) -> None:
                    if stage not in _BEFORE and not killed:
                        killed.append(next(iter(client.run(os.getpid).values())))
                        os.kill(killed[0], signal.SIGKILL)

                began = time.perf_counter()
                found = sb.learn(folder, client=client, progress=kill if kills else None)
                seconds = time.perf_counter() - began
            same = (found.to_dict(), found.trace) == (right.to_dict(), right.trace)
            _say(f"{workers} workers, {len(killed)} killed: {seconds:.1f} s, the same: {same}")


if __name__ == "__main__":
    main()
