"""What is known is said alike at every door, is obeyed behind all of them, and is told by the result."""

from __future__ import annotations

import inspect
import json
import random
import subprocess
import sys
from collections.abc import Callable, Hashable
from functools import partial
from pathlib import Path
from typing import Any

import networkx as nx
import pandas as pd
import pyarrow.csv
import pytest
from sklearn.base import clone

import stablebn as sb
from stablebn.api.arguments import study_options
from stablebn.learners import LEARNERS
from stablebn.study import read_study

ASIA = sb.read_network("asia").sample(500, seed=1)
TIERS = [["asia", "smoke"], ["tub", "lung", "bronc", "either"], ["xray", "dysp"]]
ALL = list(LEARNERS)
BY_SCORE = [name for name in ALL if name not in ("pc-stable", "gs", "inter-iamb")]


@pytest.mark.parametrize("algorithm", ALL)
def test_every_learner_obeys(algorithm: str) -> None:
    result = sb.learn(
        ASIA, algorithm, required=[("asia", "xray")], forbidden=[("smoke", "bronc"), ("bronc", "smoke")], tiers=TIERS
    )
    tier: dict[Hashable, int] = {name: number for number, names in enumerate(TIERS) for name in names}
    assert ("asia", "xray") in result.arcs
    assert not {("smoke", "bronc"), ("bronc", "smoke")} & {*result.arcs, *result.undirected}
    assert all(tier[a] <= tier[b] for a, b in result.arcs)


@pytest.mark.parametrize("algorithm", BY_SCORE)
def test_parents_are_limited_by_variable(algorithm: str) -> None:
    free = sb.learn(ASIA, algorithm, forbidden=[("either", "xray")])
    assert any(b in ("either", "dysp") for _, b in free.arcs)
    result = sb.learn(ASIA, algorithm, max_parents={"either": 0, "dysp": 0})
    assert not any(b in ("either", "dysp") for _, b in result.arcs)


SAID: list[dict[str, Any]] = [
    {"required": [("asia", "xray")], "forbidden": [("smoke", "lung")]},
    {"knowledge": sb.Knowledge(required=[("asia", "xray")], forbidden=[("smoke", "lung")])},
    {"knowledge": {"required": [("asia", "xray")]}, "forbidden": pd.DataFrame({"from": ["smoke"], "to": ["lung"]})},
    {"knowledge": nx.DiGraph([("asia", "xray")]), "forbidden": [["smoke", "lung"]]},
    {"knowledge": [{"forbidden": [("smoke", "lung")]}, pd.DataFrame({"from": ["asia"], "to": ["xray"]})]},
    {"knowledge": {"from": ["asia", "smoke"], "to": ["xray", "lung"], "kind": ["required", "forbidden"]}},
]


@pytest.mark.parametrize("said", SAID)
def test_the_same_in_other_forms_is_the_same_result(said: dict[str, Any]) -> None:
    result = sb.learn(ASIA, **said)
    assert result == sb.learn(ASIA, **SAID[0])
    assert result.config["knowledge"] == {"required": [["asia", "xray"]], "forbidden": [["smoke", "lung"]]}


def test_what_is_recorded_is_plain_and_learns_the_same_again() -> None:
    said: dict[str, Any] = {
        "tiers": [["smoke", "asia"], ["dysp"]],
        "max_parents": {"dysp": 1, ...: 3},
        "forbidden": [("tub", "lung")],
    }
    result = sb.learn(ASIA, **said)
    told = json.loads(result.to_json())["config"]
    assert told["knowledge"] == {
        "forbidden": [["tub", "lung"]],
        "tiers": [["asia", "smoke"], ["dysp"]],
        "max_parents": [["dysp", 1], ["...", 3]],
    }
    assert told["max_parents"] is None
    assert sb.learn(ASIA, knowledge=told["knowledge"]) == result
    assert sb.learn(ASIA).config["knowledge"] is None


