"""Right answers that live in the repository, so that a clone alone can check graphs and figures.

`small/climbing.json` and `small/skeletons.json`: what naive implementations learn from samples of ours; made by
`make_small.py`, which saw stablebn agree. `small/r.json`: what R 4.2.2 says of samples of ours; made by `make_r.py`.
The first naive implementation is compared with the independent oracle of `../shared` here, where that is present.
"""

from __future__ import annotations

import json
import math
from functools import lru_cache
from typing import Any

import pyarrow as pa
import pytest
from tests.golden.recipes import small, table_hash, table_of
from tests.naive import skeleton, specification
from tests.shared import golden, needs_shared, sample

import stablebn as sb

CLIMBING, SKELETONS, R = small("climbing"), small("skeletons"), small("r")
R_RECIPES = {entry["name"]: entry["recipe"] for entry in R["tables"]}


@lru_cache(maxsize=2)
def _table(recipe: str) -> pa.Table:
    return table_of(json.loads(recipe))


def _of(recipe: dict[str, Any]) -> pa.Table:
    return _table(json.dumps(recipe))


@pytest.mark.parametrize("entry", [*CLIMBING, *SKELETONS, *R["tables"]], ids=lambda entry: entry["name"])
def test_table_is_the_one_that_was_answered(entry: dict[str, Any]) -> None:
    assert table_hash(_of(entry["recipe"])) == entry["hash"]


@pytest.mark.parametrize(
    ("recipe", "algorithm", "score", "right"),
    [
        pytest.param(entry["recipe"], *what.split(), right, id=f"{entry['name']} {what}")
        for entry in CLIMBING
        for what, right in entry["answers"].items()
    ],
)
def test_graph_order_moves_and_score_are_those_of_the_naive_implementation(
    recipe: dict[str, Any], algorithm: str, score: str, right: dict[str, Any]
) -> None:
    # The specification's order, in which variances take part.
    result = sb.learn(_of(recipe), algorithm, score, unit_free=False)
    found = (sorted(map(list, result.arcs)), list(result.order), len(result.trace))
    assert found == (right["arcs"], right["order"], right["steps"])
    assert result.score == pytest.approx(right["score"], rel=1e-12)


@pytest.mark.parametrize(
    ("recipe", "test", "alpha", "edges"),
    [
        pytest.param(entry["recipe"], *what.split(), edges, id=f"{entry['name']} {what}")
        for entry in SKELETONS
        for what, edges in entry["skeletons"].items()
    ],
)
def test_skeleton_is_that_of_the_naive_implementation(
    recipe: dict[str, Any], test: str, alpha: str, edges: list[list[str]]
) -> None:
    result = sb.learn(_of(recipe), "pc-stable", test=test, alpha=float(alpha))
    assert sorted(sorted(map(str, pair)) for pair in result.pdag.skeleton()) == edges


# The naive implementations are still the ones that gave the answers: the quickest of them are asked again.


@pytest.mark.parametrize("algorithm", specification.LEARNERS)
@pytest.mark.parametrize("name", ["five dense", "five numbers"])
def test_naive_implementation_still_gives_the_answer(name: str, algorithm: str) -> None:
    entry = next(entry for entry in CLIMBING if entry["name"] == name)
    columns = [column.to_pylist() for column in _of(entry["recipe"]).columns]
    categorical = name == "five dense"
    make = specification.categorical_family if categorical else specification.gaussian_family
    found = specification.learn(columns, algorithm, make(columns, "bic"), categorical=categorical)
    names, right = _of(entry["recipe"]).column_names, entry["answers"][f"{algorithm} bic"]
    assert sorted([names[u], names[v]] for u, v in found.arcs) == right["arcs"]
    assert found.score / specification.UNIT == right["score"]


@pytest.mark.parametrize(("name", "test"), [("five dense", "mi"), ("five dense", "x2"), ("five numbers", "cor")])
def test_naive_skeleton_is_still_the_answer(name: str, test: str) -> None:
    entry = next(entry for entry in SKELETONS if entry["name"] == name)
    table = _of(entry["recipe"])
    columns = [column.to_pylist() for column in table.columns]
    ask = skeleton.continuous_test(columns) if test == "cor" else skeleton.categorical_test(columns, test)
    edges = skeleton.pc_skeleton(len(columns), ask, 0.05)
    assert sorted(sorted(table.column_names[v] for v in pair) for pair in edges) == entry["skeletons"][f"{test} 0.05"]


