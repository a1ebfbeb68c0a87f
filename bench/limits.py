"""How close the counting of the core comes to what this machine can do, on one core.

Counting with bits is bound by population counts, counting by histogram by increments, and both by the bytes that come
from memory: each is measured by the simplest loop that does nothing else (loops.cpp), and beside it whole joint tables
of the core, with all that there is to do besides.
"""

from __future__ import annotations

import ctypes
import logging
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from stablebn import _core

LOOPS = Path(__file__).with_name("loops.cpp")
ROWS = 64 * 1_500
VARIABLES = 32
LEVELS = 4
BUNDLES = VARIABLES // 4
"""Variables that a histogram counts at once: a byte holds the joint code of four with four levels."""
REPEATS = 25

logger = logging.getLogger(__name__)


def measure(*, quick: bool) -> dict[str, Any]:
    """GB a second of memory; rows a nanosecond (with bits: times cells) of the core and of what bounds it.

    The bounds are None on a machine without a C++ compiler.
    """
    return {
        **_memory(2**22 if quick else 2**27),
        **_bounds(10**7),
        "bits": {engine: _with_engine(engine, _bits) for engine in _core.engines()},
        "histogram": _histogram(),
    }


def _memory(size: int) -> dict[str, float]:
    source, target = np.ones(size), np.zeros(size)
    return {
        "copy": 2 * source.nbytes / _nanoseconds(lambda: np.copyto(target, source)),
        "sum": source.nbytes / _nanoseconds(source.sum),
    }


def _bounds(words: int) -> dict[str, float | None]:
    compiler = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        logger.warning("no C++ compiler: what the machine can do is not measured.")
        return {"bits bound": None, "histogram bound": None}
    rng = np.random.default_rng(1)
    masks = rng.integers(0, 2**24, 8, dtype=np.uint64)
    groups = rng.integers(0, LEVELS**2, ROWS).astype(np.uint16)
    codes = rng.integers(0, 256, ROWS).astype(np.uint8)
    cells = np.zeros(LEVELS**2 * 256, dtype=np.int32)
    with tempfile.TemporaryDirectory() as folder:
        library = str(Path(folder) / "loops.so")
        flags = ["-std=c++20", "-O3", "-march=native", "-shared", "-fPIC"]
        subprocess.run([compiler, *flags, str(LOOPS), "-o", library], check=True)
        loops = ctypes.CDLL(library)
    count_bits = ctypes.c_uint64(words), _pointer(masks)
    increment = _pointer(groups), _pointer(codes), ctypes.c_size_t(ROWS), _pointer(cells)
    return {
        "bits bound": 64 * 8 * words / _nanoseconds(lambda: loops.count_bits(*count_bits)),
        "histogram bound": ROWS / _nanoseconds(lambda: loops.increment(*increment)),
    }


def _pointer(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def _with_engine(engine: str, work: Callable[[], float]) -> float:
    """What the work gives with some instructions of the processor only."""
    usual = _core.engine()
    _core.use_engine(engine)
    try:
        return work()
    finally:
        _core.use_engine(usual)


def _bits() -> float:
    """The joint table of two variables, of which one level need not be counted, nor one of each other variable."""
    limits = _core.CountingLimits()
    limits.bits_cost = 1e-9
    cells = (LEVELS - 1) * LEVELS * (VARIABLES - 2) * (LEVELS - 1)
    return ROWS * cells / _nanoseconds_of_a_table(limits)


def _histogram() -> float:
    """The same table, with one increment for each row and bundle."""
    limits = _core.CountingLimits()
    limits.bits_cost = 1e9
    return ROWS * BUNDLES / _nanoseconds_of_a_table(limits)


def _nanoseconds_of_a_table(limits: _core.CountingLimits) -> float:
    """Least time to count one joint table of two variables, when bits, bundles and all pairs are there."""
    codes = np.random.default_rng(1).integers(0, LEVELS, (VARIABLES, ROWS)).astype(np.uint8)
    counts = _core.Counts(codes, [LEVELS] * VARIABLES, None, 1, limits)
    # All sets are different, as the core counts a set once; what the first ones still have to prepare does not count.
    pairs = iter([1 << u | 1 << v for u in range(VARIABLES) for v in range(u)])
    return _nanoseconds(lambda: counts.table(next(pairs)))


def _nanoseconds(work: Callable[[], object]) -> float:
    """Least time of some runs, after one to warm up."""
    work()
    times = []
    for _ in range(REPEATS):
        began = time.perf_counter_ns()
        work()
        times.append(time.perf_counter_ns() - began)
    return float(min(times))
