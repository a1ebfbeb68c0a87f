"""Represent scores as integers in units of 2**-62 nats, so that sums do not depend on their order.

Arrays store an integer as two limbs (hi, lo) with the value hi * 2**46 + lo.
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
"""The bound of the absolute value that limbs can represent, in nats."""

Limbs = NDArray[np.int64]

NOT_A_CANDIDATE = int(np.iinfo(np.int64).min)
"""The high limb that marks a change of score as forbidden."""


def joined(hi: int, lo: int) -> int:
    """Return the integer of two limbs."""
    return (int(hi) << LO_BITS) + int(lo)


def limbs(value: int) -> tuple[int, int]:
    """Return the limbs of an integer, with lo in [0, 2**46)."""
    return value >> LO_BITS, value & LO_MASK


def wrapped(value: int) -> int:
    """Return the integer that 64-bit limbs represent after overflow: it differs by a multiple of 2**110."""
    return (value + _HALF_RANGE) % (2 * _HALF_RANGE) - _HALF_RANGE


def integers(terms: Limbs) -> list[int]:
    """Return the integers of rows of limbs [m, 2]."""
    return [joined(hi, lo) for hi, lo in terms.tolist()]


def to_float(value: int) -> float:
    """Return a fixed-point number as the nearest double."""
    return value / UNIT


def to_floats(terms: Limbs) -> NDArray[np.float64]:
    """Return limbs [..., 2] as doubles, rounded as in the core: three parts added from the left."""
    hi, lo = terms[..., 0] + (terms[..., 1] >> LO_BITS), terms[..., 1] & LO_MASK
    floats: NDArray[np.float64] = (hi * 2.0**-16 + (lo >> 32) * 2.0**-30) + (lo & 0xFFFFFFFF) * 2.0**-62
    return floats