@needs_shared
@pytest.mark.parametrize(
    ("name", "rows"),
    [("asia", 1000), ("asia", 10_000), ("sports", 100), ("sports", 1000), ("sachs", 100), ("sachs", 1000)],
)
def test_naive_implementation_is_the_oracle(name: str, rows: int) -> None:
    table = sample(name, rows)
    varying = [column for column in table.column_names if len(table[column].unique()) > 1]
    columns = [table[column].to_pylist() for column in varying]
    family = specification.categorical_family(columns, "bic")
    for algorithm, right in golden(f"oracle/{name}_{rows}.json")["algorithms"].items():
        found = specification.learn(columns, algorithm, family, categorical=True)
        assert sorted([varying[u], varying[v]] for u, v in found.arcs) == sorted(right["arcs"]), algorithm
        assert [varying[v] for v in found.order] == right["order"], algorithm
        assert found.steps == right["steps"], algorithm
        assert found.score / specification.UNIT == pytest.approx(right["score"], rel=1e-9), algorithm


@needs_shared
def test_naive_implementation_is_the_oracle_for_numbers() -> None:
    table = sample("sachs_c", 100)
    names, columns = table.column_names, [column.to_pylist() for column in table.columns]
    family = specification.gaussian_family(columns, "bic")
    for algorithm, right in golden("oracle/sachs_c_100.json")["algorithms"].items():
        found = specification.learn(columns, algorithm, family, categorical=False)
        assert sorted([names[u], names[v]] for u, v in found.arcs) == sorted(right["arcs"]), algorithm
        # The oracle's continuous scores are plain double precision.
        assert found.score / specification.UNIT == pytest.approx(right["score"], rel=1e-6), algorithm


# R.


def _asked(kind: str, what: str) -> list[Any]:
    return [
        pytest.param(question, id=f"{question['table']} {question['x']} {question['y']} given {question['given']}")
        for question in R["questions"]
        if (question["kind"], question["what"]) == (kind, what)
    ]


@pytest.mark.parametrize("question", _asked("categorical", "test"))
def test_categorical_tests_are_those_of_log_linear_models_in_r(question: dict[str, Any]) -> None:
    table, given = _of(R_RECIPES[question["table"]]), question["given"].split()
    likelihood_ratio, pearson, df = question["answer"]
    for test, statistic in (("mi", likelihood_ratio), ("x2", pearson)):
        if statistic is not None:
            found = sb.ci_test(table, question["x"], question["y"], given, test)
            assert found.statistic == pytest.approx(statistic, rel=1e-9, abs=1e-9)
            assert found.df == df


@pytest.mark.parametrize("question", _asked("continuous", "test"))
def test_partial_correlations_are_those_of_least_squares_in_r(question: dict[str, Any]) -> None:
    t, p_value, df = question["answer"]
    table, given = _of(R_RECIPES[question["table"]]), question["given"].split()
    # With all digits of the correlations.
    found = sb.ci_test(table, question["x"], question["y"], given, "cor", unit_free=False)
    assert found.statistic == pytest.approx(t / math.sqrt(t * t + df), rel=1e-9)
    assert found.df == df
    assert found.p_value == pytest.approx(p_value, rel=1e-9)


def _score_of_family(question: dict[str, Any]) -> float:
    table = _of(R_RECIPES[question["table"]])
    arcs = [(parent, question["x"]) for parent in question["given"].split()]
    return sb.score(arcs, table, "loglik").by_node[question["x"]]


@pytest.mark.parametrize("question", _asked("categorical", "family"))
def test_categorical_log_likelihood_is_that_of_tables_in_r(question: dict[str, Any]) -> None:
    assert _score_of_family(question) == pytest.approx(question["answer"][0], rel=1e-11)


@pytest.mark.parametrize("question", _asked("continuous", "family"))
def test_gaussian_log_likelihood_has_the_residuals_of_least_squares_in_r(question: dict[str, Any]) -> None:
    rows = R_RECIPES[question["table"]]["rows"]
    residuals = question["answer"][0]
    # Specification, section 2: the noise variance is RSS / (N - 1).
    right = -rows / 2 * math.log(2 * math.pi * residuals / (rows - 1)) - (rows - 1) / 2
    assert _score_of_family(question) == pytest.approx(right, rel=1e-11)


# Figures of R bnlearn 5.2.1 on two graphs, which need no data, quoted: cpdag(), shd() and hamming().


def _dag(text: str) -> sb.DAG:
    return sb.DAG("ABCDEFGH", [(arc[0], arc[2]) for arc in text.split()])


ONE = _dag("A>B A>D A>E A>F A>G B>E B>F B>G C>G C>H D>F D>G D>H E>F E>G F>H")
OTHER = _dag("A>D A>G B>H C>H D>F D>G E>G G>H")


def test_edges_that_the_class_leaves_open_are_those_of_bnlearn() -> None:
    assert {f"{u}{v}" for u, v in ONE.cpdag().undirected} == {"AB", "AD", "AE", "BE"}


def test_distance_between_classes_is_that_of_bnlearn() -> None:
    assert sb.compare(OTHER, ONE).shd == 13


def test_distance_between_skeletons_is_that_of_bnlearn() -> None:
    assert sum(not (edge.learned and edge.true) for edge in sb.compare(OTHER, ONE).edges) == 12
