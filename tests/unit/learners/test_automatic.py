"""The automatic choice: what is not specified is chosen for the table, and what is specified is kept."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import stablebn as sb
from stablebn.learners import Problem, SearchConfig
from stablebn.learners.shared.automatic import MOST_PARENTS
from stablebn.learners.tabu_stable import tabu_stable
from stablebn.search import Climb

Columns = dict[str, Any]


def _linear() -> Columns:
    rng = np.random.default_rng(1)
    x = rng.normal(size=400)
    y = x + rng.normal(size=400)
    return {"x": x, "y": y, "z": y - x + rng.normal(size=400)}


def _nonlinear() -> Columns:
    rng = np.random.default_rng(1)
    x = rng.normal(size=400)
    y = x**2 + 0.3 * rng.normal(size=400)
    return {"x": x, "y": y, "z": np.sin(2 * y) + 0.3 * rng.normal(size=400)}


def _categorical() -> Columns:
    return dict(sb.read_network("asia").sample(300, seed=1).to_pydict())


def _conditional_gaussian() -> Columns:
    rng = np.random.default_rng(1)
    sex = rng.integers(0, 2, 400)
    return {"sex": [("f", "m")[own] for own in sex], "x": 3.0 * sex + rng.normal(size=400), "y": rng.normal(size=400)}


def _any_direction() -> Columns:
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 600))
    chance = 1 / (1 + np.exp(-3 * (a + b)))
    return {"a": a, "b": b, "event": [("no", "yes")[own] for own in (rng.uniform(size=600) < chance).astype(int)]}


TABLES: dict[str, tuple[Columns, str]] = {
    "categorical": (_categorical(), "qnml"),
    "linear": (_linear(), "bic"),
    "nonlinear": (_nonlinear(), "basis"),
    "conditional Gaussian": (_conditional_gaussian(), "bic"),
    "any direction": (_any_direction(), "adaptive"),
}


@pytest.mark.parametrize("name", TABLES)
def test_the_score_follows_from_the_table(name: str) -> None:
    columns, score = TABLES[name]
    result = sb.learn(columns)
    options = ("algorithm", "score", "prior", "effort")
    assert [result.config[option] for option in options] == ["best", score, "size", "low"]
    assert set(result.chosen) == set(options)
    assert f"score {score} ({result.chosen['score']})" in result.summary()
    assert sb.Result.from_json(result.to_json()).chosen == result.chosen


@pytest.mark.parametrize("name", TABLES)
def test_no_layout_changes_the_choice_or_the_graph(name: str) -> None:
    columns, _ = TABLES[name]
    rows = np.random.default_rng(2).permutation(len(next(iter(columns.values()))))
    shuffled = {column: [columns[column][row] for row in rows] for column in reversed(list(columns))}
    first, second = sb.learn(columns, threads=1), sb.learn(shuffled, threads=2)
    assert (first.config, first.score, first.fingerprint) == (second.config, second.score, second.fingerprint)
    assert set(first.arcs) == set(second.arcs)


@pytest.mark.parametrize("name", TABLES)
def test_the_choice_gives_the_graph_of_its_options(name: str) -> None:
    columns, score = TABLES[name]
    result = sb.learn(columns)
    assert result == sb.learn(columns, "best", score, prior="size", effort="low")
    assert sb.score(result, columns).total == result.score


def test_a_named_algorithm_has_the_score_of_the_paper() -> None:
    for name, (columns, _) in TABLES.items():
        result = sb.learn(columns, "tabu-stable")
        assert (result.config["score"], result.config["prior"], result.chosen) == ("bic", "uniform", {}), name
        assert sb.learn(columns, "best").config["effort"] == "normal"


def test_what_is_specified_is_kept() -> None:
    columns, _ = TABLES["categorical"]
    named = sb.learn(columns, score="bde")
    assert (named.config["algorithm"], named.config["score"], named.config["prior"]) == ("best", "bde", "uniform")
    assert sb.learn(columns, prior="uniform").config["prior"] == "uniform"
    penalised = sb.learn(columns, k=2.0).config
    assert (penalised["score"], penalised["prior"], penalised["k"]) == ("bic", "uniform", 2.0)
    more = sb.learn(columns, effort="normal")
    assert (more.config["effort"], "effort" in more.chosen) == ("normal", False)
    mixed, _ = TABLES["any direction"]
    assert sb.learn(mixed, arcs="clg").config["score"] == "bic"


def test_incomplete_rows_have_a_score_that_is_defined_for_them() -> None:
    columns = {name: list(own) for name, own in TABLES["categorical"][0].items()}
    columns["smoke"][0] = None
    assert sb.learn(columns, missing="available").config["score"] == "bic"


@pytest.mark.parametrize(
    ("name", "gains", "score", "is_uncertain"),
    [
        ("linear", {"bic": 100, "basis": 105}, "bic", False),
        ("linear", {"bic": 100, "basis": 115}, "bic", True),
        ("linear", {"bic": 100, "basis": 125}, "basis", True),
        ("linear", {"bic": 100, "basis": 150}, "basis", False),
        ("any direction", {"bic": 1000, "adaptive": 1005}, "bic", False),
        ("any direction", {"bic": 1000, "adaptive": 1018}, "bic", True),
        ("any direction", {"bic": 1000, "adaptive": 1030}, "adaptive", True),
        ("any direction", {"bic": 1000, "adaptive": 1080}, "adaptive", False),
    ],
)
def test_a_choice_near_the_limit_has_a_warning(
    name: str, gains: dict[str, int], score: str, is_uncertain: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stablebn.learners.shared.automatic._gain", lambda own, _: gains[own])
    result = sb.learn(TABLES[name][0])
    assert result.config["score"] == score
    [other] = gains.keys() - {score}
    warnings = [own.message for own in result.warnings if own.code == "uncertain-score"]
    assert [f"score='{other}', prior='size'" in message for message in warnings] == [True] * is_uncertain


def test_scores_are_compared_with_few_parents(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    causes = rng.normal(size=(500, 10))
    columns: Columns = {f"x{v}": own for v, own in enumerate(causes.T)} | {
        "y": causes.sum(axis=1) + rng.normal(size=500)
    }
    sizes = []

    def spied(problem: Problem, config: SearchConfig) -> Climb:
        found = tabu_stable(problem, config)
        sizes.append(max(own.bit_count() for own in found.parents))
        return found

    # The algorithm that is chosen calls it too, and is not counted.
    monkeypatch.setattr("stablebn.learners.best.tabu_stable", tabu_stable)
    monkeypatch.setattr("stablebn.learners.tabu_stable.tabu_stable", spied)
    result = sb.learn(columns)
    assert sizes == [MOST_PARENTS] * 2
    assert result.dag is not None
    assert len(result.dag.parents("y")) == 10


def test_large_mixed_tables_have_faster_algorithms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stablebn.learners.shared.automatic.MOST_MIXED_NUMBERS", 100)
    gaussian = sb.learn(TABLES["conditional Gaussian"][0]).config
    assert (gaussian["algorithm"], gaussian["score"]) == ("tabu-stable", "bic")
    monkeypatch.setattr("stablebn.learners.shared.automatic.LEAST_BLOCK_GAIN", 0)
    any_direction = sb.learn(TABLES["any direction"][0])
    assert (any_direction.config["algorithm"], any_direction.config["score"]) == ("fges", "basis")
    assert any_direction.chosen["algorithm"] == "the table is large"


def test_an_option_of_other_algorithms_is_refused_with_their_names() -> None:
    with pytest.raises(sb.OptionError, match=r"no option 'tabu'. Name an algorithm that has: 'tabu-stable'"):
        sb.learn(TABLES["categorical"][0], tabu=5)
