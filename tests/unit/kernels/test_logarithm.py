from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.naive.scores import ln

from stablebn.kernels import logarithm
from stablebn.kernels.logarithm import UNIT, fixed_ln, joined, limbs, m_ln_m_table, to_float, to_floats


def _as_decimal(value: int) -> Decimal:
    with localcontext() as context:
        context.prec = 60
        return Decimal(value) / Decimal(UNIT)


@given(st.floats(min_value=1e-300, max_value=1e300))
def test_logarithm_of_a_double_is_right_to_ninety_bits(x: float) -> None:
    hi, lo = logarithm.ln(x, 0.0)
    with localcontext() as context:
        context.prec = 60
        error = abs(Decimal(hi) + Decimal(lo) - ln(Fraction(x)))
    # The part e * ln 2 of an extreme exponent carries an error relative to its size.
    assert error < Decimal(2) ** -90


@given(st.integers(1, 2**28), st.integers(1, 2**28))
def test_logarithm_of_a_product_is_exactly_the_sum(a: int, b: int) -> None:
    if a * b <= 2**28:
        assert fixed_ln(a * b) == fixed_ln(a) + fixed_ln(b)


@given(st.integers(1, 2**28))
def test_logarithm_of_an_integer_is_right(m: int) -> None:
    # An even multiple of 2**-62 a prime factor: at most 2**-62 off for each of at most 28.
    assert abs(_as_decimal(fixed_ln(m)) - ln(m)) <= Decimal(28) / 2**62


def test_table_is_the_integer_logarithms() -> None:
    table = m_ln_m_table(5000)
    assert [joined(*row) for row in table[1:]] == [m * fixed_ln(m) for m in range(1, 5000)]
    assert joined(*table[0]) == 0


def test_equal_real_sums_of_other_counts_are_equal() -> None:
    table = m_ln_m_table(20)
    values = [joined(*row) for row in table]
    assert values[4] == 4 * values[2]  # 4 ln 4 = 8 ln 2
    assert values[6] == 2 * values[3] + 3 * values[2]  # 6 ln 6 = 6 ln 3 + 6 ln 2


@given(st.integers(-(2**90), 2**90))
def test_limbs_join_to_the_number(value: int) -> None:
    assert joined(*limbs(value)) == value
    hi, lo = limbs(value)
    assert 0 <= lo < 2**32
    if abs(value) < 2**80:
        array = to_floats(np.array([hi]), np.array([lo]))
        assert array[0] == to_float(value)


@pytest.mark.parametrize("shift", [-(2**33), -1, 0, 5, 2**40])
def test_floats_do_not_depend_on_how_limbs_are_split(shift: int) -> None:
    hi, lo = limbs(123456789012345678901234)
    split = to_floats(np.array([hi - shift]), np.array([lo + (shift << 32)])) if abs(shift) < 2**30 else None
    if split is not None:
        assert split[0] == to_floats(np.array([hi]), np.array([lo]))[0]