def test_one_limit_for_all_is_recorded_as_ever() -> None:
    result = sb.learn(ASIA, max_parents=1)
    assert (result.config["max_parents"], result.config["knowledge"]) == (1, None)
    by_knowledge = sb.learn(ASIA, knowledge={"max_parents": 1})
    assert (by_knowledge.arcs, by_knowledge.score) == (result.arcs, result.score)
    both = sb.learn(ASIA, max_parents=3, knowledge={"max_parents": {"dysp": 1, "either": 9}})
    assert both.config["knowledge"]["max_parents"] == [["dysp", 1], ["either", 3], ["...", 3]]


def test_order_in_which_things_are_said_changes_nothing() -> None:
    arcs = [("asia", "xray"), ("smoke", "dysp"), ("tub", "bronc")]
    one = sb.learn(ASIA, required=arcs, tiers=TIERS)
    other = sb.learn(ASIA.select(ASIA.column_names[::-1]), required=arcs[::-1], tiers=[tier[::-1] for tier in TIERS])
    assert (one.arcs, one.score, one.config, one.fingerprint) == (
        other.arcs,
        other.score,
        other.config,
        other.fingerprint,
    )


@pytest.mark.parametrize("seed", range(5))
def test_new_names_for_columns_and_knowledge_give_the_same_graph(seed: int) -> None:
    rng = random.Random(f"names {seed}")
    names = ASIA.column_names
    new = dict(zip(names, rng.sample([f"{letter} {n}" for n, letter in enumerate("zyxwvuts")], 8), strict=True))
    known = sb.Knowledge(required=[("asia", "xray")], tiers=TIERS, roots=["tub"], max_parents={"dysp": 1})
    one = sb.learn(ASIA, knowledge=known)
    other = sb.learn(ASIA.rename_columns([new[name] for name in names]), knowledge=known.renamed(dict(new)))
    assert {(new[str(a)], new[str(b)]) for a, b in one.arcs} == set(other.arcs)
    assert (one.score, one.fingerprint) == (other.score, other.fingerprint)


def test_names_of_any_kind_are_found() -> None:
    columns = ASIA.to_pydict()
    named = dict(zip([0, 1, ("a", 1), "x:y", "my age", "größe", 2.5, "b->c"], columns.values(), strict=True))
    arcs = [(0, ("a", 1)), ("x:y", "b->c"), ("größe", "my age"), (1, 2.5)]
    result = sb.learn(pd.DataFrame(columns).set_axis(list(named), axis=1), required=arcs)
    assert set(arcs) <= set(result.arcs)


def _told(word: str) -> dict[str, Any]:
    return {word: [("smoke", "lung")]}


@pytest.mark.parametrize("word", ["whitelist", "white_list", "fixed_edges", "force_arcs", "arc_whitelist"])
def test_white_lists_are_answered_with_our_words(word: str) -> None:
    with pytest.raises(sb.OptionError, match=rf"learn has no option '{word}'\. Say required=\[\(\"a\", \"b\"\)\]"):
        sb.learn(ASIA, **_told(word))


@pytest.mark.parametrize("word", ["blacklist", "black_list", "arc_blacklist", "tabu_edges", "forbidden_edges"])
def test_black_lists_are_answered_with_our_words(word: str) -> None:
    doors: dict[str, Callable[..., object]] = {
        "learn": partial(sb.learn, ASIA),
        "TabuStable": sb.TabuStable,
        "`learn`": partial(sb.stability, ASIA),
    }
    for door, call in doors.items():
        with pytest.raises(sb.OptionError, match=rf"{door} has no option '{word}'\. Say forbidden=\["):
            call(**_told(word))


def test_other_words_of_other_tools_are_answered() -> None:
    for word, answer in (
        ("tier", "tiers="),
        ("maxp", "max_parents="),
        ("roots", 'knowledge={"roots"'),
        ("edge_whitelist", '"allowed"'),
    ):
        with pytest.raises(sb.OptionError) as caught:
            sb.learn(ASIA, **_told(word))
        assert answer in str(caught.value)


def test_contradictions_are_told_before_the_table_is_read(tmp_path: Path) -> None:
    with pytest.raises(sb.KnowledgeError, match="form a cycle"):
        sb.learn(tmp_path / "there is none.csv", required=[("a", "b"), ("b", "a")])
    with pytest.raises(sb.KnowledgeError, match="a, b are required as parents of c, but it may have 1 at most"):
        sb.learn(tmp_path / "there is none.csv", required=[("a", "c"), ("b", "c")], max_parents=1)


