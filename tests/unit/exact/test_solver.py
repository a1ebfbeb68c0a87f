"""The best DAG is that of brute force, its proof holds, and no proof says more than is true."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from tests.drawn import SCORES
from tests.naive.best_parents import all_dags, all_families, is_acyclic, naive_candidates
from tests.tables import categorical_table
from tests.unit.search.test_parent_sets import drawn_constraints, drawn_table

from stablebn import _core
from stablebn.exact import dual_ascent as ascent
from stablebn.exact import lp as linear
from stablebn.exact import proof, ties
from stablebn.exact import solver as search
from stablebn.exact.components import NEVER, Component, components, strongly_connected
from stablebn.exact.dual_ascent import ascended
from stablebn.exact.local_cuts import LocalCutSearch
from stablebn.exact.proof import apply, least_loss
from stablebn.exact.proof_tree import LocalCut, Multipliers, Proof, Tree
from stablebn.exact.solver import best_of_many, find_best, find_best_without_solver, proof_of
from stablebn.exact.subset_search import best_of_part
from stablebn.exact.ties import class_of
from stablebn.fixed_point import limbs
from stablebn.knowledge.constraints import Constraints
from stablebn.scores.base import CompiledScores
from stablebn.scores.registry import ScoreConfig, family_scores
from stablebn.search import parent_sets as module_of_candidates
from stablebn.search.parent_sets import CandidateSets, candidate_sets, listed
from stablebn.stats.variable_sets import bit, members


def _best(candidates: CandidateSets, *, late: bool = False) -> tuple[tuple[int, ...], Proof]:
    return find_best(candidates, [], time_is_up=lambda: late, watch=None)


def _rank(parents: Sequence[int]) -> list[tuple[int, int]]:
    return [(own.bit_count(), own) for own in parents]


def _assert_best(
    scores: CompiledScores, constraints: Constraints | None = None, max_parents: int | None = None
) -> None:
    """Hold what is found against all DAGs."""
    candidates = candidate_sets(scores, constraints=constraints, max_parents=max_parents)
    parents, proven = _best(candidates)
    families = [all_families(scores, v, constraints=constraints, max_parents=max_parents) for v in range(scores.n)]
    # Of DAGs with superfluous parents none is counted.
    slim = [{own: score for score, own in naive_candidates(of)} for of in families]
    most = max(score for score, _ in all_dags(families))
    best = [dag for score, dag in all_dags(slim) if score == most]
    assert proven.score == proven.bound == most == scores.dag(parents)
    assert parents == min(best, key=_rank)
    assert (proven.ties.count, proven.ties.are_all) == (len({class_of(dag) for dag in best}), True)


@pytest.mark.parametrize(("kind", "score"), [(kind, score) for kind in SCORES for score in SCORES[kind]])
def test_best_dag_is_that_of_brute_force(kind: str, score: str) -> None:
    for seed in range(4):
        scores = family_scores(drawn_table(kind, 40 + seed, 4), ScoreConfig(score))
        _assert_best(scores)
        for of in range(3):
            _assert_best(scores, drawn_constraints(f"best {seed} {of}", scores), max_parents=2 + seed % 2)


def test_equally_good_classes_are_all_counted_and_the_first_is_taken() -> None:
    rng = np.random.default_rng(5)
    a, b = rng.integers(0, 2, (2, 40))
    copies = categorical_table([a.tolist(), a.tolist(), a.tolist(), b.tolist()])
    scores = family_scores(copies, ScoreConfig("bic"))
    _assert_best(scores)
    # Any tree over three copies is as good as any other: three of them, and each is one class.
    assert _best(candidate_sets(scores))[1].ties.count == 3


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave to dynamic programming only pairs, so that cuts and branches must do the rest."""
    for module in (ascent, linear, proof, search, ties):
        monkeypatch.setattr(module, "MOST_IN_PART", 2)


@pytest.mark.usefixtures("small_parts")
def test_cuts_and_branches_find_what_dynamic_programming_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    branched = 0
    for seed, score, obeying in product(range(60, 65), ("bic", "aic", "bde", "k2"), (False, True)):
        scores = family_scores(drawn_table("categorical", seed, 8), ScoreConfig(score))
        known = drawn_constraints(f"cuts {seed} {score}", scores) if obeying else None
        candidates = candidate_sets(scores, max_parents=3, constraints=known)
        parents, proven = _best(candidates)
        branched += any(tree.arc is not None for tree in proven.trees)
        assert proven.optimal
        assert proof_of(candidates, parents, proven.trees).bound == proven.bound
        with monkeypatch.context() as as_ever:
            for module in (ascent, linear, proof, search, ties):
                as_ever.setattr(module, "MOST_IN_PART", 18)
            by_subsets, whole = _best(candidates)
        assert whole.score == proven.score
        if proven.ties.are_all:
            assert (by_subsets, whole.ties) == (parents, proven.ties)
    assert branched


