"""What is asked of continuous columns before their products are added up."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stablebn import _core

finite = st.floats(allow_nan=False, allow_infinity=False)


def _bit_range(values: list[float]) -> list[int]:
    """From the fractions that doubles are: the e for which all are below 2**e, and the last bit of any."""
    top, lowest = -1074, 1024
    for numerator, denominator in (abs(value).as_integer_ratio() for value in values if value):
        shift = denominator.bit_length() - 1
        top = max(top, numerator.bit_length() - shift)
        lowest = min(lowest, (numerator & -numerator).bit_length() - 1 - shift)
    return [top, lowest]


@given(st.lists(st.lists(finite, min_size=21, max_size=21), max_size=3), st.sampled_from([1, 2]))
def test_ranges_of_bits_are_those_of_the_fractions(columns: list[list[float]], threads: int) -> None:
    values = np.array(columns, dtype=np.float64).reshape(-1, 21)
    assert _core.bit_ranges(values, threads).tolist() == [_bit_range(column) for column in columns]


@pytest.mark.parametrize("value", [0.0, -0.0, 5e-324, -(2.0**-1022), 2.0**-1022 - 5e-324, 1.0, 1.7976931348623157e308])
def test_ranges_of_bits_at_the_edges(value: float) -> None:
    for column in ([value], [value, 0.0], [1.0] * 16 + [value]):
        assert _core.bit_ranges(np.array([column]), 1).tolist() == [_bit_range(column)]


def test_a_range_of_bits_is_that_of_all_rows() -> None:
    values = np.ones((2, 300_000))
    values[0, 299_999], values[1, 150_000] = 2.0**70, 2.0**-70
    assert _core.bit_ranges(values, 2).tolist() == [[71, 0], [1, -70]]
