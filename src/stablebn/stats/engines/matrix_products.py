"""Exact sums of products of integers as matrix products of doubles; array code for a device and for NumPy alike.

A double holds every integer up to 2**53. Numbers are cut into limbs of 21 bits and either sign, none beyond 2**20. The
product of two is at most 2**40, and the sum of such products over a tile of 2**13 rows at most 2**53. So every partial
sum of a matrix product over a tile is an integer that a double holds, and none is rounded: in whatever order a library
adds them, with or without fused multiplications, by whatever cores. What a tile has given is then added as integers.
Where rows have weights, one factor is multiplied by a digit of them, below 2**4, and a tile has 2**9 rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

LIMB_BITS = 21
"""Bits of a limb, of which one is for the sign."""
ROWS_OF_TILE = 1 << 13
"""Rows over which a matrix product may add."""
DIGIT_BITS = 4
"""Bits of a digit of weights."""
WORD_BITS = 40
"""Bits of a word of a wide integer: many of them can be added in 64 bits."""
_WORD_MASK = (1 << WORD_BITS) - 1


def rows_of_tile(*, weighted: bool) -> int:
    """Over how many rows a matrix product may add."""
    return ROWS_OF_TILE >> DIGIT_BITS if weighted else ROWS_OF_TILE


def slices(xp: Any, scaled: Any, count: int) -> Iterator[Any]:
    """Numbers of at most 1/2 in size as limbs, the most significant first; each is a double that is an integer."""
    rest = scaled
    for _ in range(count):
        rest = rest * float(1 << LIMB_BITS)
        limb = xp.rint(rest)
        rest = rest - limb
        yield limb


def products_of_tiles(xp: Any, left: Any, right: Any) -> Any:
    """Of limbs [tiles, m, rows] and [tiles, k, rows], the sums of products over rows, [tiles, m, k]."""
    return xp.matmul(left, right.swapaxes(1, 2)).astype(xp.int64)


def words_for(shift: int) -> int:
    """How many words it takes to add 64-bit integers times powers of two up to 2**shift."""
    return shift // WORD_BITS + 3


def add_shifted(words: Any, values: Any, shift: int) -> None:
    """Add 64-bit integers times 2**shift to wide ones, whose words come first, [words, ...], the least first."""
    place, within = divmod(shift, WORD_BITS)
    upper = values >> WORD_BITS - within
    words[place] += (values & ((1 << WORD_BITS - within) - 1)) << within
    words[place + 1] += upper & _WORD_MASK
    words[place + 2] += upper >> WORD_BITS
