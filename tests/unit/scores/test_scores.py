import itertools
from decimal import Decimal

import numpy as np
import pytest
from tests.naive.scores import bge_family, categorical_family, gaussian_family
from tests.tables import categorical_table, continuous_table, random_categorical_table

from stablebn import _core
from stablebn.errors import OptionError
from stablebn.fixed_point import NOT_A_CANDIDATE, UNIT, integers, joined, to_float
from stablebn.graph import DAG
from stablebn.scores.base import CompiledScores, FamilyScores
from stablebn.scores.registry import ScoreConfig, family_scores
from stablebn.stats import counts
from stablebn.stats.variable_sets import bit, members

CATEGORICAL = ("bic", "aic", "loglik", "bde", "bds", "k2", "qnml")
CONTINUOUS = ("bic", "aic", "loglik", "bge")
EQUIVALENT = ("bic", "aic", "loglik", "bde", "qnml")


def _categorical(score: str, seed: int = 0, rows: int = 40) -> CompiledScores:
    return family_scores(random_categorical_table(np.random.default_rng(seed), 5, rows), ScoreConfig(score, iss=2))


def _continuous(score: str, seed: int = 0, rows: int = 20) -> CompiledScores:
    values = np.random.default_rng(seed).normal(size=(5, rows))
    values[4] += values[1] * 2
    values[3] += values[4] - values[0]
    return family_scores(continuous_table(values), ScoreConfig(score))


@pytest.mark.parametrize("score", CATEGORICAL)
@pytest.mark.parametrize("weighted", [False, True])
def test_categorical_family_is_the_one_in_the_specification(score: str, weighted: bool) -> None:
    rng = np.random.default_rng(3)
    codes = random_categorical_table(rng, 4, 30).codes.tolist()
    table = categorical_table(codes, rng.integers(1, 5, 30).tolist() if weighted else None)
    scores = family_scores(table, ScoreConfig(score, iss=2))
    for parents in ([], [1], [1, 3], [1, 2, 3]):
        right = categorical_family(table, score, 0, parents, iss=2)
        found = Decimal(scores.family(0, sum(map(bit, parents)))) / UNIT
        assert abs(found - right) < Decimal("1e-12")


@pytest.mark.parametrize("score", ["bic", "aic", "loglik"])
@pytest.mark.parametrize("weighted", [False, True])
def test_gaussian_family_is_the_one_in_the_specification(score: str, weighted: bool) -> None:
    rng = np.random.default_rng(4)
    values = rng.normal(size=(4, 25)) * [[1e-3], [1], [50], [1]] + [[7], [0], [1e5], [0]]
    table = continuous_table(values, rng.integers(1, 5, 25).tolist() if weighted else None)
    scores = family_scores(table, ScoreConfig(score))
    for parents in ([], [1], [1, 3], [1, 2, 3]):
        right = float(gaussian_family(table, score, 0, parents))
        assert to_float(scores.family(0, sum(map(bit, parents)))) == pytest.approx(right, rel=1e-13)


@pytest.mark.parametrize("rows", [20, 21])
def test_bge_is_the_one_of_kuipers_moffa_and_heckerman(rows: int) -> None:
    table = continuous_table(np.random.default_rng(5).normal(size=(4, rows)) + 3)
    scores = family_scores(table, ScoreConfig("bge"))
    for parents in ([], [1], [1, 3], [1, 2, 3]):
        right = bge_family(table, 0, parents)
        assert to_float(scores.family(0, sum(map(bit, parents)))) == pytest.approx(right, rel=1e-11)


@pytest.mark.parametrize("make", [_categorical, _continuous])
def test_changes_lead_to_the_scores_of_the_other_families(make: object) -> None:
    names = CATEGORICAL if make is _categorical else CONTINUOUS
    for score in names:
        scores = _categorical(score) if make is _categorical else _continuous(score)
        for parents in (0, 0b00010, 0b10010):
            own, changes = scores.family(0, parents), scores.changes(0, parents)
            for u in range(1, 5):
                assert own + joined(*changes[u]) == scores.family(0, parents ^ bit(u))