def test_arcs_that_the_model_does_not_have_cannot_be_required() -> None:
    rng = random.Random("mixed")
    mixed = {"sex": rng.choices("mf", k=80), "age": [rng.gauss(0, 1) for _ in range(80)]}
    with pytest.raises(
        sb.KnowledgeError, match=r'age -> sex is required, but age is continuous and sex categorical: say arcs="any"'
    ) as caught:
        sb.learn(mixed, required=[("age", "sex")])
    assert [conflict.kind for conflict in caught.value.conflicts] == ["kinds"]
    assert sb.learn(mixed, required=[("age", "sex")], arcs="any").arcs == (("age", "sex"),)


def test_columns_that_take_no_part_can_have_no_required_arcs_but_may_be_named() -> None:
    table = ASIA.append_column("site", [["x"] * 500]).append_column("spare", ASIA["smoke"])
    said: dict[str, Any] = {"tiers": [["site", "spare", "smoke"], ["lung"]], "drop": ["spare"]}
    assert ("lung", "smoke") not in sb.learn(table, **said).arcs
    with pytest.raises(sb.KnowledgeError) as caught:
        sb.learn(table, required=[("site", "lung"), ("spare", "lung")], **said)
    assert [conflict.message for conflict in caught.value.conflicts] == [
        "site -> lung is required, but site takes no part: it has a single value.",
        "spare -> lung is required, but spare takes no part: it is left out.",
    ]
    with pytest.raises(sb.KnowledgeError, match="spare -> lung is required, but spare takes no part: it is left out"):
        sb.stability(table, "hc", required=[("spare", "lung")], **said)
    assert sb.stability(table, "tabu-stable", repeats=2, **said).graphs == 1


def test_merged_columns_have_what_is_known_of_each() -> None:
    table = ASIA.append_column("copy", ASIA["lung"])
    result = sb.learn(
        table, duplicates="merge", required=[("copy", "xray")], forbidden=[("lung", "dysp"), ("dysp", "lung")]
    )
    (stands,) = result.merged
    assert (stands, "xray") in result.arcs
    with pytest.raises(sb.KnowledgeError, match="identical and were merged"):
        sb.learn(table, duplicates="merge", required=[("copy", "lung")])


def test_the_summary_says_what_was_known() -> None:
    said: dict[str, Any] = {
        "required": [("asia", "xray")],
        "forbidden": [("smoke", "lung")],
        "max_parents": {"dysp": 2},
    }
    result = sb.learn(ASIA, tiers=[["asia"], ["xray"]], **said)
    (line,) = [line for line in result.summary().splitlines() if "Known" in line]
    assert line.startswith("  Known: 1 arc required, 2 forbidden, parents of 1 variable limited; ")
    assert line.endswith(("direction follows from knowledge.", "directions follow from knowledge."))
    assert "Known" not in sb.learn(ASIA).summary()


def test_estimators_take_what_is_known() -> None:
    frame = pd.DataFrame({"from": ["asia"], "to": ["xray"]})
    estimator = sb.TabuStable(required=frame, tiers=TIERS, knowledge={"roots": ["tub"]})
    assert clone(estimator).get_params()["required"].equals(frame)
    assert "roots" in repr(estimator)
    result = estimator.fit(ASIA).result_
    assert result == sb.learn(ASIA, "tabu-stable", required=frame, tiers=TIERS, knowledge={"roots": ["tub"]})
    assert {"required", "forbidden", "tiers", "knowledge"} <= set(inspect.signature(sb.PCStable).parameters)


@pytest.mark.parametrize("vary", [["names"], ["columns", "rows", "names"]])
def test_audits_rename_what_is_known(vary: list[str]) -> None:
    found = sb.stability(
        ASIA,
        "tabu-stable",
        repeats=4,
        vary=vary,
        required=[("asia", "xray")],
        tiers=TIERS,
        knowledge={"roots": ["tub"]},
        max_parents={"dysp": 1},
    )
    assert found.graphs == 1
    (graph,) = set(found.learned)
    expected = sb.learn(
        ASIA, required=[("asia", "xray")], tiers=TIERS, knowledge={"roots": ["tub"]}, max_parents={"dysp": 1}
    )
    assert graph.directed == expected.arcs


