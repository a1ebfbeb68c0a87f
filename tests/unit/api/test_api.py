from __future__ import annotations

import logging
import math
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.tables import Columns, continuous_columns

import stablebn as sb
from stablebn.learners import LEARNERS

ASIA: Columns = sb.read_network("asia").sample(500, seed=3).to_pydict()


@pytest.mark.parametrize("algorithm", list(LEARNERS))
def test_every_learner_learns(algorithm: str) -> None:
    result = sb.learn(ASIA, algorithm)
    assert set(result.nodes) == set(ASIA)
    assert set(result.order) | set(result.constants) == set(ASIA)
    assert result.config["algorithm"] == algorithm
    assert result.score == sb.score(result, ASIA).total
    assert result.score is not None
    if isinstance(result.trace, sb.Trace) and len(result.trace):
        assert result.trace.score[-1] <= result.score


@pytest.mark.parametrize("score", ["bic", "aic", "loglik", "bge"])
@pytest.mark.parametrize("unit_free", [False, True])
def test_score_of_a_continuous_result_is_its_score_to_the_bit(score: str, unit_free: bool) -> None:
    columns = continuous_columns(np.random.default_rng(1), 7, 40)
    unit_free = unit_free and score != "bge"
    result = sb.learn(columns, score=score, max_parents=4, unit_free=unit_free)
    found = sb.score(result.dag, columns, score, unit_free=unit_free)
    assert found.total == result.score == sb.score(result, columns, score).total
    assert float(found) == pytest.approx(sum(found.by_node.values()))


def test_every_door_gives_the_same_result() -> None:
    first = sb.learn(ASIA)
    array = np.array([ASIA[name] for name in ASIA]).T
    for data, options in (
        (pd.DataFrame(ASIA), {}),
        (pl.DataFrame(ASIA), {}),
        (array, {"names": list(ASIA)}),
    ):
        second = sb.learn(data, **options)  # type: ignore[arg-type]
        assert (second.arcs, second.score) == (first.arcs, first.score)


def test_names_that_are_not_text_come_back_unchanged() -> None:
    columns: Columns = {place if place % 2 else (place, "x"): own for place, own in enumerate(ASIA.values())}
    result = sb.learn(columns)
    assert result.nodes == tuple(columns)
    assert all(u in columns and v in columns for u, v in result.arcs)
    assert "nodes" in result.to_json()


def test_constant_column_stays_alone_and_is_reported() -> None:
    result = sb.learn({**ASIA, "site": ["here"] * 500})
    assert result.constants[-1] == "site"
    assert "site" in result.nodes
    assert not any("site" in arc for arc in result.arcs)
    assert any(caution.code == "constant" and "site" in caution.columns for caution in result.warnings)
    assert sb.score(result, {**ASIA, "site": ["here"] * 500}).by_node["site"] == 0


@pytest.mark.parametrize("columns", [{"a": ["x", "x"], "b": ["y", "y"]}, {"a": ["x", "x"], "b": ["y", "z"]}])
def test_nothing_to_learn_is_a_graph_without_arcs(columns: Columns) -> None:
    result = sb.learn(columns)
    assert result.nodes == ("a", "b")
    assert result.arcs == ()


def test_start_is_obeyed() -> None:
    first = sb.learn(ASIA, "hc")
    again = sb.learn(ASIA, "hc", start=first.dag)
    assert again.arcs == first.arcs
    assert len(again.trace) == 0
    assert sb.learn(ASIA, "hc", start=[("smoke", "lung")], max_iter=0).arcs == (("smoke", "lung"),)


@pytest.mark.parametrize(
    ("start", "words"),
    [
        ([("smoke", "nobody")], "nobody"),
        ([("smoke", "lung"), ("lung", "smoke")], "smoke"),
        ([("site", "lung")], "site"),
        (7, "int"),
        ([("smoke", "dysp"), ("lung", "dysp"), ("tub", "dysp")], "dysp"),
    ],
)
def test_impossible_start_is_refused_by_name(start: object, words: str) -> None:
    with pytest.raises(sb.StableBNError, match=words):
        sb.learn({**ASIA, "site": ["here"] * 500}, "hc", start=start, max_parents=2)


def test_max_parents_is_obeyed() -> None:
    result = sb.learn(ASIA, max_parents=1)
    assert max(sum(target == node for _, target in result.arcs) for node in result.nodes) == 1


