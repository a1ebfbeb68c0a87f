"""What mixed statistics know of the continuous columns: standard units, steps, and which end is up."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.tables import mixed_table

from stablebn.stats import MixedStatistics, mixed
from stablebn.stats.standard_units import standard_bits, standardised_by

ALTERNATING = [0, 1] * 20


def _values(*columns: NDArray[np.float64]) -> NDArray[np.int64]:
    codes = [[i % 2 for i in range(len(columns[0]))]]
    table = mixed_table(codes, np.array(columns))
    standards = [MixedStatistics(table).standard(table.names.index(name)) for name in table.continuous.names]
    return standardised_by([standard for standard in standards if standard], table.continuous.values, 1)


def test_values_are_in_standard_units_to_the_last_bit() -> None:
    column = np.random.default_rng(1).normal(size=50) * 1e-7 + 3.25
    exact = [Fraction(float(x)) for x in column]
    mean = sum(exact) / 50
    variance = sum((x - mean) ** 2 for x in exact) / 50
    for x, z in zip(exact, _values(column)[0].tolist(), strict=True):
        # |z - (x - mean) / deviation| <= 1/2, squared so that no root is needed.
        steps = abs(x - mean) * 2 ** standard_bits(50)
        low, high = max(abs(z) - Fraction(1, 2), Fraction(0)), abs(z) + Fraction(1, 2)
        assert (
            low**2 * variance <= steps**2 * (1 + Fraction(1, 2**50)) <= (high**2 * variance) * (1 + Fraction(1, 2**49))
        )
        assert z == 0 or (z > 0) == (x > mean)


@pytest.mark.parametrize("unit", [-1.0, 2.0**900, -(2.0**-900), 2.0**-1060])
def test_exact_units_change_no_value_but_the_sign(unit: float) -> None:
    column = np.round(8 * np.random.default_rng(2).normal(size=40)) + 1
    assert (_values(column * unit) * int(math.copysign(1, unit))).tolist() == _values(column).tolist()


def test_values_of_steps_have_the_variance_of_a_step_at_least() -> None:
    years = np.array([30.0, 31, 31, 34, 38, 39, 41, 42])
    spread = years.std()
    (floor,) = mixed.floors_of(_values(years), 48)
    assert floor == pytest.approx(1 / spread**2 / 12, rel=1e-8)
    # Rounding noise of another unit makes no smaller step.
    (noisy,) = mixed.floors_of(_values((years * 0.1) * 3 - years * 0.3 + years), 48)
    assert noisy == pytest.approx(floor, rel=1e-8)
    (continuous,) = mixed.floors_of(_values(np.random.default_rng(3).normal(size=3000)), 48)
    assert continuous == 2.0**-40


def test_a_look_at_few_values_says_the_same_of_steps_as_a_look_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    columns = [
        rng.normal(size=20_000),
        np.round(rng.normal(size=20_000), 2),
        np.where(rng.random(20_000) < 0.9, 0.0, rng.normal(size=20_000)),
        rng.integers(0, 3, 20_000).astype(float),
        np.round(rng.normal(size=20_000), 7),
    ]
    values = _values(*columns)
    found = mixed.floors_of(values, 48)
    monkeypatch.setattr(mixed, "_MANY_ROWS", 10**9)
    assert mixed.floors_of(values, 48) == found
    assert [floor > 2.0**-40 for floor in found] == [False, True, False, True, False]


def test_keys_and_rows_know_no_sign_and_no_unit() -> None:
    rng = np.random.default_rng(5)
    skewed, even = rng.exponential(size=40), np.repeat([-1.5, -0.5, 0.5, 1.5], 10)
    table = mixed_table([ALTERNATING], [skewed, even])
    turned = mixed_table([ALTERNATING], [-3 * skewed + 1, -even])
    first, second = MixedStatistics(table), MixedStatistics(turned)
    for v in range(3):
        assert first.sort_key(v) == second.sort_key(v)
    # The symmetric column stands twice: of its two points either may be the mirrored one.
    assert first.points() == second.points() == [0, 1, 2, 2]
    for one, other in zip(first.structures(), second.structures(), strict=True):
        assert one.certificate(range(4)) == other.certificate([0, 1, 3, 2])


def test_keys_of_both_kinds_can_be_compared() -> None:
    statistics = MixedStatistics(mixed_table([ALTERNATING], [np.arange(40.0)]))
    assert sorted([statistics.sort_key(1), statistics.sort_key(0)]) == [statistics.sort_key(0), statistics.sort_key(1)]  # type: ignore[type-var]
