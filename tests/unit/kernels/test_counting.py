from collections import Counter
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.naive.scores import entropy_sum, joint_counts, ln_rising
from tests.tables import categorical_table, random_categorical_table

from stablebn.kernels import counting
from stablebn.kernels.logarithm import UNIT, joined, m_ln_m_table
from stablebn.stats.counts import Counts


@given(st.integers(0, 10_000), st.integers(1, 5), st.integers(3, 60), st.integers(2, 30))
@settings(max_examples=100)
def test_counts_are_the_naive_counts_dense_and_sparse(seed: int, n: int, rows: int, levels: int) -> None:
    rng = np.random.default_rng(seed)
    table = random_categorical_table(rng, n, rows, levels)
    found = Counts(table).cells(range(n))
    assert sorted(found.tolist()) == sorted(joint_counts(table, range(n)).values())


@pytest.mark.parametrize("levels", [2, 40])
@pytest.mark.parametrize("weighted", [False, True])
def test_extensions_are_the_naive_entropies(levels: int, weighted: bool) -> None:
    rng = np.random.default_rng(levels)
    plain = random_categorical_table(rng, 6, 200, levels)
    weights = rng.integers(1, 9, 200).tolist() if weighted else None
    table = categorical_table(plain.codes.tolist(), weights)
    counts = Counts(table)
    terms = counts.extension_sums([1, 4], np.array([0, 2, 3, 5]), table=m_ln_m_table(table.total + 1))
    for u in (0, 2, 3, 5):
        right = entropy_sum(table, [1, 4, u])
        assert abs(Decimal(joined(*terms[u])) / UNIT - right) < Decimal("1e-13")


def test_two_threads_count_the_same_integers() -> None:
    table = random_categorical_table(np.random.default_rng(1), 8, 200_000, 4)
    candidates = np.arange(1, 8)
    m_ln_m = m_ln_m_table(table.total + 1)
    one, two = (Counts(table, threads=threads).extension_sums([0], candidates, table=m_ln_m) for threads in (1, 2))
    assert np.array_equal(one, two)


def test_counts_beyond_the_table_are_factored_to_the_same_integers() -> None:
    cells = np.array([1, 2, 97, 1000, 12345])
    assert counting.sum_m_ln_m(cells, m_ln_m_table(20_000)) == counting.sum_m_ln_m(cells, m_ln_m_table(10))


@given(st.lists(st.integers(1, 400), min_size=1, max_size=5), st.fractions(Fraction(1, 10**6), 50))
@settings(max_examples=60)
def test_dirichlet_terms_are_the_naive_ones(cells: list[int], prior: Fraction) -> None:
    a = float(prior)
    right = sum((ln_rising(Fraction(a), m) for m in cells), Decimal(0))
    found = joined(*counting.sum_ln_rising(np.array(cells), a))
    assert abs(Decimal(found) / UNIT - right) < len(cells) * Decimal(2) ** -61


def test_large_sparse_family_allocates_no_more_cells_than_rows() -> None:
    rng = np.random.default_rng(5)
    codes = [np.concatenate([np.arange(100), rng.integers(0, 100, 2900)]).tolist() for _ in range(3)]
    counts = Counts(categorical_table(codes))
    _, groups = counts.partition([0, 1])
    assert groups <= 3000
    assert Counter(counts.cells([0, 1, 2]).tolist()) == Counter(joint_counts(counts.table, [0, 1, 2]).values())
