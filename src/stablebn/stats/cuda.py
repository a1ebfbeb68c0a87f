"""Intersections of bits on an NVIDIA GPU: all that a pass asks for at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

# Words of all sets that are made at once: 2 GiB.
_WORDS_AT_ONCE = 1 << 28
# Levels and sets of a block of threads, each of which has 4 x 4 of their pairs.
_SIDE = 64
_THREADS = 16
# Words that a block looks at before it adds what it has found.
_STRETCH = 2048

_SOURCE = r"""
typedef unsigned long long Word;

// Make the sets: `members` levels of each configuration, from `first_of` on, intersected.
extern "C" __global__
void make_sets(const Word* bits, const int* numbers, const int* first_of, const int* members, long long words,
               long long first, long long count, Word* sets) {
    const long long w = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    const int k = blockIdx.y;
    if (w >= count) return;
    Word word = ~0ULL;
    for (int p = 0; p < members[k]; ++p) word &= bits[numbers[first_of[k] + p] * words + first + w];
    sets[k * count + w] = word;
}

// What a block does: levels from `levels` on, and sets from `set` on, of a question with m x k cells from `out` on.
struct Task {
    int levels, set, m, k, m0, k0;
    long long out;
};

// Each block has 64 levels and 64 sets over a stretch of words, each thread 4 x 4 of their pairs.
extern "C" __global__
void add_common(const Word* bits, const int* numbers, const Task* tasks, long long words, long long first,
                const Word* sets, long long count, int stretch, Word* out) {
    __shared__ Word of_levels[16][64 + 1], of_sets[16][64 + 1];
    const Task task = tasks[blockIdx.x];
    const int tx = threadIdx.x, ty = threadIdx.y, own = ty * 16 + tx;
    const long long begin = blockIdx.y * (long long)stretch, end = min(begin + stretch, count);
    Word sums[4][4] = {};
    for (long long w0 = begin; w0 < end; w0 += 16) {
        for (int at = own; at < 64 * 16; at += 256) {
            const int which = at / 16, w = at % 16;
            const bool inside = w0 + w < end;
            const int level = task.m0 + which, set = task.k0 + which;
            const long long place = first + w0 + w;
            of_levels[w][which] = inside && level < task.m ? bits[numbers[task.levels + level] * words + place] : 0;
            of_sets[w][which] = inside && set < task.k ? sets[(task.set + set) * count + w0 + w] : 0;
        }
        __syncthreads();
        for (int w = 0; w < 16; ++w) {
            Word a[4], b[4];
            for (int i = 0; i < 4; ++i) a[i] = of_levels[w][ty + 16 * i], b[i] = of_sets[w][tx + 16 * i];
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 4; ++j) sums[i][j] += __popcll(a[i] & b[j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
            const int level = task.m0 + ty + 16 * i, set = task.k0 + tx + 16 * j;
            if (level < task.m && set < task.k && sums[i][j])
                atomicAdd(&out[task.out + (long long)level * task.k + set], sums[i][j]);
        }
}
"""
_TASK = np.dtype(
    [*((name, np.int32) for name in ("levels", "set", "m", "k", "m0", "k0")), ("out", np.int64)], align=True
)
_module = cupy.RawModule(code=_SOURCE)


def crossed(bits: Any, crossings: Sequence[tuple[NDArray[np.int32], NDArray[np.int32]]]) -> list[NDArray[np.int64]]:
    """Of each crossing, the rows in the intersections of its configurations and levels, [levels, configurations]."""
    numbers: list[NDArray[np.int32]] = []
    first_of: list[NDArray[np.int32]] = []
    members: list[NDArray[np.int32]] = []
    tasks: list[tuple[int, ...]] = []
    used = sets = cells = 0
    for configurations, levels in crossings:
        k, width = configurations.shape
        m = len(levels)
        first_of.append((used + width * np.arange(k)).astype(np.int32))
        members.append(np.full(k, width, dtype=np.int32))
        numbers += [configurations.ravel(), levels]
        at = used + k * width
        tasks += [(at, sets, m, k, m0, k0, cells) for m0 in range(0, m, _SIDE) for k0 in range(0, k, _SIDE)]
        used, sets, cells = at + m, sets + k, cells + m * k
    out = cupy.zeros(cells, dtype=cupy.uint64)
    if tasks:
        _launch(bits, numbers, first_of, members, np.array(tasks, dtype=_TASK), out)
    found = cupy.asnumpy(out).astype(np.int64)
    ends = np.cumsum([len(levels) * len(own) for own, levels in crossings])
    return [
        found[end - len(levels) * len(own) : end].reshape(len(levels), len(own))
        for (own, levels), end in zip(crossings, ends.tolist(), strict=True)
    ]


def _launch(
    bits: Any,
    numbers: list[NDArray[np.int32]],
    first_of: list[NDArray[np.int32]],
    members: list[NDArray[np.int32]],
    tasks: NDArray[np.void],
    out: Any,
) -> None:
    make_sets, add_common = _module.get_function("make_sets"), _module.get_function("add_common")
    which, firsts, widths = (cupy.asarray(np.concatenate(own)) for own in (numbers, first_of, members))
    on_device = cupy.asarray(tasks.view(np.uint8))
    words, sets = bits.shape[1], len(firsts)
    at_once = max(min(words, _WORDS_AT_ONCE // sets), 1)
    made = cupy.empty(sets * at_once, dtype=cupy.uint64)
    for first in range(0, words, at_once):
        count = min(words - first, at_once)
        here = (np.int64(words), np.int64(first))
        make_sets((-(-count // 256), sets), (256,), (bits, which, firsts, widths, *here, np.int64(count), made))
        add_common(
            (len(tasks), -(-count // _STRETCH)),
            (_THREADS, _THREADS),
            (bits, which, on_device, *here, made, np.int64(count), np.int32(_STRETCH), out),
        )
