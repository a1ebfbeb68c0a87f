"""Stability analysis: it shows which learners depend on the layout, and which do not."""

from __future__ import annotations

import csv
import io
import json
import statistics
import sys
from itertools import combinations
from pathlib import Path
from typing import Any

import click
import networkx as nx
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from tests.tables import continuous_columns

import stablebn as sb
from stablebn.cli.main import app
from stablebn.resampling.external_learner import frame

ASIA = sb.read_network("asia")
TABLE = ASIA.sample(300, seed=1)
NUMBERS = continuous_columns(np.random.default_rng(3), 6, 100)


def first_two_columns(frame: pd.DataFrame) -> list[tuple[Any, Any]]:
    """A learner that depends only on the order of the columns; importable, for new processes."""
    return [(frame.columns[0], frame.columns[1])]


def first_by_hash(frame: pd.DataFrame) -> list[tuple[Any, Any]]:
    """A learner that depends on the order of a set."""
    first, second, *_ = set(frame.columns)
    return [(first, second)]


def same_values(frame: pd.DataFrame) -> list[tuple[str, str]]:
    """A learner that identifies two columns by their content."""
    share = (frame == "yes").mean()
    return [(str(share.idxmax()), str(share.idxmin()))]


@pytest.mark.parametrize("vary", [("columns",), ("rows",), ("names",), ("levels",), ("columns", "rows", "names")])
def test_a_stable_learner_gives_one_graph_and_one_score(vary: tuple[str, ...]) -> None:
    audit = sb.stability(TABLE, "tabu-stable", repeats=5, vary=vary)
    assert audit.verdict == "One table, one graph: 5 layouts gave the same graph."
    assert (audit.stable, audit.graphs, audit.classes) == (True, 1, 1)
    assert audit.score is not None
    right = sb.learn(TABLE, "tabu-stable")
    assert audit.score == (right.score, 0.0, right.score, right.score)
    assert audit.learned[0] == right.pdag


def test_a_learner_that_depends_on_column_order_is_found_out() -> None:
    audit = sb.stability(TABLE, first_two_columns, repeats=8, vary=["columns"])
    assert not audit.stable
    assert audit.graphs == len(set(audit.learned)) > 1
    assert audit.verdict.startswith(f"The layout decides: 8 layouts gave {audit.graphs} graphs; up to 2 edges differ")


def test_and_is_cleared_where_the_columns_stay() -> None:
    assert sb.stability(TABLE, first_two_columns, repeats=5, vary=["rows", "names", "levels"]).stable


def test_our_tabu_depends_on_the_layout() -> None:
    audit = sb.stability(ASIA.sample(500, seed=1), "tabu", repeats=12)
    assert audit.graphs > audit.classes > 1
    assert audit.score is not None
    assert audit.score.sd == statistics.stdev([score for score in audit.scores if score is not None]) > 0


def test_names_are_mapped_back() -> None:
    audit = sb.stability(TABLE, same_values, repeats=6, vary=["columns", "rows", "names"])
    share = {name: TABLE[name].to_pylist().count("yes") for name in TABLE.column_names}
    assert audit.graphs == 1
    assert audit.learned[5].directed == ((max(share, key=share.__getitem__), min(share, key=share.__getitem__)),)


def test_every_layout_is_counted_once_for_every_edge() -> None:
    audit = sb.stability(TABLE, "hc", repeats=7)
    for edge in audit.edges:
        marks = [
            ("->" if (edge.a, edge.b) in graph.directed else "<-" if (edge.b, edge.a) in graph.directed else "")
            for graph in audit.learned
        ]
        assert (edge.forward, edge.backward, edge.undirected) == (marks.count("->"), marks.count("<-"), 0)
    assert sum(edge.adjacent for edge in audit.edges) == sum(len(graph.directed) for graph in audit.learned)


def test_pairs_both_ways_are_edges_without_a_direction() -> None:
    audit = sb.stability(TABLE, lambda _: [("asia", "tub"), ("tub", "asia"), ("lung", "tub")], repeats=2, vary=())
    assert audit.learned[0] == sb.PDAG(TABLE.column_names, [("lung", "tub")], [("asia", "tub")])
    assert sb.EdgeFrequency("asia", "tub", 0, 0, 2) in audit.edges


