"""Mixed tables at every door."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from typer.testing import CliRunner

import stablebn as sb
from stablebn.cli import app
from stablebn.learners import LEARNERS


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
