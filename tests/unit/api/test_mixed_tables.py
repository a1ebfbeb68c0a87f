"""Mixed tables at every door."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.datasets import load_iris

import stablebn as sb
from stablebn.cli.main import app
from stablebn.learners import LEARNERS
from stablebn.messages import Caution


def _iris() -> pd.DataFrame:
    frame = load_iris(as_frame=True).frame
    frame.columns = ["sepal length", "sepal width", "petal length", "petal width", "species"]
    frame["species"] = frame["species"].map(dict(enumerate(["setosa", "versicolor", "virginica"])))
    return frame


IRIS = _iris()
NUMBERS = [name for name in IRIS if name != "species"]


@pytest.mark.parametrize("algorithm", LEARNERS)
def test_every_learner_obeys_clg_and_its_score_is_that_of_its_graph(algorithm: str) -> None:
    result = sb.learn(IRIS, algorithm)
    assert not [arc for arc in result.arcs if arc[1] == "species"]
    assert result.config["arcs"] == "clg"
    assert result.kinds == {**dict.fromkeys(NUMBERS, "continuous"), "species": "categorical"}
    assert len(result.arcs) >= 7
    assert sb.score(result, IRIS).total == result.score


def test_the_class_of_the_result_is_oriented_with_what_clg_forbids() -> None:
    result = sb.learn(IRIS)
    assert result.cpdag is not None
    assert result.dag is not None
    from_species = [arc for arc in result.arcs if arc[0] == "species"]
    assert from_species
    assert set(from_species) <= set(result.cpdag.directed)
    assert not set(from_species) <= set(result.dag.cpdag().directed)


def test_any_arcs_reach_what_is_best_without_the_restriction() -> None:
    free, bound = sb.learn(IRIS, arcs="any"), sb.learn(IRIS)
    assert free.score is not None
    assert bound.score is not None
    assert free.score >= bound.score
    assert free.config["arcs"] == "any"
    assert sb.learn(IRIS, score="dg").config["arcs"] == "any"
    assert not [arc for arc in sb.learn(IRIS, score="dg", arcs="clg").arcs if arc[1] == "species"]


def test_a_graph_with_an_arc_into_a_category_is_refused_with_the_remedy() -> None:
    with pytest.raises(sb.GraphError, match=r"\('petal width', 'species'\).*say arcs=\"any\""):
        sb.score([("petal width", "species")], IRIS)
    there = sb.score([("petal width", "species")], IRIS, arcs="any").total
    back = sb.score([("species", "petal width")], IRIS).total
    assert there == back


def test_a_class_is_scored_by_a_graph_that_obeys() -> None:
    pdag = sb.PDAG(list(IRIS), [], [("petal width", "species")])
    assert sb.score(pdag, IRIS).total == sb.score([("species", "petal width")], IRIS).total


def test_a_start_with_a_forbidden_arc_is_refused() -> None:
    with pytest.raises(sb.GraphError, match="not allowed"):
        sb.learn(IRIS, "tabu-stable", start=[("petal width", "species")])
    assert sb.learn(IRIS, "tabu-stable", start=[("petal width", "species")], arcs="any").score is not None


def test_arcs_mean_nothing_for_data_of_one_kind() -> None:
    numbers = IRIS[NUMBERS]
    assert sb.learn(numbers, arcs="clg").arcs == sb.learn(numbers).arcs
    assert sb.learn(numbers).config["arcs"] is None


def test_scores_of_one_kind_are_refused_with_those_that_there_are() -> None:
    with pytest.raises(sb.OptionError, match=r"not defined for mixed data\. Choose one of: bic, aic, loglik, dg"):
        sb.learn(IRIS, score="bge")
    with pytest.raises(sb.OptionError, match=r"not defined for mixed data\. Choose one of: mi-cg"):
        sb.learn(IRIS, "pc-stable", test="cor")
    with pytest.raises(sb.OptionError, match="arcs='some' is not known"):
        sb.learn(IRIS, arcs="some")


def test_families_without_rows_enough_are_counted_kindly() -> None:
    rare = IRIS.assign(species=["single", *IRIS["species"][1:]])
    result = sb.learn(rare, "tabu-stable")
    (caution,) = [caution for caution in result.warnings if caution.code == "small-strata"]
    # No arc from the species is possible, to none of the four.
    assert set(caution.columns) == set(NUMBERS)
    assert "4 larger families" in caution.message
    assert not [arc for arc in result.arcs if arc[0] == "species"]
    assert not [
        caution for caution in sb.learn(IRIS, "tabu-stable", max_parents=1).warnings if caution.code == "small-strata"
    ]
    with pytest.raises(sb.GraphError, match=r"too few rows.*'petal width'.*rare categories"):
        sb.score([("species", "petal width")], rare)
    with pytest.raises(sb.GraphError, match=r"start gives these variables.*too few rows"):
        sb.learn(rare, "tabu-stable", start=[("species", "petal width")])


def test_weights_are_repeated_rows() -> None:
    weights = np.arange(len(IRIS)) % 3
    repeated = IRIS.loc[IRIS.index.repeat(weights)].reset_index(drop=True)
    first, second = sb.learn(IRIS, weights=weights), sb.learn(repeated)
    assert (first.arcs, first.score) == (second.arcs, second.score)


def test_the_command_line_learns_and_scores(tmp_path: Path) -> None:
    IRIS.to_csv(tmp_path / "iris.csv", index=False)
    run = CliRunner()
    learned = run.invoke(
        app,
        ["learn", str(tmp_path / "iris.csv"), "-a", "tabu-stable", "--arcs", "any", "-o", str(tmp_path / "graph.json")],
    )
    assert learned.exit_code == 0, learned.output
    scored = run.invoke(app, ["score", str(tmp_path / "graph.json"), str(tmp_path / "iris.csv"), "--arcs", "any"])
    assert scored.exit_code == 0, scored.output
    assert "-283.3" in scored.output


def test_the_estimator_learns() -> None:
    fitted = sb.TabuStable(arcs="any").fit(IRIS)
    assert fitted.result_.arcs == sb.learn(IRIS, arcs="any").arcs


def test_no_layout_changes_the_graph_of_iris() -> None:
    for vary in (["columns", "rows", "names", "threads"], ["columns", "levels", "units"]):
        assert sb.stability(IRIS, "tabu-stable", vary=vary, repeats=6, unit_free=True).graphs == 1


# ---- what knowledge and the model forbid together


def _patients(rows: int = 400) -> dict[str, list[Any]]:
    """Ages and cholesterol decide on a treatment and an event; the last column depends on nothing."""
    rng = np.random.default_rng(3)
    age, chol = rng.normal(60, 10, rows), rng.normal(5, 1, rows)
    statin = rng.random(rows) < 1 / (1 + np.exp(-3 * (chol - 5)))
    event = rng.random(rows) < 1 / (1 + np.exp(-(age - 60) / 6))
    numbers = {"age": age, "chol": chol, "ldl": chol - statin + rng.normal(0, 0.3, rows)}
    texts = {"statin": statin, "event": event, "coin": rng.random(rows) < 0.5}
    return {
        **{name: own.tolist() for name, own in numbers.items()},
        **{name: ["ny"[int(value)] for value in own] for name, own in texts.items()},
    }


PATIENTS = _patients()
TIERS = [["age", "chol"], ["statin", "coin"], ["ldl"], ["event"]]


def _unjoinable(result: sb.Result) -> list[Caution]:
    return [caution for caution in result.warnings if caution.code == "unjoinable"]


@pytest.mark.parametrize("algorithm", ["tabu-stable", "best", "mmhc", "pc-stable", "fges"])
def test_pairs_that_cannot_be_adjacent_are_told_with_what_they_would_gain(algorithm: str) -> None:
    result = sb.learn(PATIENTS, algorithm, tiers=TIERS)
    assert result.dag is not None
    assert result.score is not None
    (caution,) = _unjoinable(result)
    assert caution.columns == ("chol", "statin", "age", "event")
    for a, b in (("chol", "statin"), ("age", "event")):
        more = sb.DAG(result.nodes, [*result.arcs, (a, b)])
        gain = sb.score(more, PATIENTS, arcs="any", unit_free=True).total - result.score
        assert gain > 20
        assert f"{a} - {b} (+{gain:,.2f})" in str(caution)
    assert "2 pairs" in str(caution)
    assert 'arcs="any"' in str(caution)
    assert str(caution) in result.summary()


def test_nothing_is_told_of_pairs_that_can_be_adjacent_or_would_gain_nothing() -> None:
    assert not _unjoinable(sb.learn(PATIENTS, "tabu-stable"))
    free = sb.learn(PATIENTS, "tabu-stable", tiers=TIERS, arcs="any")
    assert not _unjoinable(free)
    assert {("chol", "statin"), ("age", "event")} <= set(free.arcs)
    # "coin" and "age" cannot be adjacent either, but nothing speaks for it.
    few = {name: PATIENTS[name] for name in ("age", "coin")}
    assert not _unjoinable(sb.learn(few, "tabu-stable", tiers=[["age"], ["coin"]]))
    # Who forbids both directions knows.
    both = [("chol", "statin"), ("statin", "chol")]
    assert "chol" not in _unjoinable(sb.learn(PATIENTS, "tabu-stable", tiers=TIERS, forbidden=both))[0].columns


def test_a_pair_that_depends_along_a_path_alone_is_not_told_of() -> None:
    """The arc from the end of the path to its start would raise the score, and close a cycle."""
    rng = np.random.default_rng(1)
    code = rng.integers(0, 2, 500)
    middle = 2 * code + rng.normal(size=500)
    end = middle + rng.normal(size=500)
    table = {"drug": ["no" if x else "yes" for x in code], "dose": middle, "effect": end}
    result = sb.learn(table, "tabu-stable", forbidden=[("drug", "effect")])
    assert result.arcs == (("dose", "effect"), ("drug", "dose"))
    assert not _unjoinable(result)
    direct = {**table, "effect": end + 2 * code}
    result = sb.learn(direct, "tabu-stable", forbidden=[("drug", "effect")])
    assert result.arcs == (("dose", "effect"), ("drug", "dose"))
    assert result.score is not None
    gain = sb.score([*result.arcs, ("drug", "effect")], direct, unit_free=True).total - result.score
    assert f"effect - drug (+{gain:,.2f})" in str(_unjoinable(result)[0])


def _crowded() -> dict[str, Any]:
    """A category that depends on two others, whose configurations together have few rows, and on numbers."""
    rng = np.random.default_rng(5)
    stage, swelling = rng.integers(0, 3, 120), rng.integers(0, 3, 120)
    drawn = rng.normal(size=120)
    event = np.clip((stage + swelling + drawn > 3).astype(int) + (stage + swelling > 2), 0, 2)
    return {
        "level": drawn + rng.normal(size=120) / 4,
        "stage": [f"s{x}" for x in stage],
        "swelling": [f"w{x}" for x in swelling],
        "event": [f"e{x}" for x in event],
        "coin": rng.normal(size=120),
    }


def test_pairs_are_told_of_if_too_few_rows_have_the_other_parents() -> None:
    """Beside the parents that "event" has, no arc into it can be scored; the other arc of the pair can."""
    table, tiers = _crowded(), [["level", "coin"], ["stage", "swelling"], ["event"]]
    result = sb.learn(table, "tabu-stable", tiers=tiers)
    assert {("stage", "event"), ("swelling", "event")} <= set(result.arcs)
    assert result.score is not None
    with pytest.raises(sb.GraphError, match="too few rows"):
        sb.score([*result.arcs, ("level", "event")], table, arcs="any")
    gain = sb.score(sb.DAG(result.nodes, [*result.arcs, ("event", "level")]), table, unit_free=True).total
    (caution,) = _unjoinable(result)
    assert caution.columns == ("level", "event")
    assert f"level - event (+{gain - result.score:,.2f})" in str(caution)
    explained = str(result.explain("level", "event"))
    assert "cannot be said: there are too few rows for it, and the model has no arc from a continuous" in explained
    assert f"Adding event -> level would raise the BIC by {gain - result.score:,.2f}" in explained


def test_pairs_are_told_of_if_no_arc_can_be_scored() -> None:
    """A class of one row has no variance: neither arc can be scored."""
    table, tiers = _crowded(), [["level", "coin"], ["stage", "swelling"], ["event"]]
    table["event"] = ["rare", *table["event"][1:]]
    result = sb.learn(table, "tabu-stable", tiers=tiers)
    assert {("stage", "event"), ("swelling", "event")} & set(result.arcs)
    (caution,) = _unjoinable(result)
    unscored = str(caution).partition("there are too few rows to say what one would add: ")[2].partition(". ")[0]
    assert set(unscored.split(", ")) == {"level - event", "coin - event"}


@pytest.mark.parametrize(
    "known",
    [
        {"forbidden": [("event", "age")]},
        {"knowledge": {"roots": ["age"]}},
        {"required": [("age", "ldl")], "max_parents": {"age": 0}},
    ],
)
def test_whatever_forbids_the_arc_into_the_continuous_variable_is_told(known: dict[str, Any]) -> None:
    (caution,) = _unjoinable(sb.learn(PATIENTS, "tabu-stable", **known))
    assert caution.columns == ("age", "event")


def test_near_optimal_and_bootstrap_tell_of_them_too() -> None:
    few = {name: PATIENTS[name] for name in ("age", "event", "chol", "statin")}
    tiers = [["age", "chol"], ["statin", "event"]]
    assert "unjoinable" in {own.code for own in sb.near_optimal(few, tiers=tiers).warnings}
    found = sb.bootstrap(few, "tabu-stable", replicates=2, tiers=tiers)
    assert "unjoinable" in {own.code for own in found.warnings}


def test_directions_of_the_model_are_not_called_knowledge() -> None:
    result = sb.learn(PATIENTS, "tabu-stable", tiers=TIERS)
    assert ("statin", "ldl") in result.known
    explained = result.explain("statin", "ldl")
    assert (explained.direction, explained.rule) == ("model", "model")
    assert "by the model (no arc from a continuous to a categorical variable)" in str(explained)
    assert explained.changes[1].obstacle == "not in the model"
    known = result.explain("chol", "ldl")
    assert (known.direction, known.changes[1].obstacle) == ("known", "not allowed")
    assert "from the model" in result._repr_html_()
    apart = result.explain("chol", "statin")
    assert [change.obstacle for change in apart.changes] == ["not in the model", "not allowed"]
    again = sb.Result.from_json(result.to_json())
    assert again.direction_reasons == result.direction_reasons
    # Here the data leave the direction open, and what is known has nothing to do with it.
    few = {name: PATIENTS[name] for name in ("statin", "ldl", "coin", "event")}
    result = sb.learn(few, "tabu-stable", tiers=[["coin"], ["event"]])
    assert result.direction_reasons == {("statin", "ldl"): "model"}
    assert "0 directions follow from knowledge" in result.summary()


def test_the_report_says_which_directions_the_model_decides(tmp_path: Path) -> None:
    result = sb.learn(PATIENTS, "tabu-stable", tiers=TIERS)
    result.report(tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "by the model" in text
    assert "knowledge that of 1, the model that of 1." in text
