"""How much of a mixed network is found again in samples of it, by each way to learn from categories and numbers.

Random mixed networks, the true graph known; F1 of classes, and of edges whatever their direction.

Usage: python bench/mixed_recovery.py [--networks 20] [--nodes 20] [--out docs/mixed-recovery-table.md]
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from statistics import fmean
from typing import Any

import stablebn as sb

ROWS = (200, 1_000, 5_000)
WAYS: Mapping[str, Mapping[str, Any]] = {
    '`arcs="clg"`, the default': {},
    '`arcs="any"`': {"arcs": "any"},
    '`score="dg"`': {"score": "dg"},
    '`discretise="quantile", bins=3`': {"discretise": "quantile", "bins": 3},
    '`discretise="quantile", bins=5`': {"discretise": "quantile", "bins": 5},
    '`discretise="interval", bins=5`': {"discretise": "interval", "bins": 5},
    '`discretise="information", bins=3`': {"discretise": "information", "bins": 3},
}


def f1_of_edges(learned: sb.DAG, true: sb.DAG) -> float:
    """F1 of the adjacent pairs."""
    found, there = set(learned.skeleton()), set(true.skeleton())
    return 2 * len(found & there) / max(len(found) + len(there), 1)


def table(networks: int, nodes: int) -> str:
    """Rows of the table, in Markdown."""
    lines = [
        "| | learner | " + " | ".join(f"{rows:,} rows: F1 | edges" for rows in ROWS) + " |",
        "|---|---|" + "---:|---:|" * len(ROWS),
    ]
    drawn = [sb.random_network(nodes, kinds="mixed", seed=seed) for seed in range(1, networks + 1)]
    samples = {(place, rows): network.sample(rows, seed=place) for place, network in enumerate(drawn) for rows in ROWS}
    for way, options in WAYS.items():
        for learner in ("tabu-stable", "fges"):
            cells = []
            for rows in ROWS:
                found = [sb.learn(samples[place, rows], learner, **options).dag for place in range(networks)]
                assert all(dag is not None for dag in found)
                pairs = [(dag, own.dag) for dag, own in zip(found, drawn, strict=True) if dag is not None]
                cells.append(fmean(sb.compare(dag, true).f1 for dag, true in pairs))
                cells.append(fmean(f1_of_edges(dag, true) for dag, true in pairs))
            lines.append(f"| {way} | {learner} | " + " | ".join(f"{cell:.3f}" for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--networks", type=int, default=20)
    parser.add_argument("--nodes", type=int, default=20)
    parser.add_argument("--out", type=Path, default=Path("docs/mixed-recovery-table.md"))
    asked = parser.parse_args()
    asked.out.write_text(table(asked.networks, asked.nodes), encoding="utf-8")


if __name__ == "__main__":
    main()
