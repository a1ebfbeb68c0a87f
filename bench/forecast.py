"""How right the forecast of `stablebn.check` is: the seconds it says against what `learn` takes on one core.

Tables of two grids are sampled from random networks: the constants of the forecast were fitted on those of the first,
"development"; the second, "confirmation", is for looking once. Each case is a process of its own.

    python -m bench.forecast development --limit 60 >forecast.jsonl
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from bench.cores import say

import stablebn as sb

GRIDS = {
    "development": ([60, 1_000, 10_000, 100_000, 1_000_000], [5, 12, 25, 50, 100, 200, 450, 1_000]),
    "confirmation": ([200, 3_000, 30_000, 300_000], [8, 18, 35, 75, 150, 300, 700]),
}
KINDS = ("categorical", "continuous", "mixed")
MOST_NUMBERS = 10**7
FACTOR = 3
"""A forecast is right if it is wrong by no more than this factor."""


def cases(grid: str) -> Iterator[dict[str, Any]]:
    """The cases of a grid."""
    rows, variables = GRIDS[grid]
    for r, v, kind, missing in product(rows, variables, KINDS, (False, True)):
        if r * v <= MOST_NUMBERS:
            yield {"rows": r, "variables": v, "kind": kind, "missing": missing}


def measure(rows: int, variables: int, kind: str, *, missing: bool) -> dict[str, Any]:
    """The forecast and what it took, in seconds of a processor. Of missing values: one in a hundred of each column."""
    table = sb.random_network(variables, kinds=kind, seed=rows + variables).sample(rows, seed=1)
    if missing:
        rng = np.random.default_rng(rows + variables)
        holes = [rng.random(rows) < 0.01 for _ in range(variables)]
        columns = [pc.if_else(pa.array(own), None, column) for own, column in zip(holes, table.columns, strict=True)]
        table = pa.table(columns, table.column_names)
    options: Any = {"missing": "available"} if missing else {}
    expected = sb.check(table, **options).seconds
    start = time.process_time()
    sb.learn(table, threads=1, **options)
    return {"forecast": expected, "took": time.process_time() - start}


def main() -> None:
    """Measure a grid."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("grid", choices=GRIDS)
    parser.add_argument("--limit", type=float, default=60, help="seconds after which a case is given up")
    parser.add_argument("--case", type=json.loads, help="measure this one here (used by the script itself)")
    chosen = parser.parse_args()
    if chosen.case is not None:
        say(json.dumps(measure(**chosen.case)))
        return
    ratios = []
    for case in cases(chosen.grid):
        command = [sys.executable, "-m", "bench.forecast", chosen.grid, "--case", json.dumps(case)]
        try:
            done = subprocess.run(command, capture_output=True, check=True, timeout=chosen.limit)
        except subprocess.TimeoutExpired:
            say(json.dumps({**case, "took": None}))
            continue
        measured = json.loads(done.stdout)
        ratios.append(measured["forecast"] / measured["took"])
        say(json.dumps({**case, **measured}))
    right = sum(1 / FACTOR <= ratio <= FACTOR for ratio in ratios)
    sys.stderr.write(f"{right} of {len(ratios)} within a factor of {FACTOR}\n")


if __name__ == "__main__":
    main()
