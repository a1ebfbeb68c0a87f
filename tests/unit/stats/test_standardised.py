"""Moments without units are a function of the correlations, rounded."""

from fractions import Fraction

import numpy as np
import pytest

from stablebn.stats import MeasuredMoments, Moments, StandardisedMoments
from stablebn.table.table import ContinuousTable


def _moments(values: object) -> Moments:
    columns = np.array(values, dtype=np.float64)
    return Moments(ContinuousTable(tuple(f"v{i}" for i in range(len(columns))), columns))


@pytest.mark.parametrize("seed", range(10))
def test_correlations_are_rounded_to_the_nearest(seed: int) -> None:
    rng = np.random.default_rng(seed)
    moments = _moments(rng.standard_normal((4, 20)) * 10.0 ** rng.integers(-9, 9, (4, 1)))
    for u in range(4):
        for v in range(4):
            both = moments.cross_product(u, v)
            square = both**2 / (moments.cross_product(u, u) * moments.cross_product(v, v))
            found = moments.correlation(u, v, 34)
            assert (found >= 0) == (both >= 0)
            below, above = (Fraction(abs(found) * 2 + step, 2**35) for step in (-1, 1))
            assert max(below, Fraction(0)) ** 2 <= square <= above**2


@pytest.mark.parametrize("power", [-1000, -3, 0, 3, 1000])
def test_units_change_nothing(power: int) -> None:
    values = np.random.default_rng(1).standard_normal((3, 40))
    plain = StandardisedMoments(_moments(values))
    other = StandardisedMoments(_moments(np.ldexp(values, power)))
    assert (plain.cross_products().entries == other.cross_products().entries).all()
    order = [2, 0, 1]
    for first, second in zip(plain.structures(), other.structures(), strict=True):
        assert first.certificate(order) == second.certificate(order)


def test_reordered_moments_are_those_of_reordered_columns() -> None:
    values = np.random.default_rng(2).standard_normal((4, 30))
    order = [3, 1, 0, 2]
    reordered = StandardisedMoments(_moments(values)).reordered(order)
    direct = StandardisedMoments(_moments(values[order]))
    assert (reordered.cross_products().entries == direct.cross_products().entries).all()
    assert reordered.with_units.cross_product(0, 1) == direct.with_units.cross_product(0, 1)


@pytest.mark.parametrize("seed", range(10))
def test_exact_units_and_signs_change_no_integer(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.integers(-50, 50, (4, 30)).astype(float)
    factors = rng.choice([-7.0, -1.0, 3.0, 1000.0], (4, 1))
    other = values * factors + rng.integers(-(10**12), 10**12, (4, 1))
    for kind in (StandardisedMoments, MeasuredMoments):
        plain, in_units = kind(_moments(values)), kind(_moments(other))
        signs = np.sign(factors * factors.T)
        assert (plain.cross_products().entries == in_units.cross_products().entries * signs).all()
        assert [plain.sort_key(v) for v in range(4)] == [in_units.sort_key(v) for v in range(4)]
        for first, second in zip(plain.structures(), in_units.structures(), strict=True):
            assert first.certificate(range(4)) == second.certificate(range(4))


def test_values_are_rounded_as_exact_arithmetic_says() -> None:
    rng = np.random.default_rng(3)
    # A quarter of a million is far from zero, for columns so narrow.
    values = rng.integers(0, 9, (1, 40)) / 64 + 250_000.0
    moments = _moments(values)
    found = StandardisedMoments(moments)._standardised.values(0)
    mean, square = moments.mean(0), moments.cross_product(0, 0) / 40
    for x, steps in zip(values[0].tolist(), found.tolist(), strict=True):
        distance = Fraction(x) - mean
        assert (steps >= 0) == (distance >= 0)
        below, above = (Fraction(2 * abs(steps) + end, 2**17) for end in (-1, 1))
        assert max(below, Fraction(0)) ** 2 <= distance**2 / square <= above**2


def test_a_value_half_way_between_two_steps_is_no_matter_of_rounding() -> None:
    # The standard deviation is 2**17, as far as numbers tell, and 1 is half a step.
    wide = np.sqrt(2.0**35 - 1)
    values = np.array([[-1.0, 1.0, -wide, wide]])
    found = [StandardisedMoments(_moments(values * factor))._standardised.values(0) for factor in (1.0, -3.0)]
    assert (found[0] == -found[1]).all()
