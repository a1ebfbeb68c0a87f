"""Learning with more and more threads: how many times as fast as one, of large tables.

python bench/cores.py FOLDER_OF_NETWORKS [--threads 1 --threads 16] [--only pathfinder]
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import stablebn as sb
from stablebn.learners import LEARNERS, define_problem
from stablebn.learners.shared.config import SearchConfig
from stablebn.scores.registry import ScoreConfig

TIMES = 3


def say(line: str) -> None:
    """A line of the report, at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def table(name: str, folder: Path) -> Any:
    """The encoded table of a case."""
    if name.startswith("random"):
        data = sb.random_network(int(name.split()[1]), seed=1).sample(10**4, seed=1)
    else:
        data = sb.read_network(next(folder.glob(f"{name}.*"))).sample(10**6, seed=1)
    prepared = sb.learn(data, "hc", max_iter=0, duplicates="keep").prepared
    assert prepared is not None
    return prepared.table


CASES = ("alarm", "pathfinder", "ecoli70_c", "random 1000", "random 5000")


def best_time(data: Any, threads: int) -> tuple[float, Any]:
    """The shortest of a few runs of tabu-stable, and what it found."""
    times = []
    for _ in range(TIMES):
        began = time.perf_counter()
        problem = define_problem(data, ScoreConfig(), unit_free=True, threads=threads)
        found = LEARNERS["tabu-stable"].learn(problem, SearchConfig(max_iter=2000))
        times.append(time.perf_counter() - began)
    return min(times), found.trace


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("networks", type=Path)
    parser.add_argument("--threads", type=int, action="append")
    parser.add_argument("--only", action="append")
    chosen = parser.parse_args()
    numbers = chosen.threads or [1, 2, 4, 8, 16]
    say("| table | " + " | ".join(f"{number}" for number in numbers) + " | times as fast |")
    say("|---|" + "---:|" * (len(numbers) + 1))
    for name in chosen.only or CASES:
        data = table(name, chosen.networks)
        found = [best_time(data, number) for number in numbers]
        assert all(trace == found[0][1] for _, trace in found), "threads changed the answer"
        cells = " | ".join(f"{took:.3f}" for took, _ in found)
        say(f"| {name} | {cells} | {found[0][0] / min(took for took, _ in found):.1f} |")


if __name__ == "__main__":
    main()