def test_max_iter_is_reported() -> None:
    result = sb.learn(ASIA, "hc", max_iter=2)
    assert len(result.arcs) == 2
    assert any(caution.code == "max-iter" for caution in result.warnings)


def test_max_iter_is_reported_also_of_a_search_for_the_order() -> None:
    table = sb.read_network("asia").sample(1000, seed=1)
    decreasing, last = (len(sb.learn(table, learner).trace) for learner in ("hc-dec", "hc-stable"))
    assert decreasing > last
    cut = sb.learn(table, "hc-stable", max_iter=last)
    assert [caution.code for caution in cut.warnings] == ["max-iter"]


def test_tabu_inside_the_order_search_is_an_option() -> None:
    result, plain = sb.learn(ASIA, "tabu-stable", order_search="tabu"), sb.learn(ASIA, "hc-stable")
    assert result.config["order_search"] == "tabu"
    assert result.score is not None
    assert plain.score is not None
    assert result.score >= plain.score


@pytest.mark.parametrize(
    "options",
    [
        {"algorithm": "magic"},
        {"score": "magic"},
        {"algorithm": "hc", "tabu": 5},
        {"algorithm": "tabu", "order_search": "hc"},
        {"order_search": "magic"},
        {"tabu": 0},
        {"noinc": -1},
        {"max_parents": -1},
        {"max_iter": 1.5},
        {"threads": 0},
        {"k": 0},
        {"unit_free": "no"},
        {"missing": "guess"},
        {"duplicates": "guess"},
    ],
)
def test_impossible_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(sb.OptionError):
        sb.learn(ASIA, **options)


NUMBERS = continuous_columns(np.random.default_rng(1), 5, 40)


@pytest.mark.parametrize("ask", [sb.learn, lambda data, **options: sb.score([], data, **options)])
def test_unit_free_with_bge_is_refused(ask: Callable[..., object]) -> None:
    with pytest.raises(sb.OptionError, match=r"bge.*unit_free"):
        ask(NUMBERS, score="bge", unit_free=True)


def test_units_take_no_part_unless_it_is_said() -> None:
    assert sb.learn(NUMBERS).config["unit_free"] is True
    assert sb.learn(NUMBERS).to_dict() == sb.learn(NUMBERS, unit_free=True).to_dict()
    assert sb.learn(NUMBERS, unit_free=False).config["unit_free"] is False


def test_categories_have_no_units_and_asking_for_none_is_no_harm() -> None:
    assert sb.learn(ASIA, unit_free=True).to_dict() == sb.learn(ASIA).to_dict()
    assert sb.learn(ASIA).config["unit_free"] is False


def test_bge_keeps_its_units_and_says_so() -> None:
    result = sb.learn(NUMBERS, score="bge")
    assert result.config["unit_free"] is False
    assert [caution.code for caution in result.warnings] == ["units"]
    assert sb.learn(NUMBERS, score="bge", unit_free=False).warnings == ()


def test_a_score_is_that_of_the_columns_as_they_are() -> None:
    arcs = [("x0", "x1"), ("x1", "x2"), ("x0", "x3")]
    plain = sb.score(arcs, NUMBERS)
    mirrored = {name: [-x for x in own] for name, own in NUMBERS.items()}
    assert sb.score(arcs, mirrored) == plain
    # Eight times as wide: a density of an eighth, in each of 40 rows.
    wide = {**NUMBERS, "x1": [8 * x for x in NUMBERS["x1"]]}
    found = sb.score(arcs, wide)
    assert found.by_node["x1"] == pytest.approx(plain.by_node["x1"] - 40 * math.log(8), rel=1e-15)
    assert [found.by_node[name] for name in NUMBERS if name != "x1"] == [
        plain.by_node[name] for name in NUMBERS if name != "x1"
    ]
    assert sb.score(arcs, NUMBERS, unit_free=False).total == pytest.approx(plain.total, rel=1e-13)


