"""Scores as integers in units of 2**-62 nats: sums that are equal as real numbers are equal here.

Arrays hold them as limbs (hi, lo), which stand for hi * 2**46 + lo.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

LO_BITS = 46
HI_BITS = 16
LO_MASK = (1 << LO_BITS) - 1
UNIT = 1 << (HI_BITS + LO_BITS)
"""One nat."""

_HALF_RANGE = 1 << (63 + LO_BITS)
MOST_NATS = _HALF_RANGE // UNIT
"""What limbs hold is less than this."""

Limbs = NDArray[np.int64]

NOT_A_CANDIDATE = int(np.iinfo(np.int64).min)
"""In place of the high limb of a change of score: the family may not become that."""


def joined(hi: int, lo: int) -> int:
    """The integer that two limbs stand for."""
    return (int(hi) << LO_BITS) + int(lo)


def limbs(value: int) -> tuple[int, int]:
    """The limbs of an integer, lo in [0, 2**46)."""
    return value >> LO_BITS, value & LO_MASK


def wrapped(value: int) -> int:
    """The integer that limbs of 64 bits hold in place of another: it differs by a multiple of 2**110."""
    return (value + _HALF_RANGE) % (2 * _HALF_RANGE) - _HALF_RANGE


def integers(terms: Limbs) -> list[int]:
    """The integers that rows of limbs [m, 2] stand for."""
    return [joined(hi, lo) for hi, lo in terms.tolist()]


def to_float(value: int) -> float:
    """A fixed-point number as the nearest double."""
    return value / UNIT


def to_floats(terms: Limbs) -> NDArray[np.float64]:
    """Numbers given by limbs [..., 2] as doubles, as the core rounds them: three parts added from the left."""
    hi, lo = terms[..., 0] + (terms[..., 1] >> LO_BITS), terms[..., 1] & LO_MASK
    floats: NDArray[np.float64] = (hi * 2.0**-16 + (lo >> 32) * 2.0**-30) + (lo & 0xFFFFFFFF) * 2.0**-62
    return floats
