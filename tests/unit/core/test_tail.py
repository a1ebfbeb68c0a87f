"""Tails of distributions: right to the last bit, and never greater for a greater statistic."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike, NDArray
from scipy import special
from tests.naive import tails

from stablebn import _core

Numbers = NDArray[np.float64]

LEAST = 5e-324
# Half a unit in the last place, and a hundredth of it.
ROUNDED_ONCE = Decimal("1.12e-16")

DEGREES = (1, 2, 3, 4, 5, 8, 31, 32, 33, 64, 191, 192, 193, 255, 256, 257, 1000)
QUANTILES = (1e-9, 1e-3, 0.1, 0.5, 0.999, 1.0, 1.001, 1.5, 3.0, 10.0, 100.0, 700.0)


def chi_square(statistics: ArrayLike, df: float) -> Numbers:
    numbers = np.atleast_1d(np.asarray(statistics, dtype=np.float64))
    return _core.chi_square_tails(numbers, np.full(numbers.shape, float(df)))


def student(correlations: ArrayLike, df: float) -> Numbers:
    numbers = np.atleast_1d(np.asarray(correlations, dtype=np.float64))
    return _core.student_tails(numbers, np.full(numbers.shape, float(df)))


def _assert_right(found: float, right: Decimal) -> None:
    # Below 1e-307 doubles have fewer digits.
    assert abs(Decimal(found) - right) <= max(right * ROUNDED_ONCE, Decimal(LEAST) * Decimal("0.51")), (found, right)


def _correlation(distance: float, df: int) -> float:
    """The correlation r for which (1 - r**2)**(df / 2) is exp(-distance)."""
    return math.sqrt(-math.expm1(-2 * distance / df))


@pytest.mark.parametrize("df", DEGREES)
def test_chi_square_tail_is_right_to_the_last_bit(df: int) -> None:
    for quantile in (*QUANTILES, 1450 / df):
        statistic = quantile * df
        _assert_right(float(chi_square(statistic, df)[0]), tails.chi_square_tail(statistic, df))


@given(st.integers(1, 300), st.floats(min_value=1e-6, max_value=1500))
def test_chi_square_tail_is_right_anywhere(df: int, statistic: float) -> None:
    _assert_right(float(chi_square(statistic, df)[0]), tails.chi_square_tail(statistic, df))


@pytest.mark.parametrize("df", DEGREES)
def test_student_tail_is_right_to_the_last_bit(df: int) -> None:
    for distance in (1e-9, 1e-3, 0.1, 1.0, 10.0, 15.99, 16.01, 30.0, 63.9, 64.1, 200.0, 700.0):
        r = _correlation(distance, df)
        if r < 1:
            _assert_right(float(student(r, df)[0]), tails.student_tail(r, df))


@given(st.integers(1, 300), st.floats(min_value=1e-6, max_value=1, exclude_max=True))
def test_student_tail_is_right_anywhere(df: int, r: float) -> None:
    _assert_right(float(student(r, df)[0]), tails.student_tail(r, df))


@given(st.floats(min_value=1e-6, max_value=38))
def test_normal_tail_is_right(z: float) -> None:
    # The square of a double needs twice its digits.
    right = tails.erfc_of_root(Fraction(z) * Fraction(z) / 2)
    _assert_right(_core.normal_tail(z), right)
    assert _core.normal_tail(-z) == _core.normal_tail(z)


@pytest.mark.parametrize("df", [2**21 - 1, 2**21, 2**21 + 1])
def test_tail_of_a_million_degrees_is_right(df: int) -> None:
    for deviations in (-8.0, -2.0, -0.1, 0.0, 0.1, 3.0):
        statistic = df + deviations * math.sqrt(2 * df)
        right = tails.chi_square_tail(statistic, df, digits=60)
        assert float(abs(Decimal(float(chi_square(statistic, df)[0])) / right - 1)) < 1e-14


@pytest.mark.parametrize("df", [2**21, 2**25, 2**40])
def test_tail_of_many_degrees_is_that_of_the_formula_below_them(df: int) -> None:
    """Far out, where 1 less a sum would need thousands of digits: against the terms that are left, added up."""
    for deviations in (6.0, 20.0, 36.0):
        statistic = df + deviations * math.sqrt(2 * df)
        if df == 2**21:
            right = tails.chi_square_tail_far_out(statistic, df)
            assert float(abs(Decimal(float(chi_square(statistic, df)[0])) / right - 1)) < 1e-12
        assert 0 < float(chi_square(statistic, df)[0]) < float(chi_square(statistic - math.sqrt(df), df)[0])


def test_everything_beyond_doubles_is_0_or_1() -> None:
    assert chi_square([0.0, 1e-300, math.inf, 1e308, 3000.0], 3).tolist() == [1, 1, 0, 0, 0]
    assert chi_square([0.0, 1e6, math.inf], 1e300).tolist() == [1, 1, 0]
    assert chi_square([1e6], math.inf).tolist() == [1]
    assert student([0.0, 1e-300, -1e-300], 10).tolist() == [1, 1, 1]
    assert student([1 - 2**-52, 2**-52 - 1], 1e5).tolist() == [0, 0]
    assert [_core.normal_tail(z) for z in (0.0, 39.0, -1e9)] == [1, 0, 0]


def _neighbours(number: float, count: int = 200) -> Numbers:
    """So many doubles on both sides of a number, ascending."""
    found: Numbers = number + np.arange(-count, count + 1) * np.spacing(number)
    return found


def _assert_falling(p_values: Numbers) -> None:
    assert (np.diff(p_values) <= 0).all()
    assert ((p_values >= 0) & (p_values <= 1)).all()


@pytest.mark.parametrize("df", [*DEGREES, 2**21 - 1, 2**21, 2**22, 2**40])
def test_greater_statistic_never_has_a_greater_p_value(df: int) -> None:
    few = df < 2000
    around = math.sqrt(2 * df)
    # The seams: where one formula follows another. The others: anywhere.
    seams = [df, 1.0, 25.0, 50.0, 8.0 * df, 2800.0]
    anywhere = [df + around * k for k in (-0.9, -0.5, 0.1, 0.7, 2.0, 5.0, 9.0, 20.0)] + [1e-9, 1e-30]
    for point in (*seams, *anywhere):
        _assert_falling(chi_square(_neighbours(point, 200 if few else 10), df))
    _assert_falling(chi_square(np.linspace(1e-3, df + 40 * around + 1500, 4000 if few else 300), df))
    _assert_falling(chi_square(np.geomspace(1e-40, 3000, 2000 if few else 100), df))


@pytest.mark.parametrize("df", [*DEGREES, 10_000, 2**28, 2**40])
def test_stronger_correlation_never_has_a_greater_p_value(df: int) -> None:
    # At distance 16 and r**2 = 1/2 the series ends, at 64 the fraction has fewer terms; at r**2 = 1/8 there is another
    # logarithm.
    for distance in (1e-12, 1e-3, 0.3, 1.0, 5.0, 15.9, 16.0, 16.1, 64.0, 300.0, 740.0):
        r = _correlation(distance, df)
        if r < 1 - 1e-12:
            _assert_falling(student(_neighbours(r), df))
    for r in (math.sqrt(0.5), math.sqrt(0.125), 1 - 1e-9):
        _assert_falling(student(_neighbours(r), df))
    _assert_falling(student(np.linspace(0, 1 - 2**-52, 4000), df))
    _assert_falling(student(np.geomspace(1e-40, 1 - 2**-52, 2000), df))


def test_farther_from_0_is_never_more_likely() -> None:
    for z in (1e-3, 0.5, 1.0, math.sqrt(2), 5.0, math.sqrt(50), 20.0, 38.0):
        _assert_falling(np.array([_core.normal_tail(float(own)) for own in _neighbours(z)]))


def test_tails_are_near_to_those_of_scipy() -> None:
    rng = np.random.default_rng(1)
    df = rng.integers(1, 3000, 5000).astype(np.float64)
    statistics = df * rng.uniform(0.1, 2, 5000)
    np.testing.assert_allclose(_core.chi_square_tails(statistics, df), special.chdtrc(df, statistics), rtol=1e-10)
    r = rng.uniform(0, 0.5, 5000)
    t = r * np.sqrt(df / ((1 - r) * (1 + r)))
    np.testing.assert_allclose(_core.student_tails(r, df), 2 * special.stdtr(df, -t), rtol=1e-10)
    z = rng.uniform(0, 8, 2000)
    np.testing.assert_allclose([_core.normal_tail(own) for own in z.tolist()], 2 * special.ndtr(-z), rtol=1e-10)


@given(st.floats(min_value=0, max_value=1, exclude_min=True, exclude_max=True), st.integers(1, 5000))
def test_p_values_of_critical_values_are_on_their_sides_of_alpha(alpha: float, df: int) -> None:
    above, not_above = _core.CriticalValues(alpha)(df)
    assert 0 <= above < not_above
    assert float(chi_square(above, df)[0]) > alpha >= float(chi_square(not_above, df)[0])


@pytest.mark.parametrize("statistic", [1400.0, 1430.0, 1440.0, 1460.0, 1480.0])
def test_p_values_reach_down_to_the_least_double(statistic: float) -> None:
    # With 2 and 4 degrees of freedom the tail is a formula.
    two, four = (float(chi_square(statistic, df)[0]) for df in (2, 4))
    assert 0 < two < 1e-300
    _assert_right(two, (-Decimal(statistic) / 2).exp())
    _assert_right(four, (-Decimal(statistic) / 2).exp() * (1 + Decimal(statistic) / 2))
