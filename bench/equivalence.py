"""FGES against causal-learn's GES, on the same rows: seconds, and the BIC per row of what each found.

Each learns in a process of its own; the best of three warm runs counts, or the only one where it is long.

Usage: python bench/equivalence.py TABLE.parquet ROWS [ROWS ...] [--python PYTHON]
    PYTHON has causal-learn; by default the one that runs this.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

LIMIT = 600
"""Seconds a process may take."""


def causal_learn(path: str) -> Callable[[], dict[str, Any]]:
    """causal-learn's GES: BIC for numbers; for categories it has BDeu only."""
    import numpy as np
    from causallearn.search.ScoreBased.GES import ges

    table = pq.read_table(path)
    frame = table.to_pandas()
    continuous = frame.dtypes.iloc[0] == "float64"
    if not continuous:
        frame = frame.apply(lambda column: column.astype(str).astype("category").cat.codes)
    values = np.ascontiguousarray(frame.to_numpy(dtype=float))

    def learn() -> dict[str, Any]:
        marks = ges(values, score_func="local_score_BIC" if continuous else "local_score_BDeu")["G"].graph
        names = table.column_names
        pairs = [(i, j) for i in range(len(names)) for j in range(len(names)) if marks[j, i] == 1]
        both = [(i, j) for i in range(len(names)) for j in range(i) if marks[i, j] == marks[j, i] == -1]
        return {
            "directed": [(names[i], names[j]) for i, j in pairs],
            "undirected": [(names[i], names[j]) for i, j in both],
        }

    return learn


def stablebn(path: str) -> Callable[[], dict[str, Any]]:
    """Our FGES with BIC."""
    from stablebn.learners.fges import fges
    from stablebn.learners.shared.config import SearchConfig
    from stablebn.learners.shared.problem import define_problem
    from stablebn.prepare.prepare import prepare
    from stablebn.scores.registry import ScoreConfig

    table = pq.read_table(path)

    def learn() -> dict[str, Any]:
        problem = define_problem(prepare(table).table, ScoreConfig("bic"))
        pattern, names = fges(problem, SearchConfig(phases="fges")), problem.names
        return {
            "directed": [(names[u], names[v]) for u, v in pattern.directed],
            "undirected": [(names[u], names[v]) for u, v in pattern.undirected],
        }

    return learn


TOOLS = {"stablebn fges": stablebn, "causal-learn ges": causal_learn}


def measure(tool: str, path: str) -> dict[str, Any]:
    """Learn, in this process."""
    learn = TOOLS[tool](path)
    times: list[float] = []
    while len(times) < 4 and sum(times) < 20:
        began = time.perf_counter()
        found = learn()
        times.append(time.perf_counter() - began)
    return {"seconds": min(times[1:] or times), **found}


def main() -> None:
    """Measure both tools on the first rows of a table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("table")
    parser.add_argument("rows", type=int, nargs="*")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--tool", choices=TOOLS)
    options = parser.parse_args()
    if options.tool:
        print(json.dumps(measure(options.tool, options.table)))  # noqa: T201
        return
    import stablebn as sb

    for rows in options.rows:
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / "table.parquet")
            pq.write_table(pq.read_table(options.table).slice(0, rows), path)
            for tool, python in zip(TOOLS, (sys.executable, options.python), strict=True):
                command = [python, __file__, path, "--tool", tool]
                try:
                    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=True)
                except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as error:
                    print(f"{options.table} {rows} {tool}: {error} {error.stderr or ''}"[-500:])  # noqa: T201
                    continue
                found = json.loads(done.stdout.splitlines()[-1])
                names = pq.read_schema(path).names
                graph = sb.PDAG(names, map(tuple, found["directed"]), map(tuple, found["undirected"]))
                edges = len(graph.directed) + len(graph.undirected)
                bic = sb.score(graph, path).total / rows if graph.is_extendable else None
                print(f"| {Path(options.table).stem} | {rows:,} | {tool} | {found['seconds']:.4f} | {edges} | {bic} |")  # noqa: T201


if __name__ == "__main__":
    main()