@pytest.mark.parametrize(
    "returned",
    [
        sb.DAG(TABLE.column_names, [("asia", "tub")]),
        nx.DiGraph([("asia", "tub")]),
        nx.DiGraph([("asia", "tub")]).edges(),
        {("asia", "tub")},
        iter([["asia", "tub"]]),
    ],
    ids=lambda returned: type(returned).__name__,
)
def test_a_learner_may_return_edges_in_many_forms(returned: object) -> None:
    answers = [returned, [("asia", "tub")]]
    audit = sb.stability(TABLE, lambda _: answers.pop(0), repeats=2, vary=())
    assert audit.graphs == 1
    assert audit.learned[0].directed == (("asia", "tub"),)


def test_distances_are_between_the_classes_of_every_two_layouts() -> None:
    audit = sb.stability(ASIA.sample(500, seed=1), "hc", repeats=6)
    apart = [sb.compare(a, b).shd for a, b in combinations(audit.learned, 2)]
    assert audit.shd == (statistics.mean(apart), statistics.stdev(apart), min(apart), max(apart))


def test_f1_is_of_every_layout() -> None:
    audit = sb.stability(ASIA.sample(500, seed=1), "hc", repeats=6, truth=ASIA)
    f1 = [sb.compare(graph, ASIA).f1 for graph in audit.learned]
    assert audit.f1 == (statistics.mean(f1), statistics.stdev(f1), min(f1), max(f1))


def test_truth_may_be_a_name_a_file_or_a_graph(tmp_path: Path) -> None:
    ASIA.write(tmp_path / "asia.bif")
    audits = [sb.stability(TABLE, "hc", repeats=2, truth=truth) for truth in ("asia", tmp_path / "asia.bif", ASIA.dag)]
    assert audits[0].f1 == audits[1].f1 == audits[2].f1
    assert audits[0].f1 is not None


def test_the_same_seed_gives_the_same_audit() -> None:
    first, second, other = (sb.stability(TABLE, first_two_columns, repeats=5, seed=seed) for seed in (1, 1, 2))
    assert first == second
    assert first.to_json() == second.to_json()
    assert first.learned != other.learned


def test_units_are_found_out_and_scores_stay_those_of_the_table() -> None:
    def greatest_first(frame: pd.DataFrame) -> list[tuple[Any, Any]]:
        order = frame.abs().max().sort_values().index
        return [(order[-1], order[0])]

    assert sb.stability(NUMBERS, greatest_first, repeats=6, vary=["rows", "columns", "names"]).graphs == 1
    assert sb.stability(NUMBERS, greatest_first, repeats=6, vary=["units"]).graphs > 1
    audit = sb.stability(NUMBERS, "tabu-stable", repeats=4, vary=["units"])
    assert set(audit.scores) == {sb.score(audit.learned[0], NUMBERS).total}


def mirrored(frame: Any) -> list[tuple[Any, Any]]:
    """Return an arc for every pair of columns with a positive correlation."""
    signs = frame.corr().to_numpy() > 0
    return [(a, b) for i, a in enumerate(frame.columns) for j, b in enumerate(frame.columns) if i < j and signs[i, j]]


def test_units_are_varied_where_there_are_any_and_signs_are_units() -> None:
    audit = sb.stability(NUMBERS, "tabu-stable", repeats=4)
    assert audit.vary == ("columns", "rows", "names", "units")
    assert audit.stable
    assert "other columns, rows, names, units (seed 0)" in audit.summary()
    assert sb.stability(NUMBERS, "tabu-stable", repeats=6, unit_free=False).graphs > 1
    assert sb.stability(NUMBERS, mirrored, repeats=6, vary=["rows"], score=None).graphs == 1
    assert sb.stability(NUMBERS, mirrored, repeats=6, vary=["units"], score=None).graphs > 1
    assert sb.stability(TABLE, "tabu-stable", repeats=2).vary == ("columns", "rows", "names")
    assert sb.stability(NUMBERS, "tabu-stable", repeats=2, discretise="quantile").vary == ("columns", "rows", "names")


def test_the_hash_seed_is_found_out() -> None:
    assert sb.stability(TABLE, first_two_columns, repeats=2, vary=["hash"]).stable
    assert sb.stability(TABLE, first_by_hash, repeats=6, vary=["hash"]).graphs > 1


