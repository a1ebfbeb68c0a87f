"""Where the time of one Tabu-Stable run goes: shares of each kernel, and of each folder of Python around them."""

from __future__ import annotations

import cProfile
import pstats
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cases import SEED

import stablebn as sb

PACKAGE = Path(sb.__file__).parent
SHOWN = 0.01
"""Smaller shares are left out."""


def measure(directories: Sequence[str], *, quick: bool) -> list[dict[str, Any]]:
    """One thread, a small and a large table."""
    sizes = (1_000, 10_000) if quick else (1_000, 100_000)
    return [_profile("asia" if quick else "alarm", directories, rows) for rows in sizes]


def _profile(name: str, directories: Sequence[str], rows: int) -> dict[str, Any]:
    table = sb.read_network(name, directories=directories).sample(rows, seed=SEED)
    sb.learn(table, threads=1)
    began = time.perf_counter()
    sb.learn(table, threads=1)
    seconds = time.perf_counter() - began
    profile = cProfile.Profile()
    profile.runcall(sb.learn, table, threads=1)
    shares: Counter[str] = Counter()
    for (file, _, function), (_, _, own, _, _) in pstats.Stats(profile).stats.items():  # type: ignore[attr-defined]
        shares[_place(file, function)] += own
    whole = shares.total()
    return {
        "network": name,
        "rows": rows,
        "seconds": seconds,
        "shares": {place: own / whole for place, own in shares.most_common() if own > SHOWN * whole},
    }


def _place(file: str, function: str) -> str:
    path = Path(file)
    if not path.is_relative_to(PACKAGE):
        return "NumPy, Arrow and Python"
    folder = path.relative_to(PACKAGE).parts[0]
    return f"{folder}: {function}" if folder == "kernels" else folder.removesuffix(".py")