@pytest.mark.parametrize("test", ["cor", "zf", "mi-g"])
def test_p_values_know_no_units(test: str) -> None:
    units = [(-2.54, 32.0), (0.1, -7.3), (-1.0, 0.0), (1e-9, 1.0), (3.0, 1e6)]
    other = {
        name: [x * factor + zero for x in own]
        for (name, own), (factor, zero) in zip(NUMBERS.items(), units, strict=True)
    }
    first, second = (sb.ci_test(data, "x0", "x1", ["x2", "x4"], test) for data in (NUMBERS, other))
    # Of the two that are tested one was mirrored.
    sign = 1 if test == "mi-g" else -1
    assert (second.p_value, second.statistic, second.df) == (first.p_value, sign * first.statistic, first.df)


def test_score_takes_graphs_in_every_form() -> None:
    result = sb.learn(ASIA, "tabu-stable")
    right = result.score
    assert sb.score(list(result.arcs), ASIA).total == right
    assert sb.score(result.cpdag, ASIA).total == right
    network = nx.DiGraph(list(result.arcs))
    network.add_nodes_from(ASIA)
    assert sb.score(network, ASIA).total == right


def test_score_of_a_graph_that_does_not_fit_names_the_nodes() -> None:
    with pytest.raises(sb.GraphError, match="ghost"):
        sb.score(sb.DAG([*ASIA, "ghost"], []), ASIA)
    with pytest.raises(sb.GraphError, match="dysp"):
        sb.score(sb.DAG([name for name in ASIA if name != "dysp"], []), ASIA)
    cycle = [("asia", "smoke"), ("smoke", "tub"), ("tub", "lung"), ("lung", "asia")]
    with pytest.raises(sb.GraphError, match="extends"):
        sb.score(sb.PDAG(list(ASIA), [], cycle), ASIA)


def test_scores_without_equivalence_refuse_a_class_of_graphs() -> None:
    with pytest.raises(sb.GraphError, match="k2"):
        sb.score(sb.learn(ASIA).cpdag, ASIA, "k2")


def test_arcs_of_a_constant_continuous_column_have_no_score() -> None:
    columns: Columns = {**continuous_columns(np.random.default_rng(1), 3, 20), "still": [1.5] * 20}
    with pytest.raises(sb.GraphError, match="still"):
        sb.score([("x0", "still")], columns)


def test_compare_takes_results() -> None:
    result = sb.learn(ASIA)
    assert sb.compare(result, result.dag).f1 == 1.0


def test_repr_and_json_are_readable_and_complete() -> None:
    result = sb.learn(ASIA)
    assert f"Learned {len(result.arcs)} arcs among 8 variables from 500 rows" in repr(result)
    assert result.fingerprint in repr(result)
    written = result.to_dict()
    assert written["nodes"] == list(ASIA)
    assert written["arcs"] == sorted(written["arcs"])
    assert set(result.timings) == {"encode", "order", "search", "total"}


def test_trace_goes_to_frames_and_text() -> None:
    trace = sb.learn(ASIA, "tabu").trace
    assert len(trace.to_pandas()) == len(trace.to_polars()) == len(trace)
    assert trace.to_csv().splitlines()[0].startswith("move,source,target,delta")
    assert trace.to_pandas()["arbitrary"].any()
    numbered = sb.learn(dict(enumerate(ASIA.values())), "tabu").trace
    assert numbered.to_polars()["source"].dtype == pl.String


def test_library_prints_and_logs_nothing_unasked() -> None:
    program = "import stablebn as sb; sb.learn({'a': ['x', 'y', 'x'], 'b': ['p', 'q', 'p'], 'c': ['k'] * 3})"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")


def test_learning_is_logged_for_those_who_ask(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="stablebn"):
        sb.learn(ASIA, "tabu-stable")
    assert any("tabu-stable" in message for message in caplog.messages)


@pytest.mark.parametrize("stage", ["decreasing order", "increasing order"])
def test_an_interrupt_ends_both_searches(stage: str) -> None:
    calls: list[str] = []

    def interrupt(at: str, steps: int) -> None:
        calls.append(at)
        if at == stage:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sb.learn(ASIA, progress=interrupt, threads=2)
    made = len(calls)
    # While another one learns, an abandoned search would have made many a step.
    sb.learn(ASIA)
    assert len(calls) == made


def test_progress_names_the_searches() -> None:
    seen: list[str] = []
    sb.learn(ASIA, "tabu-stable", progress=lambda stage, steps: seen.append(stage))
    before = ["reading", "encoding", "counting", "ordering"]
    assert list(dict.fromkeys(seen)) == [*before, "decreasing order", "increasing order", "search"]