def test_a_stable_learner_is_stable_in_new_processes_and_threads() -> None:
    assert sb.stability(TABLE, "tabu-stable", repeats=3, vary=["hash", "threads", "columns"]).stable


def test_options_reach_the_learner_under_other_names() -> None:
    table = {**TABLE.to_pydict(), "age": list(range(30)) * 10, "weight": [1, 2, 0] * 100}
    options: dict[str, Any] = {
        "score": "bde",
        "iss": 5.0,
        "kinds": {"age": "categorical"},
        "weights": "weight",
        "start": [("asia", "tub")],
        "max_parents": 1,
    }
    audit = sb.stability(table, "tabu-stable", repeats=4, **options)
    alone = sb.learn(table, "tabu-stable", **options)
    assert audit.stable
    assert (audit.learned[3], audit.scores[3]) == (alone.pdag, alone.score)
    assert audit.score_name == "bde"


def test_merged_columns_are_one_node_whatever_they_are_called() -> None:
    table = {**TABLE.to_pydict(), "a copy": TABLE["lung"].to_pylist()}
    audit = sb.stability(table, "tabu-stable", repeats=6, duplicates="merge")
    assert audit.stable
    assert any("a copy" in edge[:2] for edge in audit.edges)
    assert not any("lung" in edge[:2] for edge in audit.edges)


def test_identical_columns_give_a_warning() -> None:
    table = {**TABLE.to_pydict(), "a copy": TABLE["lung"].to_pylist()}
    audit = sb.stability(table, "tabu-stable", repeats=8)
    assert audit.graphs == 2
    assert "only names decide between identical columns" in audit.summary()


def test_graphs_that_no_dag_extends_are_counted_and_not_forced() -> None:
    square = [("asia", "tub"), ("tub", "smoke"), ("smoke", "lung"), ("lung", "asia")]
    answers = [square + [(b, a) for a, b in square], square[:2], square]
    audit = sb.stability(TABLE, lambda _: answers.pop(0), repeats=3, vary=(), truth=ASIA)
    assert (audit.graphs, audit.classes, audit.non_extendable) == (3, 1, 2)
    assert [score is None for score in audit.scores] == [True, False, True]
    assert "in 2 layouts no DAG extends the graph" in audit.verdict


def test_only_directions_are_decided_within_a_class() -> None:
    answers = [[("asia", "tub")], [("tub", "asia")]]
    audit = sb.stability(TABLE, lambda _: answers.pop(0), repeats=2, vary=())
    assert audit.verdict == "The layout decides directions: 2 layouts gave 2 graphs of one equivalence class."


def test_graphs_need_not_be_scored() -> None:
    mixed = {**TABLE.to_pydict(), "size": [float(row) for row in range(300)]}
    audit = sb.stability(mixed, first_two_columns, repeats=3, score=None)
    assert audit.score is None
    assert audit.to_dict()["score"] is None


def test_frames_have_the_types_of_the_table() -> None:
    given = pd.DataFrame(
        {"a": [1, 2], "b": ["x", "y"], "c": pd.Categorical(["q", "p"]), "d": [0.5, 1.5], ("e", 1): [True, False]}
    )
    seen = []

    def look(frame: pd.DataFrame) -> list[tuple[str, str]]:
        seen.append(frame)
        return []

    sb.stability(given, look, repeats=2, vary=["rows"], score=None)
    pd.testing.assert_frame_equal(seen[0], given.set_axis(pd.Index(list(given), tupleize_cols=False), axis=1))
    assert [str(type_) for type_ in seen[1].dtypes] == [str(type_) for type_ in given.dtypes]


def test_without_pandas_the_frame_is_an_arrow_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert frame({"a": pa.chunked_array([[1, 2]])}).column_names == ["a"]