def test_audits_of_other_learners_are_told_that_they_cannot_know() -> None:
    with pytest.raises(sb.OptionError, match="`score` has no option 'required'"):
        sb.stability(ASIA, lambda frame: [], repeats=2, required=[("asia", "xray")])


def test_studies_know_no_names(tmp_path: Path) -> None:
    assert not {"required", "forbidden", "tiers", "knowledge"} & {option.name for option in study_options()}
    study = tmp_path / "mine.toml"
    study.write_text('networks = ["asia"]\nsizes = [100]\nmax_parents = {dysp = 1}\n[[learners]]\nalgorithm = "hc"\n')
    with pytest.raises(sb.OptionError, match="max_parents by variable is not for studies"):
        read_study(study)


def _run(*words: object, code: int = 0) -> subprocess.CompletedProcess[str]:
    program = [sys.executable, "-c", "from stablebn.cli.main import main; main()", *map(str, words)]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    return done


def test_the_command_line_says_it_all(tmp_path: Path) -> None:
    names = {"smoke": "my age", "lung": "x:y", "xray": "a,b"}
    table = ASIA.rename_columns([names.get(name, name) for name in ASIA.column_names])
    data, known, out = tmp_path / "data.csv", tmp_path / "known.toml", tmp_path / "graph.json"
    pyarrow.csv.write_csv(table, data)
    known.write_text('roots = ["tub"]\n')
    words = ["--require", "asia:dysp", "--require", "my age->x:y", "--forbid", "bronc:dysp", "--forbid", "dysp:bronc"]
    words += ["--tier", "asia,my age", "--tier", '"a,b",dysp', "--max-parents", "3", "--max-parents", "dysp=2"]
    shown = _run("learn", data, *words, "--knowledge", known, "--out", out).stdout
    assert "  Known: 2 arcs required, " in shown
    expected = sb.learn(
        table,
        required=[("asia", "dysp"), ("my age", "x:y")],
        forbidden=[("bronc", "dysp"), ("dysp", "bronc")],
        tiers=[["asia", "my age"], ["a,b", "dysp"]],
        knowledge={"roots": ["tub"]},
        max_parents={"dysp": 2, ...: 3},
    )
    told = json.loads(out.read_text(encoding="utf-8"))
    assert told["config"]["knowledge"] == expected.config["knowledge"]
    assert told["arcs"] == [list(arc) for arc in expected.arcs]


def test_the_audit_on_the_command_line_knows_too(tmp_path: Path) -> None:
    data, out = tmp_path / "data.csv", tmp_path / "edges.csv"
    pyarrow.csv.write_csv(ASIA, data)
    _run("stability", data, "-a", "tabu-stable", "--repeats", 3, "--require", "asia:xray", "--out", out)
    assert "asia,xray" in out.read_text(encoding="utf-8")


def test_the_command_line_tells_contradictions_and_how_words_are_written(tmp_path: Path) -> None:
    data = tmp_path / "data.csv"
    pyarrow.csv.write_csv(ASIA, data)
    told = _run("learn", data, "--require", "asia:tub", "--tier", "tub", "--tier", "asia", code=2).stderr
    assert told == "KnowledgeError: asia -> tub is required, but tub is in tier 1 and asia in tier 2.\n"
    assert (
        "'a:b:c' is not an arc: write from:to, or 'from->to'" in _run("learn", data, "--forbid", "a:b:c", code=2).stderr
    )
    told = _run("learn", data, "--forbid", "asia:tubb", code=2).stderr
    assert told == "KnowledgeError: there is no column tubb. Did you mean tub?\n"
    told = _run("learn", data, "--blacklist", "arcs.csv", code=2).stderr
    assert "stablebn has no option 'blacklist'. Say forbidden=" in told
    assert "--forbid a:b" in told
    assert "blacklist" not in _run("learn", "--help").stdout
