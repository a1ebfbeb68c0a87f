"""Certificates travel, hold in every layout, and are refused where they were changed or the table is another one."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from tests.shared import SHARED, needs_shared, sample
from tests.tables import Columns, categorical_columns, continuous_columns, shuffled

import stablebn as sb
from stablebn.cli.main import app
from stablebn.exact.certificate import digest_of
from stablebn.knowledge import KnownArcs


@pytest.fixture(scope="module")
def columns() -> Columns:
    return categorical_columns(np.random.default_rng(11), 7, 150)


@pytest.fixture(scope="module")
def result(columns: Columns) -> sb.Result:
    return sb.learn(columns, "exact")


def optimum(name: str) -> Columns:
    """A table of those whose best graph is known."""
    with (SHARED / "optimum" / f"{name}.csv").open() as file:
        return {f"X{v}": list(column) for v, column in enumerate(zip(*csv.reader(file), strict=True))}


def test_best_graph_says_that_it_is_proven(result: sb.Result) -> None:
    assert (result.optimal, result.gap) == (True, 0.0)
    assert result.bound == result.score
    assert result.ties is not None
    assert result.ties.are_all
    assert "This is the best graph: it is proven" in result.summary()
    assert result.to_dict()["optimal"] is True


def test_other_learners_claim_nothing(columns: Columns) -> None:
    found = sb.learn(columns, "tabu-stable")
    assert (found.optimal, found.bound, found.gap, found.ties, found.certificate) == (None,) * 5
    assert "optimal" not in found.to_dict()


def test_no_learner_is_better(columns: Columns, result: sb.Result) -> None:
    for algorithm in ("tabu-stable", "hc", "fges"):
        other = sb.learn(columns, algorithm)
        assert other.score is not None
        assert result.bound is not None
        assert other.score <= result.bound


@pytest.mark.parametrize("kind", ["categorical", "continuous"])
def test_certificate_goes_to_a_file_and_back_and_holds_in_any_layout(kind: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    table = categorical_columns(rng, 7, 150) if kind == "categorical" else continuous_columns(rng, 6, 80)
    certificate = sb.learn(table, "exact", max_parents=3, k=0.7).certificate
    assert certificate is not None
    certificate.save(tmp_path / "proof.json")
    assert sb.Certificate.read(tmp_path / "proof.json") == certificate
    verified = sb.verify(tmp_path / "proof.json", shuffled(table, 5))
    assert (verified.optimal, verified.gap) == (True, 0.0)
    assert str(verified).startswith("This is the best graph: it is proven.")


def _changed(written: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """A certificate with one thing changed, by what it is."""
    parents = [[], *written["parents"][1:]]
    if not written["parents"][0]:
        parents = [own if at else [1] for at, own in enumerate(written["parents"])]
    return {
        "score": {**written, "score": str(int(written["score"]) + 1)},
        "bound": {**written, "bound": str(int(written["bound"]) + 1)},
        "no bound": {**written, "bound": None},
        "graph": {**written, "parents": parents},
        "names": {**written, "variables": written["variables"][::-1]},
        "penalty": {**written, "options": {"k": 2.0}},
        "a tree less": {**written, "proof": written["proof"][1:]},
        "format": {**written, "format": "another"},
        "an option": {**written, "options": {"greed": 3}},
        "cut off": {"format": written["format"]},
        "a cycle": {**written, "parents": [[1], [0], *written["parents"][2:]]},
    }


@pytest.mark.parametrize(
    "what",
    list(_changed({"score": "0", "bound": "0", "parents": [[1]], "variables": ["a", "b"], "proof": [], "format": ""})),
)
def test_changed_certificate_is_refused(what: str, result: sb.Result, columns: Columns) -> None:
    assert result.certificate is not None
    changed = _changed(json.loads(result.certificate.to_json()))[what]
    with pytest.raises(sb.CertificateError):
        sb.Certificate.from_json(json.dumps(changed))
    # Nor does a new digest help.
    with pytest.raises(sb.CertificateError):
        sb.verify(sb.Certificate.from_json(json.dumps({**changed, "digest": digest_of(changed)})), columns)


def test_certificate_knows_how_the_table_was_read(columns: Columns) -> None:
    table = {**columns, "code": [place % 3 for place in range(150)], "w": [2] * 150}
    found = sb.learn(table, "exact", kinds={"code": "categorical", ...: "categorical"}, weights="w")
    assert found.certificate is not None
    again = sb.Certificate.from_json(found.certificate.to_json())
    assert again == found.certificate
    assert sb.verify(again, table).score == found.score


def test_what_a_certificate_assumes_is_said(columns: Columns) -> None:
    found = sb.learn(columns, "exact", max_parents=1, k=2.0)
    assert found.certificate is not None
    assert "Given k=2.0, max_parents=1." in str(sb.verify(found.certificate, columns))
    written = json.loads(found.certificate.to_json())
    written["forbidden"] = [["c0", "no column"]]
    written["digest"] = digest_of(written)
    assert "1 arcs forbidden" in str(sb.verify(sb.Certificate.from_json(json.dumps(written)), columns))


def test_tables_of_a_proof_travel_and_changed_ones_are_refused() -> None:
    table = sb.read_network("alarm").sample(500, seed=3)
    found = sb.learn(table, "exact", max_parents=3)
    assert found.certificate is not None
    written = json.loads(found.certificate.to_json())
    assert written["tables"]
    again = sb.Certificate.from_json(json.dumps(written))
    assert again == found.certificate
    assert sb.verify(again, table).optimal
    [places, numbers] = written["tables"][0]
    for changed in (
        [[places, [[9 * number for number in own] for own in numbers]], *written["tables"][1:]],
        [[places[::-1], numbers], *written["tables"][1:]],
        [[places, numbers[1:]], *written["tables"][1:]],
        [[places, [[0.5, *own[1:]] for own in numbers]], *written["tables"][1:]],
        [],
    ):
        other = {**written, "tables": changed}
        with pytest.raises(sb.CertificateError):
            sb.verify(sb.Certificate.from_json(json.dumps({**other, "digest": digest_of(other)})), table)


KNOWN: dict[str, Any] = {
    "required": [("c0", "c3"), ("c1", "c3")],
    "forbidden": [("c2", "c4")],
    "max_parents": {"c5": 1, ...: 3},
}


def test_what_is_known_is_obeyed_and_travels_with_the_certificate(columns: Columns) -> None:
    found = sb.learn(columns, "exact", **KNOWN)
    free = sb.learn(columns, "exact")
    assert found.optimal
    assert {("c0", "c3"), ("c1", "c3")} <= set(found.arcs)
    assert found.score is not None
    assert free.score is not None
    assert found.score < free.score
    assert found.certificate is not None
    again = sb.Certificate.from_json(found.certificate.to_json())
    assert again == found.certificate
    verified = sb.verify(again, shuffled(columns, 9))
    assert (verified.optimal, verified.score) == (True, found.score)
    assert "2 arcs required, 1 arcs forbidden" in str(verified)
    # Without what is known, it does not hold.
    with pytest.raises(sb.CertificateError):
        sb.verify(replace(again, known=KnownArcs()), columns)
    with pytest.raises(sb.CertificateError, match="cannot be"):
        sb.verify(replace(again, known=KnownArcs(required=(("c0", "c3"), ("c3", "c0")))), columns)


def test_a_graph_is_held_against_those_that_obey_what_was_known(columns: Columns) -> None:
    found = sb.learn(columns, "exact", **KNOWN)
    climbed = sb.learn(columns, "hc", **KNOWN)
    assert climbed.score is not None
    assert found.score is not None
    for known in (climbed, sb.Result.from_json(climbed.to_json())):
        distance = sb.prove(known, columns)
        assert distance.best.dag == found.dag
        assert distance.at_least == distance.at_most == found.score - climbed.score


@pytest.mark.parametrize("options", [{}, {"max_sets": 42, "k": 0.1}, KNOWN])
def test_what_is_proven_is_in_the_file_of_a_result(columns: Columns, options: dict[str, Any]) -> None:
    found = sb.learn(columns, "exact", **options)
    again = sb.Result.from_json(found.to_json())
    assert again == found
    assert (again.optimal, again.bound, again.gap, again.ties) == (found.optimal, found.bound, found.gap, found.ties)
    assert again.certificate == found.certificate
    assert again.certificate is not None
    assert sb.verify(again.certificate, columns).bound == found.bound
    assert again != replace(found, proof=None)


def test_names_and_levels_of_any_type_are_in_a_certificate() -> None:
    rng = np.random.default_rng(2)
    a, b, c = rng.integers(0, 2, (3, 80))
    table = {("x", 1): a.tolist(), date(2024, 5, 1): (a ^ (b & c)).tolist(), 7: b.tolist(), "c": c.tolist()}
    options: dict[str, Any] = {
        "kinds": "categorical",
        "required": [(7, date(2024, 5, 1))],
        "levels": {("x", 1): [0, 1, 2]},
    }
    found = sb.learn(table, "exact", **options)
    assert found.certificate is not None
    again = sb.Certificate.from_json(found.certificate.to_json())
    assert again == found.certificate
    assert sb.verify(again, table).score == found.score


def test_at_a_limit_the_graph_is_no_worse_than_what_others_find(columns: Columns) -> None:
    other = sb.learn(columns, "best", k=0.1)
    for limit in (0, 42, 60):
        found = sb.learn(columns, "exact", max_sets=limit, k=0.1)
        assert found.optimal is False
        assert found.score is not None
        assert other.score is not None
        assert found.score >= other.score
        assert found.certificate is not None
        assert sb.verify(found.certificate, columns).score == found.score
        # Sets of variables that cannot be parents prove nothing.
        crowded = replace(found.certificate, besides=(1, *found.certificate.besides[1:]))
        with pytest.raises(sb.CertificateError):
            sb.verify(crowded, columns)


def test_certificate_of_another_table_is_refused(result: sb.Result, columns: Columns) -> None:
    assert result.certificate is not None
    other = {name: own[:-1] for name, own in columns.items()}
    with pytest.raises(sb.CertificateError, match=r"not of this table|does not hold"):
        sb.verify(result.certificate, other)


def test_limit_on_sets_is_said_and_the_bound_still_verified(columns: Columns) -> None:
    found = sb.learn(columns, "exact", max_sets=42, k=0.1)
    assert found.optimal is False
    assert found.proof is not None
    assert found.proof.most_parents == 1
    assert [caution.code for caution in found.warnings] == ["not-proven"]
    assert "nats below the best graph; parent sets of more than 1 were left out" in found.summary()
    assert found.certificate is not None
    verified = sb.verify(found.certificate, columns)
    best = sb.learn(columns, "exact", k=0.1)
    assert best.score is not None
    assert found.bound is not None
    assert found.bound == verified.bound
    assert found.bound >= best.score


def test_bge_without_a_bound_says_so() -> None:
    found = sb.learn(
        continuous_columns(np.random.default_rng(1), 6, 50), "exact", score="bge", unit_free=False, max_sets=40
    )
    assert (found.optimal, found.bound, found.gap) == (False, None, None)
    assert "no bound is known" in found.summary()


def test_command_verifies_what_the_command_has_proven(columns: Columns, tmp_path: Path) -> None:
    table, proof = tmp_path / "table.csv", tmp_path / "proof.json"
    rows = zip(*columns.values(), strict=True)
    table.write_text("\n".join(",".join(row) for row in [tuple(map(str, columns)), *rows]) + "\n")
    learned = CliRunner().invoke(app, ["learn", str(table), "--algorithm", "exact", "--certificate", str(proof)])
    assert learned.exit_code == 0, learned.output
    assert "This is the best graph" in learned.output
    verified = CliRunner().invoke(app, ["verify", str(proof), str(table)])
    assert verified.exit_code == 0, verified.output
    assert verified.output.startswith("This is the best graph: it is proven.")


def test_any_graph_is_as_far_from_the_best_as_it_is(columns: Columns, result: sb.Result) -> None:
    assert result.score is not None
    empty = sb.learn(columns, "hc", max_iter=0)
    assert empty.score is not None
    far = sb.prove(empty, columns)
    assert not far.optimal
    assert far.at_least == far.at_most == result.score - empty.score
    assert str(far).endswith("nats below the best graph.")
    assert sb.prove(result, columns).optimal
    limited = sb.prove(empty, columns, max_sets=42)
    assert limited.at_most is not None
    assert limited.at_least <= far.at_least <= limited.at_most


def test_a_graph_of_another_table_is_refused(columns: Columns, result: sb.Result) -> None:
    for other in ({**columns, "c0": columns["c0"][::-1]}, {name: own * 2 for name, own in columns.items()}):
        with pytest.raises(sb.GraphError, match="another table"):
            sb.prove(result, other)


def test_columns_that_were_left_out_are_left_out_of_the_distance(columns: Columns) -> None:
    table = {**columns, "w": [2] * 150}
    found = sb.learn(table, "exact", drop=["c6"], weights="w")
    assert sb.prove(found, table, weights="w").best.score == found.score


@pytest.mark.parametrize(
    "options", [{"score": "aic"}, {"score": "bge", "unit_free": False}, {"discretise": "quantile"}]
)
def test_distance_is_told_in_the_score_that_the_graph_was_learned_with(options: dict[str, Any]) -> None:
    table = continuous_columns(np.random.default_rng(2), 5, 60)
    assert sb.prove(sb.learn(table, "exact", **options), table).optimal


def test_command_says_how_far_a_graph_is_from_the_best(columns: Columns, tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    rows = zip(*columns.values(), strict=True)
    table.write_text("\n".join(",".join(row) for row in [tuple(map(str, columns)), *rows]) + "\n")
    learned = CliRunner().invoke(app, ["learn", str(table), "-a", "tabu-stable", "--prove", "--max-iter", "0"])
    assert learned.exit_code == 0, learned.output
    assert "nats below the best graph." in learned.output


@needs_shared
@pytest.mark.parametrize(
    ("name", "score"),
    [
        ("wine", -1258.445909),
        ("insurance1000", -14350.4714),
        ("alarm1000", -11783.0524),
        ("zoo", None),
        ("voting", None),
        pytest.param("flag", None, marks=pytest.mark.slow),
    ],
)
def test_published_optimum_is_found_and_proven(name: str, score: float | None) -> None:
    table = optimum(name)
    found = sb.learn(table, "exact", kinds="categorical")
    assert found.optimal
    assert score is None or found.score == pytest.approx(score, abs=5e-5)
    assert found.certificate is not None
    assert sb.verify(found.certificate, table).optimal


@needs_shared
@pytest.mark.parametrize("name", ["asia", "sports", pytest.param("child", marks=pytest.mark.slow), "insurance"])
def test_samples_of_a_thousand_rows_are_proven(name: str) -> None:
    assert sb.learn(sample(name, 1000), "exact", kinds="categorical").optimal