def test_any_multipliers_give_a_true_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(1)
    for seed in range(5):
        scores = family_scores(drawn_table("categorical", 80 + seed, 6), ScoreConfig("bic"))
        [*parts] = components(candidate_sets(scores))
        for component in parts:
            least = least_loss(component, Tree(), 1 << 90)
            assert least is not None
            monkeypatch.setattr(proof, "MOST_IN_PART", 0)
            for _ in range(30):
                steps = []
                for _ in range(rng.randrange(1, 4)):
                    drawn = [rng.randrange(1, bit(component.n)) for _ in range(rng.randrange(1, 6))]
                    numbered = [(own, rng.randrange(1 << rng.randrange(58, 68))) for own in drawn]
                    tables = [
                        (_drawn_table(rng, members(own)), value) for own, value in numbered if own.bit_count() > 1
                    ]
                    steps.append(Multipliers(tuple(numbered), tuple(tables[: rng.randrange(4)])))
                arc = (rng.randrange(component.n), rng.randrange(component.n))
                tree = Tree(tuple(steps), arc, Tree(tuple(steps[:1])), Tree())
                bound = least_loss(component, tree, least)
                assert bound is not None
                assert bound <= least
            monkeypatch.undo()


def _drawn_table(rng: random.Random, places: Sequence[int]) -> LocalCut:
    numbers = [[rng.randrange(-3, 9) for _ in range(bit(len(places) - 1))] for _ in places]
    return LocalCut(tuple(places), tuple(map(tuple, numbers)))


def test_least_sum_of_a_local_cut_is_that_of_brute_force() -> None:
    rng = random.Random(2)
    for size in (2, 3, 3, 4):
        places = sorted(rng.sample(range(30), size))
        table = _drawn_table(rng, places)
        families = []
        for place in places:
            _, numbers = table.by_parents(place)
            # Under the numbers 0, 1, ... of the places.
            families.append({sum(bit(places.index(u)) for u in members(own)): value for own, value in numbers.items()})
        assert table.least == min(score for score, _ in all_dags(families))


def test_three_that_share_all_others_violate_a_table_and_no_cluster() -> None:
    everything = [(bit(4) - 1) & ~bit(v) for v in range(4)]
    triple = tuple((everything[v] & 7, 0) if v < 3 else (0,) for v in range(4))
    component = Component((0, 1, 2, 3), triple, triple, tuple((0, 1) if v < 3 else (0,) for v in range(4)), 0)
    shares = [[(0, 0.5), (1, 0.5)]] * 3 + [[(0, 1.0)]]
    children, parents = [0, 0, 1, 1, 2, 2, 3], [6, 0, 5, 0, 3, 0, 0]
    assert not _core.violated_clusters(4, children, parents, [*([0.5] * 6), 1.0], 1e-6, 80)
    found = LocalCutSearch(linear.import_highs(), 4).violated(component, shares, (0, 1, 2, 3))
    assert found is not None
    lack, table = found
    halves = sum(table.by_parents(v)[1][everything[v] & 7] + table.by_parents(v)[1][0] for v in range(3)) / 2
    assert halves + table.by_parents(3)[1][0] == pytest.approx((1 - lack) * table.least)
    assert lack > 0.1


def test_invalid_multipliers_and_local_cuts_are_refused() -> None:
    scores = family_scores(drawn_table("categorical", 80, 6), ScoreConfig("aic"))
    component = max(components(candidate_sets(scores)), key=lambda own: own.n)
    table = LocalCut((0, 1), ((1, 0), (1, 0)))
    for own, told in (
        (Multipliers(((3, -1),)), "negative"),
        (Multipliers(local_cuts=((table, -1),)), "negative"),
        (Multipliers(local_cuts=((table, 1),), denominator=0), "denominator"),
        (Multipliers(local_cuts=((replace(table, positions=(0, 40)), 1),)), "unknown"),
        (Multipliers(local_cuts=((replace(table, positions=(1, 1)), 1),)), "two to"),
        (Multipliers(local_cuts=((LocalCut(tuple(range(9)), ((0,) * 256,) * 9), 1),)), "two to"),
        (Multipliers(local_cuts=((replace(table, weights=((1, 0), (1,))), 1),)), "lacks a weight"),
    ):
        with pytest.raises(ValueError, match=told):
            least_loss(component, Tree((own,)), 1 << 90)