def test_the_texts_say_what_the_audit_says() -> None:
    audit = sb.stability(TABLE, "hc", repeats=5, truth=ASIA)
    written = json.loads(audit.to_json())
    assert (written["graphs"], written["verdict"], written["scores"]) == (
        audit.graphs,
        audit.verdict,
        list(audit.scores),
    )
    assert written["f1"]["mean"] == audit.f1.mean if audit.f1 else False
    rows = list(csv.DictReader(io.StringIO(audit.to_csv())))
    assert [(row["a"], row["b"], int(row["forward"]), int(row["backward"])) for row in rows] == [
        (edge.a, edge.b, edge.forward, edge.backward) for edge in audit.edges
    ]
    assert repr(audit).splitlines()[0] == audit.verdict


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_the_picture_is_written_and_never_over_another(tmp_path: Path, ending: str) -> None:
    pytest.importorskip("matplotlib")
    audit = sb.stability(TABLE, "hc", repeats=3)
    path = tmp_path / f"audit.{ending}"
    audit.plot(path)
    assert path.stat().st_size > 1000
    with pytest.raises(sb.OptionError, match="exists"):
        audit.plot(path)
    with pytest.raises(sb.OptionError, match="must end in"):
        audit.plot(tmp_path / "audit.doc")


def test_without_matplotlib_the_picture_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "stablebn.plotting.notebook_figure", raising=False)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(sb.MissingExtraError, match=r"stablebn\[plot\]"):
        sb.stability(TABLE, "hc", repeats=2).plot()


def test_progress_counts_the_layouts() -> None:
    done: list[int] = []
    sb.stability(TABLE, first_two_columns, repeats=3, progress=done.append)
    assert done == [1, 2, 3]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"learner": "taboo"}, "learner='taboo' is not known"),
        ({"learner": 3}, "neither the name of a learner nor a callable"),
        ({"vary": ["colums"]}, "vary='colums' is not known"),
        ({"vary": ["units"]}, "continuous columns, and there are none"),
        ({"learner": first_two_columns, "vary": ["threads"]}, "for algorithms by name"),
        ({"learner": lambda _: [], "vary": ["hash"]}, "define it with def in a module"),
        ({"repeats": 1}, "repeats=1 must be an integer of at least 2"),
        ({"seed": -1}, "seed=-1 must be"),
        ({"alpha": 0.1}, "has no option 'alpha'"),
        ({"beta": 0.1}, "`learn` has no option 'beta'"),
        ({"learner": first_two_columns, "tabu": 3}, "`score` has no option 'tabu'"),
        ({"learner": lambda _: [("asia", "africa")]}, "edges of 'africa': not columns"),
        ({"learner": lambda _: ["asia"]}, "got 'asia' for a pair"),
        ({"learner": lambda _: 3}, "is not a graph"),
        ({"truth": sb.DAG("ab", [])}, "must have the same nodes"),
    ],
)
def test_wrong_arguments_are_named(options: dict[str, Any], said: str) -> None:
    with pytest.raises(sb.StableBNError, match=said):
        sb.stability(TABLE, **{"repeats": 2, **options})


def test_the_graph_to_start_from_can_be_a_file(tmp_path: Path) -> None:
    path = tmp_path / "start.csv"
    path.write_text("from,to\nasia,tub\n")
    audit = sb.stability(TABLE, "hc", repeats=2, start=path, max_iter=0)
    assert [graph.directed for graph in audit.learned] == [(("asia", "tub"),)] * 2


def test_the_default_is_the_algorithm_and_the_score_that_learn_chooses() -> None:
    audit, learned = sb.stability(TABLE, repeats=3), sb.learn(TABLE)
    assert audit.stable
    assert audit.score_name == learned.config["score"] != "bic"
    assert audit.scores == (learned.score,) * 3


def test_graphs_in_other_units_are_judged_by_the_score_that_was_chosen() -> None:
    audit, learned = sb.stability(NUMBERS, repeats=2, vary=["units"]), sb.learn(NUMBERS)
    assert audit.score_name == learned.config["score"]
    judged = sb.score(learned.dag, NUMBERS, score=learned.config["score"], prior=learned.config["prior"])
    assert audit.scores[0] == judged.total


@pytest.mark.parametrize("command", ["learn", "stability", "bootstrap", "cross-validate", "explain", "report"])
def test_all_commands_have_the_same_default_algorithm(command: str) -> None:
    parsed = app.get_command(click.Context(app), command)
    assert parsed is not None
    assert [parameter.default for parameter in parsed.params if parameter.name == "algorithm"] == ["auto"]
