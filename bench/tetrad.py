"""Our FGES beside the graphs that Tetrad learned: the table of docs/parity-fges.md.

Usage: python bench/tetrad.py FOLDER
    FOLDER has data/NAME.parquet and golden/fges/NAME_ROWS_faith.json, NAME_ROWS_nofaith.json.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

import stablebn as sb
from stablebn.learners.fges import fges
from stablebn.learners.shared.config import SearchConfig
from stablebn.learners.shared.problem import define_problem
from stablebn.prepare.prepare import prepare
from stablebn.scores.registry import ScoreConfig


def marks(graph: sb.PDAG) -> set[tuple[Any, ...]]:
    """Edges with their marks."""
    return {("->", *edge) for edge in graph.directed} | {("--", *edge) for edge in graph.undirected}


def row(table: Any, theirs: dict[str, Any], *, faithfulness: bool) -> str:
    """One line: edges of both, those in common and with the same mark, how our BIC differs, seconds."""
    began = time.perf_counter()
    problem = define_problem(prepare(table).table, ScoreConfig("bic"))
    found, names = fges(problem, SearchConfig(faithfulness=faithfulness, phases="fges")), problem.names
    seconds = time.perf_counter() - began
    ours = sb.PDAG(
        names, [(names[u], names[v]) for u, v in found.directed], [(names[u], names[v]) for u, v in found.undirected]
    )
    tetrad = sb.PDAG(names, map(tuple, theirs["directed"]), map(tuple, theirs["undirected"]))
    used = table.select(list(names))
    gain = sb.score(ours, used).total - sb.score(tetrad, used).total
    common = len({*ours.skeleton()} & {*tetrad.skeleton()})
    same = len(marks(ours) & marks(tetrad))
    edges = f"{len(marks(ours))} | {len(marks(tetrad))} | {common} | {same}"
    return f"{edges} | {gain:+.2f} | {seconds:.3f} | {theirs['seconds'] + theirs['score_setup_seconds']:.2f} |"


def main() -> None:
    """Print the table."""
    folder = Path(sys.argv[1])
    print("| table | rows | assumed | edges | Tetrad's | common | same mark | our BIC - theirs | s | Tetrad's s |")  # noqa: T201
    print("|---|---:|---|---:|---:|---:|---:|---:|---:|---:|")  # noqa: T201
    for path in sorted((folder / "golden" / "fges").glob("*.json")):
        name, rows, assumed = path.stem.rsplit("_", 2)
        table = pq.read_table(folder / "data" / f"{name}.parquet")
        if table.num_rows >= int(rows):
            line = row(table.slice(0, int(rows)), json.loads(path.read_text()), faithfulness=assumed == "faith")
            print(f"| {name} | {int(rows):,} | {'yes' if assumed == 'faith' else 'no'} | {line}")  # noqa: T201


if __name__ == "__main__":
    main()