def test_a_limit_on_sets_still_gives_a_true_bound() -> None:
    for seed, score in enumerate(["bic", "bde", "k2", "bic"]):
        scores = family_scores(drawn_table("categorical", 20 + seed, 7), ScoreConfig(score))
        best = _best(candidate_sets(scores))[1].score
        for limit in (0, 42, 120):
            candidates = candidate_sets(scores, most_scored=limit)
            parents, proven = _best(candidates)
            assert is_acyclic(parents)
            assert proven.bound is not None
            assert proven.score <= best <= proven.bound
            assert proven.optimal == (proven.bound == proven.score)


@pytest.mark.usefixtures("small_parts")
def test_time_that_is_up_leaves_a_dag_and_a_true_bound() -> None:
    scores = family_scores(drawn_table("categorical", 61, 8), ScoreConfig("aic"))
    candidates = candidate_sets(scores, max_parents=3)
    best = _best(candidates)[1].score
    parents, proven = _best(candidates, late=True)
    assert proven.bound is not None
    assert scores.dag(parents) == proven.score <= best <= proven.bound
    assert not proven.ties.are_all


def test_without_the_solver_a_large_component_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "highspy", None)
    monkeypatch.setattr(search, "MOST_IN_PART", 2)
    scores = family_scores(drawn_table("categorical", 61, 8), ScoreConfig("aic"))
    with pytest.raises(ImportError, match=r"stablebn\[exact\]"):
        _best(candidate_sets(scores))


def test_a_component_that_is_too_large_for_cuts_has_a_loose_bound() -> None:
    # A ring in which each variable would like the one before it as its parent.
    n = _core.MOST_IN_CLUSTERS + 1
    ring = CandidateSets(
        sets=tuple((bit((v - 1) % n), 0) for v in range(n)), scores=((5, 0),) * n, most_parents=1, complete=True
    )
    parents, proven = _best(ring)
    assert is_acyclic(parents)
    assert (proven.score, proven.bound, proven.optimal) == (5 * n - 5, 5 * n, False)
    assert not proven.ties.are_all


@pytest.mark.usefixtures("small_parts")
def test_more_choices_than_a_programme_takes_are_sifted_for_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = family_scores(drawn_table("categorical", 61, 8), ScoreConfig("aic"))
    candidates = candidate_sets(scores, max_parents=3)
    best = _best(candidates)[1]
    assert best.optimal
    monkeypatch.setattr(search, "MOST_CHOICES", 5)
    # Dynamic programming minds variables, not choices.
    assert _best(candidates)[1].score == _best(candidates)[1].bound == best.score
    for module in (search, proof):
        monkeypatch.setattr(module, "MOST_AT_ONCE", 2)
    parents, proven = _best(candidates)
    assert scores.dag(parents) == proven.score <= best.score
    assert proven.bound is not None
    assert proven.bound >= best.score
    assert proof_of(candidates, parents, proven.trees).bound == proven.bound
    assert not proven.ties.are_all


