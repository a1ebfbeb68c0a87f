"""Every function that reads a table takes the same reading options, and reads the same table by them."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from click.testing import CliRunner

import stablebn as sb
from stablebn.cli.main import app
from stablebn.options import options_of
from stablebn.prepare.read_options import READING, TableReading

ARCS = [("a", "b"), ("b", "c"), ("g", "b")]
DIALECT = {"sep": "|", "decimal": ",", "encoding": "cp1252"}
OPTIONS: dict[str, Any] = {**DIALECT, "drop": ["note"], "kinds": {"c": "continuous"}, "levels": {"g": ["ü", "v", "w"]}}


def _frame(rows: int = 80) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    a = rng.normal(size=rows).round(3)
    b = (a + rng.normal(size=rows)).round(3)
    c = (2 * b + rng.normal(size=rows)).round().clip(-1, 1).astype(int)
    g = np.where(a + rng.normal(size=rows) > 0, "ü", "v")
    return pd.DataFrame({"a": a, "b": b, "c": c, "g": g})


FRAME = _frame()
KINDS: dict[str, Any] = {"kinds": OPTIONS["kinds"], "levels": OPTIONS["levels"]}
NETWORK = sb.fit(sb.DAG(list("abcg"), ARCS), FRAME, **KINDS)
RESULT = sb.learn(FRAME, "exact", score="bic", arcs="clg", **KINDS)

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "learn": sb.learn,
    "score": sb.score,
    "check": sb.check,
    "statistics": sb.statistics,
    "fit": sb.fit,
    "ci_test": sb.ci_test,
    "prove": sb.prove,
    "verify": sb.verify,
    "discretise": sb.discretise,
    "apply": sb.Discretised.apply,
    "log_likelihood": sb.Network.log_likelihood,
}

ANSWERS: dict[str, Callable[..., Any]] = {
    "learn": lambda data, **options: sb.learn(data, "hc", **options),
    "score": lambda data, **options: sb.score(ARCS, data, "loglik", **options),
    "fit": lambda data, **options: dict(sb.fit(sb.DAG(list("abcg"), ARCS), data, **options)),
    "ci_test": lambda data, **options: sb.ci_test(data, "a", "c", ["b"], **options),
    "prove": lambda data, **options: sb.prove(RESULT, data, **options),
    "verify": lambda data, **options: sb.verify(RESULT.certificate, data, **options).score,
    "discretise": lambda data, **options: sb.discretise(data, **options).cuts,
    "apply": lambda data, **options: _columns(sb.discretise(FRAME, **KINDS).apply(data, **options)),
    "log_likelihood": lambda data, **options: NETWORK.log_likelihood(data, **options),
}


def _columns(table: Any) -> dict[str, list[Any]]:
    return {str(name): list(own) for name, own in pa.table(table).to_pydict().items()}


def _file(folder: Path) -> Path:
    """Write the table as text in which nothing is as usual, with a column more."""
    path = folder / "table.txt"
    noted = FRAME.assign(note=[f"free text, number {row}" for row in range(len(FRAME))])
    noted.to_csv(path, sep="|", decimal=",", encoding="cp1252", index=False)
    return path


def test_the_reading_options_are_one_table() -> None:
    assert {*READING, "data", "threads"} == {entry.name for entry in options_of(TableReading)}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_that_reads_a_table_has_the_reading_options(name: str) -> None:
    function = FUNCTIONS[name]
    assert {*READING, "threads"} <= {*inspect.signature(function).parameters}
    assert all(f"\n{option} : " in inspect.cleandoc(str(function.__doc__)) for option in (*READING, "threads"))


@pytest.mark.parametrize("name", ANSWERS)
def test_a_file_is_read_as_its_options_say(name: str, tmp_path: Path) -> None:
    answer, path = ANSWERS[name], _file(tmp_path)
    right = answer(FRAME, **KINDS)
    assert answer(path, **OPTIONS, threads=1) == right
    chosen = {**OPTIONS, "drop": None, "columns": "a, b, c, g"}
    assert answer(path, **chosen) == right


@pytest.mark.parametrize("name", [name for name in ANSWERS if name not in ("learn", "score")])
def test_unknown_options_are_refused_by_name(name: str) -> None:
    with pytest.raises(sb.OptionError, match=r"no option 'dropp'\. Did you mean 'drop'\?"):
        ANSWERS[name](FRAME, dropp="g")


def test_kept_columns_are_used() -> None:
    table = FRAME.assign(number=range(100, 180))
    assert "number" not in sb.discretise(table).cuts
    assert "number" in sb.discretise(table, keep="number").cuts
    assert "number" not in sb.fit([], table)
    assert "number" in sb.fit([], table, keep=["number"])
    assert sb.ci_test(table, "number", "a", keep=["number"]).p_value > 0


def test_bins_are_those_of_the_result_unless_others_are_specified() -> None:
    learned = sb.learn(FRAME, "hc", discretise="quantile", bins=2)
    assert sb.fit(learned, FRAME).cuts == learned.cuts
    assert sb.fit(learned, FRAME, discretise="interval", bins=4).cuts == sb.discretise(FRAME, "interval", 4).cuts
    assert sb.ci_test(FRAME, "a", "b", discretise="quantile").test == "mi"


# The likelihood under a network


def test_a_network_names_the_columns_that_the_table_lacks() -> None:
    with pytest.raises(sb.DataError, match=r"lacks columns of the network: 'g'\. Its columns: 'a', 'b', 'c'\."):
        NETWORK.log_likelihood(FRAME.drop(columns="g"))


def test_options_that_were_not_given_are_not_in_the_error() -> None:
    table = FRAME.assign(a="low")
    for answer in (NETWORK.log_likelihood, lambda own: sb.score(RESULT, own), lambda own: sb.fit(RESULT, own)):
        with pytest.raises(sb.DataError, match=r"text in this table: 'a' \(for example 'low'\)") as caught:
            answer(table)
        assert "kinds=" not in str(caught.value)
    with pytest.raises(sb.DataError, match=r"kinds= says continuous of text: 'a'"):
        NETWORK.log_likelihood(table, kinds={"a": "continuous"})


def test_kinds_that_contradict_the_network_are_refused() -> None:
    right = NETWORK.log_likelihood(FRAME)
    for kinds in ({"a": "continuous"}, {"g": "categorical", ...: "continuous"}, "continuous"):
        assert NETWORK.log_likelihood(FRAME, kinds=kinds) == right  # type: ignore[arg-type]
    with pytest.raises(sb.OptionError, match=r"in the network 'a' is continuous\. Leave these columns out of kinds="):
        NETWORK.log_likelihood(FRAME, kinds={"a": "categorical"})
    binned = sb.learn(FRAME, "hc", discretise="quantile", kinds={"c": "continuous"}).fit()
    assert binned.log_likelihood(FRAME, kinds={"c": "continuous"}) == binned.log_likelihood(FRAME)


@pytest.mark.parametrize(
    ("answer", "offered"),
    [
        (lambda table: NETWORK.log_likelihood(table), {"drop"}),
        (lambda table: sb.learn(table, "hc", score="bde", discretise="quantile"), {"drop", "level"}),
        (lambda table: sb.learn(table, "hc", score="bge", drop=["c", "g"]), {"drop"}),
        (lambda table: sb.learn(table, "hc", score="bic", arcs="clg"), {"drop", "available"}),
        (lambda table: sb.score([], table, columns=["g", "c"]), {"drop", "level", "available"}),
        (lambda table: sb.fit([], table), {"drop", "available"}),
        (lambda table: sb.ci_test(table, "a", "b"), {"drop", "available"}),
    ],
)
def test_errors_offer_only_what_works(answer: Callable[[pd.DataFrame], object], offered: set[str]) -> None:
    table = FRAME.astype({"c": float})
    for place, name in enumerate(("a", "b", "g")):
        table.loc[place, name] = None
    with pytest.raises(sb.DataError, match="missing values") as caught:
        answer(table)
    assert {value for value in ("drop", "level", "available") if f'missing="{value}"' in str(caught.value)} == offered


# Statistics


def test_statistics_are_read_as_when_they_were_made(tmp_path: Path) -> None:
    incomplete = FRAME.assign(a=[math.nan, *FRAME["a"][1:]])
    options: dict[str, Any] = {**OPTIONS, "missing": "drop", "sep": None, "decimal": None, "encoding": None}
    noted = incomplete.assign(note="free text")
    made = sb.statistics(noted, **options)
    for name, answer in ANSWERS.items():
        if name not in ("prove", "verify", "discretise", "apply"):
            assert answer(made) == answer(noted, **options), name
            with pytest.raises(sb.OptionError, match=r"give 'kinds' to stablebn\.statistics"):
                answer(made, kinds={"c": "continuous"})
    assert sb.check(made).to_dict()["columns"] == sb.check(noted, **options).to_dict()["columns"]


def test_statistics_can_be_proven_and_verified() -> None:
    made = sb.statistics(FRAME, **KINDS)
    assert sb.prove(RESULT, made).optimal
    assert RESULT.certificate is not None
    assert sb.verify(RESULT.certificate, made).optimal


# Proofs


def test_a_certificate_does_not_depend_on_the_file(tmp_path: Path) -> None:
    learned = sb.learn(_file(tmp_path), "exact", **OPTIONS)
    assert learned.certificate is not None
    noted = FRAME.assign(note="free text")
    assert sb.verify(learned.certificate, noted).score == learned.score
    assert sb.verify(learned.certificate, FRAME, drop=[]).score == learned.score
    with pytest.raises(sb.CertificateError, match="names 'a', not a variable"):
        sb.verify(learned.certificate, noted, drop=["note", "a"])


def test_a_certificate_of_binned_columns_holds_beside_kinds() -> None:
    learned = sb.learn(FRAME, "exact", discretise="quantile", kinds={"c": "categorical"})
    assert learned.certificate is not None
    assert sb.verify(learned.certificate, FRAME).optimal
    again = sb.prove(learned, FRAME).best.certificate
    assert again is not None
    assert sb.verify(again, FRAME).optimal


@pytest.mark.parametrize("options", [{"drop": ["a"]}, {"columns": ["a", "b"]}, {"kinds": {"c": "categorical"}}])
def test_a_proof_is_about_the_columns_of_the_graph(options: dict[str, Any]) -> None:
    with pytest.raises(sb.GraphError, match="from other columns, or from columns of other kinds"):
        sb.prove(RESULT, FRAME, **options)


def test_the_command_verifies_a_file_as_its_options_say(tmp_path: Path) -> None:
    proof, path = tmp_path / "proof.json", _file(tmp_path)
    assert RESULT.certificate is not None
    RESULT.certificate.save(proof)
    words = ["verify", str(proof), str(path), "--drop", "note", "--encoding", "cp1252", "--sep", "|", "--decimal", ","]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert repr(RESULT.score) in done.output


def test_the_command_scores_incomplete_rows_that_have_no_likelihood(tmp_path: Path) -> None:
    table = FRAME.assign(g=[None, *FRAME["g"][1:]])
    table.to_csv(tmp_path / "table.csv", index=False)
    NETWORK.write(tmp_path / "network.json")
    words = ["score", str(tmp_path / "network.json"), str(tmp_path / "table.csv"), "--missing", "available"]
    done = CliRunner().invoke(app, [*words, "--continuous", "c"])
    assert done.exit_code == 0, done.output
    right = sb.score(ARCS, tmp_path / "table.csv", kinds={"c": "continuous"}, missing="available")
    assert repr(right.total) in done.output
    assert "No log-likelihood" in done.output


# Bins


def _incomplete() -> dict[str, list[Any]]:
    a = [None if row == 3 else value for row, value in enumerate(FRAME["a"])]
    g = [None if row in (3, 5) else value for row, value in enumerate(FRAME["g"])]
    return {"a": a, "b": FRAME["b"].tolist(), "g": g, "nothing": [None] * len(a)}


SOURCES: dict[str, Callable[[dict[str, list[Any]]], Any]] = {
    "dict": dict,
    "pandas": pd.DataFrame,
    "polars": lambda columns: pl.DataFrame(columns),
    "arrow": pa.table,
}


@pytest.mark.parametrize("source", SOURCES)
def test_rows_with_missing_values_are_left_out_of_the_new_table(source: str) -> None:
    columns = _incomplete()
    whole = sb.discretise(columns)
    dropped = sb.discretise(SOURCES[source](columns), missing="drop")
    assert dropped.cuts == whole.cuts == sb.learn(columns, "hc", missing="drop", discretise="quantile").cuts
    kept = [row for row in range(len(columns["a"])) if row not in (3, 5)]
    found = _columns(dropped.data)
    assert {name: found[name] for name in "abg"} == {name: [whole.data[name][row] for row in kept] for name in "abg"}
    assert len(found["nothing"]) == len(kept)


def test_missing_values_of_a_table_to_bin_can_be_an_error() -> None:
    columns = _incomplete()
    assert sb.discretise(columns).data["a"][3] is None
    assert sb.discretise(columns, missing="level").data["a"][3] is None
    with pytest.raises(sb.DataError, match=r"missing values in 'a' \(1\), 'g' \(2\)"):
        sb.discretise(columns, missing="error")
    with pytest.raises(sb.DataError, match=r"missing values in 'a' \(1\), 'g' \(2\)"):
        sb.discretise(columns).apply(columns, missing="error")


@pytest.mark.parametrize("names", [["a", "b", "c", "g"], [1, 2, 3, 4], [("x", 1), ("x", 2), ("x", 3), ("x", 4)]])
def test_columns_that_are_not_used_are_not_in_the_new_table(names: list[Any]) -> None:
    frame = FRAME.set_axis(pd.Index(names, tupleize_cols=False), axis=1)
    found = sb.discretise(frame, drop=[names[1]], levels={names[2]: [-1, 0, 1]})
    assert list(found.data.columns) == [names[0], names[2], names[3]]
    assert list(found.cuts) == [names[0]]
    array = sb.discretise(FRAME[["a", "b"]].to_numpy(), names=["a", "b"], columns="b")
    assert list(array.data) == ["b"]
