"""Intersections of bits on an NVIDIA GPU."""

from __future__ import annotations

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
_STRETCH = 4096

_SOURCE = r"""
extern "C" __global__
void make_sets(const unsigned long long* bits, const int* configurations, int members, long long words,
               long long first, long long count, unsigned long long* sets) {
    const long long w = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    const int k = blockIdx.y;
    if (w >= count) return;
    unsigned long long word = ~0ULL;
    for (int p = 0; p < members; ++p) word &= bits[configurations[k * members + p] * words + first + w];
    sets[k * count + w] = word;
}

// Each block has 64 levels and 64 sets over a stretch of words, each thread 4 x 4 of their pairs.
extern "C" __global__
void add_common(const unsigned long long* bits, const int* levels, int m, long long words, long long first,
                const unsigned long long* sets, int k, long long count, int stretch, unsigned long long* out) {
    __shared__ unsigned long long of_levels[16][64 + 1], of_sets[16][64 + 1];
    const int tx = threadIdx.x, ty = threadIdx.y, own = ty * 16 + tx;
    const int m0 = blockIdx.y * 64, k0 = blockIdx.x * 64;
    const long long begin = blockIdx.z * (long long)stretch, end = min(begin + stretch, count);
    unsigned long long sums[4][4] = {};
    for (long long w0 = begin; w0 < end; w0 += 16) {
        for (int at = own; at < 64 * 16; at += 256) {
            const int which = at / 16, w = at % 16;
            const bool inside = w0 + w < end;
            of_levels[w][which] = inside && m0 + which < m ? bits[levels[m0 + which] * words + first + w0 + w] : 0;
            of_sets[w][which] = inside && k0 + which < k ? sets[(k0 + which) * count + w0 + w] : 0;
        }
        __syncthreads();
        for (int w = 0; w < 16; ++w) {
            unsigned long long a[4], b[4];
            for (int i = 0; i < 4; ++i) a[i] = of_levels[w][ty + 16 * i], b[i] = of_sets[w][tx + 16 * i];
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 4; ++j) sums[i][j] += __popcll(a[i] & b[j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
            const int level = m0 + ty + 16 * i, set = k0 + tx + 16 * j;
            if (level < m && set < k && sums[i][j]) atomicAdd(&out[(long long)level * k + set], sums[i][j]);
        }
}
"""
_module = cupy.RawModule(code=_SOURCE)


def crossed(bits: Any, configurations: NDArray[np.int32], levels: NDArray[np.int32]) -> Any:
    """The rows in each intersection of a configuration's levels and one level more, [levels, configurations]."""
    k, members = configurations.shape
    m = len(levels)
    out = cupy.zeros((m, k), dtype=cupy.uint64)
    if not m or not k:
        return out.astype(cupy.int64)
    make_sets, add_common = _module.get_function("make_sets"), _module.get_function("add_common")
    words = bits.shape[1]
    own, which = cupy.asarray(configurations), cupy.asarray(levels)
    for first in range(0, words, max(_WORDS_AT_ONCE // k, 1)):
        count = min(words - first, max(_WORDS_AT_ONCE // k, 1))
        sets = cupy.empty((k, count), dtype=cupy.uint64)
        numbers = (np.int64(words), np.int64(first))
        make_sets((-(-count // 256), k), (256,), (bits, own, np.int32(members), *numbers, np.int64(count), sets))
        add_common(
            (-(-k // _SIDE), -(-m // _SIDE), -(-count // _STRETCH)),
            (_THREADS, _THREADS),
            (bits, which, np.int32(m), *numbers, sets, np.int32(k), np.int64(count), np.int32(_STRETCH), out),
        )
    return out.astype(cupy.int64)
