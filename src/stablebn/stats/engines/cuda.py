"""Intersections of bits, joint histograms and sums in strata on an NVIDIA GPU."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

# Words of all intersections of one launch: 2 GiB.
_WORDS_AT_ONCE = 1 << 28
# Number of levels and of sets per block of threads; each thread has 4 x 4 of their pairs.
_SIDE = 64
_THREADS = 16
# Number of blocks of threads, from which the number of words per block follows, within limits: a count of 32 bits holds
# the rows of the words of a block.
_BLOCKS = 2048
_SHORTEST_STRETCH = 64
_LONGEST_STRETCH = 1 << 14
# Largest number of sets of one launch.
_MOST_SETS = 65535
# Largest histogram in the memory of a multiprocessor: 48 KiB.
_SHARED_CELLS = 12288
_HISTOGRAM_THREADS = 512
_FEWEST_ROWS = 1 << 13
_MOST_ROWS = 1 << 20
# Largest number of pairs of columns per block of threads; number of threads, and limits of the rows per thread.
_MOST_PAIRS = 256
_SUMMING_THREADS = 1 << 18
_FEWEST_ROWS_OF_THREAD = 32
_MOST_ROWS_OF_THREAD = 4096

_CROSSED = r"""
typedef unsigned long long Word;

// Intersect the levels of each configuration: `members` levels from `first_of` on.
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

