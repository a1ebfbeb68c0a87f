"""How close the kernels come to what this machine can do, on one core.

Counting with bits is bound by population counts, counting by histogram by increments, and both by the bytes that come
from memory: each is measured by the simplest loop that does nothing else, and beside it our kernel.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from types import ModuleType

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic
from stablebn.kernels import bitsets, counting

ROWS = 64 * 1_500
SETS = 16
LEVELS = 64

logger = logging.getLogger(__name__)


def measure(*, quick: bool) -> dict[str, float | None]:
    """GB a second of memory; rows a nanosecond (with bits: times cells) of two kernels and of what bounds them.

    None for a kernel that is no longer there under the name it has in this file.
    """
    return {**_memory(2**22 if quick else 2**27), **_bits(10**7), **_histogram()}


def _memory(size: int) -> dict[str, float]:
    source, target = np.ones(size), np.zeros(size)
    return {
        "copy": 2 * source.nbytes / _nanoseconds(lambda: np.copyto(target, source)),
        "sum": source.nbytes / _nanoseconds(source.sum),
    }


def _bits(words: int) -> dict[str, float | None]:
    rng = np.random.default_rng(1)
    masks = rng.integers(0, 2**24, 4, dtype=np.uint64)
    packed = rng.integers(0, 2**63, (SETS + LEVELS, ROWS // 64), dtype=np.uint64)
    configurations = np.arange(SETS).reshape(-1, 1)
    which = np.arange(SETS, SETS + LEVELS)
    sizes = np.empty((LEVELS, SETS), dtype=np.int32)
    return {
        "bits bound": 64 * 4 * words / _nanoseconds(lambda: _count_bits(words, *masks)),
        "bits": _rate(bitsets, "meet", (packed, configurations, which, sizes), ROWS * SETS * LEVELS),
    }


def _histogram() -> dict[str, float | None]:
    rng = np.random.default_rng(1)
    column = rng.integers(0, 3, ROWS).astype(np.uint8)
    group = rng.integers(0, SETS, ROWS).astype(np.int32)
    cells = np.zeros(SETS * 3, dtype=np.int64)
    no_weights = np.empty(0, dtype=np.int64)
    return {
        "histogram bound": ROWS / _nanoseconds(lambda: _increment(column, cells)),
        "histogram": _rate(counting, "_count_dense", (group, column, 3, no_weights, cells), ROWS),
    }


def _rate(module: ModuleType, name: str, arguments: tuple[object, ...], rows: int) -> float | None:
    kernel = getattr(module, name, None)
    if kernel is None:
        logger.warning("%s has no kernel %r: name here the one that stands in its place.", module.__name__, name)
        return None
    return rows / _nanoseconds(lambda: kernel(*arguments))


@intrinsic
def _population(typing_context, word):
    signature = types.uint64(types.uint64)

    def generate(context, builder, signature, arguments):
        return builder.call(builder.module.declare_intrinsic("llvm.ctpop", [ir.IntType(64)]), arguments)

    return signature, generate


@njit
def _count_bits(words, a, b, c, d):
    """AND and population count of words that never come from memory; four a turn, so that the loop costs little."""
    in_a = in_b = in_c = in_d = np.uint64(0)
    for w in range(words):
        word = np.uint64(w)
        in_a += _population(word & a)
        in_b += _population(word & b)
        in_c += _population(word & c)
        in_d += _population(word & d)
    return in_a, in_b, in_c, in_d


@njit
def _increment(codes, cells):
    for code in codes:
        cells[code] += 1


def _nanoseconds(work: Callable[[], object]) -> float:
    """Least time of some runs, after one that compiles."""
    work()
    times = []
    for _ in range(7):
        began = time.perf_counter_ns()
        work()
        times.append(time.perf_counter_ns() - began)
    return float(min(times))
