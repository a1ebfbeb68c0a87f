"""Declared levels count although no row has them; their order and the way of declaring them do not matter."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.naive.scores import categorical_family
from tests.preparing import prepare

import stablebn as sb
from stablebn.fixed_point import to_float
from stablebn.scores.registry import ScoreConfig, family_scores
from stablebn.table.table import CategoricalTable

SMOKE = ["no", "yes"] * 30 + ["yes"] * 12
LUNG = ["no", "yes"] * 24 + ["no"] * 24
TABLE: dict[Any, Any] = {"smoke": SMOKE, "lung": LUNG, "site": ["here"] * 72}
DECLARED = {"smoke": ["yes", "unknown", "no"], "site": ["there", "here"]}


def _drawn(seed: int) -> CategoricalTable:
    """Draw a table in which some levels do not occur."""
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(5, 200))
    codes, levels = [], []
    for _ in range(4):
        declared = int(rng.integers(2, 6))
        used = rng.choice(declared, size=int(rng.integers(2, declared + 1)), replace=False)
        codes.append(rng.choice(used, size=rows))
        levels.append(tuple(map(str, range(declared))))
    weights = rng.integers(1, 4, rows).astype(np.int64) if seed % 3 == 0 else None
    return CategoricalTable(tuple("abcd"), np.array(codes, dtype=np.uint8), tuple(levels), weights)


@pytest.mark.parametrize("score", ["bic", "aic", "loglik", "bde", "bds", "k2"])
@pytest.mark.parametrize("seed", range(4))
def test_levels_that_do_not_occur_count_as_in_the_twin(score: str, seed: int) -> None:
    table = _drawn(seed)
    scores = family_scores(table, ScoreConfig(score, iss=1.7))
    for child in range(4):
        for parents in (own for size in range(3) for own in combinations(sorted({0, 1, 2, 3} - {child}), size)):
            ours = to_float(scores.family(child, sum(1 << parent for parent in parents)))
            assert ours == pytest.approx(float(categorical_family(table, score, child, parents, iss=1.7)), rel=1e-12)


@pytest.mark.parametrize("score", ["bic", "bde", "k2"])
def test_declared_levels_count_in_scores(score: str) -> None:
    plain, declared = sb.learn(TABLE, score=score), sb.learn(TABLE, score=score, levels=DECLARED)
    assert plain.score is not None
    assert declared.score is not None
    assert declared.score < plain.score
    assert declared.levels == {"smoke": ("no", "unknown", "yes"), "site": ("here", "there")}
    # A column with a single value is constant, whatever its declared levels are.
    assert declared.constants == ("site",)


def test_bic_has_the_penalty_of_all_levels() -> None:
    columns = {"smoke": SMOKE, "lung": LUNG}
    plain, declared = (sb.score([], columns, levels=own).total for own in (None, {"smoke": ["no", "yes", "unknown"]}))
    assert plain - declared == pytest.approx(np.log(72) / 2)


def test_by_default_levels_are_those_that_occur() -> None:
    frame = pd.DataFrame({"smoke": pd.Categorical(SMOKE, ["no", "yes", "unknown"]), "lung": LUNG})
    assert sb.learn(frame).score == sb.learn({"smoke": SMOKE, "lung": LUNG}).score


@pytest.mark.parametrize(
    "smoke",
    [
        pd.Categorical(SMOKE, ["unknown", "yes", "no"]),
        pd.Series(pd.Categorical(SMOKE, ["no", "yes", "unknown"], ordered=True)),
        pa.DictionaryArray.from_arrays(pa.array([int(value == "yes") for value in SMOKE]), ["no", "yes", "unknown"]),
        pl.Series(SMOKE, dtype=pl.Enum(["yes", "no", "unknown"])),
    ],
    ids=["pandas", "pandas, ordered", "Arrow", "polars"],
)
def test_categories_of_frames_can_be_the_levels(smoke: Any) -> None:
    told = sb.learn({"smoke": SMOKE, "lung": LUNG}, levels={"smoke": ["no", "yes", "unknown"]})
    found = sb.learn({"smoke": smoke, "lung": LUNG}, levels="declared")
    assert (found.levels, found.score, found.fingerprint) == (told.levels, told.score, told.fingerprint)


@pytest.mark.parametrize("ending", ["parquet", "feather"])
def test_categories_of_files_can_be_the_levels(ending: str, tmp_path: Path) -> None:
    frame = pd.DataFrame({"smoke": pd.Categorical(SMOKE, ["no", "yes", "unknown"]), "lung": LUNG})
    path = tmp_path / f"table.{ending}"
    getattr(frame, f"to_{ending}")(path)
    assert sb.learn(path, levels="declared").levels == {"smoke": ("no", "unknown", "yes")}


def test_text_of_files_declares_nothing(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("smoke,lung,n\nno,no,3\nyes,yes,2\nunknown,no,0\nno,yes,1\n")
    found = sb.learn(path, levels="declared", weights="n")
    assert found.levels == {}
    assert found.score == sb.learn(path, weights="n").score


def test_the_order_of_declared_levels_decides_nothing() -> None:
    there = sb.learn(TABLE, levels=DECLARED)
    back = sb.learn(TABLE, levels={name: own[::-1] for name, own in reversed(list(DECLARED.items()))})
    assert (there.score, there.fingerprint, dict(there.levels)) == (back.score, back.fingerprint, dict(back.levels))


def test_numbers_with_levels_are_categories() -> None:
    answers = [1, 2, 3, 4, 5, 4] * 12
    found = prepare({"q": answers, "lung": LUNG}, levels={"q": range(1, 8)})
    assert isinstance(found.table, CategoricalTable)
    assert found.table.levels[0] == (1, 2, 3, 4, 5, 6, 7)
    assert prepare({"q": answers, "lung": LUNG}, levels=["q=1,2,3,4,5,6,7"]).table.levels[0] == (1, 2, 3, 4, 5, 6, 7)  # type: ignore[union-attr]


def test_what_is_missing_is_no_declared_level() -> None:
    smoke = [None, *SMOKE[1:]]
    level = prepare({"smoke": smoke, "lung": LUNG}, levels={"smoke": ["no", "yes", "unknown"]}, missing="level")
    hole = prepare({"smoke": smoke, "lung": LUNG}, levels={"smoke": ["no", "yes", "unknown"]}, missing="available")
    assert isinstance(level.table, CategoricalTable)
    assert isinstance(hole.table, CategoricalTable)
    assert (level.table.levels[0], level.table.codes[0, 0]) == (("no", "unknown", "yes", None), 3)
    assert (hole.table.levels[0], hole.table.codes[0, 0], set(hole.table.holes)) == (("no", "unknown", "yes"), 3, {0})


def test_a_result_keeps_its_levels_for_scores_and_parameters() -> None:
    result = sb.learn(TABLE, levels=DECLARED)
    assert sb.score(result, TABLE).total == result.score
    network = sb.fit(result, TABLE, method="bde")
    assert network == sb.fit(result.dag, TABLE, method="bde", levels=DECLARED) == result.fit(method="bde")
    assert network["smoke"].levels == ("no", "unknown", "yes")  # type: ignore[union-attr]
    # Also of a constant column, whose other level does not occur.
    assert network["site"].levels == ("here", "there")  # type: ignore[union-attr]
    assert network["site"].probabilities.tolist() == pytest.approx([72.5 / 73, 0.5 / 73])  # type: ignore[union-attr]
    assert result.fit()["site"].probabilities.tolist() == [1, 0]  # type: ignore[union-attr]


def test_a_constant_parent_with_levels_has_a_row_for_each() -> None:
    network = sb.fit([("site", "lung")], TABLE, levels=DECLARED)
    assert network["lung"].probabilities.tolist() == [[48 / 72, 24 / 72], [0.5, 0.5]]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("levels", "words"),
    [
        ({"smoke": ["no"]}, "'smoke' has 'yes', and its levels are 'no'"),
        ({"smokes": ["no", "yes"]}, "levels= names 'smokes', not a variable"),
        ({"smoke": "no"}, "does not declare levels"),
        ("all", "does not declare levels"),
        (["smokes=no,yes"], "names no variable"),
        (3, "does not declare levels"),
    ],
)
def test_levels_that_cannot_be_are_refused(levels: Any, words: str) -> None:
    with pytest.raises(sb.StableBNError, match=words):
        sb.learn(TABLE, levels=levels)
    with pytest.raises(sb.StableBNError, match=words):
        sb.fit([], TABLE, levels=levels)


def test_levels_of_another_type_or_kind_are_refused() -> None:
    columns: dict[Any, Any] = {"code": [1, 2] * 10, "x": list(np.random.default_rng(1).normal(size=20))}
    with pytest.raises(sb.OptionError, match=r"levels\['code'\] has 'one', and the values of the column are integers"):
        sb.learn(columns, levels={"code": ["one", "two"]})
    with pytest.raises(sb.OptionError, match="'x', which is continuous"):
        sb.learn(columns, levels={"x": [1.0, 2.0]}, kinds={"x": "continuous"})


@pytest.mark.parametrize("kind", ["categorical", "mixed"])
def test_the_degenerate_gaussian_score_knows_no_levels_without_rows(kind: str) -> None:
    rng = np.random.default_rng(5)
    columns: dict[Any, Any] = {"a": rng.choice(list("xyz"), 60).tolist(), "b": rng.choice(list("uv"), 60).tolist()}
    if kind == "mixed":
        columns["c"] = rng.normal(size=60).tolist()
    plain, declared = (sb.learn(columns, score="dg", levels=own) for own in (None, {"a": list("wxyz")}))
    assert plain.score == declared.score


def test_every_test_of_independence_can_do_with_levels_without_rows() -> None:
    rng = np.random.default_rng(6)
    columns = {name: rng.choice(list("xyz"), 80).tolist() for name in "abcd"}
    columns["b"] = columns["a"]
    levels = {name: list("uxyz") for name in "abc"}
    for test in ("mi", "mi-adf", "x2"):
        assert sb.learn(columns, "pc-stable", test=test, levels=levels).pdag.undirected == (("a", "b"),)


def test_the_audit_declares_levels_in_every_layout() -> None:
    found = sb.stability(TABLE, "tabu-stable", repeats=3, levels=DECLARED)
    assert found.graphs == 1
    assert set(found.scores) == {sb.learn(TABLE, "tabu-stable", levels=DECLARED).score}
    with pytest.raises(sb.OptionError, match="vary='levels' replaces labels"):
        sb.stability(TABLE, repeats=2, levels=DECLARED, vary="levels")


# New rows with levels that nobody has seen: a clear answer at every door.
NEW: dict[Any, Any] = {"smoke": ["no", "yes", "maybe"], "lung": ["no", "yes", "yes"], "site": ["here", "here", "moon"]}


def test_rows_with_unseen_levels_are_impossible_and_it_is_said() -> None:
    network = sb.learn(TABLE).fit()
    with pytest.warns(sb.UnseenLevelWarning) as told:
        assert network.log_likelihood(NEW) == -np.inf
    assert len(told) == 2
    assert "column 'smoke' has levels that the network does not know" in str(told[0].message)
    assert "'maybe'. Its levels are 'no', 'yes'" in str(told[0].message)
    assert told[0].filename == __file__


def test_rows_with_declared_levels_have_a_probability() -> None:
    levels = {"smoke": ["no", "yes", "maybe"], "site": ["here", "moon"]}
    network = sb.learn(TABLE, levels=levels).fit(method="bde")
    assert np.isfinite(network.log_likelihood(NEW))
    # By maximum likelihood, a level that does not occur has probability 0.
    assert sb.learn(TABLE, levels=levels).fit().log_likelihood(NEW) == -np.inf


def test_graphs_are_scored_on_rows_with_unseen_levels() -> None:
    result = sb.learn(TABLE, "tabu-stable")
    assert sb.score(result, NEW).total == sb.score(result.dag, NEW).total
    with pytest.raises(sb.DataError, match="'smoke' has 'maybe', and its levels are 'no', 'unknown', 'yes'"):
        sb.score(sb.learn(TABLE, levels=DECLARED), NEW)
    assert np.isfinite(
        sb.score(sb.learn(TABLE, levels=DECLARED), NEW, levels={"smoke": NEW["smoke"], "site": NEW["site"]}).total
    )