@pytest.mark.parametrize("make", [_categorical, _continuous])
@pytest.mark.parametrize("parents", [[0] * 5, [0, 1, 1, 0, 8], [0, 1, 3, 7, 15], [6, 0, 0, 16, 0]])
def test_score_of_a_dag_is_the_sum_over_its_families(make: object, parents: list[int]) -> None:
    for score in CATEGORICAL if make is _categorical else CONTINUOUS:
        scores = _categorical(score) if make is _categorical else _continuous(score)
        assert scores.dag(parents) == sum(map(scores.family, range(5), parents))


@pytest.mark.parametrize("make", [_categorical, _continuous])
def test_sums_with_one_parent_are_those_of_families(make: object) -> None:
    for score in CATEGORICAL if make is _categorical else CONTINUOUS:
        scores = _categorical(score) if make is _categorical else _continuous(score)
        sums = [sum(scores.family(v, bit(u)) - scores.family(v, 0) for u in range(5) if u != v) for v in range(5)]
        assert scores.sums_with_one_parent() == sums


def test_dag_with_a_family_that_is_no_candidate_has_a_score() -> None:
    # A penalty so large that not even one parent may be added.
    scores = family_scores(categorical_table([list(range(250))] * 2), ScoreConfig("bic", k=1e5))
    assert scores.without_parents[1][1, 0, 0] == NOT_A_CANDIDATE
    assert scores.sums_with_one_parent() == [scores.family(v, 2 - v) - scores.family(v, 0) for v in range(2)]
    assert scores.dag([0, 1]) == scores.family(0, 0) + scores.family(1, 1)


def _total(scores: FamilyScores, dag: DAG) -> int:
    parents = [0] * scores.n
    for u, v in dag.arcs:
        assert isinstance(u, int)
        assert isinstance(v, int)
        parents[v] |= bit(u)
    return sum(scores.family(v, family) for v, family in enumerate(parents))


@pytest.mark.parametrize("score", EQUIVALENT)
def test_equivalent_graphs_have_the_same_categorical_score_to_the_bit(score: str) -> None:
    _assert_score_equivalence(_categorical(score))


@pytest.mark.parametrize("score", CONTINUOUS)
def test_equivalent_graphs_have_the_same_continuous_score_to_the_bit(score: str) -> None:
    _assert_score_equivalence(_continuous(score))


def _assert_score_equivalence(scores: FamilyScores) -> None:
    """Over all DAGs on four of the five variables that extend two skeletons."""
    assert scores.score_equivalent
    for edges in ([(0, 1), (1, 2), (2, 3)], [(0, 1), (0, 2), (1, 2), (2, 3)]):
        totals: dict[object, set[int]] = {}
        for flips in itertools.product([False, True], repeat=len(edges)):
            arcs = [(v, u) if flip else (u, v) for (u, v), flip in zip(edges, flips, strict=True)]
            try:
                dag = DAG(range(5), arcs)
            except ValueError:
                continue
            totals.setdefault(dag.cpdag(), set()).add(_total(scores, dag))
        assert len(totals) > 1
        assert all(len(found) == 1 for found in totals.values())


@pytest.mark.parametrize("score", ["bds", "k2"])
def test_scores_that_are_not_equivalent_say_so(score: str) -> None:
    # Of twelve rows some parent configurations do not occur. The arc between 0 and 1 is covered.
    scores = _categorical(score, seed=8, rows=12)
    assert not scores.score_equivalent
    one_way = scores.family(0, 0b100) + scores.family(1, 0b101)
    assert one_way != scores.family(1, 0b100) + scores.family(0, 0b110)


def test_collinear_columns_keep_scores_finite_and_equivalent() -> None:
    values = np.random.default_rng(6).normal(size=(5, 30))
    values[1] = values[0]
    values[3] = values[2] + values[4]
    scores = family_scores(continuous_table(values), ScoreConfig("bic"))
    _assert_score_equivalence(scores)
    assert all(np.isfinite(to_float(scores.family(v, 0b11111 ^ bit(v)))) for v in range(5))


