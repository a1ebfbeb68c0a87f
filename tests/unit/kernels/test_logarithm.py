from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.naive.scores import ln

from stablebn.kernels import logarithm
from stablebn.kernels.logarithm import UNIT, fixed_ln, joined, limbs, m_ln_m_table, sums_of_limbs, to_float
from stablebn.kernels.moves import as_float


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
    hi, lo = limbs(value)
    assert 0 <= lo < 2**32
    assert joined(hi, lo) == value


@given(st.integers(-(2**80), 2**80), st.integers(-(2**20), 2**20))
def test_doubles_of_limbs_are_rounded_once_however_they_are_split(value: int, shift: int) -> None:
    hi, lo = limbs(value)
    assert as_float(np.int64(hi - shift), np.int64(lo + (shift << 32))) == to_float(value)


@given(st.lists(st.integers(-(2**93), 2**93), max_size=20))
def test_sums_of_limbs_do_not_overflow(values: list[int]) -> None:
    terms = np.array([limbs(value) for value in values], dtype=np.int64).reshape(-1, 2)
    assert sums_of_limbs(terms[None]) == [sum(values)]
