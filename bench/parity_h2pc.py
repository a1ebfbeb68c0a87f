"""Where our h2pc and R bnlearn's part: which differing edges follow from the last step of HPC, and which from ties.

Usage: python bench/parity_h2pc.py SHARED [--rows 1000 10000]

SHARED is the folder with `golden/bnlearn/NAME_N.json` and `data/NAME.parquet`. Each table is learned twice: as the
paper has it, and with the last step of HPC, in which a variable adds likely neighbours that its own search has missed,
decided as the graph of bnlearn has it. What differs no longer then follows from that step. Writes
docs/parity-h2pc-table.md.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from stablebn.learners import SearchConfig, define_problem
from stablebn.learners.constraint_based.ci_test_runner import CITestRunner, all_but, gather
from stablebn.learners.constraint_based.restricted import climb_among_candidates
from stablebn.learners.h2pc import h2pc, incremental_neighbours, neighbour_superset, spouse_superset
from stablebn.prepare.prepare import prepare
from stablebn.scores.registry import ScoreConfig
from stablebn.search import Climb
from stablebn.stats.variable_sets import bit, members

TABLE = Path(__file__).resolve().parents[1] / "docs" / "parity-h2pc-table.md"
GIVEN = SearchConfig(order="given")

Edge = frozenset[int]


@dataclass(frozen=True)
class Row:
    """How one table's graphs differ from that of bnlearn."""

    network: str
    rows: int
    edges: int
    theirs: int
    differing: int
    left: int
    tied: int


def row_of(shared: Path, golden: dict[str, Any]) -> Row:
    """Learn a table in both ways."""
    table = pq.read_table(shared / "data" / f"{golden['dataset']}.parquet").slice(0, golden["N"])
    problem = define_problem(prepare(table).table, ScoreConfig("bic"))
    number = {str(name): v for v, name in enumerate(problem.names)}
    theirs = {frozenset((number[a], number[b])) for a, b in golden["algorithms"]["h2pc"]["directed"]}
    ours = skeleton(h2pc(problem, GIVEN))
    decided = skeleton(climb_among_candidates(problem, GIVEN, decided_as(theirs)))
    left = decided ^ theirs
    evidence = gather(problem, GIVEN)
    return Row(
        network=golden["dataset"],
        rows=golden["N"],
        edges=len(ours),
        theirs=len(theirs),
        differing=len(ours ^ theirs),
        left=len(left),
        tied=sum(any(ties(evidence, x) for x in edge) for edge in left),
    )


def decided_as(edges: Collection[Edge]) -> Callable[[CITestRunner, int], int]:
    """HPC with its last step decided as a graph has it."""

    def candidates_of(evidence: CITestRunner, x: int) -> int:
        neighbours, separated_by = neighbour_superset(evidence, x)
        spouses = spouse_superset(evidence, x, neighbours, separated_by)
        found = incremental_neighbours(evidence, x, neighbours | spouses)
        return found | sum(bit(y) for y in members(neighbours & ~found) if frozenset((x, y)) in edges)

    return candidates_of


def ties(evidence: CITestRunner, x: int) -> bool:
    """Whether several associations of a variable are so strong that their p-values are the same: 0."""
    others = members(all_but(evidence.test.n, x))
    return evidence.p_values(x, others, 0).count(0.0) > 1


def skeleton(climb: Climb) -> set[Edge]:
    """Adjacent pairs."""
    return {frozenset((u, v)) for v, parents in enumerate(climb.parents) for u in members(parents)}


def compared(shared: Path, sizes: list[int]) -> Iterator[Row]:
    """One row a table of which bnlearn's graph is kept."""
    for path in sorted((shared / "golden" / "bnlearn").glob("*.json")):
        golden = json.loads(path.read_text())
        if golden["N"] in sizes and golden["algorithms"].get("h2pc", {}).get("status") == "ok":
            yield row_of(shared, golden)


def written(rows: list[Row]) -> str:
    """The table, and its sums."""
    lines = [
        "| network | rows | edges (R) | differing | left if the last step is decided as R's | ... with ties at 0 |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {row.network} | {row.rows:,} | {row.edges} ({row.theirs}) | {row.differing} | {row.left} | {row.tied} |"
        for row in rows
    ]
    same = sum(not row.left for row in rows)
    sums = " | ".join(f"{sum(values)}" for values in zip(*((r.differing, r.left, r.tied) for r in rows), strict=True))
    return "\n".join([*lines, f"| all, {same} of {len(rows)} with none left | | | {sums} |"]) + "\n"


def main() -> None:
    """Compare, and write the table after every row."""
    parser = argparse.ArgumentParser()
    parser.add_argument("shared", type=Path)
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000, 10_000])
    options = parser.parse_args()
    rows: list[Row] = []
    for row in compared(options.shared, options.rows):
        rows.append(row)
        print(row, file=sys.stderr)  # noqa: T201
        TABLE.write_text(written(rows))


if __name__ == "__main__":
    main()