@pytest.mark.parametrize("make", [_categorical, _continuous])
def test_renumbered_scores_are_the_same_for_small_sets(make: object) -> None:
    for score in CATEGORICAL if make is _categorical else CONTINUOUS:
        scores = _categorical(score) if make is _categorical else _continuous(score)
        for v in range(5):
            scores.changes(v, 0)
        order = [3, 0, 4, 1, 2]
        other = scores.reordered(order)
        for i, v in enumerate(order):
            assert other.family(i, 0) == scores.family(v, 0)
            for j, u in enumerate(order):
                if u != v:
                    assert other.family(i, bit(j)) == scores.family(v, bit(u))


def test_penalty_multiplier_and_iss_matter() -> None:
    table = random_categorical_table(np.random.default_rng(9), 3, 50)
    once, twice = (family_scores(table, ScoreConfig("bic", k=k)).family(0, 0b110) for k in (1, 2))
    none = family_scores(table, ScoreConfig("loglik")).family(0, 0b110)
    assert none - once == once - twice > 0
    assert len({family_scores(table, ScoreConfig("bde", iss=iss)).family(0, 0b110) for iss in (1, 2, 10)}) == 3


def test_family_with_a_monstrous_penalty_is_no_candidate_but_has_a_score() -> None:
    codes = [list(range(250)) for _ in range(6)]
    scores = family_scores(categorical_table(codes), ScoreConfig("bic"))
    assert scores.changes(0, 0b11100)[5, 0] == NOT_A_CANDIDATE
    assert to_float(scores.family(0, 0b111110)) < -1e11


def test_gaussian_family_may_not_have_as_many_parents_as_rows() -> None:
    assert _continuous("bic", rows=6).most_parents == 3


@pytest.mark.parametrize(
    ("score", "kind"), [("bge", "categorical"), ("bde", "continuous"), ("bds", "continuous"), ("k2", "continuous")]
)
def test_score_of_the_wrong_kind_is_refused_with_the_choices(score: str, kind: str) -> None:
    table = categorical_table([[0, 1], [1, 0]]) if kind == "categorical" else continuous_table(np.eye(4))
    with pytest.raises(OptionError, match=rf"{score}.*{kind}.*bic"):
        family_scores(table, ScoreConfig(score))


@pytest.mark.parametrize("options", [{"k": 0}, {"k": float("nan")}, {"iss": -1}, {"iss_mu": 0}, {"score": "mdl"}])
def test_impossible_parameters_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(OptionError):
        ScoreConfig(**options)  # type: ignore[arg-type]


def test_impossible_iss_w_is_refused() -> None:
    with pytest.raises(OptionError, match="at least 7"):
        family_scores(continuous_table(np.random.default_rng(1).normal(size=(5, 9))), ScoreConfig("bge", iss_w=6))


def test_sets_of_variables_list_their_members_in_order() -> None:
    assert members(0b1010011) == [0, 1, 4, 6]


@pytest.mark.parametrize("levels", [2, 3, 6])
@pytest.mark.parametrize("rows", [10, 64, 500])
@pytest.mark.parametrize("score", CATEGORICAL)
def test_changes_read_off_a_table_are_those_of_the_set_functions(
    levels: int, rows: int, score: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = random_categorical_table(np.random.default_rng(levels + rows), 6, rows, levels)
    with_tables = family_scores(table, ScoreConfig(score))
    limits = _core.CountingLimits()
    limits.most_configurations = 0
    monkeypatch.setattr(counts, "LIMITS", limits)
    without = family_scores(table, ScoreConfig(score))
    for child in range(6):
        for parents in (0b000011, 0b010100, 0b101001):
            inside = parents & ~bit(child)
            assert integers(with_tables.changes(child, inside)) == integers(without.changes(child, inside))
            assert with_tables.family(child, inside) == without.family(child, inside)
