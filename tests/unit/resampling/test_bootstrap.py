"""The bootstrap: its counts, its checkpoint, and learners by name or as callables."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
from collections.abc import Hashable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.preparing import prepare
from tests.tables import categorical_columns

import stablebn as sb
from stablebn.canonical import resampled_rows as resampling
from stablebn.canonical.row_draws import drawn_counts
from stablebn.canonical.rows import canonical_rows
from stablebn.resampling.bootstrap_checkpoint import Replicate

ASIA = sb.read_network("asia").sample(300, seed=1)


@pytest.fixture(scope="module")
def asia() -> sb.Bootstrap:
    return sb.bootstrap(ASIA, replicates=30)


def test_counts_are_those_of_learning_from_the_rows(asia: sb.Bootstrap) -> None:
    rows = canonical_rows(prepare(ASIA).table)
    # The canonical order decides between columns that are identical in a replicate, but not in the table.
    aliases = {name: f"{place} {name}" for place, name in enumerate(asia.canonical)}
    frame = ASIA.to_pandas().rename(columns=aliases)
    for number, graph in enumerate(asia.graphs):
        drawn = np.repeat(rows.places, drawn_counts(rows.counts, 0, number))
        assert graph is not None
        directed, undirected = (
            [(aliases[u], aliases[v]) for u, v in own] for own in (graph.directed, graph.undirected)
        )
        assert sb.PDAG(frame.columns, directed, undirected) == sb.learn(frame.iloc[drawn]).cpdag
    for edge in asia.edges:
        marks = [graph and _mark(graph, edge.a, edge.b) for graph in asia.graphs]
        assert (edge.forward, edge.backward, edge.undirected) == tuple(map(marks.count, ("->", "<-", "--")))
        assert edge.frequency == (30 - marks.count("")) / 30
        assert asia.directions[edge.a, edge.b] == edge.direction
        assert asia.edge(edge.b, edge.a).direction == pytest.approx(asia.directions[edge.b, edge.a])


def _mark(graph: sb.PDAG, a: Hashable, b: Hashable) -> str:
    if b in graph.neighbours(a):
        return "--"
    return "->" if b in graph.children(a) else "<-" if b in graph.parents(a) else ""


def test_averaged_graph_has_the_edges_of_more_than_half(asia: sb.Bootstrap) -> None:
    kept = {(edge.a, edge.b) for edge in asia.edges if 2 * edge.adjacent > 30}
    assert set(asia.averaged.skeleton()) == kept
    assert asia.threshold == max(edge.frequency for edge in asia.edges if 2 * edge.adjacent <= 30)
    assert asia.edge("asia", "xray").frequency <= asia.threshold


def test_result_has_the_graph_of_the_complete_table(asia: sb.Bootstrap) -> None:
    assert asia.result == sb.learn(ASIA)
    assert asia.learned == sb.learn(ASIA).cpdag
    assert asia.nodes == asia.result.nodes
    assert "sample alone" in asia.noise
    assert asia.layout_share == 0.0


def test_seed_and_replicates_are_what_counts(asia: sb.Bootstrap) -> None:
    assert sb.bootstrap(ASIA, replicates=30, threads=1) == sb.bootstrap(ASIA, replicates=30, threads=3) == asia
    assert sb.bootstrap(ASIA, replicates=30, seed=1) != asia
    assert sb.bootstrap(ASIA, replicates=40).graphs[:30] == asia.graphs


def test_disagreement_is_the_mean_distance_of_two_replicates(asia: sb.Bootstrap) -> None:
    graphs = [graph for graph in asia.graphs if graph is not None]
    distances = [sb.compare(a, b, as_cpdag=False).shd for a in graphs for b in graphs if a is not b]
    assert asia.disagreement == pytest.approx(sum(distances) / len(distances))


def test_weights_are_rows() -> None:
    counts = np.random.default_rng(1).integers(0, 4, 300)
    written_out = ASIA.take(np.repeat(np.arange(300), counts))
    assert sb.bootstrap(ASIA, replicates=10, weights=counts).graphs == sb.bootstrap(written_out, replicates=10).graphs


@pytest.mark.parametrize("kinds", ["categorical", "continuous", "mixed"])
def test_rows_with_weights_give_the_same_as_rows_written_out(kinds: str, monkeypatch: pytest.MonkeyPatch) -> None:
    table = sb.random_network(6, kinds=kinds, seed=2).sample(120, seed=1)
    found = []
    for rows in (1, 10**9):
        monkeypatch.setattr(resampling, "_ROWS_PER_DISTINCT_ROW", rows)
        found.append(sb.bootstrap(table, replicates=10))
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "table",
    [
        {"a": ["x"] * 5, "b": ["y"] * 5},
        {"a": ["x", "y"], "b": ["z", "z"]},
        {"a": [0.5, 1.5] * 3, "b": [1.25] * 6},
        {"a": ["x", "y"] * 3, "b": [1.25] * 6},
    ],
)
def test_smallest_tables_have_no_edges(table: dict[str, Any]) -> None:
    found = sb.bootstrap(table, replicates=3)
    assert (found.edges, found.threshold, found.disagreement, found.failed) == ((), 0.0, 0.0, 0)
    assert found.averaged == sb.PDAG(table, (), ())
    assert "0 edges" in found.summary()
    assert sb.bootstrap(table, lambda frame: [], replicates=2).edges == ()


def test_column_that_is_constant_in_a_replicate_stays_alone_there() -> None:
    columns = {**categorical_columns(np.random.default_rng(0), 3, 40), "once": ["b", *["a"] * 39]}
    found = sb.bootstrap(columns, replicates=20, score="loglik", max_parents=3)
    assert not found.failed
    without = [number for number, graph in enumerate(found.graphs) if graph and not _joined(graph, "once")]
    counts = canonical_rows(prepare(columns).table)
    alone = [
        number
        for number in range(20)
        if 0 not in np.repeat(counts.places, drawn_counts(counts.counts, 0, number)).tolist()
    ]
    assert 0 < len(alone) < 20
    assert without == alone


def _joined(graph: sb.PDAG, node: Hashable) -> tuple[Hashable, ...]:
    return (*graph.parents(node), *graph.children(node), *graph.neighbours(node))


def test_cut_points_are_those_of_the_whole_table() -> None:
    table = sb.random_network(4, continuous=True, seed=1).sample(200, seed=1)
    found = sb.bootstrap(table, replicates=5, discretise="quantile", bins=3)
    assert found.result is not None
    binned = sb.discretise(table, cuts=found.result.cuts).data
    assert found.graphs == sb.bootstrap(binned, replicates=5).graphs


def test_rows_with_missing_values_are_dropped_before_rows_are_drawn() -> None:
    frame = ASIA.to_pandas().astype(object)
    frame.iloc[[3, 50, 51], [0, 2, 5]] = None
    complete = frame.dropna()
    dropped = sb.bootstrap(frame, replicates=8, missing="drop")
    assert dropped.rows == len(complete) == 297
    assert dropped.graphs == sb.bootstrap(complete, replicates=8).graphs
    assert sb.bootstrap(frame, replicates=3, missing="available").rows == 300


def test_failed_replicates_give_a_warning_and_are_not_counted() -> None:
    table: dict[str, Any] = {"x": [1.0, 2.0, 4.0, 5.0, *[np.nan] * 6], "y": np.arange(10.0) ** 2, "z": np.arange(10.0)}
    found = sb.bootstrap(table, replicates=30, missing="available")
    assert 0 < found.failed < 30
    assert {edge.replicates for edge in found.edges} == {30 - found.failed}
    (caution,) = [caution for caution in found.warnings if caution.code == "failed-replicates"]
    assert f"failed for {found.failed} of 30 graphs" in caution.message
    assert "at least 4 values" in caution.message
    assert "failed" in found.summary()


def test_unstable_learner_has_noise_of_both_kinds() -> None:
    tabu = sb.bootstrap(ASIA, "tabu", replicates=30)
    assert len(tabu.relaid) == 30
    assert 0 < tabu.layout_share < 1
    assert "% of that is the layout" in tabu.noise
    once = sb.bootstrap(ASIA, "tabu", replicates=30, layouts=1)
    assert once.graphs == tabu.graphs
    assert np.isnan(once.layout_share)
    assert json.loads(once.to_json())["layout_share"] is None


def test_second_layout_of_a_stable_learner_says_the_same() -> None:
    found = sb.bootstrap(ASIA, replicates=10, layouts=2)
    assert found.relaid == found.graphs
    assert found.layout_share == 0.0
    assert not sb.bootstrap(ASIA, "pc-stable", order="given", replicates=2).stable


@pytest.mark.parametrize("convert", [pa.Table.to_pandas, pl.from_arrow, lambda table: table, pa.Table.to_pydict])
def test_callable_gets_a_frame_of_its_users_kind(convert: Any) -> None:
    data, seen = convert(ASIA), []

    def learner(frame: Any) -> Any:
        seen.append(frame)
        return sb.learn(frame)

    found = sb.bootstrap(data, learner, replicates=5)
    ours = sb.bootstrap(ASIA, replicates=5)
    assert found.graphs == found.relaid == ours.graphs
    assert found.learned == ours.learned
    assert (found.learner, found.stable, found.layout_share) == ("learner", False, 0.0)
    wanted = pd.DataFrame if isinstance(data, dict) else type(data)
    assert {type(frame) for frame in seen} == {wanted}
    assert len({tuple(frame.columns) if wanted is not pa.Table else tuple(frame.column_names) for frame in seen}) > 1


def test_layout_is_found_to_be_all_of_it_where_it_is() -> None:
    frame = ASIA.to_pandas()
    found = sb.bootstrap(frame, lambda frame: [tuple(frame.columns[:2])], replicates=60)
    assert found.layout_share > 0.9


def test_callable_gets_rows_by_weight_and_with_their_missing_values() -> None:
    frame = pd.DataFrame({"a": ["x", "y", None, "x", None], "b": ["p", "q", "q", None, None]})
    seen: list[pd.DataFrame] = []

    def learner(frame: pd.DataFrame) -> Any:
        seen.append(frame)
        return []

    found = sb.bootstrap(frame, learner, replicates=3, weights=[3, 2, 1, 0, 4])
    # The fourth row has no weight, the last no value.
    assert found.rows == 6
    assert [len(frame) for frame in seen] == [6] * 7
    assert sorted(seen[0].fillna("").itertuples(index=False)) == sorted(
        [("x", "p")] * 3 + [("y", "q")] * 2 + [("", "q")]
    )


def test_callable_that_fails_sometimes_gives_a_warning() -> None:
    calls: list[None] = []

    def moody(frame: Any) -> Any:
        calls.append(None)
        if len(calls) % 4 == 0:
            raise RuntimeError("not today")
        return []

    found = sb.bootstrap(ASIA, moody, replicates=6, layouts=1)
    assert found.failed == 1
    assert "RuntimeError: not today" in str(found.warnings[-1])
    calls.clear()

    def fails_from_the_second_time_on(frame: Any) -> Any:
        calls.append(None)
        return [] if len(calls) == 1 else 1 // 0

    with pytest.raises(sb.DataError, match="nothing was learned from any replicate: ZeroDivisionError"):
        sb.bootstrap(ASIA, fails_from_the_second_time_on, replicates=2)


def test_options_that_a_bootstrap_does_not_have_are_refused() -> None:
    with pytest.raises(sb.OptionError, match="max_time"):
        sb.bootstrap(ASIA, max_time=1.0)  # type: ignore[call-arg]
    with pytest.raises(sb.OptionError, match="if the file of checkpoint= exists, it goes on from it"):
        sb.bootstrap(ASIA, resume=True)  # type: ignore[call-arg]
    with pytest.raises(sb.OptionError, match="replicates=0"):
        sb.bootstrap(ASIA, replicates=0)
    with pytest.raises(sb.OptionError, match="layouts=3"):
        sb.bootstrap(ASIA, layouts=3)
    with pytest.raises(sb.OptionError, match="neither the name"):
        sb.bootstrap(ASIA, 7)  # type: ignore[arg-type]
    with pytest.raises(sb.OptionError, match="no option 'score'"):
        sb.bootstrap(ASIA, list, score="bic")
    with pytest.raises(sb.OptionError, match="algorithm='tabou'"):
        sb.bootstrap(ASIA, "tabou")


def test_texts_of_equal_bootstraps_are_equal(asia: sb.Bootstrap) -> None:
    again = sb.bootstrap(ASIA, replicates=30)
    assert again.to_json() == asia.to_json()
    assert again.to_csv() == asia.to_csv()
    told = json.loads(asia.to_json())
    assert told["threshold"] == asia.threshold
    assert {tuple(edge) for edge in told["averaged"]["directed"]} == set(asia.averaged.directed)
    rows = list(csv.DictReader(asia.to_csv().splitlines()))
    assert len(rows) == len({*((e.a, e.b) for e in asia.edges), *asia.learned.skeleton()})
    learned = {(row["a"], row["b"]) for row in rows if row["learned"]}
    assert learned == set(asia.learned.skeleton())
    assert "sample alone" in repr(asia)


def test_picture_is_made(asia: sb.Bootstrap, tmp_path: Path) -> None:
    figure = asia.plot(tmp_path / "bootstrap.png")
    assert (tmp_path / "bootstrap.png").read_bytes().startswith(b"\x89PNG")
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert len(labels) == len(asia.edges)
    assert labels[0].rstrip(" *").split(" ")[0] in asia.nodes
    with pytest.raises(sb.OptionError, match="exists"):
        asia.plot(tmp_path / "bootstrap.png")


# Checkpoints.


def test_interrupted_bootstrap_goes_on_to_the_same_result(asia: sb.Bootstrap, tmp_path: Path) -> None:
    path = tmp_path / "asia.jsonl"

    def interrupt(done: int, wanted: int) -> None:
        assert wanted == 30
        if done == 11:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sb.bootstrap(ASIA, replicates=30, checkpoint=path, progress=interrupt, threads=1)
    assert len(path.read_text().splitlines()) == 1 + 11
    learned: list[int] = []
    again = sb.bootstrap(ASIA, replicates=30, checkpoint=path, progress=lambda done, _: learned.append(done))
    assert sorted(learned) == list(range(12, 31))
    assert again == asia
    assert again.to_json() == asia.to_json()
    # More of them go on from these too, in another layout of the table.
    shuffled = ASIA.select(ASIA.column_names[::-1]).take(list(range(299, -1, -1)))
    more: list[int] = []
    assert sb.bootstrap(shuffled, replicates=33, checkpoint=path, progress=lambda *n: more.append(n[0])).graphs[
        :30
    ] == (asia.graphs)
    assert len(more) == 3


_PROGRAM = """
import sys
import stablebn as sb
table = sb.read_network("asia").sample(300, seed=1)
show = lambda done, wanted: print(done, flush=True)
sb.bootstrap(table, replicates=5000, checkpoint=sys.argv[1], threads=2, progress=show)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="has no SIGKILL")
def test_killed_bootstrap_goes_on_to_the_same_result(asia: sb.Bootstrap, tmp_path: Path) -> None:
    path = tmp_path / "asia.jsonl"
    with subprocess.Popen([sys.executable, "-c", _PROGRAM, str(path)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        for _ in range(10):
            assert process.stdout.readline()
        os.kill(process.pid, signal.SIGKILL)
    kept = [line for line in path.read_bytes().split(b"\n")[1:-1] if json.loads(line)[0] < 30]
    learned: list[int] = []
    again = sb.bootstrap(ASIA, replicates=30, checkpoint=path, progress=lambda done, _: learned.append(done))
    assert len(learned) == 30 - len(kept) < 30
    assert again == asia


def test_torn_line_is_cut_off(asia: sb.Bootstrap, tmp_path: Path) -> None:
    path = tmp_path / "asia.jsonl"
    sb.bootstrap(ASIA, replicates=5, checkpoint=path)
    whole = path.read_bytes()
    path.write_bytes(whole[:-7])
    assert sb.bootstrap(ASIA, replicates=30, checkpoint=path) == asia
    for line in path.read_text().splitlines()[1:]:
        Replicate.from_line(line, 8)


def test_file_of_another_bootstrap_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "asia.jsonl"
    sb.bootstrap(ASIA, "tabu-stable", replicates=3, checkpoint=path)
    kept = path.read_bytes()
    others: list[tuple[Any, dict[str, Any]]] = [
        (ASIA.slice(0, 299), {}),
        (ASIA, {"seed": 1}),
        (ASIA, {"score": "aic"}),
        (ASIA, {"start": [("asia", "tub")]}),
        (ASIA, {"algorithm": "hc-stable"}),
        (ASIA, {"algorithm": sb.learn}),
        (ASIA.rename_columns([*ASIA.column_names[:-1], "other"]), {}),
    ]
    for table, options in others:
        with pytest.raises(sb.OptionError, match="belongs to another bootstrap"):
            sb.bootstrap(table, **{"algorithm": "tabu-stable", **options}, replicates=3, checkpoint=path)
    assert path.read_bytes() == kept


def test_file_that_is_something_else_is_left_alone(tmp_path: Path) -> None:
    for content in (b"name,age\n", b"no end of line", b"\x00\xff\n"):
        path = tmp_path / "precious"
        path.write_bytes(content)
        with pytest.raises(sb.OptionError, match="is no checkpoint"):
            sb.bootstrap(ASIA, replicates=2, checkpoint=path)
        assert path.read_bytes() == content
    with pytest.raises(sb.OptionError, match="cannot write"):
        sb.bootstrap(ASIA, replicates=2, checkpoint=tmp_path / "no" / "folder")
    with pytest.raises(sb.OptionError, match="cannot write"):
        sb.bootstrap(ASIA, replicates=2, checkpoint=tmp_path)


def test_damaged_line_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "asia.jsonl"
    sb.bootstrap(ASIA, replicates=2, checkpoint=path)
    with path.open("a") as file:
        file.write('[2, 0, [[0, 99]], [], ""]\n')
    with pytest.raises(sb.OptionError, match="damaged"):
        sb.bootstrap(ASIA, replicates=4, checkpoint=path)


def test_no_flipped_bit_of_a_line_is_taken_for_another_graph(tmp_path: Path) -> None:
    path = tmp_path / "asia.jsonl"
    sb.bootstrap(ASIA, "hc", replicates=1, checkpoint=path)
    head, line, *_ = path.read_bytes().split(b"\n")
    written = Replicate.from_line(line.decode(), 8)
    for bit in range(8 * len(line)):
        damaged = bytearray(line)
        damaged[bit // 8] ^= 1 << bit % 8
        with suppress(ValueError, TypeError):
            assert Replicate.from_line(damaged.decode(errors="replace"), 8) == written
    first = line.index(b"[[") + 2
    assert line[first : first + 1].isdigit()
    other = b"5" if line[first : first + 1] != b"5" else b"6"
    path.write_bytes(b"\n".join([head, line[:first] + other + line[first + 1 :], b""]))
    with pytest.raises(sb.OptionError, match="damaged"):
        sb.bootstrap(ASIA, "hc", replicates=2, checkpoint=path)
