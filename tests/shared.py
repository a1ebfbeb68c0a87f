"""Where the shared networks, samples and right answers lie; tests that need them skip where they are absent."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"

needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared folder is not beside the repository")


@lru_cache(maxsize=4)
def _whole_sample(name: str) -> pa.Table:
    return pq.read_table(SHARED / "data" / f"{name}.parquet")


def sample(name: str, rows: int) -> pa.Table:
    """The first rows of a sample."""
    return _whole_sample(name).slice(0, rows)


def golden(path: str) -> Any:
    """A file of right answers."""
    return json.loads((SHARED / "golden" / path).read_text())


def oracle_cases(least: int, most: int) -> list[tuple[str, int]]:
    """(network, rows) of the oracle's files with at least and at most so many rows."""
    cases = []
    for file in sorted((SHARED / "golden" / "oracle").glob("*.json")):
        name, rows = file.stem.rsplit("_", 1)
        if least <= int(rows) <= most:
            cases.append((name, int(rows)))
    return cases
