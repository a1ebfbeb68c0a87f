"""Mixed tables: ours beside PyBNesian's conditional linear Gaussian hill climb, and what is found by clg, any and dg.

Usage: python bench/mixed.py [--quick]

Samples are of random conditional linear Gaussian networks, half of the variables categorical, drawn here with NumPy.
Writes docs/mixed-table.md.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from machine import about
from processes import learn

import stablebn as sb

TABLE = Path(__file__).resolve().parents[1] / "docs" / "mixed-table.md"
TOOLS = ("stablebn hc", "stablebn tabu-stable", "pybnesian hc")
MOST_LEVELS = 4
MOST_PARENTS = 3
WAYS: dict[str, dict[str, Any]] = {
    "clg": {},
    "any": {"arcs": "any"},
    "dg": {"score": "dg"},
    "quantiles": {"discretise": "quantile"},
    "information": {"discretise": "information"},
}


def sample(variables: int, rows: int, seed: int) -> tuple[pa.Table, sb.DAG]:
    """Rows of a random network of at most three parents, and its graph; no category has a number for a parent."""
    rng = np.random.default_rng(seed)
    names = [f"{'cx'[v % 2]}{v:03d}" for v in range(variables)]
    columns: dict[str, Any] = {}
    levels: dict[str, int] = {}
    arcs: list[tuple[str, str]] = []
    for name in rng.permutation(names).tolist():
        may = [u for u in columns if name[0] == "x" or u[0] == "c"]
        parents = rng.permutation(may)[: rng.integers(0, MOST_PARENTS + 1)].tolist() if may else []
        categories = [u for u in parents if u in levels][:2]
        numbers = [u for u in parents if u not in levels]
        arcs += [(u, name) for u in (*categories, *numbers)]
        configuration, count = np.zeros(rows, dtype=np.int64), 1
        for u in categories:
            configuration, count = configuration * levels[u] + columns[u], count * levels[u]
        if name[0] == "c":
            levels[name] = int(rng.integers(2, MOST_LEVELS + 1))
            cumulative = rng.dirichlet(np.ones(levels[name]), count).cumsum(axis=1)
            drawn = (rng.random(rows)[:, None] > cumulative[configuration]).sum(axis=1)
            columns[name] = np.minimum(drawn, levels[name] - 1)
        else:
            slopes = rng.normal(size=(count, len(numbers) + 1))
            own = slopes[configuration, 0] + rng.uniform(0.5, 1.5, count)[configuration] * rng.normal(size=rows)
            for place, u in enumerate(numbers, start=1):
                own = own + slopes[configuration, place] * columns[u]
            columns[name] = own
    arrays = [pa.array(columns[name].astype(str) if name in levels else columns[name]) for name in names]
    encoded = [array.dictionary_encode() if pa.types.is_string(array.type) else array for array in arrays]
    return pa.table(encoded, names=names), sb.DAG(names, arcs)


def speeds(sizes: list[tuple[int, int]], repeats: int) -> Iterator[str]:
    """One line of the table for each size."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.parquet"
        for variables, rows in sizes:
            table, _ = sample(variables, rows, seed=1)
            pq.write_table(table, path)
            taken: dict[str, list[float]] = {tool: [] for tool in TOOLS}
            scores = {}
            for _ in range(repeats):
                for tool in TOOLS:
                    answer = learn(tool, path)
                    if answer is not None:
                        taken[tool] += answer["warm"] or [answer["cold"]]
                        scores[tool] = sb.score([tuple(arc) for arc in answer["arcs"]], table).total / rows
            seconds = {tool: statistics.median(found) for tool, found in taken.items() if found}
            cells = [f"{seconds[tool]:.3f} ({scores[tool]:.4f})" if tool in seconds else "-" for tool in TOOLS]
            peer = seconds.get(TOOLS[-1])
            ratios = ["-" if peer is None else f"{peer / seconds[tool]:.1f}" for tool in TOOLS[:2]]
            yield f"| {variables} | {rows:,} | {' | '.join([*cells, *ratios])} |"


def found(sizes: list[tuple[int, int]], networks: int) -> Iterator[str]:
    """F1 of the learned class against the true one, mean over networks, by way of learning."""
    for variables, rows in sizes:
        cells = []
        for options in WAYS.values():
            values = []
            for seed in range(networks):
                table, truth = sample(variables, rows, seed)
                values.append(sb.compare(sb.learn(table, "tabu-stable", **options), truth).f1)
            cells.append(f"{statistics.mean(values):.3f}")
        yield f"| {variables} | {rows:,} | {' | '.join(cells)} |"


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small tables only")
    quick = parser.parse_args().quick
    sizes = [(20, 1_000)] if quick else [(20, 1_000), (20, 10_000), (20, 100_000), (50, 10_000), (100, 10_000)]
    lines = [
        "# Mixed tables, measured",
        "",
        f"Made by `bench/mixed.py`, {', '.join(f'{name} {what}' for name, what in about().items())}.",
        "",
        "## Seconds of learning, beside PyBNesian's CLG hill climb",
        "",
        "Median of warm runs, each tool in processes of its own, in turn; in brackets BIC a row by our score.",
        "The last columns: how many times as long PyBNesian takes.",
        "",
        "| variables | rows | hc | tabu-stable | pybnesian hc | : hc | : tabu-stable |",
        "|---|---|---|---|---|---|---|",
        *speeds(sizes, 1 if quick else 3),
        "",
        "## F1 of what is found",
        "",
        "`tabu-stable` on samples of 10 random conditional linear Gaussian networks: the class of the result against",
        'that of the truth, by `arcs`, by `score="dg"`, and by making categories of the numbers first.',
        "",
        f"| variables | rows | {' | '.join(WAYS)} |",
        f"|---|---|{'---|' * len(WAYS)}",
        *found([(10, 500)] if quick else [(10, 500), (10, 5_000), (20, 500), (20, 5_000)], 2 if quick else 10),
    ]
    TABLE.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
