"""Candidate parent sets are those that brute force finds, and the published numbers of them."""

from __future__ import annotations

import csv
import math
from itertools import product

import numpy as np
import pytest
from tests.drawn import SCORES
from tests.known import drawn_knowledge
from tests.naive.best_parents import all_families, naive_candidates
from tests.shared import SHARED, needs_shared
from tests.tables import (
    categorical_table,
    continuous_table,
    continuous_values,
    random_categorical_table,
)

from stablebn import _core
from stablebn.knowledge.constraints import Constraints
from stablebn.scores.base import CompiledScores
from stablebn.scores.registry import ScoreConfig, family_scores
from stablebn.search import parent_sets as module_of_candidates
from stablebn.search.parent_sets import MOST_SCORED, candidate_sets, found_by, listed
from stablebn.table.table import CategoricalTable, ContinuousTable, MixedTable, Table


def drawn_table(kind: str, seed: int, n: int = 6) -> Table:
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(20, 300))
    if kind == "categorical":
        return random_categorical_table(rng, n, rows, levels=int(rng.integers(2, 5)))
    if kind == "continuous":
        return continuous_table(np.array(continuous_values(rng, n, rows)))
    names = tuple(f"m{v}" for v in range(n))
    categories = random_categorical_table(rng, n // 2, rows, levels=2)
    numbers = np.array(continuous_values(rng, n - n // 2, rows))
    return MixedTable(
        names,
        CategoricalTable(names[: n // 2], categories.codes, categories.levels),
        ContinuousTable(names[n // 2 :], numbers),
    )


def drawn_constraints(seed: int | str, scores: CompiledScores) -> Constraints | None:
    """Constraints on the graphs; None if there are too few rows for the required parents."""
    forbidden, required, most_parents = drawn_knowledge(seed, scores.n)
    drawn = Constraints.of(scores.n, forbidden=forbidden, required=required, most_parents=most_parents)
    return drawn if all(map(scores.is_candidate, range(scores.n), drawn.required)) else None


def _assert_twins(
    scores: CompiledScores, max_parents: int | None = None, constraints: Constraints | None = None
) -> None:
    found = candidate_sets(scores, max_parents=max_parents, constraints=constraints)
    assert found.complete
    for child in range(scores.n):
        naive = naive_candidates(all_families(scores, child, max_parents=max_parents, constraints=constraints))
        assert list(zip(found.scores[child], found.sets[child], strict=True)) == naive


@pytest.mark.parametrize(("kind", "score"), [(kind, score) for kind in SCORES for score in SCORES[kind]])
def test_candidates_are_those_of_brute_force(kind: str, score: str) -> None:
    for seed in range(6):
        scores = family_scores(drawn_table(kind, seed), ScoreConfig(score), threads=1 + seed % 2)
        drawn = [drawn_constraints(f"{seed} {of}", scores) for of in range(3)]
        for max_parents, constraints in product((None, 2), (None, *drawn)):
            _assert_twins(scores, max_parents, constraints)


@pytest.mark.parametrize(("score", "option"), [("bic", 0.1), ("bic", 5.0), ("bde", 0.01), ("bde", 50.0), ("bds", 20.0)])
def test_bounds_hold_for_weak_and_strong_penalties_and_priors(score: str, option: float) -> None:
    config = ScoreConfig(score, k=option) if score == "bic" else ScoreConfig(score, iss=option)
    for seed in range(20, 24):
        _assert_twins(family_scores(drawn_table("categorical", seed), config))


# With more levels sets are no longer counted by the bits of configurations that occur: some of them, and then none.
@pytest.mark.parametrize("levels", [(2, 3, 30, 2, 40), (60, 50, 3, 70, 4), (2, 150, 3, 2, 4), (2, 2, 2, 2, 2)])
@pytest.mark.parametrize("weighted", [False, True])
def test_sets_of_many_levels_have_the_candidates_of_brute_force(levels: tuple[int, ...], *, weighted: bool) -> None:
    rng = np.random.default_rng(sum(levels))
    codes = [rng.integers(0, own, 2000) for own in levels]
    # Some of them depend on each other, and not every configuration occurs.
    codes[0] = (codes[3] + (rng.random(2000) < 0.1)) % levels[0]
    codes[4] = (codes[1] + codes[2] * (rng.random(2000) < 0.8).astype(int)) % levels[4]
    dense = [np.unique(own, return_inverse=True)[1].tolist() for own in codes]
    weights = rng.integers(1, 4, 2000).tolist() if weighted else None
    for score, threads in product(("loglik", "aic", "bic"), (1, 2)):
        _assert_twins(family_scores(categorical_table(dense, weights), ScoreConfig(score), threads=threads))


def test_copies_and_nearly_collinear_columns_have_the_candidates_of_brute_force() -> None:
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 3, (4, 80))
    _assert_twins(family_scores(categorical_table([*codes, codes[0], codes[1]]), ScoreConfig("bic")))
    values = np.array(continuous_values(rng, 4, 60))
    nearly = values[0] + 1e-5 * rng.normal(size=60)
    for extra in ([values[0]], [nearly], [values[1] + values[2]], [nearly, values[0] - values[3]]):
        _assert_twins(family_scores(continuous_table(np.array([*values, *extra])), ScoreConfig("bic")))


def test_a_limit_omits_full_levels_and_bounds_their_scores() -> None:
    for score, seed in product(("bic", "bde", "k2"), range(4)):
        scores = family_scores(drawn_table("categorical", seed, 7), ScoreConfig(score))
        whole = candidate_sets(scores)
        for limit in (0, 42, 150, 400):
            found = candidate_sets(scores, most_scored=limit)
            assert found.scored <= limit
            if found.complete:
                assert found.sets == whole.sets
                continue
            for child in range(7):
                families = all_families(scores, child, max_parents=found.most_parents)
                kept = list(zip(found.scores[child], found.sets[child], strict=True))
                assert kept == naive_candidates(families)
                left_out = [
                    own for own in zip(whole.sets[child], whole.scores[child], strict=True) if own[0] not in families
                ]
                beyond = found.beyond[child]
                assert beyond is not None
                assert all(own <= beyond for _, own in left_out)


@pytest.mark.parametrize("score", ["bic", "bde", "k2", "qnml"])
def test_bounds_that_take_less_time_are_looser_and_hold(score: str) -> None:
    looser = 0
    for seed in range(4):
        scores = family_scores(drawn_table("categorical", seed, 7), ScoreConfig(score))
        search = listed(scores, most_scored=150)
        if search.complete:
            continue
        for v in range(7):
            # Less time than a bound takes is enough for one: that of the required parents.
            found = [search.most_beyond(v, nanoseconds) for nanoseconds in (math.inf, 2e4, 8e3, 0.0)]
            bounds = [own for own in found if own is not None]
            assert len(bounds) == len(found)
            assert bounds == sorted(bounds)
            looser += bounds[0] < bounds[-1]
    assert looser


@pytest.mark.parametrize("is_late_before", [True, False])
def test_once_the_time_is_up_bounds_take_little_work(is_late_before: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a table of 8,124 rows they took two seconds after the time was up."""

    def stop(*arguments: object) -> None:
        raise _core.TimeIsUp

    scores = family_scores(drawn_table("categorical", 0, 7), ScoreConfig("bde"))
    search = listed(scores, most_scored=150)
    full = found_by(search, scores).beyond
    monkeypatch.setattr(module_of_candidates, "_NANOSECONDS_LATE", 0.0)
    monkeypatch.setattr(_core, "within_time", stop)
    late = found_by(search, scores, time_is_up=lambda: is_late_before).beyond
    alone, _ = scores.without_parents
    quick = (search.most_beyond(v, 0.0) for v in range(7))
    assert late == tuple(None if own is None else own + alone[v] for v, own in enumerate(quick))
    assert late != full


def test_scores_without_a_bound_say_so_at_the_limit() -> None:
    scores = family_scores(drawn_table("continuous", 1, 7), ScoreConfig("bge"))
    found = candidate_sets(scores, most_scored=60)
    assert (found.complete, found.most_parents) == (False, 1)
    assert found.beyond == (None,) * 7


def test_time_that_is_up_leaves_levels_that_are_done() -> None:
    scores = family_scores(drawn_table("categorical", 1), ScoreConfig("bic"))
    told: list[tuple[str, int]] = []
    found = candidate_sets(scores, time_is_up=lambda: True, watch=lambda *own: told.append(own))
    assert told
    assert set(candidate_sets(scores).sets[0]) >= set(found.sets[0])


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_and_small_parts_change_nothing(threads: int) -> None:
    table = drawn_table("categorical", 8)
    scores = family_scores(table, ScoreConfig("bic"), threads=threads)
    search = _core.CandidateSearch(scores.compiled, None, [0] * 6, [6] * 6, 10**6, 10**6)
    while not search.go_on(0.0):
        pass
    whole = candidate_sets(family_scores(table, ScoreConfig("bic")))
    assert [len(search.candidates(v)[0]) for v in range(6)] == list(map(len, whole.sets))


@needs_shared
@pytest.mark.parametrize(
    ("name", "count"),
    [("wine", 471), ("insurance1000", 506), pytest.param("alarm1000", 1002, marks=pytest.mark.slow)],
)
def test_published_numbers_of_candidates(name: str, count: int) -> None:
    with (SHARED / "optimum" / f"{name}.csv").open() as file:
        columns = zip(*csv.reader(file), strict=True)
        codes = [np.unique(column, return_inverse=True)[1].tolist() for column in columns]
    scores = family_scores(categorical_table(codes), ScoreConfig("bic"), threads=2)
    assert len(candidate_sets(scores)) == count


@pytest.mark.parametrize("score", ["bic", "qnml"])
def test_counts_of_all_sets_worked_out_beforehand_change_nothing(score: str) -> None:
    # Enough rows and variables that computing the sets in advance pays; with weights it is not done.
    rng = np.random.default_rng(3)
    n = 12
    values = np.zeros((n, 40_000), dtype=np.int64)
    for v in range(n):
        noise = rng.integers(0, 3 if v == 4 else 2, values.shape[1])
        values[v] = np.where(rng.random(values.shape[1]) < 0.5, noise, values[rng.integers(0, v)] % 2 if v else noise)
    rows, counts = np.unique(values, axis=1, return_counts=True)
    tables = categorical_table(values.tolist()), categorical_table(rows.tolist(), counts.tolist())
    found = [candidate_sets(family_scores(table, ScoreConfig(score))) for table in tables]
    assert found[0].scored > 5000
    assert found[0] == found[1]


def test_of_incomplete_lists_few_sets_are_kept_when_it_is_late(monkeypatch: pytest.MonkeyPatch) -> None:
    # To make a set takes microseconds, and there may be 150,000.
    monkeypatch.setattr(module_of_candidates, "_MOST_KEPT_LATE", 3)
    scores = family_scores(drawn_table("continuous", 1, n=8), ScoreConfig("loglik"))
    search = listed(scores, most_scored=8 * (1 + 7 + 21))
    full, late = found_by(search, scores), found_by(search, scores, time_is_up=lambda: True)
    assert not full.complete
    assert min(map(len, full.sets)) > 4
    for v in range(8):
        assert late.sets[v][:3] == full.sets[v][:3]
        assert len(late.sets[v]) <= 4
    assert found_by(listed(scores), scores, time_is_up=lambda: True) == candidate_sets(scores)


def test_all_sets_of_22_variables_may_be_scored_by_default() -> None:
    assert MOST_SCORED >= 22 * 2**21
