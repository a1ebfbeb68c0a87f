"""The DAGs within a margin of the best are those of brute force, each once; limits and components change nothing."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from tests.drawn import SCORES
from tests.known import random_forbidden
from tests.naive.best_parents import all_dags, all_families, subsets
from tests.tables import categorical_table
from tests.unit.search.test_parent_sets import drawn_table

from stablebn.exact import lp as linear
from stablebn.exact import near_dags as near
from stablebn.exact import proof
from stablebn.exact.components import components
from stablebn.exact.near_dags import NearDags, TooLargeError, near_dags
from stablebn.fixed_point import UNIT
from stablebn.scores.base import CompiledScores
from stablebn.scores.registry import ScoreConfig, family_scores
from stablebn.search import Constraints
from stablebn.search.parent_sets import candidate_sets
from stablebn.table.table import CategoricalTable, Table

MARGINS = (0, UNIT // 100, 11 * UNIT // 10, 5 * UNIT)


def _chain(n: int, rows: int, seed: int, noise: float = 0.3) -> CategoricalTable:
    """Each variable depends on an earlier one, weakly by default, so very many DAGs score nearly the same."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, 2, rows)]
    while len(columns) < n:
        copied = columns[int(rng.integers(0, len(columns)))]
        columns.append(np.where(rng.random(rows) < noise, rng.integers(0, 2, rows), copied))
    return categorical_table([column.tolist() for column in columns])


def _listed(scores: CompiledScores, within: int, limit: int = 10**6, **limits: object) -> NearDags:
    return near_dags(candidate_sets(scores, within=within, **limits), within, limit)  # type: ignore[arg-type]


def _sorted(dags: list[tuple[int, tuple[int, ...]]]) -> list[tuple[int, tuple[int, ...]]]:
    most = max(score for score, _ in dags)
    return sorted((most - score, parents) for score, parents in dags)


def _twins(found: NearDags, brute: list[tuple[int, tuple[int, ...]]], within: int) -> None:
    listed = list(zip(found.below, found.parents, strict=True))
    assert list(found.below) == sorted(found.below)
    assert sorted(listed) == [own for own in brute if own[0] <= within]


@pytest.mark.parametrize(("kind", "score"), [(kind, score) for kind in SCORES for score in SCORES[kind]])
def test_dags_within_a_margin_are_those_of_brute_force(kind: str, score: str) -> None:
    for seed in range(3):
        scores = family_scores(drawn_table(kind, 40 + seed, 4), ScoreConfig(score))
        constraints = Constraints.of(4, forbidden=random_forbidden(seed, 4, 0.3))
        for obeyed, max_parents in ((None, None), (constraints, 1 + seed % 3)):
            families = [all_families(scores, v, constraints=obeyed, max_parents=max_parents) for v in range(4)]
            dags = list(all_dags(families))
            brute = _sorted(dags)
            for within in MARGINS:
                found = _listed(scores, within, constraints=obeyed, max_parents=max_parents)
                assert (found.best, found.covered) == (max(dags)[0], within)
                _twins(found, brute, within)


def test_five_variables_and_margins_that_hold_very_many() -> None:
    for seed, score in enumerate(("bic", "k2")):
        scores = family_scores(_chain(5, 40, seed), ScoreConfig(score))
        # Families that are never within the margin are left out here too, so that brute force is quick.
        within = 4 * UNIT
        candidates = candidate_sets(scores, within=within, max_parents=2)
        families = [dict(zip(*own, strict=True)) for own in zip(candidates.sets, candidates.scores, strict=True)]
        found = near_dags(candidates, within, 10**6)
        assert len(found.parents) > 30
        _twins(found, _sorted(list(all_dags(families))), within)


