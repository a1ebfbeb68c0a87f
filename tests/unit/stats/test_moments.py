from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.naive.scores import cross_products
from tests.tables import continuous_table

from stablebn.stats.moments import Moments


def _assert_exact(values: NDArray[np.float64], weights: list[int] | None = None) -> None:
    table = continuous_table(values, weights)
    right = cross_products(table)
    matrix = Moments(table).cross_products()
    for u in range(len(right)):
        assert 1 <= matrix.entries[u, u] < 4
        for v in range(len(right)):
            shift = int(matrix.exponents[u] + matrix.exponents[v])
            assert matrix.entries[u, v] == float(right[u][v] * Fraction(2) ** -shift)


@pytest.mark.parametrize("rows", [4, 100])
@pytest.mark.parametrize("weighted", [False, True])
def test_cross_products_are_the_exact_ones_rounded_once(rows: int, weighted: bool) -> None:
    rng = np.random.default_rng(rows)
    values = rng.normal(size=(4, rows)) * np.array([[1e-7], [1.0], [1e9], [0.1]]) + np.array([[0], [1e6], [0], [5]])
    _assert_exact(values, rng.integers(1, 100_000, rows).tolist() if weighted else None)


finite = st.floats(-1e6, 1e6, allow_subnormal=False).map(lambda x: x if abs(x) > 1e-6 else 0.0)


@given(st.lists(st.tuples(finite, finite, finite), min_size=4, max_size=12))
@settings(max_examples=150)
def test_any_numbers_are_summed_exactly(rows: list[tuple[float, float, float]]) -> None:
    values = np.array(rows).T
    if all(np.ptp(column) > 0 for column in values):
        _assert_exact(values)


def test_huge_and_tiny_units_do_not_overflow() -> None:
    values = np.random.default_rng(1).normal(size=(3, 20))
    plain = Moments(continuous_table(values)).cross_products()
    for unit in (2.0**900, 2.0**-900):
        scaled = Moments(continuous_table(values * unit)).cross_products()
        assert np.array_equal(plain.entries, scaled.entries)


def test_order_and_blocks_of_rows_cannot_matter() -> None:
    rng = np.random.default_rng(2)
    values = rng.normal(size=(5, 20_000))
    plain = Moments(continuous_table(values)).cross_products()
    other = Moments(continuous_table(values[:, rng.permutation(20_000)])).cross_products()
    assert np.array_equal(plain.entries, other.entries)
    assert np.array_equal(plain.exponents, other.exponents)


def test_weights_are_repeated_rows() -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(size=(3, 50))
    weights = rng.integers(1, 600, 50)
    weighted = Moments(continuous_table(values, weights.tolist())).cross_products()
    repeated = Moments(continuous_table(np.repeat(values, weights, axis=1))).cross_products()
    assert np.array_equal(weighted.entries, repeated.entries)
    assert np.array_equal(weighted.exponents, repeated.exponents)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("threads", [1, 2])
def test_many_columns_are_summed_as_few_are(weighted: bool, threads: int) -> None:
    # So many slices that their products are added up in several bands, and the last is a narrow one.
    rng = np.random.default_rng(4)
    values = rng.normal(size=(701, 1_100))
    weights = rng.integers(1, 300, 1_100).tolist() if weighted else None
    entries = Moments(continuous_table(values, weights), threads=threads).cross_products().entries
    for some in np.array_split(rng.permutation(701), 5):
        few = Moments(continuous_table(values[some], weights)).cross_products().entries
        assert np.array_equal(entries[np.ix_(some, some)], few)