// Count the rows of pairs of levels and sets. A block has 64 levels and 64 sets over a range of words, a thread 4 x 4
// of their pairs; `tasks` has the first level and the first set of each block. Counts are added to out [k x m].
extern "C" __global__
void add_common(const Word* bits, const int* levels, int m, int k, const int* tasks, long long words, long long first,
                const Word* sets, long long count, long long stretch, Word* out) {
    __shared__ Word of_levels[16][64 + 1], of_sets[16][64 + 1];
    const int m0 = tasks[2 * blockIdx.x], k0 = tasks[2 * blockIdx.x + 1];
    const int tx = threadIdx.x, ty = threadIdx.y, own = ty * 16 + tx;
    const long long begin = blockIdx.y * stretch, end = min(begin + stretch, count);
    unsigned int sums[4][4] = {};
    for (long long w0 = begin; w0 < end; w0 += 16) {
        for (int at = own; at < 64 * 16; at += 256) {
            const int which = at / 16, w = at % 16;
            const bool inside = w0 + w < end;
            const int level = m0 + which, set = k0 + which;
            of_levels[w][which] = inside && level < m ? bits[levels[level] * words + first + w0 + w] : 0;
            of_sets[w][which] = inside && set < k ? sets[set * count + w0 + w] : 0;
        }
        __syncthreads();
        for (int w = 0; w < 16; ++w) {
            Word a[4], b[4];
            for (int i = 0; i < 4; ++i) a[i] = of_levels[w][tx + 16 * i], b[i] = of_sets[w][ty + 16 * i];
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 4; ++j) sums[i][j] += __popcll(a[i] & b[j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
            const int level = m0 + tx + 16 * i, set = k0 + ty + 16 * j;
            if (level < m && set < k && sums[i][j]) atomicAdd(&out[(long long)set * m + level], (Word)sums[i][j]);
        }
}

// The cells of every query, [levels x configurations], from the matrix of all. Query c has the levels from
// level_of[c] on, the sets from set_of[c] on, and the cells from cell_of[c] on.
extern "C" __global__
void hand_out(const Word* all, int m, const int* places, const int* level_of, const int* set_of,
              const long long* cell_of, Word* out) {
    const int c = blockIdx.x, k = set_of[c + 1] - set_of[c];
    const long long cells = cell_of[c + 1] - cell_of[c];
    for (long long at = blockIdx.y * (long long)blockDim.x + threadIdx.x; at < cells;
         at += gridDim.y * (long long)blockDim.x)
        out[cell_of[c] + at] = all[(set_of[c] + at % k) * m + places[level_of[c] + at / k]];
}
"""

_HISTOGRAMS = r"""
typedef unsigned long long Word;

// Count joint configurations. A block has one list of variables and a range of rows. List s has the variables
// members[first_of[s]] to members[first_of[s + 1] - 1], with `levels` levels each, and the cells cell_of[s] to
// cell_of[s + 1] of out.
extern "C" __global__
void add_histograms(const CODE* codes, const Word* weights, long long rows, long long stretch, const int* members,
                    const int* levels, const int* first_of, const long long* cell_of, Word* out) {
    __shared__ unsigned int shared[SHARED_CELLS];
    const int s = blockIdx.x, begin = first_of[s], end = first_of[s + 1];
    const long long cells = cell_of[s + 1] - cell_of[s];
    const long long from = blockIdx.y * stretch, to = min(from + stretch, rows);
    Word* own = out + cell_of[s];
    const bool here = !weights && cells <= SHARED_CELLS;
    if (here) {
        for (int c = threadIdx.x; c < cells; c += blockDim.x) shared[c] = 0;
        __syncthreads();
    }
    for (long long row = from + threadIdx.x; row < to; row += blockDim.x) {
        long long key = 0;
        for (int p = begin; p < end; ++p) key = key * levels[p] + (long long)codes[members[p] * rows + row];
        if (here) atomicAdd(&shared[key], 1u);
        else atomicAdd(&own[key], weights ? weights[row] : 1ULL);
    }
    if (here) {
        __syncthreads();
        for (int c = threadIdx.x; c < cells; c += blockDim.x)
            if (shared[c]) atomicAdd(&own[c], (Word)shared[c]);
    }
}
"""

_SUMS = r"""
typedef unsigned long long Word;

// Add to an integer of 128 bits, the lower half first. The thread whose addition wraps the lower half carries.
__device__ void add_wide(Word* to, Word low, Word high) {
    const Word before = atomicAdd(&to[0], low);
    atomicAdd(&to[1], high + (before + low < before));
}

// Sum products by stratum. A thread has one pair of columns and `length` rows in the order of the strata, and adds its
// sum to out [strata x count x 2] where a stratum ends.
extern "C" __global__
void add_sums(const long long* values, int columns, const Word* weights, const long long* order,
              const long long* starts, int strata, long long rows, int length, int width, const int* pairs, int count,
              Word* out) {
    const long long thread = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    const int pair = blockIdx.y * width + (int)(thread % width);
    const long long begin = thread / width * length, end = min(begin + length, rows);
    if (pair >= count || begin >= rows) return;
    const int x = pairs[2 * pair], y = pairs[2 * pair + 1];
    int d = 0;
    for (int after = strata; after - d > 1;) {
        const int middle = d + (after - d) / 2;
        if (starts[middle] <= begin) d = middle;
        else after = middle;
    }
    long long next = starts[d + 1];
    Word low = 0, high = 0;
    for (long long at = begin; at < end; ++at) {
        if (at >= next) {
            add_wide(out + 2 * ((long long)d * count + pair), low, high);
            low = high = 0;
            next = starts[++d + 1];
        }
        const long long row = order ? order[at] : at;
        const long long a = values[row * columns + x], b = values[row * columns + y];
        Word product = (Word)a * (Word)b, above = (Word)__mul64hi(a, b);
        if (weights) {
            // Modulo 2**128, which every sum fits.
            above = above * weights[row] + __umul64hi(product, weights[row]);
            product *= weights[row];
        }
        low += product;
        high += above + (low < product);
    }
    add_wide(out + 2 * ((long long)d * count + pair), low, high);
}
"""
_CODES = {1: "unsigned char", 2: "unsigned short", 4: "int"}


@cache
def _module(source: str) -> Any:
    return cupy.RawModule(code=source)


@cache
def _kernel(source: str, name: str) -> Any:
    """Return a kernel; it is compiled at its first use."""
    return _module(source).get_function(name)


def histograms(codes: Any, levels: Sequence[int], weights: Any, lists: Sequence[Sequence[int]]) -> Any:
    """Return the number of rows, by weight, of all configurations of each list of variables, one after another."""
    members = np.array([v for variables in lists for v in variables], dtype=np.int32)
    sizes = np.asarray(levels, dtype=np.int32)[members]
    first_of = np.cumsum([0, *map(len, lists)]).astype(np.int32)
    cell_of = np.cumsum([0, *(math.prod(levels[v] for v in variables) for variables in lists)]).astype(np.int64)
    out = cupy.zeros(int(cell_of[-1]), dtype=cupy.uint64)
    rows = codes.shape[1]
    stretch = min(max(rows * len(lists) // _BLOCKS, _FEWEST_ROWS), _MOST_ROWS)
    on_device = [cupy.asarray(array) for array in (members, sizes, first_of, cell_of)]
    source = _HISTOGRAMS.replace("CODE", _CODES[codes.dtype.itemsize]).replace("SHARED_CELLS", str(_SHARED_CELLS))
    _kernel(source, "add_histograms")(
        (len(lists), -(-rows // stretch)),
        (_HISTOGRAM_THREADS,),
        (codes, np.uint64(0) if weights is None else weights, np.int64(rows), np.int64(stretch), *on_device, out),
    )
    return out


def sums(values: Any, weights: Any, order: Any, starts: Any, pairs: NDArray[np.int32]) -> Any:
    """Return the sums of products of pairs of columns in each stratum, by weight, as integers of 128 bits."""
    rows, columns = values.shape
    strata, count = len(starts) - 1, len(pairs)
    out = cupy.zeros((strata, count, 2), dtype=cupy.uint64)
    # A power of two, so that it divides the number of threads.
    width = min(1 << (count - 1).bit_length(), _MOST_PAIRS)
    length = min(max(rows * width // _SUMMING_THREADS, _FEWEST_ROWS_OF_THREAD), _MOST_ROWS_OF_THREAD)
    threads = -(-rows // length) * width
    _kernel(_SUMS, "add_sums")(
        (-(-threads // _MOST_PAIRS), -(-count // width)),
        (_MOST_PAIRS,),
        (
            *(values, np.int32(columns), np.uint64(0) if weights is None else weights),
            *(np.uint64(0) if order is None else order, starts, np.int32(strata), np.int64(rows)),
            *(np.int32(length), np.int32(width), cupy.asarray(pairs), np.int32(count), out),
        ),
    )
    return out


def crossed(bits: Any, count_queries: Sequence[tuple[NDArray[np.int32], NDArray[np.int32]]]) -> list[NDArray[np.int64]]:
    """Return, for each query, the number of rows with each level and configuration, [levels, configurations].

    The queries together are one matrix with a row per configuration and a column per level. Only squares of it that
    some query needs are counted; then each query gets its cells.
    """
    set_of = np.cumsum([0, *(len(configurations) for configurations, _ in count_queries)])
    level_of = np.cumsum([0, *(len(levels) for _, levels in count_queries)])
    cell_of = np.cumsum([0, *(len(configurations) * len(levels) for configurations, levels in count_queries)])
    shapes = [(len(levels), len(configurations)) for configurations, levels in count_queries]
    if not cell_of[-1]:
        return [np.zeros(shape, dtype=np.int64) for shape in shapes]
    queried = np.concatenate([levels for _, levels in count_queries])
    is_queried = np.zeros(bits.shape[0], dtype=np.bool_)
    is_queried[queried] = True
    place = np.cumsum(is_queried) - 1
    places = place[queried]
    squares = places // _SIDE
    wanted = np.zeros((-(-int(set_of[-1]) // _SIDE), int(place[-1]) // _SIDE + 1), dtype=np.bool_)
    for c in range(len(count_queries)):
        columns = squares[level_of[c] : level_of[c + 1]]
        for row in range(set_of[c] // _SIDE, -(-int(set_of[c + 1]) // _SIDE)):
            wanted[row, columns] = True
    counts = _counted(
        bits,
        [configurations for configurations, _ in count_queries],
        np.flatnonzero(is_queried),
        np.argwhere(wanted.T) * _SIDE,
    )
    on_device = _uploaded(places, level_of, set_of)
    out = cupy.empty(int(cell_of[-1]), dtype=cupy.uint64)
    blocks = -(-int(np.diff(cell_of).max()) // 256)
    _kernel(_CROSSED, "hand_out")(
        (len(count_queries), min(blocks, _BLOCKS)),
        (256,),
        (counts, np.int32(counts.shape[1]), *on_device, cupy.asarray(cell_of), out),
    )
    found = cupy.asnumpy(out).view(np.int64)
    ends = cell_of.tolist()
    return [found[begin:end].reshape(shape) for begin, end, shape in zip(ends, ends[1:], shapes, strict=False)]


def _counted(
    bits: Any, configurations: list[NDArray[np.int32]], levels: NDArray[np.int64], tasks: NDArray[np.int64]
) -> Any:
    """Count the rows in the intersections of configurations and levels, for the squares in `tasks`."""
    make_sets, add_common = _kernel(_CROSSED, "make_sets"), _kernel(_CROSSED, "add_common")
    members = np.repeat([sets.shape[1] for sets in configurations], [len(sets) for sets in configurations])
    numbers = np.concatenate([sets.ravel() for sets in configurations])
    which, first_of, widths, rows_of, squares = _uploaded(
        numbers, np.cumsum(members) - members, members, levels, tasks.ravel()
    )
    sets, m, words = len(members), len(levels), bits.shape[1]
    out = cupy.zeros((sets, m), dtype=cupy.uint64)
    at_once = max(min(words, _WORDS_AT_ONCE // sets), 1)
    made = cupy.empty(sets * at_once, dtype=cupy.uint64)
    for first in range(0, words, at_once):
        count = min(words - first, at_once)
        stretch = min(max(count * len(tasks) // _BLOCKS, _SHORTEST_STRETCH), _LONGEST_STRETCH)
        here = (np.int64(words), np.int64(first))
        for some in range(0, sets, _MOST_SETS):
            these = min(sets - some, _MOST_SETS)
            make_sets(
                (-(-count // 256), these),
                (256,),
                (bits, which, first_of[some:], widths[some:], *here, np.int64(count), made[some * count :]),
            )
        add_common(
            (len(tasks), -(-count // stretch)),
            (_THREADS, _THREADS),
            (
                *(bits, rows_of, np.int32(m), np.int32(sets), squares, *here),
                *(made, np.int64(count), np.int64(stretch), out),
            ),
        )
    return out


def _uploaded(*arrays: NDArray[Any]) -> list[Any]:
    """Copy small arrays to the device as 32-bit integers, in one transfer."""
    ends = np.cumsum([array.size for array in arrays]).tolist()
    together = cupy.asarray(np.concatenate([array.astype(np.int32, copy=False) for array in arrays]))
    return [together[end - array.size : end] for end, array in zip(ends, arrays, strict=True)]