@pytest.mark.parametrize(("kind", "score"), [(kind, score) for kind in SCORES for score in SCORES[kind]])
def test_a_set_is_dropped_only_if_a_subset_scores_more_than_the_margin_more(kind: str, score: str) -> None:
    dropped = 0
    tables: list[Table] = [drawn_table(kind, 50 + seed, 5) for seed in range(3)]
    if kind == "categorical":
        # Nearly copies: what is left to know of them is about as much as a parameter costs.
        tables += [_chain(5, 20, seed, noise=0.1) for seed in range(3)]
    for table in tables:
        scores = family_scores(table, ScoreConfig(score))
        for within in MARGINS:
            found = candidate_sets(scores, within=within)
            assert found.complete
            for child in range(5):
                families = all_families(scores, child)
                kept = {
                    own: value
                    for own, value in families.items()
                    if all(families[less] <= value + within for less in subsets(own))
                }
                assert dict(zip(found.sets[child], found.scores[child], strict=True)) == kept
                dropped += len(families) - len(kept)
    assert dropped or score == "loglik"


def test_where_there_are_too_many_the_margin_shrinks_and_equals_stay_together() -> None:
    for seed, score in enumerate(("bic", "aic", "k2", "bic")):
        scores = family_scores(_chain(4, 40, seed), ScoreConfig(score))
        whole = _listed(scores, 5 * UNIT)
        assert len(whole.parents) > 40
        for limit in (1, 2, 7, 20, 40, len(whole.parents)):
            found = _listed(scores, 5 * UNIT, limit)
            cut = len(found.parents)
            assert cut <= limit
            assert found.parents == whole.parents[:cut]
            assert found.best == whole.best
            if cut == len(whole.parents):
                assert found.covered == 5 * UNIT
                continue
            # One more unit, and there are more than the limit.
            assert all(below <= found.covered for below in found.below)
            assert sum(below <= found.covered + 1 for below in whole.below) > limit


def test_components_make_every_pair_of_their_dags() -> None:
    rng = np.random.default_rng(2)
    columns = []
    for _ in range(2):
        first = rng.integers(0, 2, 4000)
        columns += [first, np.where(rng.random(4000) < 0.2, 1 - first, first)]
    scores = family_scores(categorical_table([column.tolist() for column in columns]), ScoreConfig("bic"))
    within = UNIT
    assert len(components(candidate_sets(scores, within=within))) == 2
    found = _listed(scores, within)
    _twins(found, _sorted(list(all_dags([all_families(scores, v) for v in range(4)]))), within)
    # Either arc, both times.
    assert len(found.parents) == 4
    assert _listed(scores, within, 3).parents == ()


def test_each_dag_of_many_variables_is_listed_once() -> None:
    scores = family_scores(_chain(9, 40, 1), ScoreConfig("bic"))
    found = _listed(scores, 3 * UNIT)
    assert len(set(found.parents)) == len(found.parents) > 100
    assert all(found.best - scores.dag(own) == below for own, below in zip(found.parents, found.below, strict=True))
    # The limit is met in the middle of the search, and what is left is the same.
    for limit in (10, 100):
        fewer = _listed(scores, 3 * UNIT, limit)
        assert fewer.parents == found.parents[: len(fewer.parents)]
    assert all(a <= b for a, b in pairwise(found.below))


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave to the table of subsets only pairs, so that numbers of clusters and branches must do the rest."""
    monkeypatch.setattr(near, "MOST_TOGETHER", 2)
    monkeypatch.setattr(near, "MOST_IN_BRANCH", 2)
    for module in (linear, proof):
        monkeypatch.setattr(module, "MOST_IN_PART", 2)


@pytest.mark.usefixtures("small_parts")
def test_branches_list_the_dags_of_large_components(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = 0
    for seed, score in enumerate(("bic", "bde", "k2", "aic")):
        scores = family_scores(_chain(6, 50, seed), ScoreConfig(score))
        for within, limit in product((0, UNIT), (15, 10**6)):
            candidates = candidate_sets(scores, within=within, max_parents=2)
            found = near_dags(candidates, within, limit)
            with monkeypatch.context() as as_ever:
                as_ever.setattr(near, "MOST_TOGETHER", 24)
                assert near_dags(candidates, within, limit) == found
            listed += len(found.parents)
    assert listed > 100


@pytest.mark.usefixtures("small_parts")
def test_parts_that_are_too_large_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(near, "MOST_BRANCHES", 0)
    scores = family_scores(_chain(7, 60, 1), ScoreConfig("bic"))
    with pytest.raises(TooLargeError) as raised:
        _listed(scores, UNIT)
    assert len(raised.value.variables) > 3
