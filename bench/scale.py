"""How Tabu-Stable grows on random sparse networks: in rows, in variables, and in memory."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from cases import OURS, RANDOM, RANDOM_CONTINUOUS, Case, write_table
from processes import learn

from stablebn.prepare.prepare import prepare
from stablebn.table.table import CategoricalTable

LIMIT = 600
"""Seconds for one table: what is asked is minutes."""


def measure(*, quick: bool) -> dict[str, Any]:
    """Points, exponents of growth, and peak memory beside the size of the encoded table."""
    shrink = 10 if quick else 1
    in_rows = [Case(RANDOM, rows // shrink, 50) for rows in (10_000, 30_000, 100_000, 300_000, 1_000_000)]
    in_variables = [Case(RANDOM, 10_000 // shrink, n // shrink) for n in (50, 100, 200, 500, 1_000)]
    large = [
        Case(RANDOM, 10_000 // shrink, 1_000 // shrink),
        Case(RANDOM_CONTINUOUS, 100_000 // shrink, 500 // shrink),
        Case(RANDOM, 1_000_000 // shrink, 100 // shrink),
    ]
    return {
        "rows": _growth(in_rows, [case.rows for case in in_rows]),
        "variables": _growth(in_variables, [case.variables for case in in_variables]),
        "memory": [_point(case, repeats=0) for case in large],
    }


def _growth(cases: Sequence[Case], sizes: Sequence[int]) -> dict[str, Any]:
    points = [_point(case, repeats=3) for case in cases]
    return {"points": points, "exponent": exponent(sizes, [point["seconds"] for point in points])}


def exponent(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """Exponent b of seconds = a * size**b, fitted by least squares on logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def _point(case: Case, *, repeats: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.parquet"
        write_table(case.network(), case.rows, path)
        answer = learn(OURS, path, repeats=repeats, limit=LIMIT)
        if answer is None:
            raise RuntimeError(f"{case} was not finished in {LIMIT} s.")
        given = pq.read_table(path)
        encoded = prepare(given).table
    return {
        "network": case.series,
        "rows": case.rows,
        "variables": case.variables,
        "seconds": statistics.median(answer["warm"] or [answer["cold"]]),
        "arcs": len(answer["arcs"]),
        "peak": answer["peak"],
        "given": given.nbytes,
        "encoded": (encoded.codes if isinstance(encoded, CategoricalTable) else encoded.values).nbytes,
    }
