"""Scores of tables with holes: node averages, against a slow twin and by hand."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.naive.scores import known_rows, node_average, only_rows
from tests.preparing import prepare
from tests.tables import categorical_table, continuous_table, continuous_values, random_categorical_table, with_holes

from stablebn import _core
from stablebn.errors import OptionError
from stablebn.fixed_point import NOT_A_CANDIDATE, integers, limbs, to_float
from stablebn.scores.incomplete import CategoricalAverage, NodeAverageScores
from stablebn.scores.registry import SCORES, WITH_MISSING, ScoreConfig, family_scores, scores_from
from stablebn.stats import AvailableMoments, Counts
from stablebn.stats.variable_sets import bit, members
from stablebn.table.table import CategoricalTable, ContinuousTable, MixedTable

SEEDS = range(6)


def _categorical(seed: int) -> CategoricalTable:
    rng = np.random.default_rng(seed)
    table = random_categorical_table(rng, 5, 60)
    if seed % 2:
        table = CategoricalTable(table.names, table.codes, table.levels, rng.integers(1, 5, 60))
    holed = with_holes(table, rng, 0.2, columns=[0, 1, 3] if seed % 3 else None)
    assert isinstance(holed, CategoricalTable)
    return holed


def _continuous(seed: int) -> ContinuousTable:
    rng = np.random.default_rng(seed)
    table = continuous_table(continuous_values(rng, 5, 40), rng.integers(1, 5, 40).tolist() if seed % 2 else None)
    holed = with_holes(table, rng, 0.2, columns=[0, 1, 3] if seed % 3 else None)
    assert isinstance(holed, ContinuousTable)
    return holed


def _families(n: int) -> Iterator[tuple[int, int]]:
    for child in range(n):
        others = [u for u in range(n) if u != child]
        for size in range(4):
            for parents in combinations(others, size):
                yield child, sum(map(bit, parents))


@pytest.mark.parametrize("score", WITH_MISSING)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("make", [_categorical, _continuous])
def test_families_are_those_of_the_twin(make: type, seed: int, score: str) -> None:
    table = make(seed)
    scores = family_scores(table, ScoreConfig(score, k=0.7))
    for child, parents in _families(5):
        twin = node_average(table, score, child, members(parents), k=0.7)
        assert to_float(scores.family(child, parents)) == pytest.approx(float(twin), rel=1e-12, abs=1e-9)


@pytest.mark.parametrize("unit_free", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_changes_are_differences_of_families(seed: int, unit_free: bool) -> None:
    config = ScoreConfig()
    for statistics in (Counts(_categorical(seed)), AvailableMoments(_continuous(seed), unit_free=unit_free)):
        scores = scores_from(statistics, config)
        for child, parents in _families(5):
            changes = integers(scores.changes(child, parents))
            for u in range(5):
                if u != child:
                    now = scores.family(child, parents ^ bit(u))
                    assert changes[u] == now - scores.family(child, parents)


@pytest.mark.parametrize("seed", SEEDS)
def test_rounded_correlations_change_a_score_by_next_to_nothing(seed: int) -> None:
    exact, rounded = (
        scores_from(AvailableMoments(_continuous(seed), unit_free=unit_free), ScoreConfig())
        for unit_free in (False, True)
    )
    for child, parents in _families(5):
        assert to_float(rounded.family(child, parents) - rounded.family(child, 0)) == pytest.approx(
            to_float(exact.family(child, parents) - exact.family(child, 0)), abs=1e-6
        )


@pytest.mark.parametrize("seed", SEEDS)
def test_every_way_of_counting_gives_the_same_bits(seed: int) -> None:
    table = _categorical(seed)
    levels = [len(own) + (v in table.holes) for v, own in enumerate(table.levels)]
    holes = [v in table.holes for v in range(5)]

    def compiled(limits: _core.CountingLimits, threads: int) -> _core.NodeAverageLikelihood:
        counts = _core.Counts(table.codes, levels, table.weights, threads, limits, holes)
        return _core.NodeAverageLikelihood(counts, *limbs(3 << 60))

    by_tables, no_tables, wide = _core.CountingLimits(), _core.CountingLimits(), _core.CountingLimits()
    no_tables.most_configurations = 1
    wide.most_levels = 2
    expected = compiled(by_tables, 1)
    for limits, threads in ((no_tables, 1), (wide, 1), (no_tables, 2), (by_tables, 2)):
        other = compiled(limits, threads)
        for child, parents in _families(5):
            assert other.term(child, parents) == expected.term(child, parents)
            assert integers(other.changes(child, parents)) == integers(expected.changes(child, parents))


def test_a_small_table_by_hand() -> None:
    # v is known in six rows of eight, five of them 1; u in all; both in six.
    table = CategoricalTable(
        ("u", "v"),
        np.array([[0, 0, 0, 1, 1, 1, 0, 1], [0, 1, 1, 1, 1, 1, 2, 2]], dtype=np.uint8),
        (("a", "b"), ("0", "1")),
        holes=frozenset({1}),
    )
    scores = family_scores(table, ScoreConfig("bic"))
    of_v = 5 * math.log(5 / 6) + math.log(1 / 6)
    of_v_given_u = 2 * math.log(2 / 3) + math.log(1 / 3)
    gain = 8 / 6 * (of_v_given_u - of_v - math.log(8) / 2)
    of_u = 8 * math.log(1 / 2) - math.log(8) / 2
    assert to_float(scores.family(1, 0)) == pytest.approx(8 / 6 * of_v - math.log(8) / 2, rel=1e-15)
    assert to_float(scores.family(1, bit(0)) - scores.family(1, 0)) == pytest.approx(gain, rel=1e-15)
    assert to_float(scores.family(0, 0)) == pytest.approx(of_u, rel=1e-15)
    # The gain is of the same six rows in either direction, though u alone is known in all.
    assert scores.family(0, bit(1)) - scores.family(0, 0) == scores.family(1, bit(0)) - scores.family(1, 0)
    assert isinstance(scores, NodeAverageScores)
    assert [scores.complete_rows(0, 0), scores.complete_rows(1, 0), scores.complete_rows(0, bit(1))] == [8, 6, 6]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("make", [_categorical, _continuous])
def test_both_directions_of_a_first_arc_tie(make: type, seed: int) -> None:
    scores = family_scores(make(seed), ScoreConfig())
    for u, v in combinations(range(5), 2):
        there, back = (scores.family(b, bit(a)) - scores.family(b, 0) for a, b in ((u, v), (v, u)))
        assert there == back


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", ["categorical", "continuous"])
def test_both_directions_tie_where_the_rows_are_the_same(seed: int, kind: str) -> None:
    """Columns that are unknown together are scored as a table of their own."""
    rng = np.random.default_rng(seed)
    together, unknown = frozenset(range(3)), rng.random(50) < 0.3
    table: CategoricalTable | ContinuousTable
    if kind == "categorical":
        whole = random_categorical_table(rng, 4, 50)
        codes = whole.codes.copy()
        for v in together:
            codes[v, unknown] = len(whole.levels[v])
        table = CategoricalTable(whole.names, codes, whole.levels, holes=together)
    else:
        values = np.array(continuous_values(rng, 4, 50))
        values[:3, unknown] = np.nan
        table = ContinuousTable(("a", "b", "c", "d"), values, holes=together)
    scores = family_scores(table, ScoreConfig())
    for u, v, w in permutations(range(3)):
        there, back = (scores.family(b, bit(a) | bit(w)) - scores.family(b, bit(w)) for a, b in ((u, v), (v, u)))
        assert there == back


@pytest.mark.parametrize("make", [_categorical, _continuous])
def test_the_strongest_parent_is_weighed_first_on_its_own_rows(make: type) -> None:
    for seed in SEEDS:
        table = make(seed)
        scores = family_scores(table, ScoreConfig("loglik"))
        compiled = scores.compiled
        assert isinstance(compiled, _core.NodeAverageScores)
        for child, parents in _families(5):
            steps = compiled.steps(child, parents)
            if not steps:
                continue
            first, rows = steps[0]
            gains = {u: scores.family(child, bit(u)) - scores.family(child, 0) for u in members(parents)}
            assert gains[first] == max(gains.values())
            assert rows == compiled.complete_rows(bit(child) | bit(first))
            assert [rows for _, rows in steps] == sorted((rows for _, rows in steps), reverse=True)
            assert steps[-1][1] == compiled.complete_rows(bit(child) | parents)


def test_the_scores_of_a_class_differ_and_say_so() -> None:
    table = _categorical(0)
    assert not family_scores(table, ScoreConfig()).score_equivalent


def test_families_without_a_complete_row_are_no_candidates() -> None:
    codes = categorical_table([[0, 1, 0, 1, 2, 2], [2, 2, 2, 0, 1, 1], [0, 1, 1, 0, 1, 0]])
    table = CategoricalTable(codes.names, codes.codes, (("a", "b"),) * 3, holes=frozenset({0, 1}))
    # 0 and 1 are both known in one row, the fourth; without it in none.
    scores = family_scores(table, ScoreConfig())
    assert scores.is_candidate(0, bit(1))
    few = np.delete(table.codes, 3, axis=1)
    few[1, 3] = 0
    table = CategoricalTable(table.names, few, table.levels, holes=table.holes)
    scores = family_scores(table, ScoreConfig())
    assert not scores.is_candidate(0, bit(1))
    assert not scores.is_candidate(0, bit(1) | bit(2))
    assert scores.changes(0, 0)[1, 0] == NOT_A_CANDIDATE
    assert scores.changes(0, bit(2))[1, 0] == NOT_A_CANDIDATE
    assert scores.changes(0, 0)[2, 0] != NOT_A_CANDIDATE


def test_gaussian_families_need_more_rows_than_parents_and_columns_that_vary() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(size=(3, 10))
    values[0, 6:] = np.nan
    values[1, :3] = np.nan
    table = ContinuousTable(("a", "b", "c"), values, holes=frozenset({0, 1}))
    scores = family_scores(table, ScoreConfig())
    # a and b are both known in three rows, too few for one parent.
    assert known_rows(table, [0, 1]).sum() == 3
    assert not scores.is_candidate(0, bit(1))
    assert scores.changes(0, 0)[1, 0] == NOT_A_CANDIDATE
    assert scores.is_candidate(0, bit(2))
    # With one row more there are enough; but not if b does not vary in them.
    values[1, 2] = 0.5
    assert family_scores(table, ScoreConfig()).is_candidate(0, bit(1))
    values[1, 2:6] = 0.5
    assert not family_scores(table, ScoreConfig()).is_candidate(0, bit(1))


@pytest.mark.parametrize("score", [score for score in SCORES if score not in WITH_MISSING])
def test_other_scores_are_refused(score: str) -> None:
    table = _continuous(1) if score == "bge" else _categorical(1)
    with pytest.raises(OptionError, match=r"bic, aic, loglik"):
        family_scores(table, ScoreConfig(score))


@pytest.mark.parametrize("total", [2**28, 2**33, 2**40])
@pytest.mark.parametrize("seed", SEEDS[:3])
def test_many_rows_have_no_effect_on_the_fixed_point(seed: int, total: int) -> None:
    """The largest weights that a table may have: sums of 128 bits must not wrap around."""
    table = _continuous(seed)
    weights = np.full(40, total // 40)
    heavy = ContinuousTable(table.names, table.values, weights, table.holes)
    scores = family_scores(heavy, ScoreConfig("loglik"))
    for child, parents in _families(5):
        twin = node_average(heavy, "loglik", child, members(parents))
        # Values are counted in steps of 2**-21 deviations, where there are 2**40 rows.
        error = 1e-9 if total <= 2**28 else 1e-6
        assert to_float(scores.family(child, parents)) == pytest.approx(float(twin), rel=error)
    counts = _categorical(seed)
    heavy_counts = CategoricalTable(counts.names, counts.codes, counts.levels, np.full(60, total // 60), counts.holes)
    averages = family_scores(heavy_counts, ScoreConfig("loglik"))
    assert isinstance(averages, CategoricalAverage)
    for child, parents in _families(5):
        twin = node_average(heavy_counts, "loglik", child, members(parents))
        assert to_float(averages.family(child, parents)) == pytest.approx(float(twin), rel=1e-12)


def _mixed(seed: int) -> MixedTable:
    rng = np.random.default_rng(seed)
    categories = with_holes(random_categorical_table(rng, 2, 80, levels=2), rng, 0.15)
    numbers = with_holes(continuous_table(continuous_values(rng, 3, 80)), rng, 0.15, columns=[0, 2])
    weights = rng.integers(1, 4, 80) if seed % 2 else None
    names = tuple(f"m{v}" for v in range(5))
    return MixedTable(
        names,
        CategoricalTable(names[:2], categories.codes, categories.levels, weights, categories.holes),
        ContinuousTable(names[2:], numbers.values, weights, numbers.holes),
    )


def _known_part(table: MixedTable, family: Sequence[int]) -> Any:
    """The rows in which some variables are known."""
    known = np.ones(80, dtype=np.bool_)
    for v in family:
        known &= known_rows(table.categorical, [v]) if v < 2 else known_rows(table.continuous, [v - 2])
    parts = only_rows(table.categorical, known), only_rows(table.continuous, known)
    return MixedTable(table.names, *parts)


def _mixed_gain(table: MixedTable, child: int, given: Sequence[int], parent: int) -> tuple[float, int] | None:
    """The mean gain of a parent over its rows, by the score without holes of these alone; and how many they are."""
    family = sorted([child, parent, *given])
    part = _known_part(table, family)
    alone = family_scores(part.select(family), ScoreConfig("loglik"))
    before = sum(bit(family.index(u)) for u in given)
    after, at = before | bit(family.index(parent)), family.index(child)
    if not (alone.is_candidate(at, before) and alone.is_candidate(at, after)):
        return None
    return to_float(alone.family(at, after) - alone.family(at, before)) / part.total, part.total


def _mixed_alone(table: MixedTable, child: int) -> float:
    """The mean log-likelihood of a variable in the rows in which it is known."""
    part = _known_part(table, [child]).select([child])
    if isinstance(part, CategoricalTable):
        return to_float(family_scores(part, ScoreConfig("loglik")).family(0, 0)) / part.total
    values = np.repeat(part.values[0], 1 if part.weights is None else part.weights)
    return float(-(math.log(2 * math.pi * values.var()) + 1) / 2)


@pytest.mark.parametrize("score", WITH_MISSING)
@pytest.mark.parametrize("seed", SEEDS)
def test_mixed_families_are_gains_in_the_rows_that_are_known(seed: int, score: str) -> None:
    table = _mixed(seed)
    scores = family_scores(table, ScoreConfig(score))
    assert isinstance(scores, NodeAverageScores)
    unit = {"bic": math.log(table.total) / 2, "aic": 1.0, "loglik": 0.0}[score]
    for child, parents in _families(5):
        expected = table.total * _mixed_alone(table, child) - unit * scores.free_parameters(child, [])
        given: list[int] = []
        left = members(parents)
        while left:
            own = {u: gain for u in left if (gain := _mixed_gain(table, child, given, u)) is not None}
            if not own:
                break
            best = max(own, key=lambda u: own[u][0])
            free = scores.free_parameters(child, [*given, best]) - scores.free_parameters(child, given)
            expected += table.total * (own[best][0] - unit * free / own[best][1])
            given.append(best)
            left = [u for u in left if u != best]
        assert scores.is_candidate(child, parents) == (not left)
        if not left:
            assert to_float(scores.family(child, parents)) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("seed", SEEDS)
def test_mixed_changes_are_differences_of_families(seed: int) -> None:
    scores = family_scores(_mixed(seed), ScoreConfig())
    for child, parents in _families(5):
        if not scores.is_candidate(child, parents):
            continue
        changes = scores.changes(child, parents)
        for u in range(5):
            if u == child:
                continue
            now = parents ^ bit(u)
            if scores.is_candidate(child, now):
                assert integers(changes)[u] == scores.family(child, now) - scores.family(child, parents)
            else:
                assert changes[u, 0] == NOT_A_CANDIDATE


def _moments_of(values: NDArray[np.float64]) -> AvailableMoments:
    table = prepare({f"x{v}": own for v, own in enumerate(values.T)}, missing="available").table
    assert isinstance(table, ContinuousTable)
    return AvailableMoments(table)


def test_correlations_of_pairs_are_those_of_the_rows_that_both_have() -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(size=(400, 5)) @ (np.eye(5) + 0.2)
    values[rng.random(values.shape) < 0.1] = np.nan
    moments = _moments_of(values)
    found = moments.compiled.correlations_of_pairs()
    for u in range(5):
        for v in range(5):
            own = values[~np.isnan(values[:, [u, v]]).any(axis=1)]
            assert found[u, v] == pytest.approx(np.corrcoef(own[:, u], own[:, v])[0, 1], abs=1e-9)
    assert (moments.compiled.correlations_of_pairs(threads=3) == found).all()


def test_correlations_of_pairs_that_contradict_each_other_are_shrunk() -> None:
    rng = np.random.default_rng(4)
    values = np.full((300, 3), np.nan)
    for part, (u, v, sign) in enumerate([(0, 1, 1), (0, 2, 1), (1, 2, -1)]):
        own = rng.normal(size=100)
        values[100 * part : 100 * part + 100, u] = own
        values[100 * part : 100 * part + 100, v] = sign * own + 0.1 * rng.normal(size=100)
    found = _moments_of(values).compiled.correlations_of_pairs()
    assert np.linalg.eigvalsh(found).min() > 0
    assert (np.sign(found) == [[1, 1, 1], [1, 1, -1], [1, -1, 1]]).all()
