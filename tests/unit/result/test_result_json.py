from __future__ import annotations

import gzip
import json
from collections.abc import Hashable
from datetime import date, datetime, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import stablebn as sb
from stablebn.api.arguments import LearnArguments
from stablebn.api.learn import learn_from_request
from stablebn.api.request import LearnRequest
from stablebn.graph import to_csv, to_dot, to_graphml
from stablebn.knowledge import KnownArcs
from stablebn.learners import LEARNERS

ASIA = pd.DataFrame(sb.read_network("asia").sample(400, seed=1).to_pydict())
NUMBERS = pd.DataFrame(sb.random_network(6, kinds="continuous", density=1.5, seed=2).sample(200, seed=1).to_pydict())
MIXED = sb.random_network(7, kinds="mixed", density=1.5, seed=3).sample(300, seed=1)


def same(result: sb.Result) -> sb.Result:
    back = sb.Result.from_json(result.to_json())
    assert back == result
    assert hash(back) == hash(result)
    assert back.to_json() == result.to_json()
    assert back.cpdag == result.cpdag
    assert back.summary() == result.summary()
    return back


@pytest.mark.parametrize("algorithm", LEARNERS)
def test_the_result_of_every_learner_comes_back(algorithm: str) -> None:
    back = same(sb.learn(ASIA, algorithm))
    assert back.prepared is None
    assert back.timings == {}


@pytest.mark.parametrize("algorithm", ["tabu-stable", "pc-stable", "fges"])
def test_results_of_numbers_and_mixed_tables_come_back(algorithm: str) -> None:
    same(sb.learn(NUMBERS, algorithm))
    same(sb.learn(MIXED, algorithm))


def test_what_was_done_to_the_columns_comes_back() -> None:
    table = NUMBERS.assign(twin=NUMBERS.iloc[:, 0], site="x", id=range(len(NUMBERS)), sex=["f", "m"] * 100)
    back = same(sb.learn(table, discretise="quantile", bins=3, duplicates="merge"))
    assert back.constants == ("site",)
    assert back.merged
    assert len(back.cuts) == 7
    assert back.decisions["id"].kind is None
    assert {"constant", "set-aside", "identical"} <= {caution.code for caution in back.warnings}


def test_an_unfinished_result_comes_back_with_its_warning() -> None:
    assert "max-iter" in [caution.code for caution in same(sb.learn(ASIA, "tabu-stable", max_iter=1)).warnings]


def test_known_arcs_come_back() -> None:
    known = KnownArcs(forbidden=(("lung", "smoke"), ("either", "tub")))
    back = same(learn_from_request(LearnRequest.of(LearnArguments.of_learn((ASIA,), {}), known=known)))
    assert ("smoke", "lung") in back.known


def test_a_graph_that_no_dag_extends_comes_back() -> None:
    table = sb.random_network(10, density=2.0, kinds="continuous", seed=38).sample(100, seed=1)
    back = same(sb.learn(table, "pc-stable", unit_free=False))
    assert back.dag is None
    assert back.undirected


NAMES: list[Hashable] = [
    *(3, ("a", ("b", 1)), date(2024, 5, 1), datetime(2024, 5, 1, 12, tzinfo=timezone.utc)),
    *(pd.Timestamp("2024-05-02"), np.int64(8), "x"),
]


@pytest.mark.parametrize("algorithm", ["tabu-stable", "mmhc", "gs", "fges"])
def test_names_that_are_not_text_come_back(algorithm: str, tmp_path: Path) -> None:
    table = {name: ASIA[column].tolist() for name, column in zip(NAMES, ASIA, strict=False)}
    result = sb.learn(table, algorithm)
    assert same(result).nodes == tuple(NAMES)
    path = tmp_path / "r.json"
    path.write_text(result.to_json(), encoding="utf-8")
    assert sb.read_graph(path) == result.marked


def test_other_names_become_text() -> None:
    names = [Decimal("1.5"), pd.Timestamp("2024-05-02 00:00:00.000000001"), "x"]
    result = sb.learn({name: ASIA[column].tolist() for name, column in zip(names, ASIA, strict=False)})
    assert sb.Result.from_json(result.to_json()).nodes == ("1.5", "2024-05-02 00:00:00.000000001", "x")


def test_files_are_read_packed_or_not(tmp_path: Path) -> None:
    result = sb.learn(ASIA)
    (tmp_path / "r.json").write_text(result.to_json())
    with gzip.open(tmp_path / "r.json.gz", "wt") as file:
        file.write(result.to_json())
    assert sb.Result.from_json(tmp_path / "r.json") == sb.Result.from_json(str(tmp_path / "r.json.gz")) == result


def test_parameters_need_the_table_and_the_error_says_how() -> None:
    result = sb.learn(NUMBERS, discretise="interval")
    back = sb.Result.from_json(result.to_json())
    with pytest.raises(sb.OptionError, match=r"stablebn\.fit\(result, data\)"):
        back.fit()
    assert sb.fit(back, NUMBERS) == result.fit()
    assert sb.score(back, NUMBERS).total == result.score


def _without(key: str) -> str:
    content = json.loads(sb.learn(ASIA).to_json())
    del content[key]
    return json.dumps(content)


def _with(**entries: Any) -> str:
    return json.dumps({**json.loads(sb.learn(ASIA).to_json()), **entries})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{}", 'expected a result, with the entry "format"'),
        (_with(version=99), "expected version 1, got 99"),
        (_without("order"), "the entry 'order' is missing"),
        (_with(order="asia"), "asia is no list of names"),
        (_with(dag=[["asia", "nobody"]]), "not a node: 'nobody'"),
        (_with(pdag=[]), "expected a result as"),
        (_with(trace={"magic": []}), "expected a result as"),
        (_with(nodes=[{"day": 1}]), "is not a name"),
        ("{", "expected JSON"),
    ],
)
def test_what_is_no_result_is_refused(text: str, message: str) -> None:
    with pytest.raises(sb.FormatError, match=message):
        sb.Result.from_json(text)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(sb.FormatError, match="there is no such file"):
        sb.Result.from_json(tmp_path / "none.json")


def test_results_can_be_counted_in_sets() -> None:
    layouts = [ASIA, ASIA[sorted(ASIA)], ASIA.sample(frac=1, random_state=1)]
    assert len({sb.learn(table).dag for table in layouts}) == 1
    assert len({sb.learn(ASIA), sb.learn(ASIA), sb.learn(ASIA, score="aic", k=0.1)}) == 2


@pytest.mark.parametrize("write", [to_csv, to_dot, to_graphml])
def test_writers_take_results_and_networks(write: Any) -> None:
    result = sb.learn(ASIA)
    assert result.undirected
    assert write(result) == write(result.marked, result.strengths) != write(result.dag)
    assert write(result.dag) == write(result.fit())
