"""Scores of mixed data against their slow twins, and what must hold of them to the last bit."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, permutations

import numpy as np
import pytest
from tests.naive.mixed import degenerate_family, least_variance, log_likelihood, mixed_family
from tests.naive.scores import PI, entropy_sum, ln
from tests.tables import mixed_table, random_categorical_table, random_mixed_table

from stablebn.fixed_point import NOT_A_CANDIDATE, UNIT, joined, to_float
from stablebn.scores.base import CompiledScores
from stablebn.scores.registry import ScoreConfig, family_scores
from stablebn.stats.variable_sets import bit
from stablebn.table.table import MixedTable

SCORES = ("bic", "aic", "loglik")


def _scores(table: MixedTable, score: str = "bic", threads: int = 1) -> CompiledScores:
    return family_scores(table, ScoreConfig(score), threads=threads)


def _set(variables: Sequence[int]) -> int:
    return sum(map(bit, variables))


def _parent_sets(n: int, child: int) -> list[tuple[int, ...]]:
    others = [v for v in range(n) if v != child]
    return [own for size in range(n) for own in combinations(others, size)]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("score", SCORES)
def test_family_is_the_difference_of_two_sets(score: str, weighted: bool) -> None:
    rng = np.random.default_rng(7)
    table = random_mixed_table(rng, 40, weights=rng.integers(1, 4, 40).tolist() if weighted else None)
    scores = _scores(table, score)
    for child in (1, 3):
        for parents in _parent_sets(5, child):
            right = mixed_family(table, score, child, parents)
            assert (right is not None) == scores.is_candidate(child, _set(parents))
            if right is not None:
                assert to_float(scores.family(child, _set(parents))) == pytest.approx(float(right), abs=1e-7)


def test_categories_alone_have_the_log_likelihood_of_categorical_data() -> None:
    table = random_mixed_table(np.random.default_rng(3), 50, categories=3)
    scores, categorical = _scores(table, "bic"), family_scores(table.categorical, ScoreConfig("bic"))
    for child in range(3):
        for parents in _parent_sets(3, child):
            assert scores.family(child, _set(parents)) == categorical.family(child, _set(parents))
    value = Decimal(_scores(table, "loglik").family(0, 0)) / UNIT
    assert abs(value - (entropy_sum(table.categorical, [0]) - entropy_sum(table.categorical, []))) < Decimal("1e-12")


@pytest.mark.parametrize("score", [*SCORES, "dg"])
def test_changes_lead_to_the_scores_of_the_other_families(score: str) -> None:
    scores = _scores(random_mixed_table(np.random.default_rng(2), 80), score)
    for child in range(5):
        for parents in _parent_sets(5, child):
            own = _set(parents)
            if not scores.is_candidate(child, own):
                continue
            for u, (hi, lo) in enumerate(scores.changes(child, own).tolist()):
                if u == child:
                    continue
                may = scores.is_candidate(child, own ^ bit(u))
                assert may == (hi != NOT_A_CANDIDATE)
                if may:
                    assert scores.family(child, own) + joined(hi, lo) == scores.family(child, own ^ bit(u))


@pytest.mark.parametrize("score", [*SCORES, "dg"])
def test_both_directions_of_an_arc_gain_the_same_bits(score: str) -> None:
    scores = _scores(random_mixed_table(np.random.default_rng(5), 200), score)
    for u, v in combinations(range(5), 2):
        for parents in _parent_sets(5, u):
            if v not in parents:
                there, back = scores.changes(v, _set(parents))[u], scores.changes(u, _set(parents))[v]
                assert there.tolist() == back.tolist()


@pytest.mark.parametrize("score", [*SCORES, "dg"])
def test_pairs_are_the_same_in_every_numbering(score: str) -> None:
    table = random_mixed_table(np.random.default_rng(6), 40)
    values = table.continuous.values / table.continuous.values.std(axis=1, keepdims=True)
    table = mixed_table(table.categorical.codes.tolist(), np.round(2 * values))
    scores = _scores(table, score)
    alone, changes = scores.without_parents
    for order in permutations(range(5)):
        others, gains = _scores(table.select(order), score).without_parents  # type: ignore[arg-type]
        assert others == [alone[v] for v in order]
        assert gains.tolist() == changes[np.ix_(order, order)].tolist()


def test_rows_threads_and_mirrored_columns_change_no_bit() -> None:
    rng = np.random.default_rng(8)
    table = random_mixed_table(rng, 300, numbers=4)
    order = rng.permutation(300)
    turned = mixed_table(
        table.categorical.codes[:, order].tolist(), table.continuous.values[:, order] * [[-1], [2.0**40], [-0.25], [1]]
    )
    first, second = _scores(table, "bic"), _scores(turned, "bic", threads=2)
    for child in range(6):
        for parents in _parent_sets(6, child):
            assert first.changes(child, _set(parents)).tolist() == second.changes(child, _set(parents)).tolist()


def test_other_units_change_no_bit_where_they_round() -> None:
    rng = np.random.default_rng(9)
    table = random_mixed_table(rng, 300, numbers=4)
    scaled = mixed_table(
        table.categorical.codes.tolist(),
        table.continuous.values * [[0.3], [-1e5], [1 / 7], [1e-9]] + [[1], [0], [3], [0]],
    )
    first, second = _scores(table, "bic"), _scores(scaled, "bic")
    for child in range(6):
        for parents in _parent_sets(6, child):
            assert first.changes(child, _set(parents)).tolist() == second.changes(child, _set(parents)).tolist()


def test_a_constant_column_of_a_stratum_has_the_variance_of_its_step() -> None:
    codes = [0] * 6 + [1] * 6
    values = [3.0] * 6 + [3.0, 5.0, 7.0, 3.0, 5.0, 11.0]
    table = mixed_table([codes], [values])
    own = [Fraction(x) for x in values]
    # The step is 2: (2**2) / 12.
    assert least_variance(own, [1] * 12) == Fraction(1, 3)
    second = np.var(values[6:])
    right = -3 * (ln(Fraction(1, 3)) + ln(Fraction(float(second)))) - 6 * (ln(2 * PI) + 1)
    assert to_float(_scores(table, "loglik").family(1, bit(0))) == pytest.approx(float(right), rel=1e-9)
    assert float(log_likelihood(table, [0, 1]) or 0) == pytest.approx(float(right) + 12 * float(ln(Fraction(1, 2))))


@pytest.mark.parametrize("seed", range(4))
def test_columns_of_whole_numbers_are_floored_as_the_twin_does(seed: int) -> None:
    rng = np.random.default_rng(seed)
    codes = [rng.integers(0, 3, 40).tolist(), [0, 1] * 20]
    first = np.array(codes[0]) * 4.0
    second = np.where(np.array(codes[1]) > 0, rng.integers(0, 9, 40), 5.0)
    values = [first + (rng.random(40) < 0.05), second, 2 * second + first, rng.normal(size=40)]
    table = mixed_table(codes, values)
    scores = _scores(table, "loglik")
    for child in (2, 4):
        for parents in _parent_sets(6, child):
            right = mixed_family(table, "loglik", child, parents)
            assert (right is not None) == scores.is_candidate(child, _set(parents))
            if right is not None:
                assert to_float(scores.family(child, _set(parents))) == pytest.approx(float(right), abs=1e-6, rel=1e-8)


def test_too_few_rows_in_a_configuration_bar_the_family() -> None:
    table = mixed_table([[0, 0, 0, 1, 1, 1, 1, 1]], np.random.default_rng(1).normal(size=(3, 8)))
    scores = _scores(table)
    assert scores.is_candidate(1, bit(0))
    assert not scores.is_candidate(1, bit(0) | bit(2))
    assert scores.changes(1, bit(0))[2, 0] == scores.changes(1, bit(2))[0, 0] == NOT_A_CANDIDATE
    assert scores.changes(1, bit(2))[3, 0] != NOT_A_CANDIDATE
    with pytest.raises(ValueError, match="not a candidate"):
        scores.family(1, bit(0) | bit(2))


def test_barred_families_add_nothing_to_the_second_sort_key() -> None:
    table = mixed_table([[0, 0, 1, 1, 1, 1, 1, 1]], np.random.default_rng(1).normal(size=(2, 8)))
    scores = _scores(table)
    assert scores.changes(0, 0)[:, 0].tolist()[1:] == [NOT_A_CANDIDATE] * 2
    gain = joined(*scores.changes(1, 0)[2].tolist())
    assert scores.sums_with_one_parent() == [0, gain, gain]


@pytest.mark.parametrize("weighted", [False, True])
def test_degenerate_gaussian_is_that_of_gaussian_blocks(weighted: bool) -> None:
    rng = np.random.default_rng(11)
    table = random_mixed_table(rng, 40, weights=rng.integers(1, 4, 40).tolist() if weighted else None)
    scores = _scores(table, "dg")
    for child in (1, 3):
        for parents in _parent_sets(5, child):
            right = degenerate_family(table, child, parents)
            assert to_float(scores.family(child, _set(parents))) == pytest.approx(float(right), abs=1e-6)


def test_degenerate_gaussian_of_categories_alone() -> None:
    table = random_categorical_table(np.random.default_rng(12), 4, 50)
    scores = family_scores(table, ScoreConfig("dg", k=2.0))
    for parents in _parent_sets(4, 0):
        right = degenerate_family(table, 0, parents, k=2)
        assert to_float(scores.family(0, _set(parents))) == pytest.approx(float(right), abs=1e-6)