def test_many_candidates_end_the_search_for_more_and_the_bound_is_true(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = family_scores(drawn_table("categorical", 20, 7), ScoreConfig("aic"))
    every = candidate_sets(scores)
    best = _best(every)[1].score
    monkeypatch.setattr(module_of_candidates, "MOST_FOUND", 8)
    # Few variables have no such limit.
    assert candidate_sets(scores) == every
    monkeypatch.setattr(module_of_candidates, "_FEW_VARIABLES", 6)
    some = candidate_sets(scores)
    assert (some.complete, some.most_parents) == (False, 1)
    assert len(some) < len(every)
    _, proven = _best(some)
    assert proven.bound is not None
    assert proven.score <= best <= proven.bound


def test_strongly_connected_parts() -> None:
    # 0 -> 1 -> 2 -> 0, 2 -> 3, 4 alone; arcs as sets of parents.
    assert strongly_connected([bit(2), bit(0), bit(1), bit(2), 0]) == [(0, 1, 2), (3,), (4,)]


def test_a_dag_that_is_not_of_the_problem_has_no_proof() -> None:
    scores = family_scores(drawn_table("categorical", 61, 5), ScoreConfig("bic"))
    candidates = candidate_sets(scores)
    parents, proven = _best(candidates)
    whole = [*parents]
    whole[0] = bit(5) - 2
    with pytest.raises(ValueError, match="not in tuple"):
        proof_of(candidates, whole, proven.trees)
    with pytest.raises(ValueError, match="one tree"):
        proof_of(candidates, parents, [*proven.trees, Tree()])
    assert replace(proven, bound=None).gap is None


def test_choices_that_make_no_dag_have_no_best_one() -> None:
    component = Component((0, 1), ((2,), (1,)), ((2,), (1,)), ((0,), (0,)), 0)
    found = best_of_part(component, component.everything, (0, 1), most_dags=5)
    assert (found.loss, found.choices) == (NEVER, ())
    assert least_loss(component, Tree(), 10) is None


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize(("kind", "score"), [("categorical", "aic"), ("categorical", "bde"), ("continuous", "aic")])
def test_without_the_solver_the_best_dag_is_that_of_brute_force(kind: str, score: str) -> None:
    for seed in range(6):
        scores = family_scores(drawn_table(kind, 70 + seed, 5), ScoreConfig(score))
        candidates = candidate_sets(scores)
        found = find_best_without_solver(candidates, [], time_is_up=lambda: False)
        assert found is not None
        expected, proven = _best(candidates)
        assert (found[1].score, found[1].bound) == (proven.score, proven.bound)
        assert found[0] == expected


def test_raised_clusters_never_bound_more_than_the_least_loss() -> None:
    for seed in range(20):
        scores = family_scores(drawn_table("categorical", 20 + seed, 6), ScoreConfig("aic"))
        for component in components(candidate_sets(scores)):
            least = best_of_part(component, component.everything, range(component.n)).loss
            for most in (least, 2 * least):
                own = ascended(component, component.everything, most, 1000)
                assert apply(component, component.everything, own, most)[0] <= least
                own.check(component.n)


@pytest.mark.parametrize("score", ["bic", "aic", "bde"])
def test_many_candidates_that_stay_in_the_core_have_the_same_best_dag(score: str) -> None:
    for seed in range(6):
        scores = family_scores(drawn_table("categorical", 90 + seed, 7), ScoreConfig(score))
        constraints = drawn_constraints(f"core {seed} {score}", scores) if seed % 2 else None
        found = best_of_many(listed(scores, constraints=constraints), scores, 7)
        assert found is not None
        parents, proven = _best(candidate_sets(scores, constraints=constraints))
        assert (found[0], found[1].score, found[1].bound) == (parents, proven.score, proven.bound)
        assert len(found[1].trees) == len(proven.trees)
        assert best_of_many(listed(scores), scores, 0) is None


def test_blocks_of_subsets_and_one_block_agree() -> None:
    # More variables than a block has; the first of equally good DAGs too.
    rng = random.Random(7)
    for n in (13, 14, 16):
        lists = []
        for v in range(n):
            own = {rng.randrange(bit(n)) & ~bit(v) & rng.randrange(bit(n)) & rng.randrange(bit(n)) for _ in range(12)}
            sets = sorted(own | {0}, key=lambda of: (-of.bit_count(), of))
            lists.append([(of, 3 * at) for at, of in enumerate(sets)])
        component = Component(
            tuple(range(n)),
            tuple(tuple(of for of, _ in own) for own in lists),
            tuple(tuple(of for of, _ in own) for own in lists),
            tuple(tuple(loss for _, loss in own) for own in lists),
            0,
        )
        found = best_of_part(component, component.everything, range(n), most_dags=5000)
        near = _core.near_dags(
            [[of for of, _ in own] for own in lists],
            [np.array([limbs(loss) for _, loss in own], dtype=np.int64) for own in lists],
            limbs(0),
            5000,
        )
        assert found.loss == near[0]
        assert found.are_all
        assert sorted(found.dags) == sorted(map(tuple, near[2].tolist()))
        ranked = [
            [(component.sets[v][at].bit_count(), component.sets[v][at]) for v, at in enumerate(dag)]
            for dag in found.dags
        ]
        assert found.choices == found.dags[ranked.index(min(ranked))]


@pytest.mark.usefixtures("small_parts")
def test_without_time_no_solver_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linear, "import_highs", lambda: pytest.fail("the solver is imported"))
    scores = family_scores(drawn_table("categorical", 61, 8), ScoreConfig("aic"))
    _, proven = _best(candidate_sets(scores, max_parents=3), late=True)
    assert not proven.ties.are_all
