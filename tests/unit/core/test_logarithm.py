import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.naive.scores import ln

from stablebn import _core
from stablebn._core import ln_of_integer
from stablebn.fixed_point import UNIT, integers, joined, limbs, to_float, to_floats


def _as_decimal(value: int) -> Decimal:
    with localcontext() as context:
        context.prec = 60
        return Decimal(value) / Decimal(UNIT)


@given(st.floats(min_value=1e-300, max_value=1e300))
def test_logarithm_of_a_double_is_right_to_ninety_bits(x: float) -> None:
    hi, lo = _core.ln_pair(x)
    with localcontext() as context:
        context.prec = 60
        error = abs(Decimal(hi) + Decimal(lo) - ln(Fraction(x)))
    # The part e * ln 2 of an extreme exponent carries an error relative to its size.
    assert error < Decimal(2) ** -90


@given(st.integers(1, 2**28), st.integers(1, 2**28))
def test_logarithm_of_a_product_is_exactly_the_sum(a: int, b: int) -> None:
    assert ln_of_integer(a * b) == ln_of_integer(a) + ln_of_integer(b)


@given(st.integers(1, 2**40))
def test_logarithm_of_an_integer_is_right(m: int) -> None:
    # An even multiple of 2**-62 a prime factor: at most 2**-62 off for each of at most 40.
    assert abs(_as_decimal(ln_of_integer(m)) - ln(m)) <= Decimal(40) / 2**62


def _primes(start: int, count: int) -> list[int]:
    """The first primes from a number on, by trial division."""
    found: list[int] = []
    while len(found) < count:
        if all(start % d for d in range(2, math.isqrt(start) + 1)):
            found.append(start)
        start += 1
    return found


# Squares of primes, and products of primes that are near each other, far apart, or just beyond those that are tried.
_PRIMES = [2, 3, 251, 257, 263, *_primes(2**14, 3), *_primes(2**19, 3), *_primes(2**20 - 40, 2), *_primes(2**30, 1)]


@pytest.mark.parametrize("p", _PRIMES)
def test_logarithms_are_those_of_prime_factors(p: int) -> None:
    """As doubles, logarithms of primes are right but for rounding: so a factor that is none would be seen."""
    assert ln_of_integer(p) == _core.ln(float(p))
    for q in _PRIMES:
        assert ln_of_integer(p * q) == _core.ln(float(p)) + _core.ln(float(q))


def test_table_is_the_integer_logarithms() -> None:
    values = integers(_core.m_ln_m(4999))
    assert values[1:] == [m * ln_of_integer(m) for m in range(1, 5000)]
    assert values[0] == 0


def test_equal_real_sums_of_other_counts_are_equal() -> None:
    values = integers(_core.m_ln_m(20))
    assert values[4] == 4 * values[2]  # 4 ln 4 = 8 ln 2
    assert values[6] == 2 * values[3] + 3 * values[2]  # 6 ln 6 = 6 ln 3 + 6 ln 2


@given(st.integers(-(2**108), 2**108))
def test_limbs_join_to_the_number(value: int) -> None:
    hi, lo = limbs(value)
    assert 0 <= lo < 2**46
    assert joined(hi, lo) == value


@given(st.integers(-(2**80), 2**80), st.integers(-(2**16), 2**16))
def test_doubles_of_limbs_are_rounded_once_however_they_are_split(value: int, shift: int) -> None:
    hi, lo = limbs(value)
    assert to_floats(np.array([hi - shift, lo + (shift << 46)])) == to_float(value)
