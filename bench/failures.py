"""The tables for which the paper's reference tools took more than three hours, learned by all our learners.

Usage: python bench/failures.py NETWORKS [--limit 600]

NETWORKS is the folder of the paper's networks. Writes docs/failures-table.md.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from learners import LEARNERS
from machine import about

import stablebn as sb

TABLE = Path(__file__).resolve().parents[1] / "docs" / "failures-table.md"
NETWORKS = ("magic-niab_c", "magic-irri_c", "ecoli70_c", "arth150_c")
SIZES = (10_000, 100_000)


def main() -> None:
    """Learn every table with every learner, and write the table after each."""
    parser = argparse.ArgumentParser()
    parser.add_argument("networks", type=Path)
    parser.add_argument("--limit", type=float, default=600.0)
    options = parser.parse_args()
    lines = [
        "Seconds of `sb.learn` in the stable order on samples of the networks in the paper's table of failures (over",
        "three hours with the reference tools); > where the limit of time stopped it; in brackets the number of edges.",
        ", ".join(f"{key} {value}" for key, value in about().items()) + ".",
        "",
        f"| network | rows | {' | '.join(LEARNERS)} |",
        "|---|---:|" + "---:|" * len(LEARNERS),
    ]
    for name in NETWORKS:
        network = sb.read_network(name, directories=[options.networks])
        for rows in SIZES:
            table = network.sample(rows, seed=1)
            cells = []
            for algorithm in LEARNERS:
                result = sb.learn(table, algorithm, max_time=options.limit)
                stopped = any(caution.code == "max-time" for caution in result.warnings)
                edges = len(result.pdag.directed) + len(result.pdag.undirected)
                cells.append(f"{'> ' if stopped else ''}{result.timings['total']:.2f} ({edges})")
            lines.append(f"| {name} | {rows:,} | {' | '.join(cells)} |")
            TABLE.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
