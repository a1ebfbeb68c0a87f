from collections import Counter
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.naive.scores import entropy_sum, joint_counts, ln_rising
from tests.tables import categorical_table, random_categorical_table

from stablebn import _core
from stablebn.fixed_point import UNIT, integers
from stablebn.scores.discrete import loglik
from stablebn.stats import counts
from stablebn.stats.counts import Counts
from stablebn.stats.variable_sets import bit


@given(st.integers(0, 10_000), st.integers(1, 5), st.integers(3, 60), st.integers(2, 30))
@settings(max_examples=100)
def test_counts_are_the_naive_counts_dense_and_sparse(seed: int, n: int, rows: int, levels: int) -> None:
    rng = np.random.default_rng(seed)
    table = random_categorical_table(rng, n, rows, levels)
    found = Counts(table).compiled.cells(list(range(n)))
    assert sorted(found.tolist()) == sorted(joint_counts(table, range(n)).values())


@pytest.mark.parametrize("levels", [2, 40, 200])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("threads", [1, 2])
def test_changes_without_tables_are_the_naive_entropies(
    levels: int, weighted: bool, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counts, "LIMITS", _core.CountingLimits())
    counts.LIMITS.most_configurations = 0
    rng = np.random.default_rng(levels)
    plain = random_categorical_table(rng, 6, 200, levels)
    weights = rng.integers(1, 9, 200).tolist() if weighted else None
    table = categorical_table(plain.codes.tolist(), weights)
    scores = loglik(Counts(table, threads=threads))
    changes = integers(scores.changes(1, bit(4)))
    before = entropy_sum(table, [1, 4]) - entropy_sum(table, [4])
    for u in (0, 2, 3, 5):
        right = entropy_sum(table, [1, 4, u]) - entropy_sum(table, [4, u]) - before
        assert abs(Decimal(changes[u]) / UNIT - right) < Decimal("1e-12")


def test_two_threads_count_the_same_integers() -> None:
    table = random_categorical_table(np.random.default_rng(1), 8, 200_000, 4)
    one, two = (loglik(Counts(table, threads=threads)) for threads in (1, 2))
    for parents in (0b10, 0b1010, 0b11110):
        assert np.array_equal(one.changes(0, parents), two.changes(0, parents))


def test_counts_beyond_the_table_are_factored_to_the_same_integers() -> None:
    cells = np.array([1, 2, 97, 1000, 12345])
    assert _core.sum_m_ln_m(cells, 20_000) == _core.sum_m_ln_m(cells, 10)


@given(st.lists(st.integers(1, 400), min_size=1, max_size=5), st.fractions(Fraction(1, 10**6), 50))
@settings(max_examples=60)
def test_dirichlet_terms_are_the_naive_ones(cells: list[int], prior: Fraction) -> None:
    a = float(prior)
    right = sum((ln_rising(Fraction(a), m) for m in cells), Decimal(0))
    found = _core.sum_ln_rising(np.array(cells), a)
    assert abs(Decimal(found) / UNIT - right) < len(cells) * Decimal(2) ** -61


def test_large_sparse_family_is_counted_group_by_group() -> None:
    rng = np.random.default_rng(5)
    codes = [np.concatenate([np.arange(100), rng.integers(0, 100, 2900)]).tolist() for _ in range(3)]
    table = categorical_table(codes)
    found = Counts(table).compiled.cells([0, 1, 2])
    assert Counter(found.tolist()) == Counter(joint_counts(table, [0, 1, 2]).values())
