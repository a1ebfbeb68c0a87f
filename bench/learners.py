"""Every learner on every sample: what it learns, how long it takes, and how much of it is the table's layout.

Usage: python bench/learners.py SHARED [--processes 2]

SHARED is the folder with `data/NAME.parquet` and `golden/true_arcs.json`. Writes docs/learners-table.md.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from machine import about

import stablebn as sb
from stablebn.prepare.prepare import prepare

TABLE = Path(__file__).resolve().parents[1] / "docs" / "learners-table.md"
LEARNERS = ("pc-stable", "gs", "inter-iamb", "mmhc", "h2pc", "fges")
ROWS = 10_000
ROWS_OF_LAYOUTS = 1_000
LAYOUTS = 25
LIMIT = 120.0
"""Seconds a learner may take for one table."""


def layouts(table: pa.Table) -> Iterator[tuple[pa.Table, dict[str, str]]]:
    """The table in other orders of columns and rows and under other names, with the old name of each.

    Where columns are identical, only their names tell them apart: then names are kept.
    """
    twins = prepare(table).identical
    for seed in range(LAYOUTS):
        shuffle = random.Random(seed)
        columns, rows = list(table.column_names), list(range(table.num_rows))
        shuffle.shuffle(columns)
        shuffle.shuffle(rows)
        numbers = list(range(len(columns)))
        shuffle.shuffle(numbers)
        names = columns if twins else [f"v{number:04d}" for number in numbers]
        yield table.take(rows).select(columns).rename_columns(names), dict(zip(names, columns, strict=True))


def graph_of(result: sb.Result, names: dict[str, str]) -> tuple[object, ...]:
    """The learned graph under the old names, as something to compare."""
    directed = sorted((names[str(u)], names[str(v)]) for u, v in result.pdag.directed)
    undirected = sorted(tuple(sorted((names[str(u)], names[str(v)]))) for u, v in result.pdag.undirected)
    return tuple(directed), tuple(undirected)


def distinct(table: pa.Table, algorithm: str, order: str) -> int:
    """How many graphs come from other layouts of one table."""
    learned = [
        (sb.learn(other, algorithm, order=order, unit_free=False, threads=1), names) for other, names in layouts(table)
    ]
    return len({graph_of(result, names) for result, names in learned})


def measure(shared: Path, true: dict[str, Any], case: tuple[str, str]) -> dict[str, Any]:
    """One row of the table."""
    name, algorithm = case
    table = pq.read_table(shared / "data" / f"{name}.parquet")
    few = table.slice(0, ROWS_OF_LAYOUTS)
    graphs = {order: distinct(few, algorithm, order) for order in ("given", "stable")}
    table = table.slice(0, ROWS)
    # As in the paper, with which the table is compared.
    result = sb.learn(table, algorithm, max_time=LIMIT, unit_free=False, threads=1)
    comparison = None if result.cpdag is None else sb.compare(result, sb.DAG(table.column_names, true[name]))
    return {
        "network": name,
        "rows": table.num_rows,
        "learner": algorithm,
        "seconds": result.timings["total"],
        "stopped": any(caution.code == "max-time" for caution in result.warnings),
        "edges": len(result.pdag.directed) + len(result.pdag.undirected),
        "extendable": result.extendable,
        "bic": None if result.score is None else result.score / table.num_rows,
        "f1": None if comparison is None else comparison.f1,
        "graphs": graphs,
    }


def line(row: dict[str, Any]) -> str:
    """One row in Markdown."""
    bic = "" if row["bic"] is None else f"{row['bic']:.3f}"
    f1 = "" if row["f1"] is None else f"{row['f1']:.3f}"
    seconds = f"{'> ' if row['stopped'] else ''}{row['seconds']:.3f}"
    extendable = "yes" if row["extendable"] else "no"
    cells = [row["network"], row["learner"], f"{row['rows']:,}", seconds, row["edges"], extendable, bic, f1]
    return f"| {' | '.join(map(str, [*cells, row['graphs']['given'], row['graphs']['stable']]))} |"


def main() -> None:
    """Measure every case, and write the table after each."""
    parser = argparse.ArgumentParser()
    parser.add_argument("shared", type=Path)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    true = json.loads((options.shared / "golden" / "true_arcs.json").read_text())
    names = [path.stem for path in sorted((options.shared / "data").glob("*.parquet")) if path.stem in true]
    cases = [(name, algorithm) for name in names for algorithm in LEARNERS]
    lines = [
        f"Each learner in its stable order on {ROWS:,} rows (or as many as there are): seconds of `sb.learn` with one",
        "thread, edges, whether a DAG extends the graph, BIC per row and F1 against the true network.",
        f"Graphs: how many different ones come from {LAYOUTS} layouts of the first {ROWS_OF_LAYOUTS:,} rows (columns,",
        "rows and names shuffled; names only where no two columns are identical), in the given and the stable order.",
        ", ".join(f"{key} {value}" for key, value in about().items()) + ".",
        "",
        "| network | learner | rows | seconds | edges | extendable | BIC | F1 | graphs, given | graphs, stable |",
        "|---|---|---:|---:|---:|---|---:|---:|---:|---:|",
    ]
    with ProcessPoolExecutor(options.processes) as pool:
        for row in pool.map(partial(measure, options.shared, true), cases):
            lines.append(line(row))
            TABLE.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
