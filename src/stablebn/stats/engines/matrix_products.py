"""Exact sums of products of integers as matrix products of doubles; array code for a device and for NumPy alike.

A double holds every integer up to 2**53. Numbers are cut into limbs of 21 bits and either sign, none beyond 2**20. The
product of two is at most 2**40, and the sum of such products over a tile of 2**13 rows at most 2**53. So every partial
sum of a matrix product over a tile is an integer that a double holds, and none is rounded, in any order of additions,
with or without fused multiplications. The sums of tiles are then added as integers. If rows have weights, one factor is
multiplied by a digit of the weights, below 2**4, and a tile has 2**9 rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

LIMB_BITS = 21
"""Number of bits of a limb; one of them is the sign."""
ROWS_OF_TILE = 1 << 13
"""Number of rows over which one matrix product may sum."""
DIGIT_BITS = 4
"""Number of bits of a digit of weights."""
WORD_BITS = 40
"""Number of bits of a word of a wide integer: many words can be added in 64 bits."""
_WORD_MASK = (1 << WORD_BITS) - 1


def rows_of_tile(*, weighted: bool) -> int:
    """Return the number of rows over which one matrix product may sum."""
    return ROWS_OF_TILE >> DIGIT_BITS if weighted else ROWS_OF_TILE


def slices(xp: Any, scaled: Any, count: int) -> Iterator[Any]:
    """Yield the limbs of numbers of at most 1/2 in size, the most significant first, as doubles that are integers."""
    rest = scaled
    for _ in range(count):
        rest = rest * float(1 << LIMB_BITS)
        limb = xp.rint(rest)
        rest = rest - limb
        yield limb


def products_of_tiles(xp: Any, left: Any, right: Any) -> Any:
    """Return the sums over rows of products of limbs [tiles, m, rows] and [tiles, k, rows]: [tiles, m, k]."""
    return xp.matmul(left, right.swapaxes(1, 2)).astype(xp.int64)


def words_for(shift: int) -> int:
    """Return the number of words that hold sums of 64-bit integers times powers of two up to 2**shift."""
    return shift // WORD_BITS + 3


def add_shifted(words: Any, values: Any, shift: int) -> None:
    """Add 64-bit integers times 2**shift to wide integers [words, ...], the least significant word first."""
    place, within = divmod(shift, WORD_BITS)
    upper = values >> WORD_BITS - within
    words[place] += (values & ((1 << WORD_BITS - within) - 1)) << within
    words[place + 1] += upper & _WORD_MASK
    words[place + 2] += upper >> WORD_BITS
