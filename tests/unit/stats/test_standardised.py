"""Moments without units are a function of the correlations, rounded."""

from fractions import Fraction

import numpy as np
import pytest

from stablebn.data.table import ContinuousTable
from stablebn.stats import Moments, StandardisedMoments


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
